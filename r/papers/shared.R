# What the experiments share: the logistic regression, tables, figures, and chains that may diverge.
seconds <- function(code) system.time(code)[["elapsed"]]
table_line <- function(...) cat("| ", paste(c(...), collapse = " | "), " |\n", sep = "")
table_head <- function(...) {
  table_line(...)
  table_line(rep("---", length(c(...))))
}

logistic <- function(params, dataset) {
  yEst <- 1 / (1 + tf$exp(-tf$squeeze(params$bias + tf$matmul(dataset$X, params$beta))))
  tf$reduce_sum(dataset$y * tf$log(yEst) + (1 - dataset$y) * tf$log(1 - yEst))
}
laplace <- function(params) -(tf$reduce_sum(tf$abs(params$beta)) + tf$reduce_sum(tf$abs(params$bias)))

# A chain of one of the six methods, whatever its arguments; NULL where it diverges.
chain_of <- function(method, ..., optStepsize, nItersOpt = 10^4) {
  given <- list(..., verbose = FALSE)
  if (grepl("cv$", method)) given <- c(given, list(optStepsize = optStepsize, nItersOpt = nItersOpt))
  tryCatch(suppressWarnings(do.call(method, given)), sgmcmc_divergence_error = function(error) NULL)
}

# Draws a figure into SGMCMC_FIGURES/r-package-NAME.svg; nothing where that is not set.
figure <- function(name, width, height, code) {
  folder <- Sys.getenv("SGMCMC_FIGURES")
  if (!nzchar(folder)) return(invisible())
  grDevices::svg(file.path(folder, paste0("r-package-", name, ".svg")), width, height, pointsize = 10)
  on.exit(grDevices::dev.off())
  graphics::par(mar = c(4, 4, 2, 1), las = 1)
  force(code)
}

colours <- c(sgld = "#1b6ca8", sghmc = "#c0392b", sgnht = "#2a7d2a", sgldcv = "#1b6ca8", sghmccv = "#c0392b", sgnhtcv = "#2a7d2a")

# How a step of Langevin dynamics multiplies an error, by the largest eigenvalue in modulus: more than 1 diverges. H: curvature at the mode. at_once: all
# parameters move at once. in_turn: one parameter after the other, each by the gradient where those before it have moved already, as in version 0.2.
growth <- function(H, stepsize, parameter) {
  d <- nrow(H)
  largest <- function(A) max(Mod(eigen(A, only.values = TRUE)$values))
  in_turn <- diag(d)
  for (one in unique(parameter)) {
    move <- diag(d)
    rows <- which(parameter == one)
    move[rows, ] <- move[rows, ] - stepsize / 2 * H[rows, ]
    in_turn <- move %*% in_turn
  }
  c(at_once = largest(diag(d) - stepsize / 2 * H), in_turn = largest(in_turn))
}

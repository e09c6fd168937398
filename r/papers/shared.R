# Used by all experiments: the logistic regression, tables, figures, and chains that may diverge.
quick <- nzchar(Sys.getenv("SGMCMC_QUICK"))  # made-up rows and short chains, to see that everything runs
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

# How many times too large the variance of Langevin dynamics is, in the direction where it is worst, with gradients of all rows and curvature H, before
# minibatches add to it. in_turn: one parameter after the other moves, by the gradient where those before it have moved already, as in version 0.2; else all
# move at once.
inflation <- function(H, stepsize, parameter, in_turn) {
  d <- nrow(H)
  A <- diag(d)
  noise <- matrix(0, d, d)
  for (rows in if (in_turn) split(seq_len(d), parameter) else list(seq_len(d))) {
    move <- diag(d)
    move[rows, ] <- move[rows, ] - stepsize / 2 * H[rows, ]
    A <- move %*% A
    noise <- move %*% noise %*% t(move) + stepsize * diag(as.numeric(seq_len(d) %in% rows))
  }
  V <- noise
  for (doubling in 1:15) {
    V <- V + A %*% V %*% t(A)
    A <- A %*% A
  }
  if (!all(is.finite(V))) return("diverges")
  curvature <- eigen(H, symmetric = TRUE)
  root <- curvature$vectors %*% (sqrt(pmax(curvature$values, 0)) * t(curvature$vectors))
  largest <- max(eigen(root %*% V %*% root, symmetric = TRUE)$values)
  if (largest > 1e6) "diverges" else signif(largest, 3)
}
inflation_table <- function(H, stepsizes, parameter, order) {
  cat("\nvariance of sgldcv over that of the posterior, in the worst direction, by the curvature at the mode:\n\n")
  table_head("step size", "step size / 2 times the largest curvature", "all parameters at once", order)
  for (stepsize in stepsizes)
    table_line(stepsize, signif(stepsize / 2 * max(eigen(H)$values), 3), inflation(H, stepsize, parameter, FALSE), inflation(H, stepsize, parameter, TRUE))
}

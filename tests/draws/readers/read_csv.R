# Reads chain-*.csv of a folder as any R user would and checks names, order and values with the package posterior.
folder <- commandArgs(trailingOnly = TRUE)[1]
if (!requireNamespace("posterior", quietly = TRUE)) {
  cat("SKIPPED: R's package posterior is not installed (Debian: r-cran-posterior)\n")
  quit(status = 77)
}
suppressMessages(library(posterior))

read_chain <- function(folder, c) {
  table <- read.csv(file.path(folder, paste0("chain-", c, ".csv")), comment.char = "#", check.names = FALSE)
  # beta.1.2 to beta[1,2], as cmdstanr does
  names(table) <- sub("\\.(.*)$", "[\\1]", names(table))
  names(table) <- gsub("\\.", ",", names(table))
  table
}
chains <- lapply(1:3, function(c) read_chain(folder, c))
without <- lapply(1:3, function(c) read_chain(file.path(folder, "without-density"), c))
for (c in 1:3) {  # where the log density was not computed lp__ is 0, and nothing else differs
  stopifnot(identical(names(without[[c]]), names(chains[[c]])), all(without[[c]]$lp__ == 0))
  stopifnot(identical(without[[c]][-1], chains[[c]][-1]))
}
stopifnot(identical(names(chains[[1]])[1:3], c("lp__", "stepsize__", "weight__")))
# Column by column, as Stan orders the elements of a matrix.
stopifnot(identical(names(chains[[1]])[4:13], c("mu", "beta[1]", "beta[2]", "beta[3]", "Sigma[1,1]", "Sigma[2,1]",
                                                "Sigma[1,2]", "Sigma[2,2]", "Sigma[1,3]", "Sigma[2,3]")))
draws <- do.call(bind_draws, c(lapply(chains, as_draws_df), along = "chain"))
stopifnot(nchains(draws) == 3, niterations(draws) == 20, nvariables(draws) == 21)

elements <- c("mu", paste0("beta[", 1:3, "]"))
for (i in 1:2) for (j in 1:3) elements <- c(elements, sprintf("Sigma[%d,%d]", i, j))
for (i in 1:2) for (j in 1:2) for (k in 1:2) elements <- c(elements, sprintf("z[%d,%d,%d]", i, j, k))
for (c in 1:3) for (k in seq_along(elements)) {
  x <- extract_variable_matrix(draws, elements[k])[, c]
  stopifnot(all(x == 1000 * c + 0:19 + (k - 1) / 7))
}
stopifnot(all(extract_variable_matrix(draws, "lp__")[, 2] == -1 - 0:19 / 10))
stopifnot(all(extract_variable_matrix(draws, "weight__")[, 3] == 1 / (1:20)))

arrays <- as_draws_rvars(draws)
stopifnot(identical(dim(arrays$Sigma), c(2L, 3L)), identical(dim(arrays$z), c(2L, 2L, 2L)))
stopifnot(all(abs(mean(arrays$Sigma) - matrix(2009.5 + (4:9) / 7, 2, 3, byrow = TRUE)) < 1e-9))
stopifnot(nrow(summarise_draws(draws)) == 21)
if (requireNamespace("rstan", quietly = TRUE)) {
  for (where in c(folder, file.path(folder, "without-density"))) {
    fit <- rstan::read_stan_csv(file.path(where, paste0("chain-", 1:3, ".csv")))
    stopifnot(identical(dim(as.array(fit)), c(20L, 3L, 20L)), all(as.array(fit)[, 2, "mu"] == 2000 + 0:19))
  }
  cat("rstan", as.character(packageVersion("rstan")), "read the files, too\n")
}
cat("posterior", as.character(packageVersion("posterior")), "read", length(elements), "parameters\n")

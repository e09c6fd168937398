# sgmcmc_stan(): draws of the program, data of R, conditions, seeds, interrupts.
normal <- "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 10); y ~ normal(mu, 1); }"
grouped <- "data { int N; vector[N] y; array[N] int g; } parameters { vector[2] mu; } model { y ~ normal(mu[g], 1); }"
y <- c(0.4, 1.9, -0.3, 1.1, 0.8)

program_draws <- function(model, ...) {
  program <- Sys.getenv("SGMCMC_PROGRAM")
  if (!nzchar(program) || !file.exists(program)) skip("the program sgmcmc is not there")
  folder <- tempfile("run")
  on.exit(unlink(folder, recursive = TRUE))
  status <- system2(program, c("sample", model, ..., "--out", folder), stdout = FALSE, stderr = FALSE)
  stopifnot(status == 0)
  files <- sort(list.files(folder, "^chain-.*csv$", full.names = TRUE))
  lapply(files, function(file) as.matrix(utils::read.csv(file, comment.char = "#", check.names = FALSE)))
}

same_bits <- function(method, ...) {
  models <- Sys.getenv("SGMCMC_MODELS")
  if (!nzchar(models)) skip("the folder of models is not known")
  model <- file.path(models, "logistic_regression.stan")
  data <- file.path(models, "logistic_regression.json")
  chains <- program_draws(model, "--data", data, "--seed", 7, "--method", method, ...)
  fit <- sgmcmc_stan(model, files = data, seed = 7, method = method, iterations = 200)
  names <- dimnames(fit$draws())$variable
  for (chain in seq_along(chains)) {
    ours <- unname(fit$draws()[, chain, ])
    theirs <- unname(chains[[chain]][, gsub("\\[(\\d+)\\]", ".\\1", names), drop = FALSE])
    if (!identical(as.vector(ours), as.vector(theirs))) stop("largest difference ", max(abs(ours - theirs)))
  }
}
test("draws of nuts are those of the program, bit for bit", same_bits("nuts", "--iterations", 200))
test("draws of sgld-cv are those of the program, bit for bit", same_bits("sgld-cv", "--iterations", 200))

test("lists and data frames give the same posterior", {
  a <- sgmcmc_stan(normal, list(N = 5L, y = y), seed = 3)
  b <- sgmcmc_stan(normal, data.frame(y = y, unused = letters[1:5]), seed = 3)
  expect(identical(a$draws(), b$draws()))
  expect_equal(mean(a$draws("mu")), sum(y) / (5 + 0.01), tolerance = 0.05)
})

test("factors become integers, whole doubles are integers where the model wants them", {
  g <- factor(c("b", "a", "b", "a", "a"))
  a <- sgmcmc_stan(grouped, data.frame(y = y, g = g), seed = 1)
  b <- sgmcmc_stan(grouped, list(N = 5, y = y, g = c(2, 1, 2, 1, 1)), seed = 1)
  expect(identical(a$draws(), b$draws()))
})

test("matrices and arrays reach the model by row", {
  code <- "data { int N; matrix[N, 3] X; array[2] matrix[2, 3] A; vector[N] y; } parameters { real mu; }
           model { y ~ normal(mu, 1); } generated quantities { real x = X[2, 3]; real a = A[2, 1, 3]; }"
  X <- matrix(rnorm(15), 5)
  A <- array(rnorm(12), c(2, 2, 3))
  fit <- sgmcmc_stan(code, list(X = X, A = A, y = y), seed = 1, iterations = 10, warmup = 10)
  expect_equal(fit$draws("x")[1], X[2, 3])
  expect_equal(fit$draws("a")[1], A[2, 1, 3])
})

test("set.seed decides where no seed is given", {
  set.seed(11); a <- sgmcmc_stan(normal, list(y = y))
  set.seed(11); b <- sgmcmc_stan(normal, list(y = y))
  c <- sgmcmc_stan(normal, list(y = y))
  expect(identical(a$draws(), b$draws()))
  expect(!identical(a$draws(), c$draws()))
})

test("the verdict comes first", {
  fit <- sgmcmc_stan(normal, list(y = y), seed = 1)
  text <- utils::capture.output(print(fit))
  expect(startsWith(text[1], "verdict: trust."))
  expect(any(grepl("^mu ", text)))
  expect(inherits(fit$diagnose(), "sgmcmc_diagnosis"))
  expect(identical(names(summary(fit))[1:3], c("variable", "mean", "mcse_mean")))
})

test("errors are conditions with R's names", {
  expect_error(sgmcmc_stan(normal, list(y = y), step_sise = 1), "Did you mean 'step_size'?", "sgmcmc_option_error")
  expect_error(sgmcmc_stan(normal, list(y = y), method = "sgld", step_size = -1), "step_size:", "sgmcmc_error")
  expect_error(sgmcmc_stan("parameters { real x } model { }"), "expected ';'", "sgmcmc_model_error")
  expect_error(sgmcmc_stan(normal, list(y = y), overwrite = TRUE), "sgmcmc sample", "sgmcmc_option_error")
  expect_error(sgmcmc_stan("nowhere.stan"), "nowhere.stan", "sgmcmc_error")
  expect_error(sgmcmc_stan(normal, list(y = c(1, NA))), "missing value at position 2", "sgmcmc_data_error")
  expect_error(sgmcmc_stan(normal, list(y = letters)), "holds character", "sgmcmc_data_error")
  expect_error(sgmcmc_stan(normal, list(N = 5)), "y", "sgmcmc_data_error")
})

test("package posterior converts fits", {
  if (!requireNamespace("posterior", quietly = TRUE)) skip("package posterior is not installed")
  fit <- sgmcmc_stan(normal, list(y = y), seed = 1)
  expect(inherits(posterior::as_draws_df(fit), "draws_df"))
  expect(inherits(posterior::as_draws_array(fit), "draws_array"))
  expect_equal(as.numeric(posterior::summarise_draws(posterior::as_draws(fit))$ess_bulk), summary(fit)$ess_bulk, tolerance = 1e-6)
})

test("log likelihoods of rows, and loo", {
  fit <- sgmcmc_stan(normal, list(y = y), seed = 1)
  log_lik <- fit$log_lik()
  expect(identical(dim(log_lik), c(dim(fit$draws())[1:2], 5L)))
  expect_equal(log_lik[7, 2, ], dnorm(y, fit$draws("mu")[7, 2, 1], 1, log = TRUE), 1e-12)
  expect(dim(fit$log_lik(every = 10))[1] == 100)
  if (!requireNamespace("loo", quietly = TRUE)) skip("package loo is not installed")
  found <- suppressWarnings(loo::loo(fit))
  expect(inherits(found, "psis_loo"))
})

test("plots are made with and without ggplot2", {
  fit <- sgmcmc_stan(normal, list(y = y), seed = 1)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (what in c("density", "trace", "rank")) {
    print(plot(fit, what = what))
    frame <- data.frame(value = rnorm(20), iteration = rep(1:10, 2), chain = factor(rep(1:2, each = 10)), variable = factor("a"))
    sgmcmc:::base_plot_of(frame, what)
  }
})

test("an interrupt ends a run within a second, with the draws there are", {
  script <- tempfile(fileext = ".R")
  writeLines(c("library(sgmcmc)", sprintf("code <- '%s'", normal), "cat('ready\\n', file = stderr())",
               "fit <- sgmcmc_stan(code, list(y = rnorm(50)), method = 'sgld', step_size = 1e-3, iterations = 1e9, thin = 1e6, seed = 1)",
               "cat('interrupted:', fit$interrupted, '\\n')"), script)
  log <- tempfile()
  started <- tempfile()
  id <- system(sprintf("Rscript %s > %s 2> %s & echo $!", shQuote(script), shQuote(log), shQuote(started)), intern = TRUE)
  for (k in 1:200) {
    if (file.exists(started) && any(grepl("ready", readLines(started, warn = FALSE)))) break
    Sys.sleep(0.05)
  }
  Sys.sleep(0.7)
  before <- proc.time()[["elapsed"]]
  tools::pskill(as.integer(id), tools::SIGINT)
  for (k in 1:200) {
    if (any(grepl("interrupted", readLines(log, warn = FALSE)))) break
    Sys.sleep(0.02)
  }
  expect(any(grepl("interrupted: TRUE", readLines(log))))
  cat(sprintf("an interrupt was answered after %.1f s\n", proc.time()[["elapsed"]] - before))
})

test("a file that is cut during a run is named", {
  program <- Sys.getenv("SGMCMC_PROGRAM")
  if (!nzchar(program) || !file.exists(program)) skip("the program sgmcmc is not there")
  folder <- tempfile("cut")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  at <- function(name) file.path(folder, name)
  writeLines(normal, at("model.stan"))
  writeLines(c("y", format(sin(seq_len(200000)), digits = 6)), at("y.csv"))
  packed <- system2(program, c("pack", at("model.stan"), "--data", at("y.csv"), "--out", at("rows.sgr"), "--quiet"))
  stopifnot(packed == 0)
  code <- sprintf("sgmcmc::sgmcmc_stan('%s', files = '%s', method = 'sgld-cv', step_size = 1e-7, iterations = 1e8, thin = 1e4, chains = 1, seed = 1, progress = TRUE)",
                  at("model.stan"), at("rows.sgr"))
  system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), stdout = FALSE, stderr = at("log"), wait = FALSE)
  said <- function(text) file.exists(at("log")) && any(grepl(text, readLines(at("log"), warn = FALSE)))
  wait_for <- function(text) {
    for (k in 1:1200) {
      if (said(text)) return()
      Sys.sleep(0.05)
    }
    stop("'", text, "' was not said: ", paste(readLines(at("log"), warn = FALSE), collapse = "\n"))
  }
  wait_for("sampling +[0-9]+ %")
  file <- file(at("rows.sgr"), "r+b")
  seek(file, 8192, rw = "write")
  truncate(file)
  close(file)
  wait_for("rows\\.sgr: the file was cut, or its disk failed")
})

test("a fit as an HTML page", {
  fit <- sgmcmc_stan("data { int N; vector[N] y; } parameters { real mu; real<lower=0> sigma; } model { y ~ normal(mu, sigma); }",
                     list(y = rnorm(50)), seed = 1, chains = 2, iterations = 300)
  path <- tempfile(fileext = ".html")
  expect(identical(report(fit, path), path))
  page <- paste(readLines(path, warn = FALSE), collapse = "\n")
  for (text in c("Trust these draws|caution|Cannot tell", "sigma", "normal\\(mu, sigma\\)", "</html>")) expect(grepl(text, page), text)
  expect(identical(fit$report(path), path))
  expect_error(report(fit, file.path(tempdir(), "no", "such", "folder.html")), "folder.html", "sgmcmc_file_error")
  expect_error(report(tempfile("nothing")), "nothing", "sgmcmc_error")
})

test("mistakes of R users get hints", {
  code <- "data { int N; vector[N] x; array[N] int y; } parameters { real b; } model { y ~ bernoulli_logit(b * x); }"
  frame <- data.frame(x = rnorm(20), y = factor(rep(0:1, 10)))
  expect_error(sgmcmc_stan(code, frame, seed = 1), "factors are passed as their codes", "sgmcmc_model_error")
  expect_error(sgmcmc_stan(code, frame, iter = 500), "iterations = ", "sgmcmc_option_error")
  expect_error(sgmcmc_stan(code, frame["x"], seed = 1), "add it to `data`", "sgmcmc_data_error")
  expect_error(sgmcmc_stan(code, as.matrix(frame["x"])), "as.data.frame()", "sgmcmc_data_error")
  X <- matrix(c(1, 2, 3, Inf, 5, 6), 3)
  expect_error(sgld(function(params, dataset) tf$reduce_sum(tf$matmul(dataset$X, params$b)), list(X = X), list(b = matrix(0, 2, 1)), 1e-4, minibatchSize = 2),
               "dataset$X[1, 2]: infinity", "sgmcmc_data_error")
  expect_error(sgld(function(params) 0, list(X = 1:3), list(b = 0), 1e-4, minibatchSize = 2), "params and dataset", "sgmcmc_usage_error")
})

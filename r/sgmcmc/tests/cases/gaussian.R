# Gaussians in one and three dimensions with all six methods, in the manner of the tests of sgmcmc 0.2.
N <- 10^4
methods <- c("sgld", "sghmc", "sgnht", "sgldcv", "sghmccv", "sgnhtcv")

sampled <- function(method, logLik, dataset, params, stepsize, ..., optStepsize = 1e-6, nItersOpt = 1000) {
  given <- list(logLik, dataset, params, stepsize, ..., verbose = FALSE)
  if (grepl("cv", method)) given <- c(given, list(optStepsize = optStepsize, nItersOpt = nItersOpt))
  do.call(method, given)
}

one_dimension <- function(params, dataset) tf$reduce_sum(tf$distributions$Normal(params$theta, 1)$log_prob(dataset$x))
prior_one <- function(params) tf$distributions$Normal(0, 5)$log_prob(params$theta)

set.seed(13)
x1 <- rnorm(N, 0.3)
set.seed(13)
x3 <- matrix(rnorm(3 * N), N) + rep(c(0.5, 0, -0.5), each = N)

for (method in methods) test(paste(method, "draws from the posterior of one mean"), {
  draws <- sampled(method, one_dimension, list(x = x1), list(theta = 0), 2e-5, logPrior = prior_one, minibatchSize = 0.1, nIters = 4000, seed = 2,
                   optStepsize = 2e-5)
  expect(identical(names(draws), "theta"))
  expect(identical(dim(draws$theta), c(4000L, 1L)))
  kept <- draws$theta[-(1:1000)]
  expect_equal(mean(kept), mean(x1), tolerance = 0.02)
  # Noise of the gradient has variance V, 1800 of it a step; it inflates the posterior variance by 1 + gain V stepsize: a quarter for sgld, about 3.9 for five
  # steps of sghmc. Control variates have none here. Thermostats take up to 10^5 iterations to absorb it.
  noise <- 2e-5 * N^2 / 1000 * 0.9
  factor <- c(sgld = 1 + 0.25 * noise, sghmc = 1 + 3.9 * noise, sgldcv = 1, sghmccv = 1, sgnhtcv = 1)[method]
  if (!is.na(factor)) expect_equal(sd(kept), unname(sqrt(factor / N)), tolerance = 0.2) else expect(sd(kept) < 4 / sqrt(N))
})

three_dimensions <- function(params, dataset) {
  sigma <- tf$constant(diag(3), dtype = tf$float32)
  tf$reduce_sum(tf$contrib$distributions$MultivariateNormalFullCovariance(params$theta, sigma)$log_prob(dataset$X))
}
prior_three <- function(params) tf$contrib$distributions$MultivariateNormalDiag(rep(0, 3), rep(10, 3))$log_prob(params$theta)

for (method in methods) test(paste(method, "draws from the posterior of three means"), {
  draws <- sampled(method, three_dimensions, list(X = x3), list(theta = rep(0, 3)), list(theta = 2e-5), logPrior = prior_three, minibatchSize = 500, nIters = 1500, seed = 5,
                   optStepsize = 2e-5, nItersOpt = 1000)
  expect(identical(dim(draws$theta), c(1500L, 3L)))
  expect(max(abs(colMeans(draws$theta[-(1:500), ]) - colMeans(x3))) < 0.02)
})

test("a chain with another step size is seen to have another variance", {
  spread <- function(stepsize) sd(sgldcv(one_dimension, list(x = x1), list(theta = mean(x1)), stepsize, 1e-6, minibatchSize = 100, nIters = 3000, nItersOpt = 10,
                                         verbose = FALSE, seed = 1)$theta)
  expect_equal(spread(3e-4) / spread(2e-5), 2, tolerance = 0.25)  # variance 1 / (N (1 - stepsize N / 4))
})

test("matrix parameters keep their shape", {
  theta <- matrix(c(0.5, 0, -0.5), 3, 1)
  logLik <- function(params, dataset) -0.5 * tf$reduce_sum(tf$square(dataset$X - tf$transpose(params$theta)))
  draws <- sgld(logLik, list(X = x3), list(theta = theta), 1e-5, minibatchSize = 100, nIters = 50, verbose = FALSE, seed = 1)
  expect(identical(dim(draws$theta), c(50L, 3L, 1L)))
  wide <- list(theta = matrix(0, 2, 3))
  logLik <- function(params, dataset) -0.5 * tf$reduce_sum(tf$square(dataset$X - params$theta[1, ])) - tf$reduce_sum(tf$square(dataset$X[, 1] - params$theta[2, 3]))
  draws <- sgldcv(logLik, list(X = x3), wide, 1e-5, 1e-5, function(params) -tf$reduce_sum(tf$square(params$theta)), 100, 500, 1000, FALSE, 1)
  expect(identical(dim(draws$theta), c(500L, 2L, 3L)))
  expect_equal(apply(draws$theta[, 1, ], 2, mean), colMeans(x3), tolerance = 0.05)
  expect_equal(mean(draws$theta[, 2, 3]), mean(x3[, 1]), tolerance = 0.05)
})

test("an explicit float64 constant is an error beside parameters", {
  logLik <- function(params, dataset) tf$reduce_sum(tf$distributions$Normal(params$theta, tf$constant(1, dtype = tf$float64))$log_prob(dataset$x))
  expect_error(sgld(logLik, list(x = x1), list(theta = 0), 1e-5), "dtype float64", "sgmcmc_model_error")
})

test("equal seeds give equal chains, set.seed decides without one", {
  run <- function(...) sgld(one_dimension, list(x = x1), list(theta = 0), 1e-5, minibatchSize = 100, nIters = 20, verbose = FALSE, ...)
  expect(identical(run(seed = 4), run(seed = 4)))
  expect(!identical(run(seed = 4), run(seed = 5)))
  set.seed(3); a <- run()
  set.seed(3); b <- run()
  expect(identical(a, b))
  expect(!identical(a, run()))
})

test("progress is told by messages", {
  said <- character()
  withCallingHandlers(sgldcv(one_dimension, list(x = x1), list(theta = 0), 1e-5, 1e-5, minibatchSize = 100, nIters = 250, nItersOpt = 100, seed = 1),
                      message = function(m) {
                        said <<- c(said, conditionMessage(m))
                        invokeRestart("muffleMessage")
                      })
  expect(any(grepl("Finding initial MAP estimates...", said)))
  expect(any(grepl("Simulating from SGMCMC algorithm...", said)))
  expect(sum(grepl("Iteration: (100|200)\t", said)) == 2)
})

test("a chain that diverges says so", {
  expect_error(sgld(one_dimension, list(x = x1), list(theta = 0), 1, minibatchSize = 100, nIters = 2000, verbose = FALSE, seed = 1),
               "Chain diverged, try decreasing stepsize", "sgmcmc_divergence_error")
})

test("arguments are checked", {
  run <- function(...) sgld(one_dimension, list(x = x1), list(theta = 0), ..., nIters = 10, verbose = FALSE)
  expect_error(run(1e-5, minibatchSize = 1e-5), "no row at all", "sgmcmc_option_error")
  expect_error(run(1e-5, minibatchSize = 1e6), "only 10000 rows", "sgmcmc_option_error")
  expect_error(run(1e-5, seed = -1), "seed must be a whole number", "sgmcmc_option_error")
  expect_error(run(list(beta = 1)), "no value for the parameter 'theta'", "sgmcmc_option_error")
  expect_error(sgld(one_dimension, list(x = c(x1, NA)), list(theta = 0), 1), "missing values", "sgmcmc_data_error")
  expect_error(sgld(one_dimension, list(x = c(x1, Inf)), list(theta = 0), 1), "x", "sgmcmc_data_error")
  expect_error(sgld(one_dimension, list(x = x1, y = 1:3), list(theta = 0), 1), "different numbers of rows", "sgmcmc_data_error")
  expect_error(sgld(function(params, dataset) tf$reduce_sun(dataset$x), list(x = x1), list(theta = 0), 1), "nearest: reduce_sum")
  expect_error(sgld(function(params, dataset) if (params$theta > 0) tf$reduce_sum(dataset$x), list(x = x1), list(theta = 0), 1), "tf$where", "sgmcmc_model_error")
  expect_error(sgld(function(params, dataset) tf$reduce_sum(tf$unique(dataset$x) * params$theta), list(x = x1), list(theta = 0), 1), "share a minibatch", "sgmcmc_model_error")
})

test("formals are those of sgmcmc 0.2", {
  expect(identical(names(formals(sgld)), c("logLik", "dataset", "params", "stepsize", "logPrior", "minibatchSize", "nIters", "verbose", "seed")))
  expect(identical(names(formals(sghmc)), c("logLik", "dataset", "params", "stepsize", "logPrior", "minibatchSize", "alpha", "L", "nIters", "verbose", "seed")))
  expect(identical(names(formals(sgnht)), c("logLik", "dataset", "params", "stepsize", "logPrior", "minibatchSize", "a", "nIters", "verbose", "seed")))
  expect(identical(names(formals(sgldcv)), c("logLik", "dataset", "params", "stepsize", "optStepsize", "logPrior", "minibatchSize", "nIters", "nItersOpt", "verbose", "seed")))
  expect(identical(names(formals(sghmccv)), c("logLik", "dataset", "params", "stepsize", "optStepsize", "logPrior", "minibatchSize", "alpha", "L", "nIters", "nItersOpt", "verbose", "seed")))
  expect(identical(names(formals(sgnhtcv)), c("logLik", "dataset", "params", "stepsize", "optStepsize", "logPrior", "minibatchSize", "a", "nIters", "nItersOpt", "verbose", "seed")))
  expect(identical(formals(sghmc)$alpha, 0.01) && identical(eval(formals(sghmc)$L), 5L) && identical(eval(formals(sgld)$nIters), 10^4L))
})

test("optional arguments by parameter", {
  logLik <- function(params, dataset) tf$reduce_sum(tf$distributions$Normal(params$a, tf$exp(params$b))$log_prob(dataset$x))
  for (method in c("sghmc", "sgnht")) {
    extra <- if (method == "sghmc") list(alpha = list(a = 0.01, b = 0.05), L = 3) else list(a = list(a = 0.01, b = 0.03))
    draws <- do.call(method, c(list(logLik, list(x = x1), list(a = 0, b = 0), list(a = 1e-5, b = 2e-6), minibatchSize = 200, nIters = 300, verbose = FALSE, seed = 1), extra))
    expect(all(is.finite(draws$a)) && all(is.finite(draws$b)))
    expect(identical(dim(draws$b), c(300L, 1L)))
  }
})

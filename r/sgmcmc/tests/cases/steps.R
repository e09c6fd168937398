# Chains step by step, sessions, and tensors evaluated in them.
set.seed(1)
N <- 2000
X <- matrix(rnorm(3 * N), N)
y <- rbinom(N, 1, plogis(X %*% c(1, -0.5, 0.25)))
dataset <- list(X = X, y = y)
params <- list(bias = 0, beta = matrix(0, 3, 1))
logLik <- function(params, dataset) {
  yEst <- 1 / (1 + tf$exp(-tf$squeeze(params$bias + tf$matmul(dataset$X, params$beta))))
  tf$reduce_sum(dataset$y * tf$log(yEst) + (1 - dataset$y) * tf$log(1 - yEst))
}
logPrior <- function(params) -(tf$reduce_sum(tf$abs(params$beta)) + tf$reduce_sum(tf$abs(params$bias)))
setups <- list(sgld = sgldSetup, sghmc = sghmcSetup, sgnht = sgnhtSetup)
cv_setups <- list(sgld = sgldcvSetup, sghmc = sghmccvSetup, sgnht = sgnhtcvSetup)

for (method in names(setups)) test(paste(method, "step by step is the whole chain"), {
  object <- setups[[method]](logLik, dataset, params, 1e-4, logPrior, 100, seed = 7)
  expect(identical(class(object), c(method, "sgmcmc")))
  expect(all(c("N", "data", "n", "placeholders", "stepsize", "params", "estLogPost") %in% names(object)))
  sess <- initSess(object, verbose = FALSE)
  states <- lapply(1:20, function(k) {
    sgmcmcStep(object, sess)
    getParams(object, sess)
  })
  whole <- do.call(method, list(logLik, dataset, params, 1e-4, logPrior, 100, nIters = 20, verbose = FALSE, seed = 7))
  expect_equal(vapply(states, function(s) s$bias, 0), whole$bias[, 1], 0)
  expect(identical(states[[20]]$beta, matrix(whole$beta[20, , ], 3, 1)))
  again <- initSess(object, verbose = FALSE)
  sgmcmcStep(object, again)
  expect(identical(getParams(object, again), states[[1]]))
})

for (method in names(cv_setups)) test(paste(method, "with control variates starts at the mode"), {
  object <- cv_setups[[method]](logLik, dataset, params, 1e-4, 1e-4, logPrior, 100, nItersOpt = 2000, seed = 7)
  expect(identical(class(object), c(method, "sgmcmccv", "sgmcmc")))
  expect(all(c("nItersOpt", "paramsOpt", "placeholdersFull") %in% names(object)))
  sess <- initSess(object, verbose = FALSE)
  mode <- getParams(object, sess)
  fitted <- coef(glm(y ~ X, family = binomial))
  expect_equal(c(mode$bias, mode$beta), unname(fitted), tolerance = 0.2)
  expect_equal(as.vector(sess$run(object$paramsOpt$beta)), as.vector(mode$beta), 0)
  sgmcmcStep(object, sess)
  expect(max(abs(getParams(object, sess)$beta - mode$beta)) > 0)
})

test("tensors of held-out rows follow the chain", {
  object <- sgldSetup(logLik, dataset, params, 1e-4, logPrior, 100, seed = 1)
  held <- list(X = matrix(rnorm(30), 10), y = rbinom(10, 1, 0.5))
  places <- list(X = tf$placeholder(tf$float32, dim(held$X)), y = tf$placeholder(tf$float32, dim(held$y)))
  loss <- -logLik(object$params, places) / 10
  sess <- initSess(object)
  feed <- dict()
  feed[places[["X"]]] <- held$X
  feed[[places[["y"]]]] <- held$y
  for (k in 1:5) sgmcmcStep(object, sess)
  now <- getParams(object, sess)
  p <- plogis(now$bias + held$X %*% now$beta)
  expected <- -mean(held$y * log(p) + (1 - held$y) * log(1 - p))
  expect_equal(sess$run(loss, feed_dict = feed), expected, 1e-12)
  expect_equal(loss$eval(feed_dict = feed, session = sess), expected, 1e-12)
  both <- sess$run(list(loss, object$params$bias), feed_dict = feed)
  expect_equal(both[[2]], now$bias, 0)
  expect_error(sess$run(loss), "no value was fed")
})

test("estLogPost is the estimate of a minibatch", {
  object <- sgldSetup(logLik, dataset, params, 1e-4, logPrior, 100, seed = 1)
  sess <- initSess(object)
  feed <- dict()
  feed[[object$placeholders$X]] <- X[1:100, ]
  feed[[object$placeholders$y]] <- y[1:100]
  expect_equal(sess$run(object$estLogPost, feed_dict = feed), -N * log(2), 1e-12)
})

test("the paper's density of a point", {
  loc <- tf$Variable(rep(0, 2))
  dataPoint <- tf$placeholder(tf$float32, c(2))
  dens <- tf$contrib$distributions$MultivariateNormalDiag(loc, tf$constant(c(1, 1)))$prob(dataPoint)
  sess <- tf$Session()
  expect_error(sess$run(dens, feed_dict = dict(dataPoint = c(0, 0))), "global_variables_initializer")
  sess$run(tf$global_variables_initializer())
  expect_equal(sess$run(dens, feed_dict = dict(dataPoint = c(0.3, -1))), exp(sum(dnorm(c(0.3, -1), log = TRUE))), 1e-12)
})

test("a chain answers an interrupt within a second", {
  script <- tempfile(fileext = ".R")
  log <- tempfile()
  writeLines(c("library(sgmcmc)", "ll <- function(params, dataset) tf$reduce_sum(tf$distributions$Normal(params$theta, 1)$log_prob(dataset$x))",
               "cat('ready\\n')", "tryCatch(sgld(ll, list(x = rnorm(1000)), list(theta = 0), 1e-5, nIters = 1e9, verbose = FALSE), interrupt = function(i) cat('answered\\n'))"), script)
  id <- system(sprintf("Rscript %s > %s 2>&1 & echo $!", shQuote(script), shQuote(log)), intern = TRUE)
  for (k in 1:200) {
    if (file.exists(log) && any(grepl("ready", readLines(log, warn = FALSE)))) break
    Sys.sleep(0.05)
  }
  Sys.sleep(0.5)
  tools::pskill(as.integer(id), tools::SIGINT)
  for (k in 1:200) {
    if (any(grepl("answered", readLines(log, warn = FALSE)))) break
    Sys.sleep(0.02)
  }
  if (!any(grepl("answered", readLines(log)))) tools::pskill(as.integer(id), tools::SIGKILL)
  expect(any(grepl("answered", readLines(log))), paste(readLines(log), collapse = "; "))
})

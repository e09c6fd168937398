# Operations: values computed by sessions and likelihoods in many styles, compared with plain R; and calls that are refused.
sess <- tf$Session()
sess$run(tf$global_variables_initializer())
value <- function(tensor) sess$run(tensor)
set.seed(2)
A <- matrix(rnorm(6), 2)
B <- matrix(rnorm(12), 3)
v <- rnorm(3)
a3 <- array(rnorm(24), c(2, 3, 4))

test("shapes of constants", {
  expect(identical(tf$constant(1)$shape, integer()))
  expect(identical(tf$constant(c(1, 2))$shape, 2L))
  expect(identical(dim(tf$constant(A)), c(2L, 3L)))
  expect(length(tf$constant(A)) == 6)
})

test("arithmetic and broadcasting", {
  expect_equal(value(tf$constant(A) + v), sweep(A, 2, v, `+`))
  expect_equal(value(1 - tf$constant(A)), 1 - A)
  expect_equal(value(-tf$constant(A)^2 / 3), -A^2 / 3)
  expect_equal(value(2^tf$constant(A)), 2^A)
  expect_equal(value(tf$constant(A) > 0), (A > 0) + 0)
  expect_equal(value(exp(tf$constant(A))), exp(A))
  expect_equal(value(log1p(abs(tf$constant(A)))), log1p(abs(A)))
  expect_equal(value(sqrt(tf$square(tf$constant(A)))), abs(A))
  expect_error(tf$constant(A) + tf$constant(B), "do not fit together", "sgmcmc_model_error")
})

test("reductions", {
  x <- tf$constant(a3)
  expect_equal(value(tf$reduce_sum(x)), sum(a3))
  expect_equal(value(tf$reduce_sum(x, axis = 1L)), apply(a3, c(1, 3), sum))
  expect_equal(value(tf$reduce_mean(x, axis = c(0L, 2L))), apply(a3, 2, mean))
  expect_equal(value(tf$reduce_max(x, axis = -1L, keepdims = TRUE)), array(apply(a3, 1:2, max), c(2, 3, 1)))
  expect_equal(value(tf$reduce_logsumexp(x, axis = list(0L))), log(apply(exp(a3), 2:3, sum)))
  expect_equal(value(sum(x)), sum(a3))
  expect_equal(value(mean(x)), mean(a3))
})

test("matrices", {
  expect_equal(value(tf$matmul(A, B)), A %*% B)
  expect_equal(value(tf$matmul(A, B, FALSE, FALSE)), A %*% B)
  expect_equal(value(tf$matmul(A, A, transpose_a = TRUE)), crossprod(A))
  expect_equal(value(tf$matmul(A, A, transpose_b = TRUE)), tcrossprod(A))
  expect_equal(value(tf$einsum("ij,jk->ik", A, B)), A %*% B)
  expect_equal(value(tf$einsum("ij,ij->i", A, A)), rowSums(A * A))
  expect_equal(value(t(tf$constant(A))), t(A))
  S <- crossprod(B) + diag(4)
  expect_equal(value(tf$cholesky(S)), t(chol(S)))
  expect_equal(value(tf$matrix_inverse(S)), solve(S))
  expect_equal(value(tf$matrix_determinant(S)), det(S))
  expect_equal(value(tf$diag(v)), diag(v))
})

test("arranging", {
  x <- tf$constant(a3)
  expect_equal(value(tf$reshape(x, c(6L, 4L))), matrix(aperm(a3, c(3, 2, 1)), 6, byrow = TRUE))
  expect_equal(value(tf$transpose(x, c(2L, 0L, 1L))), aperm(a3, c(3, 1, 2)))
  expect_equal(value(tf$squeeze(tf$expand_dims(x, 1L))), a3)
  expect_equal(value(tf$concat(list(A, A), 0L)), rbind(A, A))
  expect_equal(value(tf$concat(list(A, A), axis = 1L)), cbind(A, A))
  expect_equal(value(tf$stack(list(v, v), axis = 1L)), cbind(v, v))
  expect_equal(value(tf$gather(A, c(1L, 0L))), A[2:1, ])
  expect_equal(value(tf$one_hot(c(2L, 0L), 3L)), rbind(c(0, 0, 1), c(1, 0, 0)))
  expect_equal(value(x[2, , 3]), a3[2, , 3])
  expect_equal(value(tf$constant(A)[, 2:3]), A[, 2:3])
  expect_equal(value(tf$shape(x)[1L]), 2)
  expect_equal(value(tf$zeros(tf$shape(x)[2L])), rep(0, 3))
  expect_equal(value(tf$where(tf$constant(A) > 0, A, 0 * A)), pmax(A, 0))
  expect_equal(value(tf$nn$softmax(A)), exp(A) / rowSums(exp(A)))
  expect_equal(value(tf$nn$log_softmax(A, 0L)), log(sweep(exp(A), 2, colSums(exp(A)), `/`)))
  expect_equal(value(tf$to_int32(c(1.7, -1.7))), c(1, -1))
})

test("distributions", {
  d <- tf$distributions
  expect_equal(value(d$Normal(loc = 1, scale = 2)$log_prob(v)), dnorm(v, 1, 2, log = TRUE))
  expect_equal(value(d$Normal(1, 2)$prob(v)), dnorm(v, 1, 2))
  expect_equal(value(d$Gamma(2, 3)$log_prob(abs(v))), dgamma(abs(v), 2, 3, log = TRUE))
  expect_equal(value(d$StudentT(4, 1, 2)$log_prob(v)), dt((v - 1) / 2, 4, log = TRUE) - log(2))
  expect_equal(value(d$Bernoulli(probs = 0.3)$log_prob(c(1, 0))), log(c(0.3, 0.7)))
  expect_equal(value(d$Bernoulli(0.4)$log_prob(c(1, 0))), log(c(plogis(0.4), 1 - plogis(0.4))))
  expect_equal(value(d$Poisson(2.5)$log_prob(c(0, 3))), dpois(c(0, 3), 2.5, log = TRUE))
  expect_equal(value(d$Categorical(c(0, log(3)))$log_prob(c(1, 0))), log(c(0.75, 0.25)))
  S <- crossprod(matrix(rnorm(9), 3)) + diag(3)
  expect_equal(value(d$MultivariateNormalFullCovariance(v, S)$log_prob(rep(0, 3))),
               as.vector(-0.5 * (3 * log(2 * pi) + log(det(S)) + t(v) %*% solve(S, v))))
  expect_equal(value(tf$contrib$distributions$WishartFull(5, scale = S)$log_pdf(diag(3))), sgmcmc:::wishart_value(5, S, diag(3)))
  expect_equal(value(d$Mixture(d$Categorical(c(0, 0)), list(d$Normal(0, 1), d$Normal(2, 1)))$log_prob(v)), log(0.5 * dnorm(v) + 0.5 * dnorm(v, 2)))
  expect_error(tf$distributions$Norml(0, 1), "tf$distributions$Norml is not known here; nearest: Normal")
  expect_error(d$Normal(0, 1, sd = 2), "Normal has no argument 'sd'")
})

# Likelihoods in many styles: the value of the lowered model at the start is compared with plain R, over all rows.
N <- 40
data <- list(X = matrix(rnorm(3 * N), N), y = rbinom(N, 1, 0.5), z = rnorm(N), k = rep(0:3, 10))
start <- list(theta = 0.3, beta = c(0.5, -0.2, 0.1), B = matrix(c(0.2, 0.4, -0.3), 3), W = matrix(rnorm(12), 3), w = c(0.1, 0.2, -0.4, 0.3))
engine_value <- function(logLik, n = 8) {
  object <- suppressWarnings(sgldSetup(logLik, data, start, 1e-5, minibatchSize = n))
  sgmcmc:::core(sgmcmc:::C_traced_value, object$model, sgmcmc:::coordinates(object$start, object$params), seq_len(N) - 1L, 1)[1]
}
style <- function(name, logLik, expected) test(paste("style:", name), expect_equal(engine_value(logLik), expected, 1e-10))
eta <- as.vector(data$X %*% start$B)
logistic <- sum(data$y * plogis(eta, log.p = TRUE) + (1 - data$y) * plogis(-eta, log.p = TRUE))
softmax <- function(s) exp(s) / rowSums(exp(s))

style("the paper's", function(params, dataset) {
  p <- 1 / (1 + tf$exp(-tf$squeeze(tf$matmul(dataset$X, params$B))))
  tf$reduce_sum(dataset$y * tf$log(p) + (1 - dataset$y) * tf$log(1 - p))
}, logistic)
style("R operators", function(params, dataset) {
  eta <- sum_rows <- tf$reduce_sum(dataset$X * t(params$B), axis = 1L)
  sum(dataset$y * eta - log(1 + exp(eta)))
}, logistic)
style("Bernoulli", function(params, dataset) tf$reduce_sum(tf$distributions$Bernoulli(logits = tf$matmul(dataset$X, params$B)[, 1])$log_prob(dataset$y)), logistic)
style("cross entropy", function(params, dataset) -tf$reduce_sum(tf$nn$sigmoid_cross_entropy_with_logits(labels = dataset$y, logits = tf$squeeze(tf$matmul(dataset$X, params$B)))), logistic)
style("einsum and shape", function(params, dataset) {
  eta <- tf$einsum("ij,j->i", dataset$X, tf$reshape(params$B, list(3L))) + tf$zeros(tf$shape(dataset$X)[1L])
  tf$reduce_sum(dataset$y * eta - tf$nn$softplus(eta))
}, logistic)
style("gather", function(params, dataset) tf$reduce_sum(tf$distributions$Normal(tf$gather(params$w, tf$to_int32(dataset$k)), 1)$log_prob(dataset$z)),
      sum(dnorm(data$z, start$w[data$k + 1], 1, log = TRUE)))
style("softmax", function(params, dataset) {
  p <- tf$nn$softmax(tf$matmul(dataset$X, params$W) + params$w)
  tf$reduce_sum(tf$one_hot(tf$to_int32(dataset$k), 4L) * tf$log(p))
}, sum(log(softmax(sweep(data$X %*% start$W, 2, start$w, `+`))[cbind(1:N, data$k + 1)])))
style("sparse cross entropy", function(params, dataset) -tf$reduce_sum(tf$nn$sparse_softmax_cross_entropy_with_logits(labels = dataset$k, logits = tf$matmul(dataset$X, params$W))),
      sum(log(softmax(data$X %*% start$W)[cbind(1:N, data$k + 1)])))
style("mixture", function(params, dataset) {
  d <- tf$distributions
  tf$reduce_sum(d$Mixture(d$Categorical(c(0.2, 0.5)), list(d$Normal(params$theta, 1), d$Normal(0, 2)))$log_prob(dataset$z))
}, local({
  w <- exp(c(0.2, 0.5)) / sum(exp(c(0.2, 0.5)))
  sum(log(w[1] * dnorm(data$z, 0.3) + w[2] * dnorm(data$z, 0, 2)))
}))
style("squares of residuals", function(params, dataset) {
  e <- dataset$z - dataset$X[, 1] * params$theta - params$beta[2]
  -0.5 * tf$reduce_sum(e^2)
}, -0.5 * sum((data$z - data$X[, 1] * 0.3 + 0.2)^2))

refused <- function(name, text, logLik) test(paste("refused:", name), expect_error(sgldSetup(logLik, data, start, 1e-5, minibatchSize = 8), text, "sgmcmc_error"))
refused("n x n pairs", "use tf$squeeze", function(params, dataset) tf$reduce_sum(dataset$y * tf$matmul(dataset$X, params$B)))
refused("Gram matrix", "paired with every other", function(params, dataset) tf$reduce_sum(tf$matmul(dataset$X, dataset$X, transpose_b = TRUE) * params$theta))
refused("largest over rows", "share a minibatch", function(params, dataset) tf$reduce_max(dataset$z * params$theta))
refused("log of a sum", "more than adding it up", function(params, dataset) tf$log(tf$reduce_sum(tf$square(dataset$z * params$theta))))
refused("constants of rows", "put it into `dataset`", function(params, dataset) tf$reduce_sum(dataset$z * params$theta * tf$constant(1:8)))
refused("index out of range", "is not one of 0 to 2", function(params, dataset) tf$reduce_sum(tf$gather(params$beta, tf$to_int32(dataset$k))))
refused("no data", "does not depend on the data", function(params, dataset) tf$reduce_sum(params$beta))
refused("a foreign placeholder", "not part of the dataset", function(params, dataset) tf$reduce_sum(dataset$z * tf$placeholder(tf$float32, c(8)) * params$theta))

test("the whole data set as a minibatch may be used at once", {
  logLik <- function(params, dataset) -tf$square(tf$reduce_max(dataset$z) - params$theta)
  object <- sgldSetup(logLik, data, list(theta = 0.3), 1e-3, minibatchSize = N, seed = 1)
  expect_equal(sgmcmc:::core(sgmcmc:::C_traced_value, object$model, 0.3, seq_len(N) - 1L, 1)[1], -(max(data$z) - 0.3)^2, 1e-12)
  draws <- sgld(logLik, data, list(theta = 0.3), 1e-3, minibatchSize = N, nIters = 10, verbose = FALSE, seed = 1)
  expect(all(is.finite(draws$theta)))
})

test("minibatches of one row, and of as many rows as there are features", {
  logLik <- function(params, dataset) {
    p <- 1 / (1 + tf$exp(-tf$squeeze(params$theta + tf$matmul(dataset$X, params$B))))
    tf$reduce_sum(dataset$y * tf$log(p) + (1 - dataset$y) * tf$log(1 - p))
  }
  shifted <- as.vector(data$X %*% start$B) + 0.3
  expected <- sum(data$y * plogis(shifted, log.p = TRUE) + (1 - data$y) * plogis(-shifted, log.p = TRUE))
  for (n in c(1, 3)) expect_equal(engine_value(logLik, n), expected, 1e-10)
  expect_equal(engine_value(function(params, dataset) tf$reduce_sum(tf$squeeze(tf$matmul(params$B, dataset$X, TRUE, TRUE)) * dataset$z), 1),
               sum(data$X %*% start$B * data$z), 1e-10)
})

test("mistakes in names and operators are explained", {
  run <- function(logLik) sgldSetup(logLik, data, start, 1e-5, minibatchSize = 8)
  expect_error(run(function(params, dataset) tf$reduce_sum(dataset$Q * params$theta)), "misspelt", "sgmcmc_model_error")
  expect_error(run(function(params, dataset) tf$reduce_sum(dataset$X %*% params$B)), "use tf$matmul", "sgmcmc_model_error")
  expect_error(sgldSetup(function(params, dataset) tf$reduce_sum(dataset$z * params$theta), data, start, 0, minibatchSize = 8), "stepsize$theta must be one positive number")
})

test("terms without data, means and values of rows are used with a warning", {
  expect_warning(sgldSetup(function(params, dataset) tf$reduce_sum(dataset$z * params$theta) - tf$square(params$theta), data, start, 1e-5, minibatchSize = 8), "logPrior")
  expect_warning(sgldSetup(function(params, dataset) tf$reduce_mean(dataset$z * params$theta), data, start, 1e-5, minibatchSize = 8), "mean over the rows")
  expect_warning(sgldSetup(function(params, dataset) dataset$z * params$theta, data, start, 1e-5, minibatchSize = 8), "for each row")
})

test("sparse updates by gather move every parameter", {
  logLik <- function(params, dataset) tf$reduce_sum(tf$distributions$Normal(tf$gather(params$w, tf$to_int32(dataset$k)), 1)$log_prob(dataset$z))
  draws <- sgld(logLik, data, list(w = rep(0, 4)), 1e-2, minibatchSize = 8, nIters = 500, verbose = FALSE, seed = 1)
  expect_equal(colMeans(draws$w[-(1:100), ]), as.vector(tapply(data$z, data$k, mean)), tolerance = 0.6)
  expect(all(apply(draws$w, 2, sd) > 0.05))
})

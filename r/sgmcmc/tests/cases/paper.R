# The examples of the paper on sgmcmc 0.2, typed as printed there.
mixture_likelihood <- function( params, dataset ) {
  # Declare Sigma (assumed known)
  SigmaDiag = c(1, 1)
  # Declare distribution of each component
  component1 = tf$contrib$distributions$MultivariateNormalDiag(
    params$theta1, SigmaDiag )
  component2 = tf$contrib$distributions$MultivariateNormalDiag(
    params$theta2, SigmaDiag )
  # Declare allocation probabilities of each component
  probs = tf$contrib$distributions$Categorical(c(0.5, 0.5))
  # Declare full mixture distribution given components and probs
  distn = tf$contrib$distributions$Mixture(
    probs, list(component1, component2))
  # Declare log likelihood
  logLik = tf$reduce_sum( distn$log_prob(dataset$X) )
  return( logLik )
}
mixture_prior <- function( params ) {
  # Declare hyperparameters mu0 and Sigma0
  mu0 = c( 0, 0 )
  Sigma0Diag = c(10, 10)
  # Declare prior distribution
  priorDistn = tf$contrib$distributions$MultivariateNormalDiag(
    mu0, Sigma0Diag )
  # Declare log prior density and return
  logPrior = priorDistn$log_prob( params$theta1 ) +
    priorDistn$log_prob( params$theta2 )
  return( logPrior )
}

test("mixture: sgld is over-dispersed, sgnht collapses, as the paper says", {
  set.seed(2)
  N <- 1000
  dataset <- list(X = matrix(rnorm(2 * N), N) + 0.1 * rbinom(N, 1, 0.5))
  params <- list(theta1 = rnorm(2), theta2 = rnorm(2))
  stan <- "data { int N; matrix[N, 2] X; } parameters { vector[2] theta1; vector[2] theta2; }
           model { theta1 ~ normal(0, 10); theta2 ~ normal(0, 10);
             for (n in 1:N) target += log_mix(0.5, normal_lpdf(X[n] | theta1, 1), normal_lpdf(X[n] | theta2, 1)); }"
  truth <- apply(suppressWarnings(sgmcmc_stan(stan, dataset, method = "nuts", chains = 2, seed = 1))$draws("theta1"), 3, sd)
  spread <- function(method, stepsize) {
    draws <- do.call(method, list(mixture_likelihood, dataset, params, stepsize, logPrior = mixture_prior, minibatchSize = 100, nIters = 20000, verbose = FALSE, seed = 2))
    expect(identical(dim(draws$theta1), c(20000L, 2L)))
    apply(draws$theta1[-(1:10000), ], 2, sd) / truth
  }
  expect(all(spread("sgld", 5e-3) > 1.05))
  expect(all(spread("sgnht", 3e-4) < 0.7))
})

test("network: typed as printed, a step at a time", {
  set.seed(1)
  rows <- 300
  d <- 12
  dataset <- list(X = matrix(runif(rows * d), rows), y = outer(sample(0:9, rows, TRUE), 0:9, `==`) + 0)
  # Sample initial weights from standard Normal
  params = list()
  params$A = matrix(rnorm(10*100), ncol = 10)
  params$B = matrix(rnorm(d*100), ncol = 100)
  # Sample initial bias parameters from standard Normal
  params$a = rnorm(10)
  params$b = rnorm(100)
  # Sample initial precision parameters from standard Gamma
  params$lambdaA = rgamma(1, 1)
  params$lambdaB = rgamma(1, 1)
  params$lambdaa = rgamma(1, 1)
  params$lambdab = rgamma(1, 1)
  logLik = function(params, dataset) {
    # Calculate estimated probabilities
    beta = tf$nn$softmax(tf$matmul(dataset$X, params$B) + params$b)
    beta = tf$nn$softmax(tf$matmul(beta, params$A) + params$a)
    # Calculate log likelihood of categorical distribution with prob. beta
    logLik = tf$reduce_sum(dataset$y * tf$log(beta))
    return(logLik)
  }
  logPrior = function(params) {
    distLambda = tf$contrib$distributions$Gamma(1, 1)
    distA = tf$contrib$distributions$Normal(0, tf$rsqrt(params$lambdaA))
    logPriorA = tf$reduce_sum(distA$log_prob(params$A)) +
      distLambda$log_prob(params$lambdaA)
    distB = tf$contrib$distributions$Normal(0, tf$rsqrt(params$lambdaB))
    logPriorB = tf$reduce_sum(distB$log_prob(params$B)) +
      distLambda$log_prob(params$lambdaB)
    dista = tf$contrib$distributions$Normal(0, tf$rsqrt(params$lambdaa))
    logPriora = tf$reduce_sum(dista$log_prob(params$a)) +
      distLambda$log_prob(params$lambdaa)
    distb = tf$contrib$distributions$Normal(0, tf$rsqrt(params$lambdab))
    logPriorb = tf$reduce_sum(distb$log_prob(params$b)) +
      distLambda$log_prob(params$lambdab)
    logPrior = logPriorA + logPriorB + logPriora + logPriorb
    return(logPrior)
  }
  sgld = sgldSetup(logLik, dataset, params, 1e-4, logPrior = logPrior, minibatchSize = 50, seed = 1)
  testPlaceholder = list()
  testPlaceholder[["X"]] = tf$placeholder(tf$float32, dim(dataset[["X"]]))
  testPlaceholder[["y"]] = tf$placeholder(tf$float32, dim(dataset[["y"]]))
  testSize = as.double(nrow(dataset[["X"]]))
  logLoss = - logLik(sgld$params, testPlaceholder) / testSize
  sess = initSess(sgld)
  feedDict = dict()
  feedDict[testPlaceholder[["X"]]] = dataset[["X"]]
  feedDict[testPlaceholder[["y"]]] = dataset[["y"]]
  before = sess$run(logLoss, feed_dict = feedDict)
  for (i in 1:300) sgmcmcStep(sgld, sess)
  expect(sess$run(logLoss, feed_dict = feedDict) < before)
  state <- getParams(sgld, sess)
  expect(identical(lapply(state[1:4], function(x) if (is.null(dim(x))) length(x) else dim(x)), list(A = c(100L, 10L), B = c(12L, 100L), a = 10L, b = 100L)))
})

test("logistic regression on covertype: the held-out log loss of figure 2", {
  if (!nzchar(Sys.getenv("SGMCMC_DATA"))) skip("SGMCMC_DATA names no folder with the data set covertype")
  covertype = getDataset("covertype")
  # Split the data into predictors and response
  X = covertype[,2:ncol(covertype)]
  y = covertype[,1]
  # Create dataset list for input
  dataset = list( "X" = X, "y" = y )
  # Get the dimension of X, needed to set shape of params
  d = ncol(dataset$X)
  params = list( "bias" = 0, "beta" = matrix( rep( 0, d ), nrow = d ) )
  logLik = function(params, dataset) {
    yEst = 1 / (1 + tf$exp( - tf$squeeze(params$bias +
      tf$matmul(dataset$X, params$beta))))
    logLik = tf$reduce_sum(dataset$y * tf$log(yEst) +
      (1 - dataset$y) * tf$log(1 - yEst))
    return(logLik)
  }
  logPrior = function(params) {
    logPrior = - (tf$reduce_sum(tf$abs(params$beta)) +
      tf$reduce_sum(tf$abs(params$bias)))
    return(logPrior)
  }
  suppressWarnings(RNGkind(sample.kind = "Rounding"))  # as sample() drew when the paper was written
  set.seed(13)
  testSample = sample(nrow(dataset$X), 10^4)
  RNGkind(sample.kind = "default")
  testset = list( "X" = dataset$X[testSample,], "y" = dataset$y[testSample] )
  dataset = list( "X" = dataset$X[-testSample,], "y" = dataset$y[-testSample] )
  output = sgldcv( logLik, dataset, params, 5e-6, 5e-6,
                   logPrior = logPrior, minibatchSize = 500, nIters = 11000, seed = 13, verbose = FALSE )
  # Remove burn-in
  output$beta = output$beta[-c(1:1000), ,]
  output$bias = output$bias[-c(1:1000)]
  logLoss = vapply(seq(1, 10^4, by = 100), function(j) {
    eta = output$bias[j] + testset$X %*% output$beta[j,]
    -mean(testset$y * plogis(eta, log.p = TRUE) + (1 - testset$y) * plogis(-eta, log.p = TRUE))
  }, 0)
  expect(min(logLoss) > 0.512 && max(logLoss) < 0.518, paste(range(logLoss), collapse = " to "))
})

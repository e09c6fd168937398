# The experiments of the paper on the R package sgmcmc, with its settings: Rscript experiments.R [figure1 figure2 ...] prints what each claims beside
# what was found. Figures 2, 4 and 5 need the data of getDataset(): options(sgmcmc.data = ) or SGMCMC_DATA names their folder.
library(sgmcmc)

seconds <- function(code) system.time(code)[["elapsed"]]
logistic <- function(params, dataset) {
  yEst <- 1 / (1 + tf$exp(-tf$squeeze(params$bias + tf$matmul(dataset$X, params$beta))))
  tf$reduce_sum(dataset$y * tf$log(yEst) + (1 - dataset$y) * tf$log(1 - yEst))
}
laplace <- function(params) -(tf$reduce_sum(tf$abs(params$beta)) + tf$reduce_sum(tf$abs(params$bias)))
table_line <- function(...) cat("| ", paste(c(...), collapse = " | "), " |\n", sep = "")

# A chain of one of the six methods, whatever its arguments; NULL where it diverges.
chain_of <- function(method, ..., optStepsize, nItersOpt = 10^4) {
  given <- list(..., verbose = FALSE)
  if (grepl("cv$", method)) given <- c(given, list(optStepsize = optStepsize, nItersOpt = nItersOpt))
  tryCatch(suppressWarnings(do.call(method, given)), sgmcmc_divergence_error = function(error) NULL)
}

# Figure 1: the mean of a normal, N(0, 10) prior; KL divergence of a normal fitted to the draws from the posterior.
figure1 <- function(seeds = 5) {
  steps <- c("1e3" = 3e-5, "5e3" = 1e-5, "1e4" = 7e-6, "5e4" = 5e-6, "1e5" = 3e-6, "5e5" = 1e-6, "1e6" = 3e-7)
  logLik <- function(params, dataset) tf$reduce_sum(tf$distributions$Normal(params$theta, 1)$log_prob(dataset$x))
  logPrior <- function(params) tf$distributions$Normal(0, sqrt(10))$log_prob(params$theta)
  stan <- "data { int N; vector[N] x; } parameters { real theta; } model { theta ~ normal(0, sqrt(10)); x ~ normal(theta, 1); }"
  cat("Figure 1: claim: run time of Stan grows quickly with N, that of sgldcv slowly; its KL divergence becomes small.\n\n")
  table_line("N", "sgldcv: KL", "seconds", "nuts of sgmcmc_stan: KL", "seconds")
  table_line("---", "---", "---", "---", "---")
  for (name in names(steps)) {
    N <- as.numeric(name)
    found <- sapply(seq_len(seeds), function(seed) {
      set.seed(seed)
      x <- rnorm(N)
      precision <- N + 0.1
      kl <- function(draws) {
        m <- mean(draws) - sum(x) / precision
        v <- stats::var(as.vector(draws)) * precision
        0.5 * (v - 1 - log(v) + m^2 * precision)
      }
      own <- seconds(draws <- sgldcv(logLik, list(x = x), list(theta = 0), steps[[name]], steps[[name]], logPrior, if (N >= 5e5) 5000 else 1000, 1000, 1000, FALSE, seed))
      if (N > 1e5 && seed > 1) return(c(kl(draws$theta), own, NA, NA))
      exact <- seconds(fit <- sgmcmc_stan(stan, list(x = x), method = "nuts", chains = 1, iterations = 1000, warmup = 1000, seed = seed, threads = 1))
      c(kl(draws$theta), own, kl(fit$draws("theta")), exact)
    })
    table_line(name, signif(rowMeans(found, na.rm = TRUE), 2))
  }
}

covertype <- function(seed, old_sampling = TRUE) {
  all <- getDataset("covertype")
  if (old_sampling) suppressWarnings(RNGkind(sample.kind = "Rounding"))  # as sample() drew when the paper was written
  set.seed(seed)
  test <- sample(nrow(all), 10^4)
  RNGkind(sample.kind = "default")
  split <- function(rows) list(X = all[rows, -1], y = all[rows, 1])
  list(train = split(-test), test = split(test))
}

losses <- function(draws, test, by = 10) {
  picked <- seq(1, nrow(draws$bias), by = by)
  vapply(picked, function(j) {
    eta <- draws$bias[j, 1] + test$X %*% draws$beta[j, , 1]
    -mean(test$y * stats::plogis(eta, log.p = TRUE) + (1 - test$y) * stats::plogis(-eta, log.p = TRUE))
  }, 0)
}

# Figure 2: logistic regression on covertype with sgldcv.
figure2 <- function() {
  data <- covertype(13)
  params <- list(bias = 0, beta = matrix(0, 54, 1))
  taken <- seconds(draws <- sgldcv(logistic, data$train, params, 5e-6, 5e-6, laplace, 500, 11000, 10^4, FALSE, 13))
  loss <- losses(lapply(draws, function(x) if (length(dim(x)) == 3) x[-(1:1000), , , drop = FALSE] else x[-(1:1000), , drop = FALSE]), data$test)
  cat("Figure 2: claim: the log loss of 10,000 held-out rows is stationary between 0.5145 and 0.5151.\n\n")
  cat(sprintf("found: mean %.4f, 5 %% to 95 %% quantiles %.4f to %.4f, least %.4f, largest %.4f; %.1f s\n", mean(loss), stats::quantile(loss, 0.05), stats::quantile(loss, 0.95),
              min(loss), max(loss), taken))
}

# Figure 3: two normal components.
figure3 <- function() {
  set.seed(2)
  N <- 1000
  X <- matrix(rnorm(2 * N), N) + 0.1 * rbinom(N, 1, 0.5)
  start <- list(theta1 = rnorm(2), theta2 = rnorm(2))
  logLik <- function(params, dataset) {
    d <- tf$contrib$distributions
    component <- function(theta) d$MultivariateNormalDiag(theta, c(1, 1))
    tf$reduce_sum(d$Mixture(d$Categorical(c(0.5, 0.5)), list(component(params$theta1), component(params$theta2)))$log_prob(dataset$X))
  }
  logPrior <- function(params) {
    prior <- tf$contrib$distributions$MultivariateNormalDiag(c(0, 0), c(10, 10))
    prior$log_prob(params$theta1) + prior$log_prob(params$theta2)
  }
  steps <- list(sgld = 5e-3, sghmc = 5e-4, sgnht = 3e-4, sgldcv = 1e-2, sghmccv = 1.5e-3, sgnhtcv = 3e-3)
  stan <- "data { int N; matrix[N, 2] X; } parameters { vector[2] theta1; vector[2] theta2; }
           model { theta1 ~ normal(0, 10); theta2 ~ normal(0, 10);
             for (n in 1:N) target += log_mix(0.5, normal_lpdf(X[n] | theta1, 1), normal_lpdf(X[n] | theta2, 1)); }"
  truth <- suppressWarnings(sgmcmc_stan(stan, list(X = X), method = "nuts", seed = 1))$draws("theta1")
  cat("Figure 3: claim: sgld explores both modes, over-dispersed; sgnht collapses to a mode.\n\n")
  table_line("method", "mean", "sd", "sd over that of NUTS")
  table_line("---", "---", "---", "---")
  sds <- apply(truth, 3, stats::sd)
  table_line("NUTS", paste(round(apply(truth, 3, mean), 2), collapse = ", "), paste(round(sds, 2), collapse = ", "), "1, 1")
  for (method in names(steps)) {
    cv <- grepl("cv$", method)
    draws <- chain_of(method, logLik, list(X = X), start, steps[[method]], logPrior = logPrior, minibatchSize = 100, nIters = if (cv) 10^4 else 2 * 10^4, seed = 2,
                      optStepsize = 5e-5)
    if (is.null(draws)) {
      table_line(method, "diverged", "", "")
      next
    }
    kept <- if (cv) draws$theta1 else draws$theta1[-(1:10^4), ]
    own <- apply(kept, 2, stats::sd)
    table_line(method, paste(round(colMeans(kept), 2), collapse = ", "), paste(round(own, 2), collapse = ", "), paste(round(own / sds, 2), collapse = ", "))
  }
}

# Figure 4: log loss on covertype, all six methods.
figure4 <- function() {
  data <- covertype(1)
  start <- list(bias = rnorm(1), beta = matrix(rnorm(54), 54, 1))
  steps <- list(sgld = 5e-6, sghmc = 1e-7, sgnht = 1e-7, sgldcv = 1e-5, sghmccv = 1e-6, sgnhtcv = 5e-7)
  cat("Figure 4: claim: control variates have lower log loss and less variance.\n\n")
  table_line("method", "mean log loss", "sd", "last", "seconds")
  table_line("---", "---", "---", "---", "---")
  for (method in names(steps)) {
    cv <- grepl("cv$", method)
    count <- (if (grepl("sghmc", method)) 2000 else 10^4) * (if (cv) 1 else 2)
    taken <- seconds(draws <- chain_of(method, logistic, data$train, start, steps[[method]], logPrior = laplace, minibatchSize = 500, nIters = count, seed = 1, optStepsize = 1e-6))
    if (is.null(draws)) {
      table_line(method, "diverged", "", "", round(taken, 1))
      next
    }
    kept <- if (cv) draws else list(bias = draws$bias[-(1:(count / 2)), , drop = FALSE], beta = draws$beta[-(1:(count / 2)), , , drop = FALSE])
    loss <- losses(kept, data$test, 50)
    table_line(method, sprintf("%.4f", mean(loss)), sprintf("%.5f", stats::sd(loss)), sprintf("%.4f", utils::tail(loss, 1)), round(taken, 1))
  }
}

# Figure 5: a network with 100 hidden units on MNIST, step by step. iterations: the paper has 10^4 after as many of burn-in or search.
figure5 <- function(iterations = 500, methods = c("sgld", "sgldcv")) {
  mnist <- getDataset("mnist")
  set.seed(1)
  params <- list(A = matrix(rnorm(1000), 100), B = matrix(rnorm(78400), 784), a = rnorm(10), b = rnorm(100), lambdaA = rgamma(1, 1), lambdaB = rgamma(1, 1), lambdaa = rgamma(1, 1),
                 lambdab = rgamma(1, 1))
  logLik <- function(params, dataset) {
    beta <- tf$nn$softmax(tf$matmul(dataset$X, params$B) + params$b)
    beta <- tf$nn$softmax(tf$matmul(beta, params$A) + params$a)
    tf$reduce_sum(dataset$y * tf$log(beta))
  }
  logPrior <- function(params) {
    d <- tf$contrib$distributions
    own <- function(weights, lambda) tf$reduce_sum(d$Normal(0, tf$rsqrt(lambda))$log_prob(weights)) + d$Gamma(1, 1)$log_prob(lambda)
    own(params$A, params$lambdaA) + own(params$B, params$lambdaB) + own(params$a, params$lambdaa) + own(params$b, params$lambdab)
  }
  steps <- list(sgld = 1e-4, sghmc = 1e-5, sgnht = 5e-6, sgldcv = 5e-5, sghmccv = 1e-5, sgnhtcv = 5e-7)
  cat("Figure 5: claim: control variates have lower log loss.", iterations, "iterations here.\n\n")
  table_line("method", "log loss of the test set", "seconds")
  table_line("---", "---", "---")
  for (method in methods) {
    cv <- grepl("cv$", method)
    given <- list(logLik, list(X = mnist$train$images, y = mnist$train$labels), params, steps[[method]], logPrior = logPrior, minibatchSize = 500, seed = 1)
    if (cv) given <- c(given, list(optStepsize = 5e-5, nItersOpt = iterations))
    object <- do.call(paste0(method, "Setup"), given)
    test <- list(X = tf$placeholder(tf$float32, c(10000, 784)), y = tf$placeholder(tf$float32, c(10000, 10)))
    logLoss <- -logLik(object$params, test) / 10000
    feed <- dict()
    feed[[test$X]] <- mnist$test$images
    feed[[test$y]] <- mnist$test$labels
    taken <- seconds({
      sess <- initSess(object, verbose = FALSE)
      for (i in seq_len(iterations)) sgmcmcStep(object, sess)
    })
    table_line(method, sprintf("%.3f", sess$run(logLoss, feed_dict = feed)), round(taken, 1))
  }
}

for (figure in if (length(commandArgs(TRUE))) commandArgs(TRUE) else paste0("figure", 1:5)) {
  get(figure)()
  cat("\n")
}

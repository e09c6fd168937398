# Figure 5: a network with 100 hidden units on MNIST, step by step; log loss of the test set.
made_up_digits <- function(rows) {
  set.seed(rows)
  list(images = matrix(stats::runif(784 * rows), rows), labels = diag(10)[sample(10, rows, replace = TRUE), ])
}

# SGMCMC_ITERATIONS: of each chain, and as many of burn-in or search; the paper has 10,000.
digits <- function(iterations = as.integer(Sys.getenv("SGMCMC_ITERATIONS", if (quick) "20" else "10000"))) {
  mnist <- if (quick) list(train = made_up_digits(1000), test = made_up_digits(200)) else getDataset("mnist")
  set.seed(1)
  params <- list(A = matrix(rnorm(1000), 100), B = matrix(rnorm(78400), 784), a = rnorm(10), b = rnorm(100), lambdaA = rgamma(1, 1), lambdaB = rgamma(1, 1),
                 lambdaa = rgamma(1, 1), lambdab = rgamma(1, 1))
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
  cat("claim: control variates have lower log loss; of the others, sghmc and sgnht do best. Iterations here:", iterations, "\n\n")
  table_head("method", "log loss at the end", "mean of the last half", "seconds")
  run <- function(method, stepsize) {
    cv <- grepl("cv$", method)
    per_step <- if (grepl("sghmc", method)) 5 else 1  # sghmc moves five times in an iteration
    given <- list(logLik, list(X = mnist$train$images, y = mnist$train$labels), params, stepsize, logPrior = logPrior, minibatchSize = 500, seed = 1)
    if (cv) given <- c(given, list(optStepsize = 5e-5, nItersOpt = iterations))
    object <- do.call(paste0(method, "Setup"), given)
    test <- list(X = tf$placeholder(tf$float32, dim(mnist$test$images)), y = tf$placeholder(tf$float32, dim(mnist$test$labels)))
    logLoss <- -logLik(object$params, test) / nrow(mnist$test$images)
    feed <- dict()
    feed[[test$X]] <- mnist$test$images
    feed[[test$y]] <- mnist$test$labels
    loss <- numeric()
    taken <- seconds(tryCatch({
      sess <- initSess(object, verbose = FALSE)
      if (!cv) for (i in seq_len(iterations / per_step)) sgmcmcStep(object, sess)
      for (i in seq_len(iterations / per_step)) {
        sgmcmcStep(object, sess)
        if (i %% max(1, iterations %/% (per_step * 10)) == 0) loss <- c(loss, sess$run(logLoss, feed_dict = feed))
      }
    }, sgmcmc_divergence_error = function(error) NULL))
    if (!length(loss)) return(table_line(method, "diverged", "", round(taken)))
    table_line(method, sprintf("%.3f", utils::tail(loss, 1)), sprintf("%.3f", mean(utils::tail(loss, length(loss) / 2))), round(taken))
    loss
  }
  found <- Filter(is.numeric, Map(run, names(steps), steps))
  figure("figure5", 6, 3.4, {
    graphics::plot(NULL, xlim = c(0, 1), ylim = range(unlist(found)), xlab = "share of the iterations", ylab = "", main = "log loss of the test set")
    for (name in names(found)) graphics::lines(seq_along(found[[name]]) / length(found[[name]]), found[[name]], col = colours[[name]], lty = if (grepl("cv$", name)) 2 else 1)
    graphics::legend("topright", names(found), col = colours[names(found)], lty = ifelse(grepl("cv$", names(found)), 2, 1), bty = "n")
  })
}

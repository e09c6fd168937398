# Figures 2 and 4: logistic regression on the forest cover data; log loss of held-out rows.
covertype <- function(seed, old_sampling = TRUE) {
  all <- if (quick) made_up_cover(3000) else getDataset("covertype")
  if (old_sampling) suppressWarnings(RNGkind(sample.kind = "Rounding"))  # as sample() drew when the paper was written
  set.seed(seed)
  test <- sample(nrow(all), if (quick) 500 else 10^4)
  RNGkind(sample.kind = "default")
  split <- function(rows) list(X = all[rows, -1], y = all[rows, 1])
  list(train = split(-test), test = split(test))
}

# Rows of the same kind: a label, then 54 columns in [0, 1].
made_up_cover <- function(rows) {
  set.seed(5)
  X <- matrix(stats::runif(54 * rows), rows)
  cbind(stats::rbinom(rows, 1, stats::plogis(X %*% sin(2 * seq_len(54)))), X)
}

losses <- function(draws, test, by = 10) {
  picked <- seq(1, nrow(draws$bias), by = by)
  vapply(picked, function(j) {
    eta <- draws$bias[j, 1] + test$X %*% draws$beta[j, , 1]
    -mean(test$y * stats::plogis(eta, log.p = TRUE) + (1 - test$y) * stats::plogis(-eta, log.p = TRUE))
  }, 0)
}

after <- function(draws, burn) list(bias = draws$bias[-seq_len(burn), , drop = FALSE], beta = draws$beta[-seq_len(burn), , , drop = FALSE])

forest_cover <- function() {
  cat("claim: after 1000 iterations of burn-in, the log loss of 10,000 held-out rows is stationary between 0.5145 and 0.5151.\n\n")
  params <- list(bias = 0, beta = matrix(0, 54, 1))
  burn <- if (quick) 50 else 1000
  run <- function(old_sampling) {
    data <- covertype(13, old_sampling)
    taken <- seconds(draws <- sgldcv(logistic, data$train, params, 5e-6, 5e-6, laplace, 500, 11 * burn, 10 * burn, FALSE, 13))
    loss <- losses(after(draws, burn), data$test)
    cat(sprintf("%s: mean %.4f, 5 %% to 95 %% quantiles %.4f to %.4f, least %.4f, largest %.4f; %.1f s\n", if (old_sampling) "rows as sample() drew them then" else
      "rows as sample() draws them today", mean(loss), stats::quantile(loss, 0.05), stats::quantile(loss, 0.95), min(loss), max(loss), taken))
    loss
  }
  loss <- run(TRUE)
  run(FALSE)
  figure("figure2", 6, 3, graphics::plot(10 * seq_along(loss), loss, type = "l", xlab = "iteration", ylab = "", main = "log loss of 10,000 held-out rows"))
}

forest_cover_methods <- function() {
  data <- covertype(1)
  start <- list(bias = rnorm(1), beta = matrix(rnorm(54), 54, 1))
  steps <- list(sgld = 5e-6, sghmc = 1e-7, sgnht = 1e-7, sgldcv = 1e-5, sghmccv = 1e-6, sgnhtcv = 5e-7)
  cat("claim: control variates have lower log loss and less variance.\n\n")
  table_head("method", "step size", "mean log loss", "sd", "seconds")
  run <- function(method, stepsize) {
    cv <- grepl("cv$", method)
    count <- (if (grepl("sghmc", method)) 2000 else 10^4) * (if (cv) 1 else 2) / (if (quick) 20 else 1)
    taken <- seconds(draws <- chain_of(method, logistic, data$train, start, stepsize, logPrior = laplace, minibatchSize = 500, nIters = count, seed = 1,
                                       optStepsize = 1e-6, nItersOpt = if (quick) 500 else 10^4))
    if (is.null(draws)) return(table_line(method, stepsize, "diverged", "", round(taken, 1)))
    loss <- losses(if (cv) draws else after(draws, count / 2), data$test, if (grepl("sghmc", method)) 10 else 50)
    table_line(method, stepsize, sprintf("%.4f", mean(loss)), sprintf("%.4f", stats::sd(loss)), round(taken, 1))
    loss
  }
  found <- Map(run, names(steps), steps)
  halved <- run("sgldcv", 5e-6)
  figure("figure4", 8, 3.4, {
    graphics::par(mfrow = c(1, 2))
    for (cv in c(FALSE, TRUE)) {
      shown <- Filter(is.numeric, found[grepl("cv$", names(found)) == cv])
      graphics::plot(NULL, xlim = c(0, 1), ylim = c(0.512, 0.53), xlab = "share of the iterations", ylab = "", main = if (cv) "log loss, with control variates" else "log loss, without")
      for (name in names(shown)) graphics::lines(seq_along(shown[[name]]) / length(shown[[name]]), shown[[name]], col = colours[[name]])
      if (cv) graphics::lines(seq_along(halved) / length(halved), halved, col = "#7f4fa0", lty = 2)
      graphics::legend("topright", c(names(shown), if (cv) "sgldcv, half the step"), col = c(colours[names(shown)], if (cv) "#7f4fa0"),
                       lty = c(rep(1, length(shown)), if (cv) 2), bty = "n")
    }
  })
  # Why the paper's step of sgldcv is too large here: the curvature of the log posterior at the mode.
  mode <- sgldcvSetup(logistic, data$train, list(bias = 0, beta = matrix(0, 54, 1)), 1e-6, 5e-6, laplace, 500, nItersOpt = if (quick) 500 else 10^4, seed = 1)
  at <- getParams(mode, initSess(mode, verbose = FALSE))
  X <- cbind(1, data$train$X)
  p <- as.vector(stats::plogis(X %*% c(at$bias, at$beta)))
  H <- crossprod(X * sqrt(p * (1 - p)))
  inflation_table(H, c(1e-5, 5e-6), c(1, rep(2, 54)), "bias, then beta")
}

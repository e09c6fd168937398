# Figure 3: two normal components; the posterior of the first mean by each method, beside NUTS.
two_components <- function() {
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
  truth <- cbind(as.vector(truth[, , 1]), as.vector(truth[, , 2]))
  sds <- apply(truth, 2, stats::sd)
  cat("claim: sgld explores both modes and is over-dispersed; sgnht collapses to a mode; methods with control variates do not explore both.\n\n")
  table_head("method", "step size", "sd over that of NUTS")
  count <- if (quick) 500 else 10^4
  run <- function(method, stepsize) {
    cv <- grepl("cv$", method)
    draws <- chain_of(method, logLik, list(X = X), start, stepsize, logPrior = logPrior, minibatchSize = 100, nIters = if (cv) count else 2 * count, seed = 2,
                      optStepsize = 5e-5, nItersOpt = count)
    if (is.null(draws)) return(table_line(method, stepsize, "diverged"))
    kept <- if (cv) draws$theta1 else draws$theta1[-seq_len(count), ]
    table_line(method, stepsize, paste(round(apply(kept, 2, stats::sd) / sds, 2), collapse = ", "))
    kept
  }
  found <- Map(run, names(steps), steps)
  halved <- run("sgldcv", 5e-3)
  if (!is.matrix(found$sgldcv)) found$sgldcv <- halved
  figure("figure3", 8, 5.4, {
    graphics::par(mfrow = c(2, 3))
    for (name in names(found)) {
      graphics::plot(NULL, xlim = c(-0.8, 0.8), ylim = c(-0.8, 0.8), xlab = "theta1[1]", ylab = "theta1[2]", main = if (name == "sgldcv") "sgldcv, half the step" else name)
      contours(truth, "black")
      if (is.matrix(found[[name]])) contours(found[[name]], colours[[name]])
    }
  })
  # Why the paper's step of sgldcv is too large here: curvature at the mode, by differences of the gradient.
  gradient <- function(theta) {
    density <- function(mean) exp(-0.5 * ((X[, 1] - mean[1])^2 + (X[, 2] - mean[2])^2))
    one <- density(theta[1:2])
    share <- one / (one + density(theta[3:4]))
    c(colSums(share * sweep(X, 2, theta[1:2])), colSums((1 - share) * sweep(X, 2, theta[3:4]))) - theta / 100
  }
  at <- c(colMeans(truth), colMeans(X) * 2 - colMeans(truth))
  for (k in 1:2000) at <- at + 1e-3 * gradient(at)
  H <- -sapply(1:4, function(k) {
    h <- replace(numeric(4), k, 1e-5)
    (gradient(at + h) - gradient(at - h)) / 2e-5
  })
  inflation_table(H, c(1e-2, 5e-3), c(1, 1, 2, 2), "theta1, then theta2")
}

# Lines that hold 20, 50 and 90 % of the draws, by a kernel estimate of their density.
contours <- function(draws, colour) {
  draws <- draws[seq(1, nrow(draws), length.out = min(nrow(draws), 1000)), ]
  grid <- seq(-0.9, 0.9, length.out = 60)
  kernel <- function(x, at) outer(at, x, function(a, b) stats::dnorm(a, b, 1.06 * stats::sd(x) * length(x)^(-1 / 6)))
  density <- tcrossprod(kernel(draws[, 1], grid), kernel(draws[, 2], grid))
  heights <- colSums(kernel(draws[, 1], draws[, 1]) * kernel(draws[, 2], draws[, 2]))
  graphics::contour(grid, grid, density, levels = stats::quantile(heights, c(0.1, 0.5, 0.8)), drawlabels = FALSE, add = TRUE, col = colour)
}

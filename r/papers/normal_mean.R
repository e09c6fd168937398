# Figure 1: the mean of a normal distribution; run time and KL divergence beside those of Stan, as the number of rows grows.
normal_mean <- function(seeds = if (quick) 1 else 5) {
  steps <- c("1e3" = 3e-5, "5e3" = 1e-5, "1e4" = 7e-6, "5e4" = 5e-6, "1e5" = 3e-6, "5e5" = 1e-6, "1e6" = 3e-7)
  if (quick) steps <- steps[c("1e3", "1e4")]
  logLik <- function(params, dataset) tf$reduce_sum(tf$distributions$Normal(params$theta, 1)$log_prob(dataset$x))
  logPrior <- function(params) tf$distributions$Normal(0, sqrt(10))$log_prob(params$theta)
  stan <- "data { int N; vector[N] x; } parameters { real theta; } model { theta ~ normal(0, sqrt(10)); x ~ normal(theta, 1); }"
  compiled <- if (quick) NULL else compiled_by_rstan(stan)
  cat("claim: the run time of Stan grows quickly with N, that of sgldcv slowly; its KL divergence, poor for few rows, becomes comparable.\n\n")
  if (is.null(compiled)) cat("without rstan: its columns are empty.\n\n") else
    cat(sprintf("rstan compiles the model in %.1f s, once; its seconds are those of sampling alone. One seed.\n\n", compiled$seconds))
  table_head("N", "`sgldcv`: KL", "seconds", "`nuts` of `sgmcmc_stan`: KL", "seconds", "rstan: KL", "seconds")
  all <- sapply(names(steps), function(name) {
    N <- as.numeric(name)
    found <- sapply(seq_len(seeds), function(seed) {
      set.seed(seed)
      x <- rnorm(N)
      precision <- N + 0.1
      kl <- function(draws) {  # of a normal fitted to the draws
        m <- mean(draws) - sum(x) / precision
        v <- stats::var(as.vector(draws)) * precision
        0.5 * (v - 1 - log(v) + m^2 * precision)
      }
      ours <- seconds(draws <- sgldcv(logLik, list(x = x), list(theta = 0), steps[[name]], steps[[name]], logPrior, if (N >= 5e5) 5000 else 1000, 1000, 1000,
                                      FALSE, seed))
      exact <- seconds(fit <- sgmcmc_stan(stan, list(x = x), method = "nuts", chains = 1, iterations = 1000, warmup = 1000, seed = seed, threads = 1))
      peer <- c(NA, NA)
      if (!is.null(compiled) && seed == 1) {
        taken <- seconds(sampled <- rstan::sampling(compiled$model, list(N = N, x = x), chains = 1, iter = 2000, seed = seed, refresh = 0))
        peer <- c(kl(unlist(rstan::extract(sampled, "theta"))), taken)
      }
      c(kl(draws$theta), ours, kl(fit$draws("theta")), exact, peer)
    })
    row <- rowMeans(found, na.rm = TRUE)
    table_line(name, ifelse(is.nan(row), "", signif(row, 2)))
    row
  })
  rows <- as.numeric(names(steps))
  figure("figure1", 8, 3.4, {
    graphics::par(mfrow = c(1, 2))
    lines_of <- function(places, title) {
      values <- all[places, , drop = FALSE]
      graphics::plot(NULL, xlim = range(rows), ylim = range(values, na.rm = TRUE), log = "xy", xlab = "rows", ylab = "", main = title, las = 0)
      for (k in 1:3) graphics::lines(rows, values[k, ], col = c("#1b6ca8", "#2a7d2a", "#c0392b")[k], type = "b", pch = 19)
    }
    lines_of(c(1, 3, 5), "KL divergence")
    graphics::legend("topright", c("sgldcv", "nuts of sgmcmc_stan", "rstan"), col = c("#1b6ca8", "#2a7d2a", "#c0392b"), lty = 1, pch = 19, bty = "n")
    lines_of(c(2, 4, 6), "seconds (rstan: without compiling)")
  })
}

# NULL where rstan is not installed, or has no compiler.
compiled_by_rstan <- function(code) {
  if (!requireNamespace("rstan", quietly = TRUE)) return(NULL)
  if (file.exists("/usr/include/boost/version.hpp")) rstan::rstan_options(boost_lib = "/usr/include")  # Debian has no package BH
  model <- NULL
  taken <- seconds(model <- tryCatch(suppressMessages(rstan::stan_model(model_code = code)), error = function(error) {
    cat("rstan cannot compile here:", utils::head(strsplit(conditionMessage(error), "\n")[[1]], 1), "\n")
    NULL
  }))
  if (is.null(model)) NULL else list(model = model, seconds = taken)
}

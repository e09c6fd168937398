# Code and data from brms: results of brms::stancode and brms::standata are passed unchanged.
standata_like <- function(frame, response, group = NULL) {
  X <- stats::model.matrix(stats::reformulate(setdiff(names(frame), c(response, group))), frame)
  data <- list(N = nrow(frame), Y = array(frame[[response]], nrow(frame)), K = ncol(X), X = X, prior_only = 0L)
  if (!is.null(group)) data <- c(data, list(N_1 = nlevels(frame[[group]]), M_1 = 1L, J_1 = as.array(as.integer(frame[[group]])),
                                            Z_1_1 = as.array(rep(1, nrow(frame))), NC_1 = 0L))
  structure(data, class = c("standata", "list"))
}

set.seed(5)
rows <- 400
frame <- data.frame(x = rnorm(rows), w = runif(rows), g = factor(sample(letters[1:8], rows, TRUE)))
frame$y <- 1 + 0.5 * frame$x - frame$w + rnorm(8, 0, 0.6)[frame$g] + rnorm(rows)
frame$z <- rbinom(rows, 1, plogis(-0.3 + frame$x))

test("a multilevel regression of brms", {
  code <- readLines("models/brms_gaussian.stan")
  fit <- sgmcmc_stan(structure(paste(code, collapse = "\n"), class = c("brmsmodel", "character")), standata_like(frame[c("y", "x", "w", "g")], "y", "g"), seed = 1, iterations = 400, warmup = 400, chains = 2)
  fitted <- stats::lm(y ~ x + w + g, frame)
  means <- with(fit$summary(), stats::setNames(mean, variable))
  expect_equal(unname(means[c("b[1]", "b[2]")]), unname(stats::coef(fitted)[c("x", "w")]), tolerance = 0.05)
  expect(fit$verdict$trust %in% c("trust", "caution"), fit$verdict$trust)
})

test("a logistic regression of brms, minibatched", {
  fit <- sgmcmc_stan("models/brms_bernoulli.stan", standata_like(frame[c("z", "x", "w")], "z"), method = "sglm-cv", seed = 1)
  fitted <- stats::glm(z ~ x + w, stats::binomial, frame)
  means <- with(fit$summary(), stats::setNames(mean, variable))
  expect_equal(unname(means[c("b_Intercept", "b[1]", "b[2]")]), unname(stats::coef(fitted)), tolerance = 0.1)
  expect(fit$rows == rows)
})

# Code and data that brms 2.18 made, as saved by writeLines and dput. Formulas, with groups g: y ~ x + (1 | g); sigma ~ z; (1 + x || g); an offset; splines.
saved <- function(name) {
  data <- structure(dget(file.path("models", "brms", paste0(name, ".R"))), class = c("standata", "list"))
  fit <- sgmcmc_stan(file.path("models", "brms", paste0(name, ".stan")), data, seed = 1, iterations = 300, warmup = 300, chains = 2)
  expect(fit$verdict$trust %in% c("trust", "caution", "cannot tell"), name, ": ", fit$verdict$trust)
  expect(all(is.finite(fit$draws())))
  expect(fit$rows == data$N)
  list(data = data, mean = with(fit$summary(), stats::setNames(mean, variable)), sd = with(fit$summary(), stats::setNames(sd, variable)))
}
# Expects the posterior mean to be within a given number of posterior standard deviations of a maximum likelihood estimate.
near <- function(found, variable, estimate, most = 1) {
  away <- abs(found$mean[[variable]] - unname(estimate)) / found$sd[[variable]]
  expect(away < most, paste(variable, "is", format(found$mean[[variable]]), "and not near", format(unname(estimate))))
}

slope <- function(found, formula, family = stats::gaussian, ...) {
  values <- lapply(unclass(found$data), function(one) if (length(dim(one)) == 1) as.vector(one) else one)
  environment(formula) <- list2env(c(values, list(x = values$X[, 2], g = factor(values$J_1))), parent = globalenv())
  stats::coef(stats::glm(formula, family))[["x"]]
}

test("saved brms code: gaussian with groups, and with a model of sigma", {
  for (name in c("gaussian", "distributional")) {
    found <- saved(name)
    near(found, "b[1]", slope(found, Y ~ x + g))
  }
})

test("saved brms code: binomial with uncorrelated slopes, poisson with an offset, negative binomial", {
  found <- saved("binomial")
  near(found, "b[1]", slope(found, cbind(Y, trials - Y) ~ x + g, stats::binomial))
  found <- saved("poisson")
  near(found, "b[1]", slope(found, Y ~ x + g + offset(offsets), stats::poisson))
  found <- saved("negbinomial")
  near(found, "b[1]", slope(found, Y ~ x + g, stats::poisson), 2)
})

test("saved brms code: gamma, categorical, splines", {
  found <- saved("gamma")
  near(found, "b[1]", slope(found, Y ~ x, stats::Gamma("log")))
  found <- saved("categorical")
  two <- found$data$Y < 3
  fitted <- stats::glm((found$data$Y[two] == 2) ~ found$data$X_muv[two, 2], family = stats::binomial)
  near(found, "b_muv[1]", stats::coef(fitted)[2], 1.5)
  found <- saved("spline")
  expect(found$mean[["sigma"]] < stats::sd(found$data$Y))
})

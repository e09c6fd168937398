# Code and data in the form of brms: what brms::stancode and brms::standata return goes in as it is.
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

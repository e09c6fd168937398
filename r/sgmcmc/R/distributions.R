# tf$distributions: objects with log_prob() and prob(), made of recorded operations.

new_distribution <- function(name, log_prob, ...) {
  made <- list2env(list(name = name, log_prob = log_prob, ...), parent = emptyenv())
  structure(made, class = "sgmcmc_distribution")
}

#' @export
`$.sgmcmc_distribution` <- function(x, name) {
  found <- get0(name, envir = x, inherits = FALSE)
  if (!is.null(found)) return(found)
  log_prob <- get("log_prob", envir = x)
  switch(name,
    log_pdf = , log_pmf = log_prob,
    prob = , pdf = , pmf = function(value, name = NULL) elementwise("exp", log_prob(value), call = sys.call()),
    fail("usage", get("name", envir = x), " has no member '", name, "'; it has log_prob(x) and prob(x)"))
}

# A distribution of single numbers: density(arguments, x), the arguments by the names and in the order of TensorFlow.
univariate <- function(name, density, arguments, defaults = list()) {
  force(density)
  function(...) {
    given <- lapply(matched(name, list(...), arguments, defaults), as_tensor)
    new_distribution(name, function(value, name = NULL) do.call(elementwise, c(list(density), unname(given), list(value), list(call = call_text(sys.call())))))
  }
}

# Matches arguments by name and position; those that do not affect the density are dropped.
matched <- function(name, given, arguments, defaults) {
  given <- given[!names_of(given) %in% c("name", "validate_args", "allow_nan_stats")]
  named <- nzchar(names_of(given))
  unknown <- setdiff(names_of(given)[named], arguments)
  if (length(unknown)) fail("usage", name, " has no argument '", unknown[1], "'; it has ", paste(arguments, collapse = ", "), call = NULL)
  all <- defaults[arguments]
  names(all) <- arguments
  all[names_of(given)[named]] <- given[named]
  free <- setdiff(arguments, names_of(given)[named])
  if (sum(!named) > length(free)) fail("usage", name, " has ", length(arguments), " arguments", call = NULL)
  all[free[seq_len(sum(!named))]] <- given[!named]
  lacking <- vapply(all, is.null, NA)
  if (any(lacking)) fail("usage", name, " needs ", arguments[lacking][1], call = NULL)
  all
}

names_of <- function(x) if (is.null(names(x))) rep("", length(x)) else names(x)

either <- function(name, by_logits, by_probs) function(logits = NULL, probs = NULL, dtype = NULL, validate_args = FALSE, ...) {
  if (is.null(logits) == is.null(probs)) fail("usage", name, " takes either logits or probs")
  given <- as_tensor(if (is.null(logits)) probs else logits)
  density <- if (is.null(logits)) by_probs else by_logits
  new_distribution(name, function(value, name = NULL) density(given, value))
}

categorical_log_probabilities <- function(logits, probs) {
  if (!is.null(logits)) return(along("log_softmax")(as_tensor(logits)))
  elementwise("log", as_tensor(probs), call = quote(tf$log(probs)))
}

make_distributions <- function() {
  categorical <- function(logits = NULL, probs = NULL, p = probs, dtype = NULL, validate_args = FALSE, ...) {
    if (is.null(logits) && is.null(p)) fail("usage", "Categorical takes logits or probs")
    logs <- categorical_log_probabilities(logits, p)
    classes <- utils::tail(field(logs, "shape"), 1)
    new_distribution("Categorical", function(value, name = NULL) {
      picked <- tf_one_hot(value, classes) * logs
      reduction("reduce_sum")(picked, -1L)
    }, logs = logs, classes = classes)
  }
  normal <- univariate("Normal", "normal_lpdf", c("loc", "scale"))
  diagonal <- function(loc = NULL, scale_diag = NULL, scale_identity_multiplier = NULL, ...) {
    scale <- if (is.null(scale_diag)) 1 else scale_diag
    if (!is.null(scale_identity_multiplier)) scale <- as_tensor(scale) * scale_identity_multiplier
    one <- normal(if (is.null(loc)) 0 else loc, scale)
    new_distribution("MultivariateNormalDiag", function(value, name = NULL) reduction("reduce_sum")(one$log_prob(value), -1L))
  }
  of_vectors <- function(name, density) function(loc = NULL, covariance_matrix = NULL, ..., cov = covariance_matrix, sigma = cov, scale_tril = sigma, mu = loc) {
    if (is.null(scale_tril)) fail("usage", name, " needs a matrix")
    matrix <- as_tensor(scale_tril)
    centre <- as_tensor(if (is.null(mu)) rep(0, field(matrix, "shape")[1]) else mu)
    new_distribution(name, function(value, name = NULL) {
      x <- as_tensor(value)
      record(density, list(centre, matrix, x), utils::head(field(x, "shape"), -1), call = sys.call())
    })
  }
  wishart <- function(df, scale = NULL, ...) {
    if (is.null(scale)) fail("usage", "Wishart needs scale = ")
    degrees <- as_tensor(df)
    matrix <- as_tensor(scale)
    new_distribution("Wishart", function(value, name = NULL) record("wishart_lpdf", list(degrees, matrix, as_tensor(value)), integer(), call = sys.call()))
  }
  mixture <- function(cat, components, ...) {
    logs <- get("logs", envir = cat)
    new_distribution("Mixture", function(value, name = NULL) {
      densities <- lapply(components, function(one) one$log_prob(value))
      weighted <- tf_stack(densities, axis = -1L) + logs
      reduction("reduce_logsumexp")(weighted, -1L)
    })
  }
  same_family <- function(mixture_distribution, components_distribution, ...) {
    logs <- get("logs", envir = mixture_distribution)
    new_distribution("MixtureSameFamily", function(value, name = NULL)
      reduction("reduce_logsumexp")(components_distribution$log_prob(tf_expand_dims(value, -1L)) + logs, -1L))
  }
  dirichlet <- function(concentration, ...) {
    alpha <- as_tensor(concentration)
    new_distribution("Dirichlet", function(value, name = NULL) {
      x <- as_tensor(value)
      record("dirichlet_lpdf", list(alpha, x), utils::head(field(x, "shape"), -1), call = sys.call())
    })
  }
  full <- of_vectors("MultivariateNormalFullCovariance", "multi_normal_lpdf")
  list(Normal = normal, StudentT = univariate("StudentT", "student_t_lpdf", c("df", "loc", "scale"), list(loc = 0, scale = 1)),
       Gamma = univariate("Gamma", "gamma_lpdf", c("concentration", "rate")), InverseGamma = univariate("InverseGamma", "inv_gamma_lpdf", c("concentration", "rate")),
       Beta = univariate("Beta", "beta_lpdf", c("concentration1", "concentration0")), Exponential = univariate("Exponential", "exponential_lpdf", "rate"),
       Laplace = univariate("Laplace", "laplace_lpdf", c("loc", "scale")), Cauchy = univariate("Cauchy", "cauchy_lpdf", c("loc", "scale")),
       Logistic = univariate("Logistic", "logistic_lpdf", c("loc", "scale")), Gumbel = univariate("Gumbel", "gumbel_lpdf", c("loc", "scale")),
       LogNormal = univariate("LogNormal", "lognormal_lpdf", c("loc", "scale")), Uniform = univariate("Uniform", "uniform_lpdf", c("low", "high"), list(low = 0, high = 1)),
       Chi2 = univariate("Chi2", "chi_square_lpdf", "df"), HalfNormal = univariate("HalfNormal", "half_normal_lpdf", "scale"), HalfCauchy = function(loc = 0, scale, ...)
         univariate("HalfCauchy", "half_cauchy_lpdf", "scale")(scale),
       Poisson = function(rate = NULL, log_rate = NULL, ...) if (is.null(rate)) univariate("Poisson", "poisson_log_lpmf", "log_rate")(log_rate) else univariate("Poisson", "poisson_lpmf", "rate")(rate),
       Bernoulli = either("Bernoulli", function(logit, x) elementwise("bernoulli_logit_lpmf", logit, x, call = sys.call()), function(p, x) elementwise("bernoulli_lpmf", p, x, call = sys.call())),
       Binomial = function(total_count, logits = NULL, probs = NULL, ...) {
         total <- as_tensor(total_count)
         either("Binomial", function(logit, x) elementwise("binomial_logit_lpmf", total, logit, x, call = sys.call()),
                function(p, x) elementwise("binomial_lpmf", total, p, x, call = sys.call()))(logits, probs)
       },
       Categorical = categorical, Mixture = mixture, MixtureSameFamily = same_family, Dirichlet = dirichlet, MultivariateNormalDiag = diagonal,
       MultivariateNormalFullCovariance = full, MultivariateNormalFull = full,
       MultivariateNormalTriL = of_vectors("MultivariateNormalTriL", "multi_normal_cholesky_lpdf"), Wishart = wishart, WishartFull = wishart)
}

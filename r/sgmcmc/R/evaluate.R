# The values of tensors, in plain R: what sess$run() computes, and what the lowered model is checked against.

# All nodes that some tensors depend on, in the order they were recorded.
ancestors <- function(tensors) {
  seen <- new.env(parent = emptyenv())
  pending <- tensors
  while (length(pending)) {
    node <- pending[[length(pending)]]
    pending[[length(pending)]] <- NULL
    key <- as.character(field(node, "id"))
    if (!is.null(seen[[key]])) next
    seen[[key]] <- node
    pending <- c(pending, field(node, "inputs"))
  }
  nodes <- as.list(seen)
  nodes[order(vapply(nodes, function(node) field(node, "id"), 0))]
}

# feeds: values of placeholders by id. variable: gives the value of a variable.
evaluate <- function(tensors, feeds = list(), variable = function(node) fail("usage", "the variables have no values: run tf$global_variables_initializer() first")) {
  values <- new.env(parent = emptyenv())
  for (node in ancestors(tensors)) {
    key <- as.character(field(node, "id"))
    values[[key]] <- if (!is.null(feeds[[key]])) feeds[[key]] else switch(field(node, "op"),
      constant = from_rows(field(node, "values"), field(node, "shape")),
      parameter = variable(node),
      placeholder = fail("usage", "no value was fed to the placeholder ", field(node, "call"), "; give it in feed_dict", call = NULL),
      evaluators[[field(node, "op")]](lapply(field(node, "inputs"), function(input) values[[as.character(field(input, "id"))]]), node))
  }
  lapply(tensors, function(node) values[[as.character(field(node, "id"))]])
}

softplus <- function(x) pmax(x, 0) + log1p(exp(-abs(x)))

pointwise <- function(f) function(x, node) {
  shape <- integer()
  for (one in x) shape <- broadcast_shapes(shape, value_shape(one))
  with_shape(do.call(f, lapply(x, function(one) as.vector(broadcast_value(one, shape)))), shape)
}

reduce_value <- function(f) function(x, node) {
  x <- x[[1]]
  shape <- value_shape(x)
  axes <- field(node, "integers")[-1] + 1L
  if (!length(axes)) axes <- seq_along(shape)
  made <- shape
  if (field(node, "integers")[1]) made[axes] <- 1L else made <- made[-axes]
  if (length(axes) == length(shape)) return(with_shape(f(as.vector(x)), made))
  kept <- seq_along(shape)[-axes]
  with_shape(apply(x, kept, f), made)
}

along_value <- function(f) function(x, node) {
  x <- x[[1]]
  axis <- field(node, "integers") + 1L
  rank <- length(dim(x))
  if (rank == 1) return(with_shape(f(as.vector(x)), dim(x)))
  others <- setdiff(seq_len(rank), axis)
  aperm(array(apply(x, others, f), dim(x)[c(axis, others)]), order(c(axis, others)))
}

log_sum_exp <- function(x) {
  largest <- max(x)
  if (!is.finite(largest)) largest else largest + log(sum(exp(x - largest)))
}

slices <- function(x, f) {  # f of every matrix of an array with more axes
  lead <- utils::head(dim(x), -2)
  if (!length(lead)) return(f(x))
  flat <- array(x, c(prod(lead), utils::tail(dim(x), 2)))
  lapply(seq_len(prod(lead)), function(k) f(array(flat[k, , ], utils::tail(dim(x), 2))))
}

matmul_value <- function(x, node) {
  flags <- field(node, "integers")
  a <- x[[1]]
  b <- x[[2]]
  if (length(dim(a)) == 2) {
    made <- if (flags[1] && flags[2]) t(b %*% a) else if (flags[1]) crossprod(a, b) else if (flags[2]) tcrossprod(a, b) else a %*% b
    return(unname(made))
  }
  left <- slices(a, if (flags[1]) t else identity)
  right <- slices(b, if (flags[2]) t else identity)
  made <- Map(`%*%`, left, right)
  array(aperm(simplify2array(made), c(3, 1, 2)), field(node, "shape"))
}

einsum_value <- function(x, node) {
  parts <- strsplit(field(node, "name"), "->", fixed = TRUE)[[1]]
  labels <- strsplit(strsplit(parts[1], ",")[[1]], "")
  result <- if (length(parts) > 1) strsplit(parts[2], "")[[1]] else character()
  all <- unique(c(result, unlist(labels)))
  sizes <- integer()
  for (k in seq_along(x)) sizes[labels[[k]]] <- dim(x[[k]])
  made <- 1
  for (k in seq_along(x)) {
    here <- intersect(all, labels[[k]])
    one <- aperm(x[[k]], match(here, labels[[k]]))
    dim(one) <- ifelse(all %in% here, sizes[all], 1L)
    made <- made * broadcast_value(one, unname(sizes[all]))
  }
  if (length(all) == length(result)) return(with_shape(made, unname(sizes[result])))
  with_shape(if (length(result)) apply(made, seq_along(result), sum) else sum(made), unname(sizes[result]))
}

gather_value <- function(x, node) {
  at <- field(node, "integers") + 1L
  table <- x[[1]]
  if (any(x[[2]] < 0 | x[[2]] >= dim(table)[at])) fail("data", field(node, "call"), ": an index is not one of 0 to ", dim(table)[at] - 1, call = NULL)
  index <- rep(list(TRUE), length(dim(table)))
  index[[at]] <- as.vector(x[[2]]) + 1L
  with_shape(do.call(`[`, c(list(table), index, list(drop = FALSE))), c(dim(table)[seq_len(at - 1L)], value_shape(x[[2]]), dim(table)[-seq_len(at)]))
}

bind_value <- function(x, at) {
  rank <- length(dim(x[[1]]))
  order <- c(setdiff(seq_len(rank), at), at)
  flat <- unlist(lapply(x, function(one) as.vector(aperm(one, order))))
  sizes <- dim(x[[1]])
  sizes[at] <- sum(vapply(x, function(one) dim(one)[at], 1L))
  aperm(array(flat, sizes[order]), order(order))
}

vectors_value <- function(f) function(x, node) {  # a density of the vectors along the last axis of the outcome
  outcome <- x[[length(x)]]
  if (length(dim(outcome)) == 1) return(f(lapply(x, function(one) if (length(dim(one)) == 1) as.vector(one) else one)))
  with_shape(vapply(seq_len(dim(outcome)[1]), function(row) {
    own <- lapply(seq_along(x), function(k) if (length(dim(x[[k]])) == 2 && (k == length(x) || (k == 1 && nrow(x[[k]]) == nrow(outcome)))) x[[k]][row, ] else x[[k]])
    f(own)
  }, 0), dim(outcome)[1])
}

multi_normal_value <- function(mean, root, x) {  # root: upper triangular, t(root) %*% root the covariance
  z <- backsolve(root, as.vector(x) - as.vector(mean), transpose = TRUE)
  -0.5 * sum(z^2) - sum(log(diag(root))) - 0.5 * length(z) * log(2 * pi)
}

wishart_value <- function(degrees, scale, x) {
  size <- nrow(x)
  log_det <- function(m) as.vector(determinant(m, logarithm = TRUE)$modulus)
  gamma <- size * (size - 1) / 4 * log(pi) + sum(lgamma((degrees + 1 - seq_len(size)) / 2))
  0.5 * (degrees - size - 1) * log_det(x) - 0.5 * sum(diag(solve(scale, x))) - 0.5 * degrees * size * log(2) - 0.5 * degrees * log_det(scale) - gamma
}

evaluators <- c(
  lapply(list(
    identity = function(x) x, exp = exp, log = log, log1p = log1p, expm1 = expm1, sqrt = sqrt, rsqrt = function(x) 1 / sqrt(x), square = function(x) x^2,
    abs = abs, sign = sign, floor = floor, ceil = ceiling, round = round, trunc = trunc, reciprocal = function(x) 1 / x, sin = sin, cos = cos, tan = tan,
    asin = asin, acos = acos, atan = atan, sinh = sinh, cosh = cosh, tanh = tanh, lgamma = lgamma, digamma = digamma,
    erf = function(x) 2 * stats::pnorm(x * sqrt(2)) - 1, erfc = function(x) 2 * stats::pnorm(x * sqrt(2), lower.tail = FALSE), sigmoid = stats::plogis,
    log_sigmoid = function(x) -softplus(-x), softplus = softplus, relu = function(x) pmax(x, 0), logical_not = function(x) 1 - x, negative = function(x) -x,
    add = `+`, subtract = `-`, multiply = `*`, divide = `/`, pow = `^`, maximum = pmax, minimum = pmin, less = `<`, less_equal = `<=`, greater = `>`,
    greater_equal = `>=`, equal = `==`, not_equal = `!=`, logical_and = function(x, y) x * y, logical_or = pmax, squared_difference = function(x, y) (x - y)^2,
    xlogy = function(x, y) ifelse(x == 0, 0, x * log(y)), where = function(condition, x, y) ifelse(condition != 0, x, y),
    normal_lpdf = function(loc, scale, x) stats::dnorm(x, loc, scale, log = TRUE),
    student_t_lpdf = function(df, loc, scale, x) stats::dt((x - loc) / scale, df, log = TRUE) - log(scale),
    gamma_lpdf = function(shape, rate, x) ifelse(x > 0, shape * log(rate) - lgamma(shape) + (shape - 1) * log(pmax(x, 1e-300)) - rate * x, -Inf),
    inv_gamma_lpdf = function(shape, scale, x) ifelse(x > 0, shape * log(scale) - lgamma(shape) - (shape + 1) * log(pmax(x, 1e-300)) - scale / x, -Inf),
    beta_lpdf = function(a, b, x) stats::dbeta(x, a, b, log = TRUE), exponential_lpdf = function(rate, x) stats::dexp(x, rate, log = TRUE),
    laplace_lpdf = function(loc, scale, x) -abs(x - loc) / scale - log(2 * scale), cauchy_lpdf = function(loc, scale, x) stats::dcauchy(x, loc, scale, log = TRUE),
    logistic_lpdf = function(loc, scale, x) stats::dlogis(x, loc, scale, log = TRUE),
    gumbel_lpdf = function(loc, scale, x) -(x - loc) / scale - exp(-(x - loc) / scale) - log(scale),
    lognormal_lpdf = function(loc, scale, x) stats::dlnorm(x, loc, scale, log = TRUE), uniform_lpdf = function(low, high, x) stats::dunif(x, low, high, log = TRUE),
    chi_square_lpdf = function(df, x) stats::dchisq(x, df, log = TRUE),
    half_normal_lpdf = function(scale, x) ifelse(x >= 0, log(2) + stats::dnorm(x, 0, scale, log = TRUE), -Inf),
    half_cauchy_lpdf = function(scale, x) ifelse(x >= 0, log(2) + stats::dcauchy(x, 0, scale, log = TRUE), -Inf),
    bernoulli_lpmf = function(p, x) stats::dbinom(x, 1, p, log = TRUE), bernoulli_logit_lpmf = function(logit, x) x * -softplus(-logit) - (1 - x) * softplus(logit),
    binomial_lpmf = function(n, p, x) stats::dbinom(x, n, p, log = TRUE),
    binomial_logit_lpmf = function(n, logit, x) lchoose(n, x) - x * softplus(-logit) - (n - x) * softplus(logit),
    poisson_lpmf = function(rate, x) stats::dpois(x, rate, log = TRUE), poisson_log_lpmf = function(eta, x) x * eta - exp(eta) - lgamma(x + 1)), pointwise),
  list(
    reduce_sum = reduce_value(sum), reduce_mean = reduce_value(mean), reduce_max = reduce_value(max), reduce_min = reduce_value(min),
    reduce_logsumexp = reduce_value(log_sum_exp),
    softmax = along_value(function(x) exp(x - log_sum_exp(x))), log_softmax = along_value(function(x) x - log_sum_exp(x)), cumsum = along_value(cumsum),
    squeeze = function(x, node) {
      shape <- field(node, "shape")
      with_shape(x[[1]], if (anyNA(shape)) value_shape(x[[1]])[value_shape(x[[1]]) != 1L] else shape)
    }, expand_dims = function(x, node) with_shape(x[[1]], field(node, "shape")),
    reshape = function(x, node) from_rows(by_row(x[[1]]), field(node, "shape")),
    transpose = function(x, node) if (length(dim(x[[1]])) > 1) aperm(x[[1]], field(node, "integers") + 1L) else x[[1]],
    slice = function(x, node) {
      parts <- matrix(field(node, "integers"), nrow = 3)
      index <- lapply(seq_len(ncol(parts)), function(k) parts[1, k] + seq_len(parts[2, k]))
      with_shape(do.call(`[`, c(list(x[[1]]), index, list(drop = FALSE))), field(node, "shape"))
    },
    concat = function(x, node) bind_value(x, field(node, "integers") + 1L),
    stack = function(x, node) {
      at <- field(node, "integers")
      shape <- field(node, "shape")[-(at + 1L)]
      bind_value(lapply(x, function(one) with_shape(broadcast_value(one, shape), append(shape, 1L, at))), at + 1L)
    },
    gather = gather_value,
    one_hot = function(x, node) {
      classes <- seq_len(field(node, "integers")) - 1
      with_shape(outer(as.vector(x[[1]]), classes, `==`), c(value_shape(x[[1]]), length(classes)))
    },
    matmul = matmul_value, einsum = einsum_value,
    diag = function(x, node) diag(as.vector(x[[1]]), length(x[[1]])), diag_part = function(x, node) with_shape(diag(x[[1]]), nrow(x[[1]])),
    trace = function(x, node) sum(diag(x[[1]])), cholesky = function(x, node) t(chol(x[[1]])), matrix_inverse = function(x, node) solve(x[[1]]),
    matrix_determinant = function(x, node) det(x[[1]]), log_determinant = function(x, node) as.vector(determinant(x[[1]])$modulus),
    matrix_solve = function(x, node) with_shape(solve(x[[1]], x[[2]]), field(node, "shape")),
    matrix_triangular_solve = function(x, node) with_shape(forwardsolve(x[[1]], x[[2]]), field(node, "shape")),
    multi_normal_lpdf = vectors_value(function(x) multi_normal_value(x[[1]], chol(x[[2]]), x[[3]])),
    multi_normal_cholesky_lpdf = vectors_value(function(x) multi_normal_value(x[[1]], t(x[[2]]), x[[3]])),
    dirichlet_lpdf = vectors_value(function(x) lgamma(sum(x[[1]])) - sum(lgamma(x[[1]])) + sum((x[[1]] - 1) * log(x[[2]]))),
    wishart_lpdf = function(x, node) wishart_value(as.vector(x[[1]]), x[[2]], x[[3]])))

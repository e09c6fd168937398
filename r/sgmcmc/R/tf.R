# The object tf: the part of TensorFlow 1 that log densities use.

tf_module <- function(path, members) structure(list2env(c(members, list(.path = path)), parent = emptyenv()), class = "sgmcmc_module")

refused_operations <- list(
  unique = "which values are equal depends on which rows share a minibatch",
  boolean_mask = "how many rows are left depends on which rows share a minibatch; multiply by the mask instead",
  cond = "use tf$where, which picks element by element", while_loop = "write the loop in R",
  tile = "arrays are repeated by themselves where they meet larger ones", random_normal = "a density may not be random",
  gradients = "gradients are found by the samplers")

#' @export
`$.sgmcmc_module` <- function(x, name) {
  found <- get0(name, envir = x, inherits = FALSE)
  if (!is.null(found)) return(found)
  path <- get(".path", envir = x)
  whole <- paste0(path, "$", name)
  why <- refused_operations[[name]]
  if (!is.null(why)) return(function(...) fail("model", whole, " has no density of one row: ", why, call = NULL))
  known <- setdiff(ls(envir = x), ".path")
  near <- known[order(utils::adist(name, known, ignore.case = TRUE))][seq_len(min(3, length(known)))]
  fail("usage", whole, " is not known here; nearest: ", paste(near, collapse = ", "), call = NULL)
}

#' @export
print.sgmcmc_module <- function(x, ...) cat("<", get(".path", envir = x), ": ", paste(setdiff(ls(envir = x), ".path"), collapse = " "), ">\n", sep = "")

#' @export
names.sgmcmc_module <- function(x) setdiff(ls(envir = x), ".path")

make_tf <- function() {
  elementwise_members <- c(stats::setNames(lapply(unary_operations, unary), unary_operations), stats::setNames(lapply(binary_operations, binary), binary_operations),
                           stats::setNames(lapply(comparisons, binary, dtype = "bool"), comparisons))
  reductions <- c("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_logsumexp")
  square_matrix <- function(shape) shape
  scalar <- function(shape) integer()
  shared <- c(elementwise_members, stats::setNames(lapply(reductions, reduction), reductions), list(
    sub = binary("subtract"), mul = binary("multiply"), div = binary("divide"), truediv = binary("divide"), realdiv = binary("divide"), neg = unary("negative"),
    reduce_log_sum_exp = reduction("reduce_logsumexp"), cumsum = function(x, axis = 0L, ...) along("cumsum")(x, axis),
    logical_not = function(x, name = NULL) elementwise("logical_not", x, dtype = "bool", call = sys.call()), softmax = along("softmax"), log_softmax = along("log_softmax"),
    softplus = unary("softplus"), sigmoid = unary("sigmoid"), log_sigmoid = unary("log_sigmoid")))
  linalg <- list(matmul = tf_matmul, diag = matrix_operation("diag", function(shape) c(shape, shape)), diag_part = matrix_operation("diag_part", function(shape) shape[1]),
                 tensor_diag = matrix_operation("diag", function(shape) c(shape, shape)),
                 trace = matrix_operation("trace", scalar), cholesky = matrix_operation("cholesky", square_matrix), inv = matrix_operation("matrix_inverse", square_matrix),
                 det = matrix_operation("matrix_determinant", scalar), logdet = matrix_operation("log_determinant", scalar), solve = tf_solve("matrix_solve"),
                 triangular_solve = tf_solve("matrix_triangular_solve"), transpose = tf_transpose, einsum = tf_einsum)
  nn <- list(softmax = along("softmax"), log_softmax = along("log_softmax"), relu = unary("relu"), sigmoid = unary("sigmoid"), tanh = unary("tanh"), softplus = unary("softplus"),
             sigmoid_cross_entropy_with_logits = function(`_sentinel` = NULL, labels = NULL, logits = NULL, name = NULL) {
               labels <- as_tensor(labels)
               logits <- as_tensor(logits)
               elementwise("negative", elementwise("bernoulli_logit_lpmf", logits, labels, call = sys.call()), call = sys.call())
             },
             softmax_cross_entropy_with_logits = cross_entropy, softmax_cross_entropy_with_logits_v2 = cross_entropy,
             sparse_softmax_cross_entropy_with_logits = function(`_sentinel` = NULL, labels = NULL, logits = NULL, name = NULL) {
               logits <- as_tensor(logits)
               cross_entropy(labels = tf_one_hot(labels, utils::tail(field(logits, "shape"), 1)), logits = logits)
             },
             bias_add = binary("add"))
  types <- list(float32 = "float32", float64 = "float64", int32 = "int32", int64 = "int64", bool = "bool")
  distributions <- tf_module("tf$distributions", make_distributions())
  core <- c(shared, types, list(
    matmul = tf_matmul, squeeze = tf_squeeze, expand_dims = tf_expand_dims, reshape = tf_reshape, transpose = tf_transpose, concat = tf_concat, stack = tf_stack, pack = tf_stack,
    gather = tf_gather, one_hot = tf_one_hot, where = tf_where, select = tf_where, cast = tf_cast, to_int32 = function(x, name = NULL) tf_cast(x, "int32"),
    to_int64 = function(x, name = NULL) tf_cast(x, "int64"), to_float = function(x, name = NULL) tf_cast(x, "float32"), to_double = function(x, name = NULL) tf_cast(x, "float64"),
    einsum = tf_einsum, constant = tf_constant, convert_to_tensor = tf_constant, Variable = tf_Variable, placeholder = tf_placeholder, shape = tf_shape,
    zeros = filled(0), ones = filled(1), zeros_like = filled_like(0), ones_like = filled_like(1), fill = function(dims, value, name = NULL) tf_constant(value, shape = dims),
    eye = function(num_rows, ...) tf_constant(diag(static_integers(num_rows, "num_rows"))), range = function(start, limit = NULL, delta = 1L, ...)
      tf_constant(with_shape(if (is.null(limit)) seq(0, start - 1) else seq(start, limit - 1, by = delta), length(if (is.null(limit)) seq(0, start - 1) else seq(start, limit - 1, by = delta))), dtype = "int32"),
    diag = linalg$diag, diag_part = linalg$diag_part, trace = linalg$trace, cholesky = linalg$cholesky, matrix_inverse = linalg$inv, matrix_determinant = linalg$det,
    matrix_solve = linalg$solve, matrix_triangular_solve = linalg$triangular_solve, log_determinant = linalg$logdet,
    Session = function(...) new_session(), global_variables_initializer = function() structure(list(), class = "sgmcmc_initializer"),
    initialize_all_variables = function() structure(list(), class = "sgmcmc_initializer"), set_random_seed = function(seed) invisible(NULL),
    reset_default_graph = function() invisible(NULL), TensorShape = function(dims) static_integers(dims, "shape"),
    nn = tf_module("tf$nn", nn), linalg = tf_module("tf$linalg", linalg), math = tf_module("tf$math", shared), distributions = distributions,
    contrib = tf_module("tf$contrib", list(distributions = distributions))))
  tf_module("tf", core)
}

cross_entropy <- function(`_sentinel` = NULL, labels = NULL, logits = NULL, dim = -1L, name = NULL) {
  -reduction("reduce_sum")(as_tensor(labels) * along("log_softmax")(logits, dim), dim)
}

#' TensorFlow operations for scripts of sgmcmc 0.2
#'
#' \code{tf} has the operations of TensorFlow 1 that log densities use. They record the computation; TensorFlow itself is not needed. \code{shape},
#' \code{tuple} and \code{np_array} create shapes, lists and arrays.
#'
#' @format \code{tf}: an object whose members are functions, such as \code{tf$matmul}, \code{tf$reduce_sum} and
#'   \code{tf$distributions$Normal(loc, scale)$log_prob(x)}.
#' @param ... Sizes, or elements.
#' @param data Numbers.
#' @param dtype Not used.
#' @param order Not used.
#' @export
tf <- NULL

#' @rdname tf
#' @export
shape <- function(...) as.integer(unlist(list(...)))
#' @rdname tf
#' @export
tuple <- function(...) list(...)
#' @rdname tf
#' @export
np_array <- function(data, dtype = NULL, order = "C") data

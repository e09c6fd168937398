# The operations of tf: each records a node with its static shape. Names and arguments are those of TensorFlow 1.

elementwise <- function(op, ..., dtype = NULL, call) {
  inputs <- lapply(list(...), as_tensor)
  text <- if (is.character(call)) call else call_text(call)
  shape <- integer()
  for (input in inputs) shape <- broadcast_shapes(shape, field(input, "shape"), text)
  record(op, inputs, shape, dtype = dtype, call = text)
}

unary_operations <- c("exp", "log", "log1p", "expm1", "sqrt", "rsqrt", "square", "abs", "sign", "floor", "ceil", "round", "reciprocal", "sin", "cos",
                      "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "lgamma", "digamma", "erf", "erfc", "sigmoid", "log_sigmoid", "softplus",
                      "negative", "identity")
binary_operations <- c("add", "subtract", "multiply", "divide", "pow", "maximum", "minimum", "squared_difference", "xlogy")
comparisons <- c("less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_and", "logical_or")

unary <- function(op) {
  force(op)
  function(x, name = NULL) elementwise(op, x, call = sys.call())
}
binary <- function(op, dtype = NULL) {
  force(op)
  function(x, y, name = NULL) elementwise(op, x, y, dtype = dtype, call = sys.call())
}

reduction <- function(op) {
  force(op)
  function(input_tensor, axis = NULL, keepdims = FALSE, name = NULL, reduction_indices = axis, keep_dims = keepdims) {
    call <- call_text(sys.call())
    x <- as_tensor(input_tensor)
    shape <- field(x, "shape")
    if (anyNA(shape) && is.null(reduction_indices)) return(record(op, list(x), integer(), integers = as.integer(keep_dims), call = call))
    known_shape(x, call)
    axes <- axes_of(reduction_indices, length(shape), call)
    made <- shape
    if (isTRUE(as.logical(keep_dims))) made[axes + 1L] <- 1L else if (length(axes)) made <- made[-(axes + 1L)]
    if (!length(shape)) return(record("identity", list(x), shape, call = call))
    record(op, list(x), made, integers = c(as.integer(keep_dims), axes), call = call)
  }
}

along <- function(op) {
  force(op)
  function(logits, axis = -1L, dim = axis, name = NULL) {
    call <- call_text(sys.call())
    x <- known_shape(as_tensor(logits), call)
    axis <- axes_of(dim, length(field(x, "shape")), call)
    record(op, list(x), field(x, "shape"), integers = axis, call = call)
  }
}

# Refuses a tensor whose shape is known only when it is fed.
known_shape <- function(tensor, call) {
  if (anyNA(field(tensor, "shape"))) fail("model", call, ": the shape of a placeholder must be known here: give it, as in tf$placeholder(tf$float32, c(10, 2))", call = NULL)
  tensor
}

tf_matmul <- function(a, b, transpose_a = FALSE, transpose_b = FALSE, name = NULL) {
  call <- call_text(sys.call())
  a <- as_tensor(a)
  b <- as_tensor(b)
  left <- field(known_shape(a, call), "shape")
  right <- field(known_shape(b, call), "shape")
  if (length(left) < 2 || length(right) < 2)
    fail("model", call, ": tf$matmul takes matrices; found shapes ", shape_text(left), " and ", shape_text(right), "; tf$expand_dims adds an axis", call = NULL)
  swap <- function(s) c(utils::head(s, -2), rev(utils::tail(s, 2)))
  if (transpose_a) left <- swap(left)
  if (transpose_b) right <- swap(right)
  if (utils::tail(left, 1) != utils::tail(right, 2)[1])
    fail("model", call, ": matrices of shapes ", shape_text(left), " and ", shape_text(right), " do not fit together", call = NULL)
  record("matmul", list(a, b), c(utils::head(left, -1), utils::tail(right, 1)), integers = c(transpose_a, transpose_b), call = call)
}

tf_squeeze <- function(input, axis = NULL, name = NULL, squeeze_dims = axis) {
  call <- call_text(sys.call())
  x <- as_tensor(input)
  shape <- field(x, "shape")
  if (anyNA(shape) && is.null(squeeze_dims)) return(record("squeeze", list(x), NA, call = call))
  known_shape(x, call)
  if (is.null(squeeze_dims)) {
    # The axis of rows stays, even where it has size 1.
    rows <- if (field(x, "rows") > 0L) length(shape) - field(x, "rows")
    axes <- setdiff(which(shape == 1L) - 1L, rows)
  } else {
    axes <- axes_of(squeeze_dims, length(shape), call)
    if (any(shape[axes + 1L] != 1L)) fail("model", call, ": axis ", axes[shape[axes + 1L] != 1L][1], " has size ", shape[axes + 1L][shape[axes + 1L] != 1L][1], ", not 1", call = NULL)
  }
  if (!length(axes)) return(x)
  record("squeeze", list(x), shape[-(axes + 1L)], integers = axes, call = call)
}

tf_expand_dims <- function(input, axis = NULL, name = NULL, dim = axis) {
  call <- call_text(sys.call())
  x <- known_shape(as_tensor(input), call)
  shape <- field(x, "shape")
  at <- static_integers(dim, "axis")
  if (at < 0) at <- at + length(shape) + 1L
  record("expand_dims", list(x), append(shape, 1L, at), integers = at, call = call)
}

tf_reshape <- function(tensor, shape, name = NULL) {
  call <- call_text(sys.call())
  x <- known_shape(as_tensor(tensor), call)
  wanted <- static_integers(shape, "shape")
  size <- prod(field(x, "shape"))
  if (any(wanted < 0)) wanted[wanted < 0] <- as.integer(size / prod(wanted[wanted >= 0]))
  if (prod(wanted) != size) fail("model", call, ": an array of shape ", shape_text(field(x, "shape")), " cannot have shape ", shape_text(wanted), call = NULL)
  record("reshape", list(x), wanted, integers = wanted, call = call)
}

tf_transpose <- function(a, perm = NULL, name = NULL) {
  call <- call_text(sys.call())
  x <- known_shape(as_tensor(a), call)
  shape <- field(x, "shape")
  perm <- if (is.null(perm)) rev(seq_along(shape)) - 1L else static_integers(perm, "perm")
  if (!identical(sort(as.integer(perm)), seq_along(shape) - 1L)) fail("model", call, ": `perm` must name each axis once", call = NULL)
  record("transpose", list(x), shape[perm + 1L], integers = perm, call = call)
}

tf_concat <- function(values, axis, name = NULL) {
  call <- call_text(sys.call())
  if (is.numeric(values) && (is.list(axis) || is_tensor(axis))) {  # the order of arguments before TensorFlow 1.0
    swapped <- values
    values <- axis
    axis <- swapped
  }
  inputs <- lapply(values, as_tensor)
  shape <- field(inputs[[1]], "shape")
  at <- axes_of(axis, length(shape), call)
  shape[at + 1L] <- sum(vapply(inputs, function(x) field(x, "shape")[at + 1L], 1L))
  record("concat", inputs, shape, integers = at, call = call)
}

tf_stack <- function(values, axis = 0L, name = NULL) {
  call <- call_text(sys.call())
  inputs <- lapply(values, as_tensor)
  shape <- integer()
  for (input in inputs) shape <- broadcast_shapes(shape, field(input, "shape"), call)
  at <- static_integers(axis, "axis")
  if (at < 0) at <- at + length(shape) + 1L
  record("stack", inputs, append(shape, length(inputs), at), integers = at, call = call)
}

tf_gather <- function(params, indices, validate_indices = NULL, name = NULL, axis = 0L) {
  call <- call_text(sys.call())
  table <- as_tensor(params)
  index <- as_tensor(indices, "int32")
  shape <- field(table, "shape")
  at <- axes_of(axis, length(shape), call)
  record("gather", list(table, index), c(utils::head(shape, at), field(index, "shape"), shape[-seq_len(at + 1L)]), integers = at,
         dtype = field(table, "dtype"), call = call)
}

tf_one_hot <- function(indices, depth, on_value = 1, off_value = 0, axis = -1L, dtype = NULL, name = NULL) {
  call <- call_text(sys.call())
  x <- as_tensor(indices)
  depth <- static_integers(depth, "depth")
  made <- record("one_hot", list(x), c(field(x, "shape"), depth), integers = depth, dtype = "float32", call = call)
  if (identical(on_value, 1) && identical(off_value, 0)) made else made * (on_value - off_value) + off_value
}

tf_where <- function(condition, x = NULL, y = NULL, name = NULL) {
  call <- sys.call()
  if (is.null(x) || is.null(y)) fail("model", call_text(call), ": the places where a condition holds depend on which rows share a minibatch; give x and y", call = NULL)
  inputs <- lapply(list(x, y), as_tensor)
  elementwise("where", condition, x, y, dtype = common_dtype(inputs, call_text(call)), call = call)
}

tf_cast <- function(x, dtype, name = NULL) {
  call <- call_text(sys.call())
  x <- as_tensor(x)
  type <- dtype_name(dtype)
  to_whole <- type %in% c("int32", "int64")
  made <- record(if (to_whole) "trunc" else "identity", list(x), field(x, "shape"), dtype = if (to_whole) "int32" else type, call = call)
  made
}

tf_einsum <- function(equation, ..., name = NULL) {
  call <- call_text(sys.call())
  inputs <- lapply(list(...), as_tensor)
  formula <- gsub(" ", "", equation)
  if (!grepl("->", formula)) fail("model", call, ": the formula needs '->', as in 'ij,ij->i'", call = NULL)
  parts <- strsplit(formula, "->", fixed = TRUE)[[1]]
  labels <- strsplit(strsplit(parts[1], ",")[[1]], "")
  result <- if (length(parts) > 1) strsplit(parts[2], "")[[1]] else character()
  sizes <- integer()
  if (length(labels) != length(inputs)) fail("model", call, ": the formula has another number of operands", call = NULL)
  for (k in seq_along(inputs)) {
    if (length(labels[[k]]) != length(field(inputs[[k]], "shape"))) fail("model", call, ": a label for each axis was expected", call = NULL)
    sizes[labels[[k]]] <- field(inputs[[k]], "shape")
  }
  record("einsum", inputs, unname(sizes[result]), name = formula, call = call)
}

matrix_operation <- function(op, shape) {
  force(op)
  force(shape)
  function(x, name = NULL) {
    call <- call_text(sys.call())
    x <- as_tensor(x)
    record(op, list(x), shape(field(x, "shape")), call = call)
  }
}

tf_solve <- function(op) {
  force(op)
  function(matrix, rhs, lower = TRUE, adjoint = FALSE, name = NULL) {
    call <- call_text(sys.call())
    if (!isTRUE(lower) || isTRUE(adjoint)) fail("model", call, ": only lower triangles are known, without adjoint", call = NULL)
    a <- as_tensor(matrix)
    b <- as_tensor(rhs)
    record(op, list(a, b), field(b, "shape"), call = call)
  }
}

tf_constant <- function(value, dtype = NULL, shape = NULL, name = NULL) {
  value <- value_of(value)
  if (!is.null(shape)) {
    shape <- static_integers(shape, "shape")
    value <- if (length(value) == 1) with_shape(rep(as.vector(value), prod(shape)), shape) else from_rows(by_row(value), shape)
  }
  new_tensor("constant", shape = value_shape(value), dtype = if (is.null(dtype)) "float32" else dtype_name(dtype), values = by_row(value),
             explicit = !is.null(dtype), call = call_text(sys.call()))
}

filled <- function(number) {
  force(number)
  function(shape, dtype = NULL, name = NULL) tf_constant(number, dtype = if (is.null(dtype)) "float32" else dtype, shape = shape)
}

filled_like <- function(number) {
  force(number)
  function(tensor, dtype = NULL, name = NULL) tf_constant(number, shape = as.list(field(as_tensor(tensor), "shape")))
}

tf_shape <- function(input, name = NULL, out_type = NULL) {
  shape <- field(as_tensor(input), "shape")
  new_tensor("constant", shape = length(shape), dtype = "int32", values = as.double(shape), call = call_text(sys.call()))
}

tf_Variable <- function(initial_value, trainable = TRUE, dtype = NULL, name = NULL, ...) {
  value <- if (is_tensor(initial_value)) constant_value(initial_value) else value_of(initial_value)
  new_tensor("parameter", shape = value_shape(value), dtype = if (is.null(dtype)) "float32" else dtype_name(dtype), values = value,
             name = if (is.null(name)) "" else name, explicit = !is.null(dtype), call = call_text(sys.call()))
}

tf_placeholder <- function(dtype, shape = NULL, name = NULL) {
  # A placeholder without a shape takes the shape of the value that is fed; until then the shape is NA.
  shape <- if (is.null(shape)) NA else static_integers(shape, "shape")
  new_tensor("placeholder", shape = if (is.null(shape)) integer() else shape, dtype = dtype_name(dtype), name = if (is.null(name)) "" else name,
             explicit = TRUE, call = call_text(sys.call()))
}

dtype_name <- function(dtype) {
  known <- c("float32", "float64", "int32", "int64", "bool")
  if (is.character(dtype) && dtype %in% known) return(unname(dtype))
  fail("usage", "a type is tf$float32, tf$float64 or tf$int32")
}

# R's operators and functions on tensors -----------------------------------------------------------------------------------------------
operator_names <- c("+" = "add", "-" = "subtract", "*" = "multiply", "/" = "divide", "^" = "pow", "<" = "less", "<=" = "less_equal", ">" = "greater",
                    ">=" = "greater_equal", "==" = "equal", "!=" = "not_equal", "&" = "logical_and", "|" = "logical_or")

#' @export
Ops.tensorflow.tensor <- function(e1, e2) {
  call <- sys.call()
  if (identical(as.character(call[[1]])[1], "Ops.tensorflow.tensor")) call <- as.call(c(as.name(.Generic), as.list(call)[-1]))
  if (missing(e2)) {
    if (.Generic == "-") return(elementwise("negative", e1, call = call))
    if (.Generic == "!") return(elementwise("logical_not", e1, dtype = "bool", call = call))
    return(e1)
  }
  op <- operator_names[.Generic]
  if (is.na(op)) fail("usage", "the operator ", .Generic, " is not known for tensors")
  if (.Generic == "^" && !is_tensor(e2) && length(e2) == 1 && e2 == 2) return(elementwise("square", e1, call = call))
  elementwise(unname(op), e1, e2, dtype = if (.Generic %in% c("<", "<=", ">", ">=", "==", "!=", "&", "|")) "bool", call = call)
}

#' @export
Math.tensorflow.tensor <- function(x, ...) {
  op <- .Generic
  if (op == "cumsum") return(along("cumsum")(x))
  if (op == "ceiling") op <- "ceil"
  if (op == "log" && ...length()) return(elementwise("divide", elementwise("log", x, call = sys.call()), log(..1), call = sys.call()))
  if (op == "log2" || op == "log10") return(elementwise("divide", elementwise("log", x, call = sys.call()), log(if (op == "log2") 2 else 10), call = sys.call()))
  if (!op %in% c(unary_operations, "trunc")) fail("usage", "the function ", .Generic, " is not known for tensors")
  elementwise(op, x, call = as.call(c(as.name(.Generic), as.list(sys.call())[-1])))
}

#' @export
Summary.tensorflow.tensor <- function(..., na.rm = FALSE) {
  if (...length() != 1) fail("usage", .Generic, "() takes one tensor")
  op <- c(sum = "reduce_sum", max = "reduce_max", min = "reduce_min")[.Generic]
  if (is.na(op)) fail("usage", "the function ", .Generic, " is not known for tensors")
  reduction(unname(op))(..1)
}

#' @export
mean.tensorflow.tensor <- function(x, ...) reduction("reduce_mean")(x)
#' @export
dim.tensorflow.tensor <- function(x) if (length(field(x, "shape"))) field(x, "shape")
#' @export
length.tensorflow.tensor <- function(x) as.integer(prod(field(x, "shape")))
#' @export
t.tensorflow.tensor <- function(x) tf_transpose(x)

# Indices count from 1; an axis that is picked by one number is dropped.
#' @export
`[.tensorflow.tensor` <- function(x, ..., drop = TRUE) {
  call <- sys.call()
  text <- call_text(call)
  shape <- field(x, "shape")
  given <- as.list(substitute(list(...)))[-1]
  if (length(given) != length(shape))
    fail("model", text, ": an index for each of ", length(shape), " axes was expected", call = NULL)
  env <- parent.frame()
  parts <- integer()
  made <- integer()
  for (axis in seq_along(given)) {
    all <- identical(given[[axis]], quote(expr = ))
    index <- if (all) seq_len(shape[axis]) else eval(given[[axis]], env)
    index <- if (is_tensor(index)) static_integers(index, "an index") else as.integer(index)
    if (any(index < 0)) index <- seq_len(shape[axis])[index]
    if (any(index < 1 | index > shape[axis]) || !length(index))
      fail("model", text, ": an index is out of range: axis ", axis, " has ", shape[axis], " elements, counted from 1", call = NULL)
    if (any(diff(index) != 1L)) {  # not a stretch: pick, then go on
      x <- tf_gather(x, index - 1L, axis = axis - 1L)
      shape <- field(x, "shape")
      index <- seq_len(shape[axis])
      all <- TRUE
    }
    dropped <- drop && length(index) == 1L && !all
    parts <- c(parts, index[1] - 1L, length(index), dropped)
    if (!dropped) made <- c(made, length(index))
  }
  record("slice", list(x), made, integers = parts, call = text)
}

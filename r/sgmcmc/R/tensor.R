# Tensors: nodes of a recorded graph. A tensor is an environment with the fields id, op, inputs, shape, dtype, name, integers, values and call.

graph_state <- new.env(parent = emptyenv())
graph_state$count <- 0

new_tensor <- function(op, inputs = list(), shape = integer(), dtype = "float32", name = "", integers = integer(), values = numeric(),
                       call = "", explicit = FALSE) {
  force(inputs)  # they come first: nodes are evaluated in the order of their numbers
  graph_state$count <- graph_state$count + 1
  node <- list2env(list(id = graph_state$count, op = op, inputs = inputs, shape = as.integer(shape), dtype = dtype, name = name,
                        integers = as.integer(integers), values = values, call = call, explicit = explicit), parent = emptyenv())
  assign("rows", rows_from_end(op, inputs, node), envir = node)
  structure(node, class = "tensorflow.tensor")
}

# Which axis counts the rows of a minibatch, from the end; 0: none, or not known. It matters only if a minibatch has one row, because sizes do not
# identify the axis then.
rows_from_end <- function(op, inputs, node) {
  rank <- length(node$shape)
  if (op == "placeholder") return(rank)
  if (!length(inputs)) return(0L)
  own <- vapply(inputs, field, 0L, "rows")
  if (op == "matmul") {
    flags <- node$integers
    left <- if (own[1] %in% 1:2) (if (flags[1]) 3L - own[1] else own[1]) else own[1]
    right <- if (own[2] %in% 1:2) (if (flags[2]) 3L - own[2] else own[2]) else own[2]
    return(if (left == 2L) 2L else if (right == 1L) 1L else if (left > 2L) left else 0L)
  }
  before <- length(field(inputs[[1]], "shape"))
  if (op == "squeeze" || startsWith(op, "reduce_")) {
    axes <- if (op == "squeeze") node$integers else if (node$integers[1]) integer() else node$integers[-1]
    gone <- before - axes  # from the end, too
    return(if (own[1] %in% gone) 0L else own[1] - sum(gone < own[1]))
  }
  if (op == "expand_dims") return(if (own[1] > 0L && rank - node$integers <= own[1]) own[1] + 1L else own[1])
  if (op %in% c("reshape", "transpose", "slice", "concat", "stack", "gather", "einsum", "one_hot")) return(if (op == "one_hot" && own[1]) own[1] + 1L else 0L)
  max(own)
}

field <- function(tensor, name) .subset2(tensor, name)
is_tensor <- function(x) inherits(x, "tensorflow.tensor")

call_text <- function(call) {
  text <- paste(trimws(deparse(call, width.cutoff = 200L)), collapse = " ")
  if (nchar(text) > 90) paste0(substr(text, 1, 87), "...") else text
}

shape_text <- function(shape) paste0("(", paste(shape, collapse = ", "), if (length(shape) == 1) ",", ")")

#' @export
print.tensorflow.tensor <- function(x, ...) {
  cat(sprintf("Tensor(\"%s\", shape=%s, dtype=%s)\n", field(x, "op"), shape_text(field(x, "shape")), field(x, "dtype")))
  invisible(x)
}

#' @export
`$.tensorflow.tensor` <- function(x, name) {
  switch(name,
    shape = field(x, "shape"),
    get_shape = function() field(x, "shape"),
    dtype = field(x, "dtype"),
    name = field(x, "name"),
    op = field(x, "op"),
    graph = NULL,
    eval = function(feed_dict = NULL, session = NULL) {
      if (is.null(session)) fail("usage", "eval() needs a session: tensor$eval(session = sess)")
      session$run(x, feed_dict = feed_dict)
    },
    initialized_value = function() x,
    fail("usage", "a tensor has no member '", name, "'; it has shape, get_shape(), dtype and eval(session =)"))
}

# Values: a number for rank 0, else an array with dim ------------------------------------------------------------------------------------
value_shape <- function(value) if (is.null(dim(value))) integer() else dim(value)

with_shape <- function(value, shape) {
  value <- as.double(value)
  if (length(shape)) dim(value) <- shape
  value
}

by_row <- function(value) if (length(dim(value)) > 1) as.vector(aperm(value, rev(seq_along(dim(value))))) else as.vector(value)

from_rows <- function(values, shape) {
  if (length(shape) > 1) aperm(array(values, rev(shape)), rev(seq_along(shape))) else with_shape(values, shape)
}

# The value of an R object: shape () for a number, (d) for a vector, dim for an array.
value_of <- function(x) {
  if (is.data.frame(x)) x <- as.matrix(x)
  if (is.list(x) && length(x) && all(vapply(x, function(one) is.numeric(one) && length(one) == 1, NA))) x <- unlist(x)
  if (!is.numeric(x) && !is.logical(x)) fail("usage", "numbers were expected; found ", class(x)[1])
  shape <- if (!is.null(dim(x))) dim(x) else if (length(x) == 1) integer() else length(x)
  with_shape(x, shape)
}

as_tensor <- function(x, dtype = "float32") {
  if (is_tensor(x)) return(x)
  if (is.null(x)) fail("model", "an operand is NULL: is a name of params or dataset misspelt, or are they in the wrong order? It is function(params, dataset)", call = NULL)
  if (is.list(x) && length(x) && any(vapply(x, is_tensor, NA))) return(tf_stack(x))
  value <- value_of(x)
  new_tensor("constant", shape = value_shape(value), dtype = dtype, values = by_row(value))
}

# The value of a constant tensor, which depends on no placeholder and no variable; NULL for others.
constant_value <- function(tensor) {
  if (!is_tensor(tensor)) return(value_of(tensor))
  nodes <- ancestors(list(tensor))
  if (any(vapply(nodes, function(node) field(node, "op") %in% c("placeholder", "parameter"), NA))) return(NULL)
  evaluate(list(tensor))[[1]]
}

# Whole numbers that must be known when the graph is recorded: axes, shapes.
static_integers <- function(x, what) {
  if (is.null(x)) return(NULL)
  if (is_tensor(x) || !is.list(x)) x <- list(x)
  numbers <- lapply(x, constant_value)
  if (any(vapply(numbers, is.null, NA))) fail("usage", what, " must be known when the graph is recorded: it may not depend on data or parameters")
  as.integer(unlist(numbers))
}

broadcast_shapes <- function(a, b, call = "") {
  if (anyNA(a) || anyNA(b)) return(if (anyNA(a) && (anyNA(b) || !length(b))) NA_integer_ else if (anyNA(a)) b else if (length(a)) a else NA_integer_)
  rank <- max(length(a), length(b))
  left <- c(rep(1L, rank - length(a)), a)
  right <- c(rep(1L, rank - length(b)), b)
  if (any(left != right & left != 1L & right != 1L))
    fail("model", if (nzchar(call)) paste0(call, ": "), "shapes ", shape_text(a), " and ", shape_text(b), " do not fit together", call = NULL)
  as.integer(ifelse(left == 1L, right, left))
}

broadcast_value <- function(value, shape) {
  own <- value_shape(value)
  if (identical(as.integer(own), as.integer(shape))) return(value)
  if (length(value) == 1L) return(with_shape(rep(as.vector(value), prod(shape)), shape))
  dim(value) <- c(rep(1L, length(shape) - length(own)), own)
  index <- Map(function(have, want) if (have == want) TRUE else rep(1L, want), dim(value), shape)
  with_shape(do.call(`[`, c(list(value), index, list(drop = FALSE))), shape)
}

# One axis, or several, counted from 0; NULL: all.
axes_of <- function(axis, rank, call) {
  if (is.null(axis)) return(seq_len(rank) - 1L)
  axis <- static_integers(axis, "axis")
  bad <- axis < -rank | axis >= rank
  if (any(bad)) fail("model", call, ": there is no axis ", axis[bad][1], " of an array with ", rank, if (rank == 1) " axis" else " axes", call = NULL)
  sort(unique(ifelse(axis < 0, axis + rank, axis)))
}

# The common type of operands. A float64 operand combined with one whose type is fixed as float32 is an error.
common_dtype <- function(tensors, call) {
  types <- vapply(tensors, function(t) field(t, "dtype"), "")
  fixed <- vapply(tensors, function(t) field(t, "op") != "constant" || field(t, "explicit"), NA)
  if (any(types == "float64") && any(types == "float32" & fixed))
    fail("model", call, ": Tensor conversion requested dtype float32 for Tensor with dtype float64; parameters and data are float32: give dtype = tf$float32",
         call = NULL)
  if (any(types == "float64")) "float64" else if (all(types == "int32")) "int32" else if (all(types == "bool")) "bool" else "float32"
}

record <- function(op, inputs, shape, integers = integer(), name = "", dtype = NULL, call = sys.call(-1)) {
  text <- if (is.character(call)) call else call_text(call)
  new_tensor(op, inputs, shape, dtype = if (is.null(dtype)) common_dtype(inputs, text) else dtype, integers = integers, name = name, call = text)
}

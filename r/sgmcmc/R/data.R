# Data of Stan models: from lists and data frames to arrays by row.

whole <- function(x) {
  first <- utils::head(x, 1000)
  if (any(first != round(first))) return(FALSE)
  all(abs(x) <= .Machine$integer.max) && all(x == round(x))
}

# One variable: list(real or integer = values by row, dim = ). Whole numbers in double precision count as integers, as in rstan.
stan_variable <- function(name, value) {
  if (is.factor(value)) value <- as.integer(value)
  if (is.data.frame(value)) value <- as.matrix(value)
  if (is.list(value) && length(value) && all(vapply(value, is.numeric, NA))) value <- list_array(name, value)
  if (is.logical(value)) storage.mode(value) <- "integer"
  if (inherits(value, "sparseMatrix")) return(sparse_variable(value))
  if (!is.numeric(value))
    fail("data", "'", name, "' holds ", class(value)[1], ", not numbers; leave it out, or give numbers, such as the codes of a factor", call = NULL)
  if (anyNA(value)) {
    at <- which(is.na(value))[1]
    fail("data", "'", name, "' has a missing value at position ", at, "; leave such rows out, or give the model a value", call = NULL)
  }
  size <- dim(value)
  if (is.null(size)) size <- if (length(value) == 1L && is.null(attr(value, "vector"))) integer(0) else length(value)
  by_row <- if (length(size) > 1L) as.vector(aperm(value, rev(seq_along(size)))) else as.vector(value)
  if (is.integer(by_row)) return(list(integer = by_row, dim = size))
  by_row <- as.double(by_row)
  if (length(by_row) && whole(by_row)) list(integer = as.integer(by_row), dim = size) else list(real = by_row, dim = size)
}

# A sparse matrix of package Matrix in compressed-row form: the compressed-column form of its transpose.
sparse_variable <- function(value) {
  turned <- methods::as(methods::as(methods::as(Matrix::t(value), "dMatrix"), "generalMatrix"), "CsparseMatrix")
  list(sparse = as.double(turned@x), row_start = as.double(turned@p), column = as.integer(turned@i), dim = dim(value))
}

# A list of arrays of one shape becomes an array with one more dimension at the front; a list of numbers becomes a vector.
list_array <- function(name, value) {
  if (all(lengths(value) == 1L & vapply(value, function(one) is.null(dim(one)), NA))) return(structure(unlist(value, use.names = FALSE), vector = TRUE))
  sizes <- lapply(value, function(one) if (is.null(dim(one))) length(one) else dim(one))
  if (length(unique(sizes)) != 1L) fail("data", "'", name, "' is a list of arrays of different shapes", call = NULL)
  size <- sizes[[1]]
  array(aperm(array(unlist(value), c(size, length(value))), c(length(size) + 1L, seq_along(size))), c(length(value), size))
}

stan_variables <- function(data, declared) {
  if (is.null(data)) return(list())
  frame <- is.data.frame(data)
  if (!is.list(data)) fail("data", "data are a list of numbers and arrays by name, or a data frame; found ", class(data)[1],
                            if (is.matrix(data)) ", which as.data.frame() turns into one", call = NULL)
  names <- names(data)
  if (length(data) && (is.null(names) || !all(nzchar(names)))) fail("data", "every variable of data needs a name", call = NULL)
  unknown <- setdiff(names, declared)
  if (!frame) for (name in unknown) {
    near <- declared[utils::adist(name, declared, ignore.case = TRUE) <= max(1, nchar(name) %/% 3)]
    near <- setdiff(near, names)
    if (length(near)) warning("the model declares no data '", name, "', which is not used. Did you mean '", near[1], "'?", call. = FALSE)
  }
  data <- as.list(data)[intersect(names, declared)]
  if (frame) data <- lapply(data, function(column) if (is.null(dim(column))) structure(column, vector = TRUE) else column)
  Map(stan_variable, names(data), data)
}

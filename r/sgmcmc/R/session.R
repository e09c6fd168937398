# Sessions, and the values fed to their placeholders.

#' Dictionaries of values for placeholders
#'
#' \code{dict(x = value)} uses the tensor in the variable \code{x} as key; \code{d[[tensor]] <- value} and \code{d[tensor] <- value} add to a
#' dictionary.
#'
#' @param ... Values, named by variables that contain tensors.
#' @return An object of class \code{sgmcmc_dict}.
#' @export
dict <- function(...) {
  made <- structure(list2env(list(keys = list(), values = list()), parent = emptyenv()), class = "sgmcmc_dict")
  given <- list(...)
  for (name in names(given)) {
    key <- get0(name, envir = parent.frame(), ifnotfound = NULL)
    if (!is_tensor(key)) fail("usage", "dict(", name, " = ): there is no tensor called ", name)
    made[[key]] <- given[[name]]
  }
  made
}

dict_set <- function(x, i, value) {
  if (!is_tensor(i)) fail("usage", "keys of a dict are placeholders")
  id <- as.character(field(i, "id"))
  keys <- .subset2(x, "keys")
  values <- .subset2(x, "values")
  keys[[id]] <- i
  values[[id]] <- value
  assign("keys", keys, envir = x)
  assign("values", values, envir = x)
  x
}

#' @export
`[[<-.sgmcmc_dict` <- dict_set
#' @export
`[<-.sgmcmc_dict` <- dict_set
#' @export
`[[.sgmcmc_dict` <- function(x, i) .subset2(x, "values")[[as.character(field(i, "id"))]]
#' @export
`[.sgmcmc_dict` <- function(x, i) x[[i]]
#' @export
length.sgmcmc_dict <- function(x) length(.subset2(x, "keys"))

feeds_of <- function(feed_dict) {
  if (is.null(feed_dict)) return(list())
  if (!inherits(feed_dict, "sgmcmc_dict")) fail("usage", "feed_dict is made by dict()", call = NULL)
  keys <- .subset2(feed_dict, "keys")
  Map(function(key, value) {
    value <- value_of(value)
    shape <- field(key, "shape")
    if (anyNA(shape)) return(value)
    if (length(value) == prod(shape) && length(value_shape(value)) != length(shape)) value <- with_shape(value, shape)
    if (length(value_shape(value)) != length(shape) || any(value_shape(value) != shape & shape >= 0))
      fail("data", "a value of shape ", shape_text(value_shape(value)), " was fed to a placeholder of shape ", shape_text(shape), call = NULL)
    value
  }, keys, .subset2(feed_dict, "values"))
}

new_session <- function() {
  session <- new.env(parent = emptyenv())
  session$values <- new.env(parent = emptyenv())  # of variables, by id
  session$live <- new.env(parent = emptyenv())    # functions that give the present value of parameters of a chain
  session$started <- FALSE
  session$close <- function() invisible(NULL)
  session$run <- function(fetches, feed_dict = NULL, ...) {
    if (inherits(fetches, "sgmcmc_initializer")) {
      session$started <- TRUE
      return(invisible(NULL))
    }
    if (is_tensor(fetches)) return(fetched(session, list(fetches), feed_dict)[[1]])
    if (!is.list(fetches) || !all(vapply(fetches, is_tensor, NA))) fail("usage", "run() takes a tensor or a list of tensors")
    fetched(session, fetches, feed_dict)
  }
  structure(session, class = "sgmcmc_session")
}

fetched <- function(session, tensors, feed_dict) {
  evaluate(tensors, feeds_of(feed_dict), function(node) {
    key <- as.character(field(node, "id"))
    if (!is.null(session$live[[key]])) return(session$live[[key]]())
    if (!session$started) fail("usage", "the variables have no values yet: run sess$run(tf$global_variables_initializer())", call = NULL)
    if (!is.null(session$values[[key]])) session$values[[key]] else field(node, "values")
  })
}

#' @export
print.sgmcmc_session <- function(x, ...) cat("<session>\n")

# Calls of the core, and its errors as conditions of R.

# Calls a routine; if it fails, stops with a condition of class sgmcmc_<kind>_error, sgmcmc_error, error.
core <- function(routine, ..., call = sys.call(-1)) {
  value <- .Call(routine, ...)
  if (inherits(value, "sgmcmc_failure")) stop(core_condition(value, call))
  value
}

core_condition <- function(failure, call) {
  # Runs of this package are in memory.
  message <- sub("add out=\"folder\"", "use the program `sgmcmc sample` for runs in folders", failure$message, fixed = TRUE)
  message <- sub("; give it in a data file or as [^ ]*=FILE", "; add it to `data`", message)
  message <- sub("^data: variable '([^']*)' \\('\\1'\\)", "data: variable '\\1'", message)
  if (nzchar(failure$setting)) message <- paste0(failure$setting, ": ", message)
  kind <- if (nzchar(failure$kind)) paste0("sgmcmc_", failure$kind, "_error")
  structure(class = c(kind, "sgmcmc_error", "error", "condition"),
            list(message = message, call = call, setting = failure$setting))
}

fail <- function(kind, ..., call = sys.call(-1)) {
  stop(structure(class = c(paste0("sgmcmc_", kind, "_error"), "sgmcmc_error", "error", "condition"),
                 list(message = paste0(...), call = call)))
}

# A seed from R's random number generator, so that set.seed() makes runs reproducible.
drawn_seed <- function() sample.int(.Machine$integer.max, 1L)

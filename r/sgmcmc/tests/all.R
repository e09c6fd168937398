# Runs the tests in cases/, or those named in the call: Rscript all.R stan lowering
library(sgmcmc)

failures <- character()
count <- 0L
skipped <- character()

test <- function(name, code) {
  count <<- count + 1L
  result <- tryCatch({
    force(code)
    NULL
  }, skip = function(reason) {
    skipped <<- c(skipped, paste0(name, ": ", conditionMessage(reason)))
    NULL
  }, error = identity)
  if (!is.null(result)) {
    failures <<- c(failures, name)
    cat("FAILED: ", name, "\n  ", conditionMessage(result), "\n", sep = "")
  }
}

skip <- function(...) stop(structure(class = c("skip", "condition"), list(message = paste0(...), call = NULL)))

expect <- function(condition, ...) if (!isTRUE(condition)) stop("expected ", paste(deparse(substitute(condition)), collapse = " "), " ", ..., call. = FALSE)

expect_equal <- function(found, expected, tolerance = 1e-10) {
  plain <- function(x) if (is.numeric(x) && length(dim(x)) < 2) as.vector(x) else x
  found <- plain(found)
  expected <- plain(expected)
  same <- all.equal(found, expected, tolerance = tolerance, check.attributes = FALSE)
  if (!isTRUE(same)) stop("found ", paste(utils::head(format(found, digits = 12)), collapse = " "), ", expected ",
                          paste(utils::head(format(expected, digits = 12)), collapse = " "), "; ", paste(same, collapse = "; "), call. = FALSE)
}

# The error that code throws: its text contains `text`, and its class is or inherits `class`.
expect_error <- function(code, text, class = "error") {
  error <- tryCatch({
    force(code)
    NULL
  }, error = identity)
  if (is.null(error)) stop("expected an error with '", text, "'; there was none", call. = FALSE)
  if (!grepl(text, conditionMessage(error), fixed = TRUE)) stop("expected an error with '", text, "'; found '", conditionMessage(error), "'", call. = FALSE)
  if (!inherits(error, class)) stop("expected an error of class ", class, "; found ", paste(class(error), collapse = ", "), call. = FALSE)
}

expect_warning <- function(code, text) {
  found <- character()
  value <- withCallingHandlers(code, warning = function(w) {
    found <<- c(found, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  if (!any(grepl(text, found, fixed = TRUE))) stop("expected a warning with '", text, "'; found ", if (length(found)) found else "none", call. = FALSE)
  invisible(value)
}

wanted <- commandArgs(TRUE)
for (file in sort(list.files("cases", pattern = "[.]R$", full.names = TRUE))) {
  subject <- sub("[.]R$", "", basename(file))
  if (length(wanted) && !subject %in% wanted) next
  started <- proc.time()[["elapsed"]]
  source(file, local = new.env())
  cat(sprintf("%-20s %5.1f s\n", subject, proc.time()[["elapsed"]] - started))
}
for (one in skipped) cat("SKIPPED: ", one, "\n", sep = "")
cat(count - length(failures) - length(skipped), " tests passed, ", length(skipped), " skipped, ", length(failures), " failed\n", sep = "")
if (length(failures)) quit(status = 1)

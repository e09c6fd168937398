# Runs as HTML pages.

#' Write a run as one HTML page
#'
#' The page contains the verdict and the parameters it concerns, a table to sort and search, and plots of every parameter, and needs no network. The
#' program's \code{sgmcmc report} writes the same page.
#'
#' @param x A fit of \code{\link{sgmcmc_stan}}, or the folder of a run of the program \code{sgmcmc sample --out}.
#' @param path The HTML file to write; for a folder, \code{report.html} in that folder by default.
#' @param name Name of the run on the page.
#' @param diagnose Whether to judge the draws of a folder that has no verdict yet.
#' @param ... Not used.
#' @return The path, invisibly.
#' @export
report <- function(x, ...) UseMethod("report")

#' @rdname report
#' @export
report.sgmcmc_fit <- function(x, path = "report.html", name = "fit", ...) x$report(path, name)

#' @rdname report
#' @export
report.character <- function(x, path = if (dir.exists(x[1])) file.path(x[1], "report.html") else "report.html", diagnose = TRUE, ...) {
  for (text in core(C_folder_report, path.expand(x), path.expand(path), diagnose)) warning(text, call. = FALSE)
  invisible(path)
}

# The report of a run in memory.
report_of <- function(run, path, name) {
  folder <- tempfile("run")
  on.exit(unlink(folder, recursive = TRUE))
  for (text in core(C_run_report, run, folder, path.expand(path), name)) warning(text, call. = FALSE)
  invisible(path)
}

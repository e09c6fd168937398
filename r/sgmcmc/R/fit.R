# The result of a run: draws, a summary, and whether to trust them.

new_fit <- function(result, run) {
  dimnames(result$draws) <- list(iteration = NULL, chain = NULL, variable = result$names)
  dimnames(result$statistics) <- list(iteration = NULL, chain = NULL, variable = result$statistic_names)
  result$summary <- data.frame(result$summary, check.names = FALSE)
  fit <- list2env(list(method = result$method, why = result$why, seconds = result$seconds, interrupted = result$interrupted,
                       verdict = list(trust = result$trust, sentences = result$sentences), warnings = result$warnings,
                       remarks = result$remarks, model_warnings = result$model_warnings, rows = result$rows))
  fit$weights <- if (length(result$weights)) matrix(result$weights, ncol = dim(result$draws)[2])
  fit$draws <- function(variables = NULL) chosen_draws(result$draws, variables)
  fit$statistics <- function() result$statistics
  fit$summary <- function(variables = NULL) {
    if (is.null(variables)) return(result$summary)
    kept <- result$summary$variable %in% variables | sub("\\[.*", "", result$summary$variable) %in% variables
    result$summary[kept, , drop = FALSE]
  }
  fit$table <- function() result$table
  fit$log_lik <- function(every = 1) core(C_run_log_lik, run, as.double(every))
  fit$diagnose <- function(...) diagnosis_of(run, setting_texts(list(...)))
  fit$report <- function(path = "report.html", name = "fit") report_of(run, path, name)
  lockEnvironment(fit, bindings = TRUE)
  structure(fit, class = "sgmcmc_fit")
}

chosen_draws <- function(draws, variables) {
  if (is.null(variables)) return(draws)
  names <- dimnames(draws)$variable
  unknown <- setdiff(variables, c(names, sub("\\[.*", "", names)))
  if (length(unknown)) fail("usage", "there is no variable '", unknown[1], "'; there are: ", paste(unique(sub("\\[.*", "", names)), collapse = ", "))
  draws[, , names %in% variables | sub("\\[.*", "", names) %in% variables, drop = FALSE]
}

verdict_text <- function(verdict) {
  trust <- if (nzchar(verdict$trust)) verdict$trust else "none, the draws were not judged"
  paste(c(paste0("verdict: ", trust, "."), verdict$sentences), collapse = " ")
}

diagnosis_of <- function(run, settings) structure(core(C_run_diagnose, run, settings), class = "sgmcmc_diagnosis")

#' Fits, and their methods
#'
#' \code{print} shows the verdict first, then the summary. \code{summary} returns means, Monte Carlo errors, quantiles, effective sample sizes and
#' R-hat of every variable as a data frame. \code{plot} shows densities, traces or ranks, with ggplot2 if it is installed.
#'
#' A fit also has \code{$draws(variables)}, an array of iterations, chains and variables; \code{$statistics()} of the sampler; \code{$weights} of the draws,
#' NULL if all have the same weight; \code{$diagnose()}, which compares the draws with the gradients of the model; \code{$log_lik(every)}, the log
#' likelihood of each row at every \code{every}-th draw, for \code{loo::loo}; \code{$report(path)}, which writes a report as an HTML page
#' (\code{\link{report}}); \code{$verdict}; \code{$method}, and \code{$why} it was chosen; \code{$seconds}, \code{$warnings} and \code{$remarks}.
#' \code{as_draws} and related functions of the package posterior convert it.
#'
#' @param x,object A fit.
#' @param ... Names of variables for \code{summary}; not used by the others.
#' @param variables Names of variables; NULL means all for \code{summary}, the first six for \code{plot}.
#' @param what "density", "trace" or "rank".
#' @return \code{summary}: a data frame. \code{print} returns the fit; \code{plot} returns the plot if ggplot2 is installed.
#' @name sgmcmc_fit
NULL

#' @rdname sgmcmc_fit
#' @export
print.sgmcmc_fit <- function(x, ...) {
  size <- dim(x$draws())
  cat(strwrap(verdict_text(x$verdict), width = 100, exdent = 2), sep = "\n")
  if (size[1] == 0) {
    cat("there are no draws: the run was interrupted before the first\n")
    return(invisible(x))
  }
  cat(sprintf("%s, %d chain%s of %d draws, %.3g s%s\n\n", x$method, size[2], if (size[2] == 1) "" else "s", size[1], x$seconds,
              if (x$interrupted) ", interrupted" else ""))
  cat(x$table(), if (!endsWith(x$table(), "\n")) "\n", sep = "")
  invisible(x)
}

#' @rdname sgmcmc_fit
#' @export
summary.sgmcmc_fit <- function(object, variables = NULL, ...) object$summary(variables)

#' @export
print.sgmcmc_diagnosis <- function(x, ...) {
  cat(strwrap(verdict_text(x), width = 100, exdent = 2), sep = "\n")
  cat("\n", x$table, sep = "")
  invisible(x)
}

#' @rdname sgmcmc_fit
#' @export
plot.sgmcmc_fit <- function(x, variables = NULL, what = c("density", "trace", "rank"), ...) {
  what <- match.arg(what)
  draws <- x$draws(variables)
  if (is.null(variables)) draws <- draws[, , seq_len(min(6L, dim(draws)[3])), drop = FALSE]
  frame <- data.frame(value = as.vector(draws), iteration = as.vector(slice.index(draws, 1)), chain = factor(as.vector(slice.index(draws, 2))),
                      variable = factor(dimnames(draws)$variable[slice.index(draws, 3)], levels = dimnames(draws)$variable))
  if (what == "rank") frame$value <- stats::ave(frame$value, frame$variable, FUN = rank)
  if (requireNamespace("ggplot2", quietly = TRUE)) ggplot_of(frame, what) else base_plot_of(frame, what)
}

ggplot_of <- function(frame, what) {
  .data <- NULL  # a pronoun of ggplot2
  aes <- ggplot2::aes
  base <- switch(what,
    density = ggplot2::ggplot(frame, aes(x = .data$value, colour = .data$chain)) + ggplot2::geom_density(),
    trace = ggplot2::ggplot(frame, aes(x = .data$iteration, y = .data$value, colour = .data$chain)) + ggplot2::geom_line(),
    rank = ggplot2::ggplot(frame, aes(x = .data$value, fill = .data$chain)) + ggplot2::geom_histogram(bins = 20, position = "dodge"))
  base + ggplot2::facet_wrap(~ variable, scales = "free") + ggplot2::labs(x = NULL, y = NULL)
}

base_plot_of <- function(frame, what) {
  panels <- split(frame, frame$variable)
  old <- graphics::par(mfrow = grDevices::n2mfrow(length(panels)))
  on.exit(graphics::par(old))
  for (name in names(panels)) {
    one <- panels[[name]]
    by_chain <- split(one$value, one$chain)
    if (what == "density") {
      curves <- lapply(by_chain, stats::density)
      graphics::plot(NULL, xlim = range(one$value), ylim = c(0, max(vapply(curves, function(d) max(d$y), 0))), main = name, xlab = "", ylab = "")
      for (k in seq_along(curves)) graphics::lines(curves[[k]], col = k)
    } else if (what == "trace") {
      graphics::matplot(do.call(cbind, by_chain), type = "l", lty = 1, main = name, xlab = "", ylab = "")
    } else {
      breaks <- seq(min(one$value) - 1, max(one$value) + 1, length.out = 21)
      counts <- vapply(by_chain, function(ranks) graphics::hist(ranks, breaks, plot = FALSE)$counts + 0, numeric(20))
      graphics::barplot(t(counts), beside = TRUE, main = name)
    }
  }
  invisible(NULL)
}

# Methods for generics of the packages loo and posterior, registered when these are loaded.
register_loo <- function(...) {
  registerS3method("loo", "sgmcmc_fit", function(x, ..., every = 1) {
    log_lik <- x$log_lik(every)
    getExportedValue("loo", "loo")(log_lik, r_eff = getExportedValue("loo", "relative_eff")(exp(log_lik)), ...)
  }, envir = asNamespace("loo"))
}

register_posterior <- function(...) {
  convert <- function(name) {
    force(name)
    function(x, variables = NULL, ...) {
      draws <- structure(x$draws(variables), class = c("draws_array", "draws", "array"))
      getExportedValue("posterior", name)(draws, ...)
    }
  }
  for (name in c("as_draws", "as_draws_array", "as_draws_df", "as_draws_list", "as_draws_matrix", "as_draws_rvars"))
    registerS3method(name, "sgmcmc_fit", convert(name), envir = asNamespace("posterior"))
}

.onLoad <- function(libname, pkgname) {
  if (isNamespaceLoaded("posterior")) register_posterior()
  setHook(packageEvent("posterior", "onLoad"), register_posterior)
  if (isNamespaceLoaded("loo")) register_loo()
  setHook(packageEvent("loo", "onLoad"), register_loo)
}

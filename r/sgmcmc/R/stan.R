# Models in the Stan language: from a file or code and data to a fit.

#' Sample the posterior of a model in the Stan language
#'
#' Reads the model, binds it to the data and samples. Nothing is compiled. If there are many rows, a minibatch sampler is chosen and its step size is
#' tuned; if there are few, NUTS is used. The program \code{sgmcmc sample} produces the same draws from the same settings and seed.
#'
#' @param model Path of a Stan file, or Stan code. Text that contains a line break or a brace is code.
#' @param data A list of numbers and arrays by name, or a data frame, whose columns the model declares. Factors become integers. Sizes may be
#'   omitted if they follow from the arrays.
#' @param method Sampler and gradient estimator: "auto", "nuts", "sgld-cv", ...
#' @param chains Number of chains.
#' @param seed A whole number. By default it is drawn from R's random number generator, so that \code{set.seed} makes the run reproducible.
#' @param ... Settings by name: see \code{\link{sgmcmc_settings}}. A named vector gives one value per parameter:
#'   \code{step_size = c(alpha = 1e-3, beta = 1e-4)}.
#' @param files Data files, as \code{sgmcmc sample --data} takes them.
#' @param rows Name of the size in the data block that counts the rows to minibatch; by default it is found from the model.
#' @param precision "double" or "float".
#' @param initial A list of starting values by parameter.
#' @param include Folders searched for the files of #include lines.
#' @param progress Whether to show progress; by default in interactive sessions.
#' @return An object of class \code{sgmcmc_fit} with the functions \code{$draws()}, \code{$summary()} and \code{$diagnose()}. Printing it shows
#'   the verdict first: whether the draws can be trusted.
#' @export
#' @examples
#' code <- "data { int N; vector[N] y; } parameters { real mu; } model { y ~ normal(mu, 1); }"
#' fit <- sgmcmc_stan(code, data.frame(y = rnorm(100)), seed = 1)
#' fit
sgmcmc_stan <- function(model, data = NULL, method = "auto", chains = 4, seed = NULL, ..., files = character(), rows = "",
                        precision = "double", initial = list(), include = character(), progress = interactive()) {
  settings <- setting_texts(list(method = if (!identical(method, "auto")) method, chains = chains, seed = if (is.null(seed)) drawn_seed() else seed, ...))
  code <- paste(model, collapse = "\n")
  is_code <- grepl("[\n{]", code)
  read <- core(C_stan_model, if (is_code) code else path.expand(code), is_code, path.expand(include))
  variables <- stan_variables(data, read$data_names)
  initial <- lapply(initial, function(value) stan_variable("initial", value + 0.0)[[1]] + 0.0)
  run <- core(C_stan_start, read$model, variables, path.expand(files), rows, precision, settings, initial)
  codes <- names(Filter(is.factor, as.list(data)[names(variables)]))
  fit <- new_fit(withCallingHandlers(waited_for(run, progress), sgmcmc_error = function(error) {
    if (!length(codes) || !inherits(error, c("sgmcmc_model_error", "sgmcmc_data_error"))) return()
    error$message <- paste0(conditionMessage(error), "\nnote: factors are passed as their codes, which count from 1: ", paste(codes, collapse = ", "))
    stop(error)
  }), run)
  for (text in unique(c(read$warnings, fit$model_warnings, fit$warnings))) warning(text, call. = FALSE)
  fit
}

# Waits for the end of a run. Ctrl-C ends the run and returns the draws made so far.
waited_for <- function(run, progress) {
  started <- proc.time()[["elapsed"]]
  show <- function(state) {
    text <- if (state$phase == "sampling" && state$share > 0) sprintf("sampling %3.0f %%", 100 * state$share) else paste(state$phase, "...")
    cat(sprintf("\r%-24s %.0f s ", text, proc.time()[["elapsed"]] - started), file = stderr())
  }
  on.exit(core(C_run_abort, run))  # whatever ends this function, the run ends
  repeat {
    ended <- tryCatch({
      repeat {
        state <- core(C_run_wait, run, 0.1)
        if (state$ended) break
        if (progress) show(state)
      }
      TRUE
    }, interrupt = function(signal) {
      core(C_run_abort, run)
      FALSE
    })
    if (ended) break
  }
  if (progress) cat("\r", strrep(" ", 40), "\r", sep = "", file = stderr())
  core(C_run_result, run)
}

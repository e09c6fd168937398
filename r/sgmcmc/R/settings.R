# Settings of runs as texts, as configuration files have them.

setting_text <- function(value) {
  if (!is.null(names(value)) || is.list(value))
    return(paste0(names(value), ifelse(nzchar(names(value)), "=", ""), vapply(value, setting_text, ""), collapse = ","))
  if (is.logical(value)) value <- ifelse(value, "true", "false")
  if (is.double(value)) value <- ifelse(value == round(value) & abs(value) < 2^53, sprintf("%.0f", value), sprintf("%.17g", value))
  paste(value, collapse = ",")
}

setting_texts <- function(settings) {
  settings <- settings[!vapply(settings, is.null, NA)]
  if (length(settings) && (is.null(names(settings)) || !all(nzchar(names(settings)))))
    fail("usage", "settings are given by name, as in sgmcmc_stan(model, data, method = \"sgld-cv\")", call = sys.call(-2))
  for (name in names(settings)) for (hint in names(names_elsewhere))
    if (name %in% strsplit(hint, " ")[[1]]) fail("option", "there is no setting '", name, "': ", names_elsewhere[[hint]], call = NULL)
  vapply(settings, setting_text, "")
}

# Names that other packages use for settings, and the names used here.
names_elsewhere <- c(
  "iter iter_sampling num_samples" = "the iterations after warm-up are iterations = , of which every thin-th is kept",
  "iter_warmup num_warmup n_warmup" = "warm-up is warmup = , by default chosen for the method",
  "cores parallel_chains num_cores" = "chains run in parallel anyway; threads = limits the threads",
  "init inits" = "starting values are initial = , a list by parameter",
  "refresh show_messages verbose" = "progress = FALSE shows nothing during the run",
  "adapt_delta control" = "the acceptance rate to which nuts adapts is target_acceptance = ; sgmcmc_settings() lists the settings of samplers",
  "max_treedepth" = "the depth of trajectories of nuts is max_tree_depth = ",
  "stepsize" = "the step size is step_size = ",
  "minibatchSize" = "the rows of a minibatch are batch_size = ",
  "file model_code" = "the model, a file or code, is the first argument",
  "algorithm" = "the sampler is method = , such as \"nuts\" or \"sgld-cv\"")

#' The settings of sgmcmc_stan()
#'
#' @return A data frame with the name of each setting, its default and its meaning. An empty default is chosen to suit the model.
#' @export
#' @examples
#' head(sgmcmc_settings())
sgmcmc_settings <- function() as.data.frame(core(C_settings_table))

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
  vapply(settings, setting_text, "")
}

#' The settings of sgmcmc_stan()
#'
#' @return A data frame with the name of each setting, its default and its meaning. An empty default is chosen to suit the model.
#' @export
#' @examples
#' head(sgmcmc_settings())
sgmcmc_settings <- function() as.data.frame(core(C_settings_table))

# Translates each Stan file named on the command line to C++ beside it: KEY.stan to KEY.hpp, class model_KEY.
suppressMessages(library(rstan))
for (path in commandArgs(trailingOnly = TRUE)) {
  key <- sub("[.]stan$", "", basename(path))
  tryCatch({
    invisible(capture.output(translated <- stanc(path, model_name = key, obfuscate_model_name = FALSE)))
    cat(translated$cppcode, file = sub("[.]stan$", ".hpp", path))
  }, error = function(refused) message(conditionMessage(refused)))
}

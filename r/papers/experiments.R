# Repeats the experiments of the paper on the R package sgmcmc, with its settings: Rscript experiments.R [figure1 figure2 ...] prints what the paper claims
# beside what was found, and draws the figures into the folder that SGMCMC_FIGURES names. Figures 2, 4 and 5 need the data of getDataset().
library(sgmcmc)

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
for (file in c("shared", "normal_mean", "forest_cover", "two_components", "digits")) source(file.path(here, paste0(file, ".R")))

figures <- list(figure1 = normal_mean, figure2 = forest_cover, figure3 = two_components, figure4 = forest_cover_methods, figure5 = digits)
wanted <- if (length(commandArgs(TRUE))) commandArgs(TRUE) else names(figures)
unknown <- setdiff(wanted, names(figures))
if (length(unknown)) stop("there is no experiment ", unknown[1], "; there are ", paste(names(figures), collapse = ", "))
for (name in wanted) {
  cat("\n## ", name, "\n\n", sep = "")
  figures[[name]]()
}

# Reads a folder of sgmcmc sample as any R user would; the package posterior must find what sgmcmc summary says.
# read_run.R FOLDER SUMMARY.json
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
suppressMessages(library(posterior))

read_chain <- function(c) {
  table <- read.csv(file.path(folder, paste0("chain-", c, ".csv")), comment.char = "#", check.names = FALSE)
  names(table) <- sub("\\.(.*)$", "[\\1]", names(table))  # beta.1 to beta[1], as cmdstanr does
  as_draws_df(table)
}
draws <- bind_draws(read_chain(1), read_chain(2), along = "chain")
stopifnot(nchains(draws) == 2, niterations(draws) == 1000)
wanted <- c("alpha", "beta[1]", "beta[2]", "beta[3]")
found <- summarise_draws(subset_draws(draws, wanted))
stopifnot(identical(found$variable, wanted))

# One line for each parameter: {"name": "alpha", "mean": 0.1, ...}. No package for JSON need be there.
lines <- grep('{"name":', readLines(arguments[2]), fixed = TRUE, value = TRUE)
told <- function(key) as.numeric(sub(paste0('.*"', key, '": ([^,}]*).*'), "\\1", lines))
near <- function(ours, theirs, within) stopifnot(length(ours) == 4, all(abs(ours - theirs) <= within * abs(theirs)))
near(told("mean"), found$mean, 1e-9)
near(told("sd"), found$sd, 1e-9)
near(told("ess_bulk"), found$ess_bulk, 1e-6)
near(told("ess_tail"), found$ess_tail, 1e-6)
near(told("rhat"), found$rhat, 1e-6)
cat(basename(folder), "read by posterior", as.character(packageVersion("posterior")), "\n")

#!/usr/bin/env bash
# Runs the tests of the R package in BUILD/r-library; exits with 77 where R or the package is not there.
build=$(cd "$1" && pwd)
export R_LIBS=$build/r-library
if ! command -v Rscript >/dev/null; then
  echo "skipped: R is not installed; make r installs it and the package sgmcmc"
  exit 77
fi
if [[ ! -d $R_LIBS/sgmcmc ]]; then
  echo "skipped: $R_LIBS has no package sgmcmc; make r installs it"
  exit 77
fi
cd "$(dirname "$0")/sgmcmc/tests" && SGMCMC_PROGRAM=$build/sgmcmc SGMCMC_MODELS=$(cd ../../../models && pwd) exec Rscript all.R "${@:2}"

#!/usr/bin/env bash
# Runs the tests of the R package in BUILD/r-library; exits with 77 if R or the package is not installed.
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
here=$(cd "$(dirname "$0")" && pwd)
export SGMCMC_PROGRAM=$build/sgmcmc SGMCMC_MODELS=$here/../models
(cd "$here/sgmcmc/tests" && Rscript all.R "${@:2}") && python3 "$here/check_docs.py"

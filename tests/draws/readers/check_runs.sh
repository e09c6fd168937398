#!/usr/bin/env bash
# Samples a model by minibatches and by NUTS, and lets one reader check both runs: check_runs.sh PROGRAM MODELS posterior|arviz [PYTHON].
# Exits with 77 when the reader is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$1
model=$2/logistic_regression
case $3 in
  posterior)
    if ! Rscript -e 'quit(status = !requireNamespace("posterior", quietly = TRUE))' >/dev/null 2>&1; then
      echo "SKIPPED: R's package posterior is not installed (Debian: r-cran-posterior; scripts/setup.sh readers)"
      exit 77
    fi
    ;;
  arviz)
    if ! "$4" -c "import arviz, cmdstanpy, netCDF4" 2>/dev/null; then
      echo "SKIPPED: ArviZ and CmdStanPy are not installed for $4 (scripts/readers.sh)"
      exit 77
    fi
    ;;
  *)
    echo "check_runs.sh: no reader '$3'" >&2
    exit 2
    ;;
esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sample() {
  "$program" sample "$model.stan" --data "$model.json" --chains 2 --iterations 1000 --log-likelihood --quiet --exit-status plain "$@"
}
sample --method sgld-cv --step-size 5e-3 --batch-size 50 --out "$folder/minibatches" # no warm-up
sample --method nuts --out "$folder/nuts"
for run in minibatches nuts; do
  "$program" summary "$folder/$run" --json > "$folder/$run.json"
  if [ "$3" = posterior ]; then
    Rscript --vanilla "$here/read_run.R" "$folder/$run" "$folder/$run.json"
  else
    "$4" "$here/read_run.py" "$folder/$run" "$folder/$run.json" "$model.json"
  fi
done

#!/usr/bin/env bash
# Installs the package into a fresh virtual environment and tests it there: the wheel that make wheel built, or with "sdist" the
# source archive, which compiles everything. Call: wheel.sh BUILD [sdist]; exits with 77 if pip cannot reach an index.
set -euo pipefail
build=$1
what=${2:-wheel}
here=$(cd "$(dirname "$0")" && pwd)
file=$(ls "$build"/wheel/sgmcmc-*."$([[ $what == sdist ]] && echo tar.gz || echo whl)")
if [[ ! -e $file ]]; then
  echo "skipped: there is no $what in $build/wheel; make wheel builds it"
  exit 77
fi

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
/usr/bin/python3 -m venv "$fresh/venv"
pip=("$fresh/venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 15)
"${pip[@]}" numpy scipy || {
  echo "skipped: pip cannot install NumPy"
  exit 77
}
"${pip[@]}" "$file"

cd "$fresh"
"$fresh/venv/bin/sgmcmc" --version
"$fresh/venv/bin/sgmcmc" sample "$here/../../models/logistic_regression.stan" --data "$here/../../models/logistic_regression.json" | tee output
grep -q '^verdict: trust' output
# Exit statuses are those of the program.
status=0
"$fresh/venv/bin/sgmcmc" sample nothing.stan 2>error || status=$?
[[ $status -eq 1 ]] && grep -q nothing.stan error

tests=(test_runs test_fits test_chains)
[[ $what == sdist ]] || tests+=(test_stan test_models test_modes test_documents)
cd "$here"
PYTHONDONTWRITEBYTECODE=1 SGMCMC_PROGRAM=$fresh/venv/bin/sgmcmc "$fresh/venv/bin/python" -m unittest "${tests[@]}"

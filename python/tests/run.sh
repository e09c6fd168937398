#!/usr/bin/env bash
# Runs the tests of the Python package with the Python of BUILD/python, all or those named; exits with 77 if the package is not
# installed. Call: run.sh BUILD [TEST]...
build=$1
shift
python=$build/python/bin/python
if ! "$python" -c 'import sgmcmc' 2>/dev/null; then
  echo "skipped: $python has no package sgmcmc; make python builds it"
  exit 77
fi
cd "$(dirname "$0")" && SGMCMC_PROGRAM=$build/sgmcmc exec "$python" -m unittest -v "$@"

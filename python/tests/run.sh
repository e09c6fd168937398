#!/usr/bin/env bash
# Runs the tests of the Python package with the Python of BUILD/python, all or those named; exits with 77 if the package is not
# installed. All of them run as two processes side by side, each with about half of the work. Call: run.sh BUILD [TEST]...
build=$1
shift
python=$build/python/bin/python
if ! "$python" -c 'import sgmcmc' 2>/dev/null; then
  echo "skipped: $python has no package sgmcmc; make python builds it"
  exit 77
fi
cd "$(dirname "$0")" || exit 1
export SGMCMC_PROGRAM=$build/sgmcmc
if [ $# -gt 0 ]; then
  exec "$python" -m unittest -v "$@"
fi
long=(test_docs test_examples test_sklearn)
rest=()
for file in test_*.py; do
  module=${file%.py}
  [[ " ${long[*]} " == *" $module "* ]] || rest+=("$module")
done
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$python" -m unittest -v "${long[@]}" >"$log" 2>&1 &
"$python" -m unittest -v "${rest[@]}"
status=$?
wait $! || status=1
cat "$log" >&2
exit $status

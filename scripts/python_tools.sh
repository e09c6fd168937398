#!/usr/bin/env bash
# Makes the virtual environment BUILD/python: what the Python package is built with, what it needs, and what its tests compare it with.
set -euo pipefail
build=${1:-build}
cd "$(dirname "$0")/.."

bash scripts/setup.sh python
python=$build/python/bin/python
if ! "$python" -c 'import numpy, nanobind, nanobind_backend, scipy' 2>/dev/null; then
  echo "python: installing NumPy, SciPy and nanobind into $build/python"
  /usr/bin/python3 -m venv "$build/python"  # Debian's, because python3-venv belongs to it
  if ! "$build/python/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 15 numpy scipy 'nanobind>=3.1' nanobind-backend; then
    echo "python: pip could not install NumPy, SciPy and nanobind; check the network or pip's index, then try again" >&2
    exit 1
  fi
fi
# Optional packages for tests of interoperability, which are skipped if they are missing. Tried once.
others="pandas pyarrow xarray arviz scikit-learn mypy"
if [[ ! -e $build/python/without-others ]] && ! "$python" -c '
import importlib.util, sys
sys.exit(not all(map(importlib.util.find_spec, ("pandas", "pyarrow", "xarray", "arviz", "sklearn", "mypy"))))'; then
  echo "python: installing $others into $build/python, for tests"
  # shellcheck disable=SC2086
  if ! "$build/python/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 15 $others; then
    echo "python: pip could not install them; their tests will be skipped" >&2
    touch "$build/python/without-others"
  fi
fi

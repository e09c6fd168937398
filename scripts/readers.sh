#!/usr/bin/env bash
# Installs readers of draws: Debian packages, and ArviZ and CmdStanPy into a virtual environment in the build folder.
set -euo pipefail
build=${1:-build}
cd "$(dirname "$0")/.."

bash scripts/setup.sh readers
python=$build/readers-venv/bin/python
if ! "$python" -c 'import arviz, cmdstanpy, netCDF4' 2>/dev/null; then
  echo "readers: installing ArviZ and CmdStanPy into $build/readers-venv"
  # Debian's python3, which python3-venv requires. ArviZ 1 needs a newer one.
  /usr/bin/python3 -m venv "$build/readers-venv"
  if ! "$build/readers-venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 15 'arviz<1' cmdstanpy netCDF4; then
    echo "readers: pip could not install arviz; check the network or pip's index, then try again" >&2
    exit 1
  fi
fi

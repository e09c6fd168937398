#!/usr/bin/env bash
# Builds the Python package from the library in the build folder, and installs it into the virtual environment BUILD/python.
set -euo pipefail
build=${1:-build}
cd "$(dirname "$0")/.."

bash scripts/python_tools.sh "$build"
python=$build/python/bin/python
cmake --preset release --log-level=WARNING -D SGMCMC_PYTHON=ON -D Python_EXECUTABLE="$PWD/$python" >/dev/null
cmake --build "$build" --target sgmcmc_python
packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
rm -rf "$packages/sgmcmc"
mkdir -p "$packages/sgmcmc"
cp python/sgmcmc/*.py python/sgmcmc/*.pyi python/sgmcmc/py.typed "$build"/python-module/_core.abi3.so "$build"/python-module/*.pyi "$packages/sgmcmc/"
echo "python: $python has the package sgmcmc"

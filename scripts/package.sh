#!/usr/bin/env bash
# Builds sgmcmc_VERSION_ARCHITECTURE.deb and a tar.gz with the same files into BUILD/package, for every processor of the architecture.
set -euo pipefail
build=${1:-build}
jobs=${2:-$(nproc)}
cd "$(dirname "$0")/.."

bash scripts/setup.sh package
cmake --preset portable --log-level=WARNING >/dev/null
cmake --build "$build/portable" -j "$jobs" --target sgmcmc sgmcmc_program sgmcmc_manual
rm -rf "$build/package"
mkdir -p "$build/package"
cpack --config "$build/portable/CPackConfig.cmake" -B "$build/package" >"$build/package/log" 2>&1 || {
  cat "$build/package/log" >&2
  exit 1
}
rm -rf "$build/package/_CPack_Packages" "$build/package/log"
echo "package: $(ls "$build"/package/*.deb) and $(ls "$build"/package/*.tar.gz)"

#!/usr/bin/env bash
# Installs the R packages in r/ from the library in the build folder into BUILD/r-library.
set -euo pipefail
build=${1:-build}
cd "$(dirname "$0")/.."

bash scripts/setup.sh r
if ! command -v R >/dev/null; then
  echo "r: R is not installed; the R package was not built" >&2
  exit 1
fi
library=$PWD/$build/r-library
mkdir -p "$library" "$build/r-objects"
export SGMCMC_SOURCE=$PWD SGMCMC_BUILD=$PWD/$build MAKEFLAGS=-j2
for folder in r/sgmcmc/ r/tensorflow/; do
  package=$(basename "$folder")
  [[ -f $folder/DESCRIPTION ]] || continue
  # From a copy, so that nothing is written beside the sources. Files that are gone must not stay there; objects may.
  mkdir -p "$build/r-objects/$package"
  rm -rf "$build/r-objects/$package/R" "$build/r-objects/$package/tests"
  cp -ru "$folder." "$build/r-objects/$package/"
  # Objects are made again where the library or a header is newer: make sees the sources only.
  for newer in "$build/libsgmcmc.a" "$build/r-objects/$package"/src/*.hpp; do
    [[ ! -e $newer ]] || find "$build/r-objects/$package" -name '*.o' ! -newer "$newer" -delete
  done
  log=$build/r-objects/$package.log
  if ! R_LIBS=$library R CMD INSTALL --library="$library" "$build/r-objects/$package" >"$log" 2>&1; then
    cat "$log" >&2
    echo "r: the package $package could not be installed" >&2
    exit 1
  fi
done
echo "r: the packages are in $build/r-library; start R with R_LIBS=$build/r-library"

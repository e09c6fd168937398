#!/usr/bin/env bash
# Installs the Debian packages of the groups on the command line; silent and offline if all are installed.
set -euo pipefail

declare -A packages=(
  [build]="g++ cmake ninja-build libeigen3-dev libboost-dev librandom123-dev libgtest-dev libnetcdf-dev zlib1g-dev liblzma-dev libzstd-dev nlohmann-json3-dev libxxhash-dev clang-format curl python3"
  [mpi]="libopenmpi-dev openmpi-bin iproute2"
  [readers]="r-cran-posterior python3-netcdf4 python3-xarray python3-venv"
  [python]="python3-dev python3-venv"
  [package]="dpkg-dev file debootstrap groff-base"
  [r]="r-base-core r-cran-posterior r-cran-loo make"
  [browser]="chromium fonts-dejavu-core"
  [fuzz]="clang libclang-rt-dev llvm"
  [peers]="python3-venv"
)

wanted=()
for group in "${@:-build}"; do
  if [[ -z "${packages[$group]:-}" ]]; then
    echo "setup: unknown group '$group'; known: ${!packages[*]}" >&2
    exit 2
  fi
  read -ra of_group <<<"${packages[$group]}"
  wanted+=("${of_group[@]}")
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "setup: not a Debian system; nothing installed. Needed, by their Debian names: ${wanted[*]}" >&2
  exit 0
fi

missing=()
for package in "${wanted[@]}"; do
  # One line per architecture for which the package is installed.
  status=$(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null || true)
  grep -qx installed <<<"$status" || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: not root and no sudo. As root, run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo env DEBIAN_FRONTEND=noninteractive)
fi

echo "setup: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
if ! { "${as_root[@]}" apt-get update -qq &&
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"; }; then
  echo "setup: apt-get could not install: ${missing[*]}" >&2
  echo "setup: check the network and /etc/apt/sources.list, or install them by hand, then try again" >&2
  exit 1
fi

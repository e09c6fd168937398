#!/usr/bin/env bash
# Fails when a C++ file is not laid out as .clang-format says; with --fix, lays it out.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(--dry-run -Werror)
[[ "${1:-}" != --fix ]] || mode=(-i)

folders=()
for folder in src include tests bench examples apps fuzz r; do
  [[ ! -d $folder ]] || folders+=("$folder")
done
find "${folders[@]}" \( -name '*.cpp' -o -name '*.hpp' \) -print0 | xargs -0 -r -n 16 -P "$(nproc)" clang-format "${mode[@]}"

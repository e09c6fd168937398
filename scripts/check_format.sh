#!/usr/bin/env bash
# Fails if a C++ file is not formatted by .clang-format; with --fix, formats it.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(--dry-run -Werror)
[[ "${1:-}" != --fix ]] || mode=(-i)

folders=()
for folder in src include tests bench examples apps fuzz r; do
  [[ ! -d $folder ]] || folders+=("$folder")
done
find "${folders[@]}" \( -name '*.cpp' -o -name '*.hpp' \) -print0 | xargs -0 -r -n 16 -P "$(nproc)" clang-format "${mode[@]}"

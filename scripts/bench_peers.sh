#!/usr/bin/env bash
# Compares the engine with JAX, topic models with tomotopy and factorisations with SMURFF and myFM; installs them into a virtual
# environment in the given build folder.
set -euo pipefail
build=$(realpath "${1:-build}")
cd "$(dirname "$0")/.."

python=$build/peers-venv/bin/python
if ! "$python" -c 'import jax' 2>/dev/null; then
  echo "bench-peers: installing jax into $build/peers-venv"
  # Debian's python3, which python3-venv requires.
  /usr/bin/python3 -m venv "$build/peers-venv"
  if ! "$build/peers-venv/bin/pip" install --quiet --disable-pip-version-check jax; then
    echo "bench-peers: pip could not install jax; check the network or pip's index, then try again" >&2
    exit 1
  fi
fi

"$python" bench/peers/compare.py "$build/bench/sgmcmc_bench" "$build/bench_peers.json"

if ! "$python" -c 'import tomotopy' 2>/dev/null; then
  "$build/peers-venv/bin/pip" install --quiet --disable-pip-version-check tomotopy ||
    echo "bench-peers: pip could not install tomotopy; topic models are timed without it" >&2
fi
"$python" bench/peers/lda.py "$build/bench/sgmcmc_bench"

if ! "$python" -c 'import smurff, myfm' 2>/dev/null; then
  "$build/peers-venv/bin/pip" install --quiet --disable-pip-version-check smurff==1.1 myfm==0.4.0 ||
    echo "bench-peers: pip could not install smurff and myfm; factorisations are timed without them" >&2
fi
"$python" bench/peers/factors.py "$build/sgmcmc"

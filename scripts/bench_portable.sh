#!/usr/bin/env bash
# Compares the portable build with the native build, interleaved: relative speed of each benchmark (goal: 0.95).
# usage: bench_portable.sh [BUILD]   builds the portable one into BUILD/portable
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
jobs=$(nproc)
rounds=${ROUNDS:-3}
cmake --preset release -B "$build/portable" -D SGMCMC_NATIVE=OFF -D SGMCMC_TESTS=OFF -D SGMCMC_EXAMPLES=OFF \
  -D SGMCMC_PROGRAM=OFF -D SGMCMC_BENCH=ON --log-level=WARNING >/dev/null
cmake --build "$build/portable" -j "$jobs" --target sgmcmc_bench
cmake --build "$build" -j "$jobs" --target sgmcmc_bench
if [ -d "$build/portable/levels" ]; then
  python3 scripts/check_levels.py "$build"/portable/levels/*.o
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for round in $(seq "$rounds"); do
  "$build/bench/sgmcmc_bench" --json "$folder/native.$round" >/dev/null
  "$build/portable/bench/sgmcmc_bench" --json "$folder/portable.$round" >/dev/null
done
python3 - "$folder" "$rounds" <<'PYTHON'
import json, platform, re, subprocess, sys

folder, rounds = sys.argv[1], int(sys.argv[2])
runs = {build: [json.load(open(f"{folder}/{build}.{k + 1}")) for k in range(rounds)] for build in ("native", "portable")}
lines = subprocess.run(["lscpu"], capture_output=True, text=True).stdout
names = re.findall(r"Model name:\s*(.*)", lines) or [platform.machine()]
print(f"{names[0]}: portable beside native, best of {rounds} runs; 1 is as fast, goal at least 0.95")
# Times of the library only; those of the hand-written loops depend on the compiler flags alone.
times = [n for n in runs["native"][0] if re.search(r"(_us|_ms|_seconds)$", n) and not re.search("hand|first|read_of", n)]
rates = [n for n in runs["native"][0] if "per_s" in n and "hand" not in n and "plain" not in n]
for name in times + rates:
    choose = min if name in times else max
    native, portable = (choose(run[name] for run in runs[build]) for build in ("native", "portable"))
    speed = native / portable if name in times else portable / native
    print(f"{name:44} {speed:6.3f}{'' if speed >= 0.95 else '  MISS'}")
PYTHON

#!/usr/bin/env python3
"""Peak memory of each rank with --shard-rows, beside that of one process.

    rank_memory.py PROGRAM WORK [--gigabytes 0.25] [--features 54] [--type f4|f8] [--ranks 1,2,4] [--pack] [--iterations 3]

Writes a logistic regression as NPY files of the given size to WORK (with --pack, then as a row file), samples it with nuts, and
removes the files. Memory is the largest resident set of each process, which includes the pages of mapped files.
"""

import argparse
import array
import os
import pathlib
import random
import struct
import subprocess
import sys

MODEL = """data {
  int N;
  int K;
  matrix[N, K] X;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  vector[K] beta;
}
model {
  beta ~ normal(0, 1);
  y ~ bernoulli_logit(X * beta);
}
"""

# Runs a command and writes its peak memory, in kilobytes, to a file.
WATCH = """import os, sys
process = os.spawnvp(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
_, status, used = os.wait4(process, 0)
name = sys.argv[1] + os.environ.get("OMPI_COMM_WORLD_RANK", "0")
open(name, "w").write(str(used.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status))
"""


def write_npy(path, kind, shape, blocks):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head)
        for block in blocks:
            file.write(block)


def write_data(work, gigabytes, features, kind):
    """Repeats a block of random rows."""
    width = int(kind[1])
    block_rows = 20_000
    blocks = max(1, round(gigabytes * 1e9 / (block_rows * features * width)))
    chance = random.Random(1)
    x = array.array("f" if width == 4 else "d", (chance.gauss(0, 1) for _ in range(block_rows * features)))
    y = bytes(int(x[row * features] - 0.5 * x[row * features + 1] + chance.gauss(0, 1) > 0) for row in range(block_rows))
    rows = blocks * block_rows
    write_npy(work / "X.npy", "<" + kind, (rows, features), (x.tobytes() for _ in range(blocks)))
    write_npy(work / "y.npy", "|i1", (rows,), (y for _ in range(blocks)))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda text: str(pathlib.Path(text).absolute()))
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--gigabytes", type=float, default=0.25)
    parser.add_argument("--features", type=int, default=54)
    parser.add_argument("--type", choices=("f4", "f8"), default="f8")
    parser.add_argument("--ranks", default="1,2,4")
    parser.add_argument("--pack", action="store_true")
    parser.add_argument("--iterations", type=int, default=3)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    work = options.work.absolute()
    (work / "model.stan").write_text(MODEL)
    (work / "watch.py").write_text(WATCH)
    rows = write_data(work, options.gigabytes, options.features, options.type)
    data = ["--data", "X=X.npy", "--data", "y=y.npy"]
    try:
        if options.pack:
            precision = ["--precision", "float"] if options.type == "f4" else []
            subprocess.run([options.program, "pack", "model.stan", *data, "--out", "rows.sgr", "--quiet", *precision],
                           cwd=work, check=True)
            data = ["--data", "rows.sgr"]
        print(f"{rows} rows, {options.features} features, {options.type}, {'row file' if options.pack else 'NPY'}")
        alone = None
        for ranks in map(int, options.ranks.split(",")):
            call = [sys.executable, "watch.py", "peak-", options.program, "sample", "model.stan", *data, "--method", "nuts",
                    "--chains", "1", "--warmup", str(options.iterations), "--iterations", str(options.iterations),
                    "--max-tree-depth", "2", "--threads", "1", "--quiet"]
            call += ["--shard-rows"] if ranks > 1 else ["--shards", "64"]
            environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                               OMPI_MCA_rmaps_base_oversubscribe="1")
            mpirun = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
            done = subprocess.run(mpirun + call, cwd=work, env=environment, capture_output=True, text=True)
            if done.returncode not in (0, 3, 4):
                sys.exit(done.stderr)
            peaks = [int((work / f"peak-{rank}").read_text()) / 1024 for rank in range(ranks)]
            alone = alone or max(peaks)
            print(f"{ranks} rank{'s' * (ranks > 1)}: " + ", ".join(f"{peak:.0f}" for peak in peaks) +
                  f" MB; the largest is {max(peaks) / alone:.2f} of the first line's", flush=True)
    finally:
        for name in ("X.npy", "y.npy", "rows.sgr", "model.stan", "watch.py"):
            (work / name).unlink(missing_ok=True)
        for peak in work.glob("peak-*"):
            peak.unlink()


if __name__ == "__main__":
    main()

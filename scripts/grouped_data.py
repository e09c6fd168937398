#!/usr/bin/env python3
"""A hierarchical model on a row file larger than the memory of the run, with the rows of a group together and scattered.

    scripts/grouped_data.py BUILD WORK [--rows 5e6] [--groups 1e5] [--memory 64M] [--uncached SECONDS]

Makes the data in WORK (45 bytes a row, three times that while packing), packs them both ways, samples both files with
BUILD/sgmcmc, and prints a table: seconds, of the clock and of processors, peak memory, and what was read. With --uncached, the page cache is made to forget the
files ten times a second, as if it could not hold them, and runs are stopped after so many seconds.
"""

import argparse
import array
import math
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

FEATURES, BLOCK = 10, 50_000
MODEL = f"""data {{
  int<lower=0> N;
  int<lower=0> J;
  matrix[N, {FEATURES}] X;
  array[N] int<lower=1, upper=J> g;
  array[N] int<lower=0, upper=1> y;
}}
parameters {{
  real<lower=0> tau;
  vector[{FEATURES}] beta;
  vector[J] theta;
}}
model {{
  tau ~ normal(0, 1);
  beta ~ normal(0, 1);
  theta ~ normal(0, tau);
  y ~ bernoulli_logit(theta[g] + X * beta);
}}
"""


def write_npy(path, kind, shape, blocks):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
        for block in blocks:
            file.write(block)


def make_data(work, rows, groups):
    """Features repeat after BLOCK rows; groups and outcomes do not."""
    chance = random.Random(1)
    x = array.array("f", (chance.gauss(0, 1) for _ in range(BLOCK * FEATURES)))
    linear = [0.3 * (x[i * FEATURES] - x[i * FEATURES + 1]) for i in range(BLOCK)]
    effects = [0.8 * chance.gauss(0, 1) for _ in range(groups)]
    of_rows = array.array("i", (int(groups * chance.random()) + 1 for _ in range(rows)))
    outcomes = array.array("b", (chance.random() < 1 / (1 + math.exp(-linear[i % BLOCK] - effects[g - 1]))
                                 for i, g in enumerate(of_rows)))
    write_npy(work / "X.npy", "<f4", (rows, FEATURES), (x.tobytes() for _ in range(rows // BLOCK)))
    write_npy(work / "g.npy", "<i4", (rows,), [of_rows.tobytes()])
    write_npy(work / "y.npy", "|i1", (rows,), [outcomes.tobytes()])
    (work / "sizes.json").write_text(f'{{"J": {groups}}}')
    (work / "model.stan").write_text(MODEL)


def forget(path):
    with open(path, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def numbers_of(pid):
    """Bytes that a process has asked for, and bytes that came from the disk."""
    with open(f"/proc/{pid}/io") as file:
        numbers = dict(line.split(": ") for line in file.read().splitlines())
    return int(numbers["rchar"]), int(numbers["read_bytes"])


def measured(command, file=None, most_seconds=math.inf):
    """Runs a command; gives seconds, processor seconds, peak memory in MB, and bytes asked for and read. file: to forget."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    read, done = (0, 0), threading.Event()

    def watch():
        nonlocal read
        while not done.wait(0.1):
            try:
                read = numbers_of(child.pid)
            except OSError:
                return
            if file:
                forget(file)
            if time.monotonic() - start > most_seconds:
                child.terminate()
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, status, usage = os.wait4(child.pid, 0)
    done.set()
    watcher.join()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 3, 4) and most_seconds == math.inf:
        sys.exit(f"grouped_data: {' '.join(map(str, command))} ended with {child.returncode}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3, *read


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--rows", type=float, default=5e6)
    parser.add_argument("--groups", type=float, default=1e5)
    parser.add_argument("--memory", default="64M")
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--uncached", type=float, metavar="SECONDS")
    options = parser.parse_args()
    work, program = options.work, options.build / "sgmcmc"
    rows, groups = BLOCK * max(1, int(options.rows) // BLOCK), int(options.groups)
    work.mkdir(parents=True, exist_ok=True)
    if not (work / "y.npy").exists():
        make_data(work, rows, groups)
    print("| rows of a group | step | seconds | of processors | peak memory, MB | asked for, GB | from disk, GB |\n"
          "|---|---|---|---|---|---|---|")
    for name, more in (("together", ["--group-by", "g"]), ("scattered", [])):
        file = work / f"{name}.sgr"

        def show(step, seconds, busy, memory, asked, read):
            print(f"| {name} | {step} | {seconds:.0f} | {busy:.0f} | {memory:.0f} | {asked / 1e9:.2f} | {read / 1e9:.2f} |", flush=True)

        if not file.exists():
            words = [program, "pack", work / "model.stan", "--data", f"X={work}/X.npy", "--data", f"g={work}/g.npy", "--data",
                     f"y={work}/y.npy", "--data", work / "sizes.json", "--out", file, "--quiet"]
            show("packing", *measured(words + more))
        words = [program, "sample", work / "model.stan", "--data", file, "--memory", options.memory, "--method", "marginal-sglm",
                 "--step-size", "0.3", "--iterations", str(options.iterations), "--chains", "2", "--groups", "none", "--quiet"]
        if options.uncached:
            show("sampling, uncached", *measured(words, file, options.uncached))
        else:
            show("sampling", *measured(words))


if __name__ == "__main__":
    main()

"""Measures what `sgmcmc report --watch` costs a run: the processor time of the watcher beside that of the run it follows.

    watch_cost.py PROGRAM [SECONDS]

Starts a run of about that length (default 60) and a watch, and asks for the page as the page itself does: its state every two
seconds, and the page anew when that says so. Prints the shares, and exits with 1 where the watcher takes more than 2 %.
"""

import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request

MODEL = """data { int N; int K; matrix[N, K] X; array[N] int<lower=0, upper=1> y; }
parameters { real alpha; vector[K] beta; }
model { alpha ~ normal(0, 2); beta ~ normal(0, 2); y ~ bernoulli_logit(alpha + X * beta); }
"""
ROWS, COLUMNS = 20_000, 54


def processor_seconds(pid):
    """CPU time of a running process."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def write_problem(folder):
    state = 1
    rows, outcomes = [], []
    for _ in range(ROWS):
        row = []
        for _ in range(COLUMNS):
            state = (1103515245 * state + 12345) % 2**31
            row.append(round(state / 2**30 - 1, 3))
        rows.append(row)
        outcomes.append(int(row[0] + row[1] > 0))
    (folder / "m.stan").write_text(MODEL)
    (folder / "m.json").write_text(json.dumps({"N": ROWS, "K": COLUMNS, "X": rows, "y": outcomes}))


def follow(program, folder, seconds):
    def sample(name, iterations):
        return subprocess.Popen([program, "sample", "m.stan", "--data", "m.json", "--method", "sgld-cv", "--step-size", "1e-4", "--batch-size", "500",
                                 "--chains", "2", "--iterations", str(iterations), "--thin", str(max(1, iterations // 20_000)), "--diagnose", "none", "--out", name, "--quiet"],
                                cwd=folder)
    def time_of(iterations):
        begin = time.monotonic()
        sample(f"trial-{iterations}", iterations).wait()
        return time.monotonic() - begin

    # Of two lengths, because reading the data takes as long as many iterations.
    iterations = int(80_000 * seconds / max(0.1, time_of(100_000) - time_of(20_000)))
    run = sample("run", iterations)
    while not (folder / "run" / "run.json").exists() and run.poll() is None:
        time.sleep(0.05)
    if run.poll() is not None:
        raise SystemExit("the run ended before it could be watched")
    watch = subprocess.Popen([program, "report", "run", "--watch"], cwd=folder, stdout=subprocess.PIPE, text=True)
    address = re.search(r"http://\S+/", watch.stdout.readline()).group(0)
    pages, stamp, loaded, watched = 0, "", 0.0, 0.0
    begin = time.monotonic()
    while run.poll() is None:
        with urllib.request.urlopen(address + "state", timeout=600) as answer:
            state = json.load(answer)
        if state["stamp"] != stamp and time.monotonic() - loaded > state["every"]:
            with urllib.request.urlopen(address, timeout=600) as answer:
                answer.read()
            pages, stamp, loaded = pages + 1, state["stamp"], time.monotonic()
        watched = processor_seconds(watch.pid)
        time.sleep(2)
    wall = time.monotonic() - begin
    watch.kill()
    watch.wait()
    watch.stdout.close()
    return wall, watched, pages


def main():
    program = os.path.abspath(sys.argv[1])
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_problem(folder)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        wall, watched, pages = follow(program, folder, seconds)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    everything = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    run = everything - watched  # the trial and the watch's last moments count for the run
    share = watched / run
    print(f"run: {wall:.0f} s, {run:.1f} s of processor time; watch: {watched:.2f} s for {pages} pages, {100 * share:.2f} % of the run's")
    return 0 if share <= 0.02 else 1


if __name__ == "__main__":
    sys.exit(main())

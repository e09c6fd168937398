#!/usr/bin/env python3
"""Time of a step on many machines, simulated: measured processor time, and a model of the network.

    rank_simulation.py PROGRAM WORK --ratings FILE [--rows 500000] [--latency 25e-6] [--bandwidth 1.25e9] [--figure FILE.svg]

Nothing here was run on more than one machine. The processor time of a full gradient (logistic regression, 54 features) and of a
Gibbs sweep (10 factors) is measured in one process, as the difference between a long and a short run, and divided by the shards of
the busiest rank. A message takes latency + bytes / bandwidth; rank 0 sends and receives its messages one after the other at
`--overhead` seconds each.

  gradient   rank 0 sends the point and the request to each rank, and receives the sum over its shards
  sweep      for users, then items: each rank sends the rows it has drawn to every other rank
"""

import argparse
import json
import math
import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import rank_memory  # writes the data

RANKS = (1, 2, 4, 8, 16, 32, 64)
SHARDS = 64
FEATURES = 54
FACTORS = 10


def processor_seconds(words, work):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, cwd=work, capture_output=True, text=True)
    if done.returncode not in (0, 3, 4):
        sys.exit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def seconds_each(words, work, short, long):
    """Processor time of one iteration."""
    times = [min(processor_seconds([*words, "--iterations", str(count)], work) for _ in range(2)) for count in (short, long)]
    return (times[1] - times[0]) / (long - short)


def gradient_seconds(compute, ranks, network):
    """All ranks but 0 answer one message; rank 0 handles three for each."""
    own = compute * -(-SHARDS // ranks) / SHARDS
    if ranks == 1:
        return own
    bytes_of_rank = 8 * FEATURES + 8 * (FEATURES + 1) + 64  # the point, the sums, and what a message has besides
    at_rank_zero = (ranks - 1) * (3 * network.overhead + bytes_of_rank / network.bandwidth)
    return own + 2 * network.latency + at_rank_zero


def sweep_seconds(compute, ranks, network, rows):
    own = compute * -(-SHARDS // ranks) / SHARDS
    if ranks == 1:
        return own
    received = rows * (FACTORS + 1) * 8 * (ranks - 1) / ranks
    return own + 2 * (network.latency + 2 * (ranks - 1) * network.overhead) + received / network.bandwidth


def write_figure(path, series):
    left, top, width, height = 60, 20, 380, 260
    place = {ranks: left + width * i / (len(RANKS) - 1) for i, ranks in enumerate(RANKS)}
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 190} {top + height + 50}" '
             'font-family="sans-serif" font-size="13">']

    def height_of(speed):
        return top + height - height * math.log2(speed) / math.log2(RANKS[-1])

    for ranks in RANKS:
        y = height_of(ranks)
        lines.append(f'<line x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        lines.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{ranks}x</text>')
        lines.append(f'<text x="{place[ranks]:.1f}" y="{top + height + 20}" text-anchor="middle">{ranks}</text>')
    lines.append(f'<text x="{left + width / 2}" y="{top + height + 42}" text-anchor="middle">machines (simulated)</text>')
    for (name, seconds), colour in zip(series.items(), ("#1b6ca8", "#c8553d")):
        points = [(place[ranks], height_of(seconds[0] / time)) for ranks, time in zip(RANKS, seconds)]
        lines.append('<polyline points="' + " ".join(f"{x:.1f},{y:.1f}" for x, y in points) +
                     f'" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines.append(f'<text x="{points[-1][0] + 8:.1f}" y="{points[-1][1] + 4:.1f}" fill="{colour}">{name}</text>')
    pathlib.Path(path).write_text("\n".join(lines) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda text: str(pathlib.Path(text).absolute()))
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--ratings", type=lambda text: str(pathlib.Path(text).absolute()), required=True)
    parser.add_argument("--rows", type=float, default=5e5)
    parser.add_argument("--latency", type=float, default=25e-6)
    parser.add_argument("--overhead", type=float, default=3e-6)
    parser.add_argument("--bandwidth", type=float, default=1.25e9)
    parser.add_argument("--figure")
    network = parser.parse_args()
    work = network.work.absolute()
    work.mkdir(parents=True, exist_ok=True)
    (work / "model.stan").write_text(rank_memory.MODEL)
    rows = rank_memory.write_data(work, network.rows * FEATURES * 8 / 1e9, FEATURES, "f8")
    gradient = [network.program, "sample", "model.stan", "--data", "X=X.npy", "--data", "y=y.npy", "--method", "mala",
                "--step-size", "0.1", "--chains", "1", "--warmup", "0", "--threads", "1", "--shards", str(SHARDS), "--quiet"]
    compute = seconds_each(gradient, work, 10, 60)
    sweep = [network.program, "factorize", network.ratings, "--factors", str(FACTORS), "--method", "gibbs", "--threads", "1",
             "--shards", str(SHARDS), "--quiet"]
    sweep_compute = seconds_each(sweep, work, 10, 40)
    found = subprocess.run([*sweep, "--iterations", "2", "--json"], cwd=work, capture_output=True, text=True).stdout
    about = json.loads(found)
    people = about["users"] + about["items"]
    print(f"measured: a gradient of {rows} rows {1e3 * compute:.1f} ms, a Gibbs sweep of {people} rows "
          f"{1e3 * sweep_compute:.1f} ms; model: latency {1e6 * network.latency:g} us, overhead {1e6 * network.overhead:g} us, "
          f"bandwidth {network.bandwidth / 1e9:g} GB/s")
    series = {"full gradient": [gradient_seconds(compute, ranks, network) for ranks in RANKS],
              "Gibbs sweep": [sweep_seconds(sweep_compute, ranks, network, people) for ranks in RANKS]}
    print("| machines | gradient | speed-up | Gibbs sweep | speed-up |\n|---|---|---|---|---|")
    for i, ranks in enumerate(RANKS):
        cells = [f"{1e3 * times[i]:.2f} ms | {times[0] / times[i]:.1f}" for times in series.values()]
        print(f"| {ranks} | {cells[0]} | {cells[1]} |")
    if network.figure:
        write_figure(network.figure, series)
    for name in ("X.npy", "y.npy", "model.stan"):
        (work / name).unlink()


if __name__ == "__main__":
    main()

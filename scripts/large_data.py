#!/usr/bin/env python3
"""Time and memory against the number of rows: packs and samples a logistic regression of 10^5 to 10^8 rows.

    scripts/large_data.py BUILD WORK [--rows 1e5,1e6,1e7] [--memory 1G] [--repeat 3] [--figure docs/large-data.svg]

Makes the data in WORK with BUILD/bench/sgmcmc_make_rows (84 bytes a row, three times that while packing), runs
BUILD/sgmcmc, and prints a table: seconds and peak memory of the run, and the errors of means and standard deviations beside
the normal approximation at the mode, which for so many rows is exact to a thousandth. Of several runs, each phase counts with
its shortest time. Row files in WORK are used again.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import time

MODEL = """data {
  int<lower=0> N;
  int<lower=1> K;
  matrix[N, K] X;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real alpha;
  vector[K] beta;
}
model {
  alpha ~ normal(0, 5);
  beta ~ normal(0, 1);
  y ~ bernoulli_logit(alpha + X * beta);
}
"""


def measured(command, **more):
    """Runs a command; gives its output, its seconds and its peak memory in GB."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **more)
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 3, 4):
        sys.exit(f"large_data: {' '.join(map(str, command))} ended with {child.returncode}")
    return output, time.monotonic() - start, usage.ru_maxrss / 1e6


def read_seconds(path):
    """How long a plain read of the file takes, from its present place: cache or disk."""
    start = time.monotonic()
    with open(path, "rb", buffering=0) as file:
        buffer = bytearray(1 << 22)
        while file.readinto(buffer):
            pass
    return time.monotonic() - start


def run(build, folder, rows, memory, repeat):
    folder.mkdir(parents=True, exist_ok=True)
    model, packed = folder / "logistic.stan", folder / "rows.sgr"
    model.write_text(MODEL)
    result = {"rows": rows}
    if not packed.exists():
        subprocess.run([build / "bench/sgmcmc_make_rows", str(rows), folder], check=True)
        data = ["--data", f"X={folder}/X.npy", "--data", f"y={folder}/y.npy"]
        _, result["pack_seconds"], result["pack_memory"] = measured(
            [build / "sgmcmc", "pack", model, *data, "--out", packed, "--precision", "float", "--quiet"])
        for name in ("X.npy", "y.npy"):
            (folder / name).unlink()
    out = folder / "run"
    command = [build / "sgmcmc", "sample", model, "--data", packed, "--out", out, "--overwrite", "--quiet"]
    if memory:
        command += ["--memory", memory]
    times = []
    for _ in range(repeat):
        now = {"read_seconds": read_seconds(packed)}
        _, now["seconds"], now["memory"] = measured(command)
        record = json.loads((out / "run.json").read_text())
        phases = record["times"]
        now["sampling_seconds"], now["tuning_seconds"] = phases["sampling"], phases["tuning"]
        now["judging_seconds"] = phases.get("judging", 0)
        now["opening_seconds"] = now["seconds"] - sum(phases.values())
        times.append(now)
    for key in times[0]:
        result[key] = (max if key == "memory" else min)(now[key] for now in times)
    result["verdict"] = record["verdict"]["trust"]
    result["mode"] = record["tuning"]["mode"]
    exact = folder / "laplace"
    if not (exact / "run.json").exists():  # as many passes as coordinates
        measured([build / "sgmcmc", "sample", model, "--data", packed, "--out", exact, "--overwrite", "--quiet", "--method",
                  "laplace", "--iterations", "10000", "--diagnose", "none"] + (["--memory", memory] if memory else []))
    result.update(errors(build, out, exact))
    return result


def errors(build, out, exact):
    def summary(folder):
        text = subprocess.run([build / "sgmcmc", "summary", folder, "--json"], check=True, capture_output=True, text=True).stdout
        return {row["name"]: row for row in json.loads(text)["parameters"]}

    ours, theirs = summary(out), summary(exact)
    names = [name for name in ours if name in theirs and theirs[name]["sd"] > 0 and not name.endswith("__")]
    return {
        "worst_sd": max(abs(ours[name]["sd"] / theirs[name]["sd"] - 1) for name in names),
        "worst_mean": max(abs(ours[name]["mean"] - theirs[name]["mean"]) / theirs[name]["sd"] for name in names),
    }


def slope(results, key):
    """Of the logarithm against that of the rows, by least squares."""
    points = [(math.log(r["rows"]), math.log(r[key])) for r in results if r.get(key, 0) > 0]
    if len(points) < 2:
        return math.nan
    mean_x, mean_y = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def figure(results, path):
    """Seconds against rows, both on logarithmic scales, as SVG."""
    series = [("sampling", "sampling_seconds", "#c8553d"), ("opening and tuning", "before_seconds", "#1b6ca8"),
              ("one read of the file", "read_seconds", "#7a7a7a")]
    values = [r[key] for r in results for _, key, _ in series if r.get(key, 0) > 0]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    first, last = math.log10(results[0]["rows"]), math.log10(results[-1]["rows"])
    left, top, width, height = 60, 20, 420, 260

    def at(rows, seconds):
        x = left + width * (math.log10(rows) - first) / max(last - first, 1e-9)
        return x, top + height * (1 - (math.log10(max(seconds, 10**low)) - low) / (high - low))

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 170} {top + height + 50}" '
             'font-family="sans-serif" font-size="13">']
    for power in range(low, high + 1):
        _, y = at(results[0]["rows"], 10**power)
        lines.append(f'<line x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        lines.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g} s</text>')
    for r in results:
        x, _ = at(r["rows"], 1)
        lines.append(f'<text x="{x:.1f}" y="{top + height + 20}" text-anchor="middle">{r["rows"]:.0e}</text>')
    lines.append(f'<text x="{left + width / 2}" y="{top + height + 42}" text-anchor="middle">rows</text>')
    for words, key, colour in series:
        points = [at(r["rows"], r[key]) for r in results if r.get(key, 0) > 0]
        path_text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        lines.append(f'<polyline points="{path_text}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in points]
        lines.append(f'<text x="{points[-1][0] + 8:.1f}" y="{points[-1][1] + 4:.1f}" fill="{colour}">{words}</text>')
    pathlib.Path(path).write_text("\n".join(lines) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--rows", default="1e5,1e6,1e7")
    parser.add_argument("--memory", default="1G", help="of the runs; empty: no limit")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each size")
    parser.add_argument("--figure", help="SVG file to write")
    options = parser.parse_args()
    subprocess.run(["cmake", "--build", options.build, "--target", "sgmcmc_make_rows"], check=True, stdout=subprocess.DEVNULL)
    results = []
    print("rows      read s  opening s  tuning s  sampling s  judging s  memory GB  sd error  mean error")
    for rows in (int(float(text)) for text in options.rows.split(",")):
        r = run(options.build.resolve(), options.work / f"rows-{rows}", rows, options.memory, options.repeat)
        r["before_seconds"] = r["opening_seconds"] + r["tuning_seconds"]
        results.append(r)
        print(f"{rows:<9.0e} {r['read_seconds']:6.2f}  {r['opening_seconds']:9.2f}  {r['tuning_seconds']:8.2f}  {r['sampling_seconds']:10.2f}  "
              f"{r['judging_seconds']:9.2f}  {r['memory']:9.3f}  {r['worst_sd']:8.3f}  {r['worst_mean']:10.3f}", flush=True)
        (options.work / "large_data.json").write_text(json.dumps(results, indent=1) + "\n")
    print(f"slope of log seconds against log rows: sampling {slope(results, 'sampling_seconds'):.2f}, "
          f"before {slope(results, 'before_seconds'):.2f}")
    if options.figure:
        figure(results, options.figure)


if __name__ == "__main__":
    main()

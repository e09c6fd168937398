#!/usr/bin/env python3
"""Seconds until averaged predictions of held-out ratings stay below an error, for Gibbs sampling and minibatch methods.

usage: factor_methods.py SGMCMC RATINGS [--target 0.848] [--splits 1,2] [--seeds 2] [--methods gibbs,...] [-- OPTIONS of factorize]

RATINGS has a rating on each line and no header; a random tenth is held out, another one in each split. The model is that of the HAMCMC
paper: 10 factors, unit priors and noise, no biases. Methods have their default settings, or the options after -- (minibatch methods
only), and run in turns. A method reaches the error at the first evaluation from which on the average of its draws stays there; its time
is that number of iterations times the mean time of one in that run, without evaluations.
"""

import argparse
import json
import lzma
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

MODEL = ["--factors", "10", "--prior-precision", "1", "--noise-precision", "1", "--offset", "0", "--no-biases"]


def run(program, train, test, method, seed, target, more):
    words = [program, "factorize", train, "--test", test, *MODEL, "--method", method, "--seed", str(seed), "--threads", "1", "--json", *more]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    report = json.loads(done.stdout)
    reached = None
    for point in report["trace"]:
        error = point["averaged_rmse"]
        if error is None or error > target:
            reached = None
        elif reached is None:
            reached = point["iteration"]
    each = report["sampling_seconds"] / report["iterations"]
    return {"iterations": reached, "ms": 1e3 * each, "seconds": reached and reached * each, "rmse": report["rmse"],
            "log_predictive": report["log_predictive"], "coverage": report["coverage"], "shortened": report["limited_share"]}


def main():
    words = sys.argv[1:]
    own, more = (words[: words.index("--")], words[words.index("--") + 1:]) if "--" in words else (words, [])
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[2][7:])
    parser.add_argument("program")
    parser.add_argument("ratings")
    parser.add_argument("--target", type=float, default=0.848)
    parser.add_argument("--splits", default="1,2")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--methods", default="gibbs,sgld,sglm,sghmc,sgld-saga,psgld,hamcmc")
    options = parser.parse_args(own)
    methods = options.methods.split(",")
    found = {method: [] for method in methods}
    with (lzma.open if options.ratings.endswith(".xz") else open)(options.ratings, "rt") as file:
        lines = file.readlines()
    with tempfile.TemporaryDirectory() as name:
        train, test = pathlib.Path(name) / "train", pathlib.Path(name) / "test"
        for split in options.splits.split(","):
            chance = random.Random(int(split))
            held_out = [chance.random() < 0.1 for _ in lines]
            train.write_text("".join(line for line, out in zip(lines, held_out) if not out))
            test.write_text("".join(line for line, out in zip(lines, held_out) if out))
            for seed in range(1, options.seeds + 1):
                for method in methods:
                    found[method].append(run(options.program, train, test, method, seed, options.target, more if method != "gibbs" else []))
    print(f"method      ms/iteration  iterations to {options.target}  seconds       over gibbs    rmse  log predictive  coverage  shortened")
    for method, runs in found.items():
        mean = lambda key: statistics.mean(each[key] for each in runs)
        text = lambda values, form: "/".join(format(value, form) if value else "-" for value in values)
        ratios = [a["seconds"] and b["seconds"] and a["seconds"] / b["seconds"] for a, b in zip(runs, found.get("gibbs", []))]
        print(f"{method:10} {min(each['ms'] for each in runs):13.2f}  {text([each['iterations'] for each in runs], 'd'):>19}  "
              f"{text([each['seconds'] for each in runs], '.2f'):>19}  {text(ratios, '.2f'):>19}  {mean('rmse'):.4f}  "
              f"{mean('log_predictive'):14.4f}  {mean('coverage'):8.4f}  {mean('shortened'):9.4f}", flush=True)


if __name__ == "__main__":
    main()

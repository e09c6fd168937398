#!/usr/bin/env python3
"""Times sgmcmc_bench and JAX in turns on the same models and sizes, prints the ratios and writes them as JSON.

usage: compare.py SGMCMC_BENCH JSON_FILE [--turns N] [--seconds S]; run with the Python that has JAX.

Our chain may use every core. JAX is timed twice, with every core and bound to one; the ratios use the faster of the two.
All programs of one comparison are started first and then asked for steps in turns, so that whatever else the machine does
meets all of them alike. A ratio is the median over turns; times are the best turn, and so is the second ratio: where the
two disagree the machine was too busy to tell.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

here = pathlib.Path(__file__).parent
one_core = {min(os.sched_getaffinity(0))} if hasattr(os, "sched_getaffinity") else None


class Server:
    """A program that answers a number of seconds with microseconds per step."""

    def __init__(self, command, bound_to_one_core=False):
        bind = (lambda: os.sched_setaffinity(0, one_core)) if bound_to_one_core and one_core else None
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=bind
        )
        if self.process.stdout.readline().strip() != "ready":
            sys.exit(f"could not start {command}")

    def ask(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def compare(bench, name, script, turns, seconds):
    jax = [sys.executable, here / script[0], *script[1:]]
    servers = {
        "ours": Server([bench, "--serve", name]),
        "jax": Server(jax),
        "jax_one_core": Server(jax, bound_to_one_core=True),
    }
    times = {who: [] for who in servers}
    for _ in range(turns):
        for who, server in servers.items():
            times[who].append(server.ask(seconds))
    for server in servers.values():
        server.close()
    best = {who: min(values) for who, values in times.items()}
    ratios = {
        who: statistics.median(theirs / ours for theirs, ours in zip(times[who], times["ours"]))
        for who in ("jax", "jax_one_core")
    }
    return {
        f"jax_over_{name}": min(ratios.values()),
        f"jax_over_{name}_all_cores": ratios["jax"],
        f"jax_over_{name}_one_core": ratios["jax_one_core"],
        f"jax_over_{name}_best_turns": min(best["jax"], best["jax_one_core"]) / best["ours"],
        f"{name}_us": best["ours"],
        f"{name}_jax_us": best["jax"],
        f"{name}_jax_one_core_us": best["jax_one_core"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=pathlib.Path)
    parser.add_argument("json_file", type=pathlib.Path)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.3)
    arguments = parser.parse_args()
    goals = {"sgld_logistic_double": 3.5, "sgld_logistic_float": 3.5, "network_float": 1.8}
    scripts = {
        "sgld_logistic_double": ("jax_logistic.py", "--precision", "double"),
        "sgld_logistic_float": ("jax_logistic.py", "--precision", "float"),
        "network_float": ("jax_network.py",),
    }
    results = {}
    print(f"{'':24}{'ours us':>10}{'JAX us':>10}{'1 core us':>11}{'JAX / ours':>12}{'best turns':>12}   goal")
    for name, script in scripts.items():
        found = compare(arguments.bench.resolve(), name, script, arguments.turns, arguments.seconds)
        results.update(found)
        ratio = found[f"jax_over_{name}"]
        print(
            f"{name:24}{found[f'{name}_us']:10.1f}{found[f'{name}_jax_us']:10.1f}{found[f'{name}_jax_one_core_us']:11.1f}"
            f"{ratio:12.2f}{found[f'jax_over_{name}_best_turns']:12.2f}   >= {goals[name]}{'' if ratio >= goals[name] else '  MISS'}",
            flush=True,
        )
    arguments.json_file.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()

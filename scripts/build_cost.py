#!/usr/bin/env python3
"""Compares the CPU seconds of clean builds of revisions of this repository.

    scripts/build_cost.py OLD NEW [--jobs N] [--ci]

Each revision is checked out into a temporary folder and built as `make run` builds it (the program), then as `make build` does
(everything). With --ci, the whole of `.ci/run` follows. CPU seconds count all processes, so that a loaded machine changes them
little; ccache is switched off.
"""

import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENVIRONMENT = {**os.environ, "CCACHE_DISABLE": "1"}


def cpu_seconds(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"build_cost: {' '.join(command)} failed in {folder}:\n{done.stdout[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def costs(revision, jobs, ci):
    with tempfile.TemporaryDirectory(prefix="build-cost-") as name:
        folder = pathlib.Path(name) / "tree"
        subprocess.run(["git", "clone", "--quiet", "--shared", "--no-checkout", ROOT, folder], check=True)
        subprocess.run(["git", "checkout", "--quiet", revision], cwd=folder, check=True)
        found = {}
        configure = cpu_seconds(["cmake", "--preset", "release"], folder)
        found["make run"] = configure + cpu_seconds(
            ["cmake", "--build", "--preset", "release", "-j", str(jobs), "--target", "sgmcmc_program"], folder)
        found["make build"] = found["make run"] + cpu_seconds(["cmake", "--build", "--preset", "release", "-j", str(jobs)], folder)
        if ci:
            shutil.rmtree(folder / "build")
            found[".ci/run"] = cpu_seconds(["bash", ".ci/run"], folder)
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--ci", action="store_true")
    given = parser.parse_args()
    old, new = (costs(revision, given.jobs, given.ci) for revision in (given.old, given.new))
    print(f"{'CPU seconds':<12} {given.old:>10} {given.new:>10}  new / old")
    for what, seconds in old.items():
        print(f"{what:<12} {seconds:10.0f} {new[what]:10.0f}  {new[what] / seconds:.2f}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks that two builds of the program give the same draws: runs every method on six models with both, and compares the CSV
files number by number as text. Comments, which hold versions and times, do not count.

  scripts/compare_draws.py OLD NEW            # the programs; compile both with the same flags
  scripts/compare_draws.py OLD NEW --only sghmc
  scripts/compare_draws.py OLD NEW --without baoab    # a sampler that OLD does not have

Exits with status 1 where draws differ, or one program refuses what the other runs.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Step sizes suit the narrowest parameter of each model.
MODELS = {
    "logistic_regression": 5e-3,
    "linear_regression": 1e-3,
    "poisson_regression": 1e-3,
    "gaussian_mixture": 1e-3,
    "radon": 1e-3,
    "correlated_gaussian": 5e-2,  # no rows: full gradients only
}
ESTIMATORS = ["", "-cv", "-saga", "-svrg", "-full"]
OWN_UNITS = {"hamcmc": 0.05, "sglm": 0.3, "psgld": 1e-4, "sgrld": 0.1}  # steps that do not depend on the scales of the model
WITH_STEP = ["sgld", "sglm", "sghmc", "sgnht", "baoab", "psgld", "sgrld", "hamcmc"]
WITHOUT_STEP = ["sgfs-full", "sgfs-diagonal"]
EVERY_ROW = ["nuts", "hmc", "mala", "laplace", "marginal-nuts", "marginal-metropolis", "marginal-sglm", "hmc-ecs"]

# Settings other than the defaults, to cover branches of samplers.
VARIANTS = [
    ("sghmc-cv", "--form plain --refresh-momentum false"),
    ("sghmc", "--form plain --trajectory-length 3"),
    ("sghmc", "--noise-correction fisher --friction 0.1"),
    ("sghmc-cv", "--refresh-momentum false --friction 0.2"),
    ("sgnht", "--diffusion 0.1"),
    ("psgld-cv", "--correction true"),
    ("hamcmc-cv", "--pairs stiffest"),
    ("sgfs-full-cv", "--blocks parameters --alpha 0.5"),
    ("sgld", "--schedule polynomial(10,0.33)"),
    ("sghmc-cv", "--schedule decay(20,0.5)"),
    ("sgld-cv", "--precision float"),
    ("sglm-cv", "--precondition diagonal --precision float"),
    ("sgld-cv", "--precondition dense --row-sampling preferential"),
    ("sghmc-cv", "--precondition dense"),
    ("sgnht-cv", "--precondition diagonal"),
    ("psgld", "--precondition low-rank"),
    ("hamcmc-saga", "--precondition dense"),
    ("sgld-svrg", "--row-sampling shuffled-epochs --batch-size 20"),
    ("nuts", "--metric dense --precondition diagonal"),
    ("hmc", "--leapfrog-steps 7 --metric unit"),
]
SCALED = {"sgld-cv", "sglm-cv", "sghmc-cv", "sgnht-cv"}  # with precondition, steps are in units of the posterior


def sampler_of(method):
    known = WITH_STEP + WITHOUT_STEP + EVERY_ROW
    return max((s for s in known if method == s or method.startswith(s + "-")), key=len)


def cases():
    """(model, arguments) of every run."""
    short = ["--iterations", "60", "--chains", "2"]
    for model, step in MODELS.items():
        def given(method):
            sampler = sampler_of(method)
            return ["--step-size", str(OWN_UNITS.get(sampler, step))] if sampler in WITH_STEP else []
        for sampler in WITH_STEP + WITHOUT_STEP:
            for estimator in ESTIMATORS:
                method = sampler + estimator
                yield model, ["--method", method, *given(method), "--batch-size", "30", *short]
        for sampler in EVERY_ROW:
            yield model, ["--method", sampler, "--warmup", "60", *short]
        for method, words in VARIANTS:
            size = ["--step-size", "0.2"] if "--precondition" in words and method in SCALED else given(method)
            yield model, ["--method", method, *size, *words.split(), *short]
        # Tuned step sizes.
        for sampler in WITH_STEP:
            yield model, ["--method", sampler + "-cv", "--batch-size", "30", *short]
        yield model, ["--method", "sgld", *short]
        yield model, []


def draws_of(program, model, arguments, folder):
    """Exit status and the draws of every chain as text."""
    command = [program, "sample", f"models/{model}.stan", "--data", f"models/{model}.json", "--seed", "20", "--threads", "1",
               "--quiet", "--out", folder, *arguments]
    status = subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode
    chains = {}
    for path in sorted(pathlib.Path(folder).glob("chain-*.csv")):
        lines = path.read_text().splitlines()
        chains[path.name] = [line for line in lines if not line.startswith("#")]
    return status, chains


def first_difference(old, new):
    for name in sorted(set(old) | set(new)):
        before, after = old.get(name, []), new.get(name, [])
        if before == after:
            continue
        for number, (a, b) in enumerate(zip(before, after)):
            if a != b:
                return f"{name}, line {number} of the draws: {a[:60]} | {b[:60]}"
        return f"{name}: {len(before)} | {len(after)} lines"
    return ""


def compare(programs, case):
    """The differences, and the number of draws compared."""
    model, arguments = case
    with tempfile.TemporaryDirectory() as folder:
        (old_status, old), (new_status, new) = (
            draws_of(program, model, arguments, f"{folder}/{k}") for k, program in enumerate(programs))
    if old_status != new_status:
        return f"exit status {old_status} | {new_status}", 0
    return first_difference(old, new), sum(max(0, len(lines) - 1) for lines in old.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--only", default="", help="runs whose arguments contain this text")
    parser.add_argument("--without", default=[], action="append", help="a sampler that is left out")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    programs = [str(pathlib.Path(program).resolve()) for program in (options.old, options.new)]
    chosen = [case for case in cases()
              if options.only in " ".join(case[1]) and sampler_of(case[1][1] if case[1] else "nuts") not in options.without]
    differences, compared, refused, draws = 0, 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (model, arguments), (difference, count) in zip(chosen, pool.map(lambda c: compare(programs, c), chosen)):
            if difference:
                differences += 1
                print(f"{model} {' '.join(arguments) or '(defaults)'}: {difference}")
            compared += count > 0
            refused += count == 0 and not difference
            draws += count
    print(f"{len(chosen)} runs of each program: {compared} compared draw by draw ({draws} draws), {refused} refused by both, "
          f"{differences} different")
    sys.exit(1 if differences or compared == 0 else 0)


if __name__ == "__main__":
    main()

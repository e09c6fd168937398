#!/usr/bin/env python3
"""Samples regressions over a grid of step sizes and compares the verdicts of `sgmcmc diagnose` with the truth.

    verdict_table.py PROGRAM [--write docs/diagnostics.md] [--only logistic|poisson|cases]

The truth is a long run of nuts, or known. Fails when a setting whose worst standard deviation is off by more than 20 %, or mean by
more than 0.3 sd, is trusted or only called with caution, when one within 5 % and 0.1 sd is called wrong, or when R-hat alone would
have found them all. `cases` are those of verdict_cases.py, judged by the last line of `sample` alone.
"""

import argparse
import json
import math
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from verdict_cases import CASES, KILLED, NUTS, RESUMED

ROOT = pathlib.Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- made by `make verdict-table` -->", "<!-- end of what `make verdict-table` makes -->"
ITERATIONS, WARMUP, THIN, BATCH = 200_000, 20_000, 20, 100
WRONG, HARMLESS = 0.20, 0.05
MEAN_WRONG, MEAN_HARMLESS = 0.3, 0.1


def columns(generator, count, scales, correlation):
    """Normal columns of these standard deviations, each pair correlated."""
    rows = []
    for _ in range(count):
        common = generator.gauss(0, 1)
        rows.append([round(scale * (math.sqrt(correlation) * common + math.sqrt(1 - correlation) * generator.gauss(0, 1)), 4)
                     for scale in scales])
    return rows


def logistic_data():
    generator = random.Random(20240917)
    scales = [0.7 * 2 ** (j / 9) for j in range(10)]
    x = columns(generator, 10_000, scales, 0.3)
    truth = [0.5 * (-1) ** j for j in range(10)]
    y = [int(generator.random() < 1 / (1 + math.exp(0.3 - sum(a * b for a, b in zip(row, truth))))) for row in x]
    return {"N": len(x), "K": 10, "X": x, "y": y}


def poisson_data():
    generator = random.Random(7)
    x = columns(generator, 2_000, [0.3, 0.5, 0.8, 1.0], 0.5)
    y = []
    for row in x:
        rate, count, total = math.exp(0.4 + 0.3 * row[0] - 0.2 * row[1] + 0.4 * row[2] - 0.3 * row[3]), 0, 0.0
        while (total := total + generator.expovariate(1.0)) < rate:
            count += 1
        y.append(count)
    return {"N": len(x), "K": 4, "X": x, "exposure": [1.0] * len(x), "y": y}


GRIDS = {
    "logistic": ("logistic_regression", logistic_data, "10,000 rows, 11 parameters",
                 {"sgld": ["1e-8", "1e-6", "2e-6", "4e-6", "1e-5", "2e-5", "5e-5"],
                  "sgld-cv": ["1e-8", "1e-5", "5e-5", "1e-4", "2e-4", "3e-4", "4e-4"]}),
    "poisson": ("poisson_regression", poisson_data, "2,000 rows, 5 parameters",
                {"sgld": ["3e-6", "1e-5", "1e-4", "3e-4"], "sgld-cv": ["1e-5", "1e-4", "3e-4", "6e-4"]}),
}


class Runner:
    def __init__(self, program, folder, model):
        self.program, self.folder, self.model = str(pathlib.Path(program).resolve()), folder, ROOT / "models" / f"{model}.stan"

    def run(self, *words):
        done = subprocess.run([self.program, *map(str, words)], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0 and " diverged at iteration " not in done.stderr:
            sys.exit(f"verdict_table: sgmcmc {' '.join(map(str, words))}: {done.stderr}")
        return done.stdout if done.returncode == 0 else None

    def sample(self, *words):
        """Samples into the folder `run`; returns standard deviations by parameter, or None if a chain diverged."""
        done = self.run("sample", self.model, "--data", "data.json", "--chains", 4, "--out", "run", "--overwrite", "--outputs", "none",
                 "--quiet", "--exit-status", "plain", *words)
        if done is None:
            return None
        return {row["name"]: row["sd"] for row in json.loads(self.run("summary", "run", "--json"))["parameters"]}

    def diagnose(self):
        return json.loads(self.run("diagnose", "run", "--json"))


def signed(error):
    return f"{'+' if error >= 0 else '−'}{100 * abs(error):.0f} %"


def worst(errors):
    return max(errors, key=lambda error: abs(math.log(max(1e-9, 1 + error))))


def grid_lines(name, program):
    model, data, size, methods = GRIDS[name]
    lines = [f"`models/{model}.stan` on made-up data, {size}, minibatches of {BATCH}:", "",
             "| method | step size | worst sd, true error | R-hat | KSD (exact draws) | worst sd, estimated error | verdict |",
             "|---|---|---|---|---|---|---|"]
    faults, wrong_with_good_rhat = [], 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(program, folder, model)
        (pathlib.Path(folder) / "data.json").write_text(json.dumps(data()))
        reference = runner.sample("--method", "nuts", "--iterations", 5000, "--seed", 2)
        for method, steps in methods.items():
            for step in steps:
                sds = runner.sample("--method", method, "--batch-size", BATCH, "--step-size", step, "--iterations", ITERATIONS,
                                    "--warmup", WARMUP, "--thin", THIN, "--log-density", "never")
                if sds is None:
                    lines.append(f"| {method} | {step} | | | | | the run itself ends: it diverges |")
                    continue
                found = runner.diagnose()
                true = worst([sds[parameter] / sd - 1 for parameter, sd in reference.items()])
                estimated = worst([c["sd_ratio"] - 1 for c in found["coordinates"]])
                verdict = found["verdict"]["trust"]
                kernel = found["kernel_stein_discrepancy"]
                lines.append(f"| {method} | {step} | {signed(true)} | {found['worst_rhat']:.2f} | "
                             f"{math.sqrt(kernel['v_squared']):.2g} ({math.sqrt(kernel['exact_squared']):.2g}) | "
                             f"{signed(estimated)} | {verdict} |")
                print(lines[-1], flush=True)
                if abs(true) > WRONG and verdict == "trust":
                    faults.append(f"{name} {method} {step}: {signed(true)} is trusted")
                if abs(true) < HARMLESS and verdict in ("caution", "do not trust"):
                    faults.append(f"{name} {method} {step}: {signed(true)} is called wrong")
                wrong_with_good_rhat += abs(true) > WRONG and found["worst_rhat"] < 1.01
    if wrong_with_good_rhat == 0:
        faults.append(f"{name}: R-hat alone found every wrong setting")
    return lines, faults


def end_after_some_draws(command, folder):
    shutil.rmtree(folder / "run", ignore_errors=True)
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    drawn = folder / "run" / "chain-1.csv"
    saved = folder / "run" / "chain-1.checkpoint"
    while process.poll() is None and not (saved.exists() and drawn.exists() and drawn.stat().st_size > 10_000):
        time.sleep(0.05)
    process.kill()
    process.wait()


def case_settings(program, folder, name):
    """Settings of a case with their errors (None if there is no posterior) and verdicts."""
    model, data, truth, settings = CASES[name]
    folder, program = pathlib.Path(folder), str(pathlib.Path(program).resolve())
    (folder / "model.stan").write_text(model)
    (folder / "data.json").write_text(json.dumps(data()))

    def sample(*words):
        killed = words[0] if words[:1] in ((KILLED,), (RESUMED,)) else None
        said = ["--quiet", "--json", "--exit-status", "plain"]
        command = [program, "sample", "model.stan", "--data", "data.json", "--out", "run", "--overwrite", *said,
                   *words[1 if killed else 0:]]
        if killed:
            end_after_some_draws(command, folder)
            command = [program, "resume", "run", *said] if killed == RESUMED else [program, "summary", "run", "--json"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            return None, None, ""
        found = json.loads(done.stdout)
        if killed == KILLED:
            judged = subprocess.run([program, "diagnose", "run", "--json"], cwd=folder,
                                    capture_output=True, text=True)
            found.update(json.loads(judged.stdout), method="")
        return {row["name"]: (row["mean"], row["sd"]) for row in found["parameters"]}, found["verdict"]["trust"], found["method"]

    if truth == NUTS:
        truth, _, _ = sample("--method", "nuts", "--iterations", "4000", "--seed", "2", "--target-acceptance", "0.95")
    for words in settings:
        found, verdict, method = sample(*words)
        told = " ".join(words) or f"default ({method})"
        if found is None:
            yield told, None, None, "refused"
        elif truth is None:
            yield told, None, None, verdict
        else:
            sd = worst([found[n][1] / exact[1] - 1 for n, exact in truth.items()])
            yield told, sd, max(abs(found[n][0] - exact[0]) / exact[1] for n, exact in truth.items()), verdict


def case_lines(program):
    lines = ["Models and settings of `scripts/verdict_cases.py`, judged by the last line of `sgmcmc sample`:", "",
             "| case | settings | worst sd, true error | worst mean, in sds | verdict |", "|---|---|---|---|---|"]
    faults, wrong, found_wrong, right, undecided = [], 0, 0, 0, 0
    for name in CASES:
        with tempfile.TemporaryDirectory() as folder:
            for told, sd, mean, verdict in case_settings(program, folder, name):
                errors = "no posterior |" if sd is None else f"{signed(sd)} | {mean:.2f}"
                lines.append(f"| {name} | {told} | {'|' if verdict == 'refused' else errors} | {verdict} |")
                print(lines[-1], flush=True)
                if verdict == "refused":
                    continue
                is_wrong = sd is None or abs(sd) > WRONG or mean > MEAN_WRONG
                is_right = sd is not None and abs(sd) <= HARMLESS and mean <= MEAN_HARMLESS
                wrong, right = wrong + is_wrong, right + is_right
                found_wrong += is_wrong and verdict == "do not trust"
                undecided += is_right and verdict == "cannot tell"
                if is_wrong and verdict not in ("do not trust", "cannot tell"):
                    faults.append(f"{name}, {told}: wrong, and the verdict is {verdict}")
                if is_right and verdict in ("caution", "do not trust"):
                    faults.append(f"{name}, {told}: right, and the verdict is {verdict}")
    lines += ["", f"The verdict is \"do not trust\" for {found_wrong} of {wrong} wrong settings, and \"cannot tell\" for {undecided} "
                  f"of {right} right ones."]
    print(lines[-1])
    if found_wrong < 0.9 * wrong:
        faults.append(f"only {found_wrong} of {wrong} wrong settings are not to be trusted")
    if undecided > 0.1 * right:
        faults.append(f"{undecided} of {right} right settings are undecided")
    return lines, faults


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("program")
    arguments.add_argument("--write", type=pathlib.Path)
    arguments.add_argument("--only", choices=[*GRIDS, "cases"])
    given = arguments.parse_args()
    text, faults = [], []
    for name in [given.only] if given.only else [*GRIDS, "cases"]:
        lines, found = case_lines(given.program) if name == "cases" else grid_lines(name, given.program)
        text += [*lines, ""]
        faults += found
    if given.write:
        page = given.write.read_text()
        head, rest = page.split(BEGIN + "\n")
        tail = rest.split(END)[1]
        given.write.write_text(head + BEGIN + "\n\n" + "\n".join(text) + END + tail)
    for fault in faults:
        print(f"verdict_table: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

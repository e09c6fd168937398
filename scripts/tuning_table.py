#!/usr/bin/env python3
"""Compares the default command, without tuning options, with NUTS on twelve models: makes the table of docs/tuning.md.

    scripts/tuning_table.py --program build/sgmcmc --data ../shared/data --reference ../shared/reference [--only NAME,...]

Models whose data are not there are skipped, and said to be. --write puts the table into docs/tuning.md.
With --beside PROGRAM nothing is compared with NUTS: both programs run the default command in turns, and their times are
printed with the ratio of the shortest ones.
"""
import argparse
import csv
import gzip
import json
import lzma
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ROOT / "examples" / "tuning"
BEGIN, END = "<!-- table: scripts/tuning_table.py -->", "<!-- end of table -->"


class Absent(Exception):
    pass


def opened(path):
    if not path.exists():
        raise Absent(str(path))
    return {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix, open)(path, "rb")


def whole_numbers(values):
    return [int(v) for v in values]


class Maker:
    """Writes the data of one model into a folder, and returns the --data arguments."""

    def __init__(self, data, folder, rows):
        self.data, self.folder, self.rows = data, folder, rows
        self.random = numpy.random.default_rng(7)

    def save(self, **arrays):
        arguments, numbers = [], {}
        for name, value in arrays.items():
            if isinstance(value, numpy.ndarray):
                path = self.folder / f"{name}.npy"
                numpy.save(path, value)
                arguments += ["--data", f"{name}={path}"]
            else:
                numbers[name] = value
        if numbers:
            path = self.folder / "sizes.json"
            path.write_text(json.dumps(numbers))
            arguments += ["--data", str(path)]
        return arguments

    def design(self, columns, scales=None):
        x = self.random.normal(size=(self.rows, columns))
        return x if scales is None else x * numpy.asarray(scales)

    def covertype(self):
        with opened(self.data / "covertype" / "covtype.binary.csv.xz") as file:
            table = numpy.loadtxt(file, delimiter=",", dtype=numpy.float64)
        y, x = table[:, 0].astype(numpy.int32), table[:, 1:]
        x = (x - x.min(0)) / (x.max(0) - x.min(0))
        if y.max() > 1:
            y = (y == 1).astype(numpy.int32)
        x = numpy.hstack([x, numpy.ones((len(x), 1))])
        return "logistic.stan", self.save(X=x, y=y)

    def a9a(self):
        rows, labels = [], []
        with opened(self.data / "a9a" / "a9a.xz") as file:
            for line in file.read().decode().splitlines():
                label, *entries = line.split()
                labels.append(int(float(label) > 0))
                row = numpy.zeros(124)
                row[123] = 1
                for entry in entries:
                    column, value = entry.split(":")
                    row[int(column) - 1] = float(value)
                rows.append(row)
        return "logistic.stan", self.save(X=numpy.array(rows), y=numpy.array(labels, dtype=numpy.int32))

    scales = [1e-6, 1e-4, 1e-2, 1, 1e2, 1e4, 1e6]
    reference = None  # arguments for NUTS, where it is to see other data, and what its draws of beta are divided by

    def scaled(self, x, y):
        """Priors are flat, so NUTS can run on rescaled columns, on which it is fast."""
        self.folder = self.folder / "reference"
        self.folder.mkdir(exist_ok=True)
        self.reference = self.save(X=x / self.scales, y=y), self.scales
        self.folder = self.folder.parent
        return self.save(X=x, y=y)

    def linear(self):
        x = self.design(7, self.scales)
        y = 1 + (x / self.scales) @ numpy.linspace(-1, 1, 7) + self.random.normal(size=self.rows)
        return "linear.stan", self.scaled(x, y)

    def poisson(self):
        x = self.design(7, self.scales)
        y = self.random.poisson(numpy.exp(0.5 + (x / self.scales) @ numpy.linspace(-0.3, 0.3, 7)))
        return "poisson.stan", self.scaled(x, y.astype(numpy.int32))

    def robust(self):
        x = self.design(8)
        y = 1 + x @ numpy.linspace(-1, 1, 8) + self.random.standard_t(4, size=self.rows)
        return "robust.stan", self.save(X=x, y=y)

    def intercepts(self):
        groups = 40
        group = self.random.integers(1, groups + 1, self.rows)
        x = self.random.normal(size=self.rows)
        alpha = 1 + 0.7 * self.random.normal(size=groups)
        y = alpha[group - 1] + 0.5 * x + self.random.normal(size=self.rows)
        return "intercepts.stan", self.save(group=group.astype(numpy.int32), x=x, y=y, J=groups)

    def factors(self):
        def ratings(name):
            with opened(self.data / "ml-100k" / name) as file:
                return numpy.loadtxt(file, dtype=numpy.int64)[:, :3]

        train, test = ratings("ua.base.xz"), ratings("ua.test.xz")
        test = test[self.random.choice(len(test), 1000, replace=False)]
        names = dict(user=train[:, 0], item=train[:, 1], test_user=test[:, 0], test_item=test[:, 1])
        arrays = {name: column.astype(numpy.int32) for name, column in names.items()}
        return "factors.stan", self.save(rating=train[:, 2].astype(float), test_rating=test[:, 2].astype(float), users=943,
                                         items=1682, K=3, **arrays)

    def network(self):
        def idx(name, offset):
            with opened(self.data / "mnist" / name) as file:
                return numpy.frombuffer(file.read(), dtype=numpy.uint8, offset=offset)

        def part(name, most):
            y = idx(f"{name}-labels-idx1-ubyte.gz", 8)[:most].astype(numpy.int32) + 1
            x = idx(f"{name}-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28)[:most]
            x = x.reshape(-1, 14, 2, 14, 2).mean((2, 4)).reshape(-1, 196) / 255.0  # halved: a table is to be made in minutes
            return x, y

        x, y = part("train", 60000)
        test_x, test_y = part("t10k", 1000)
        return "network.stan", self.save(X=x, y=y, test_X=test_x, test_y=test_y, H=20, K=10)

    def mixture(self):
        which = self.random.random(self.rows)
        y = numpy.where(which < 0.3, self.random.normal(-2, 0.7, self.rows), self.random.normal(1.5, 1.0, self.rows))
        return ROOT / "models" / "gaussian_mixture.stan", self.save(y=y, K=2)

    def softmax(self):
        x = self.design(6)
        x[:, 0] = 1
        b = numpy.vstack([numpy.linspace(-1, 1, 6), numpy.linspace(1, -0.5, 6), numpy.zeros(6)])
        y = (x @ b.T + self.random.gumbel(size=(self.rows, 3))).argmax(1) + 1
        return "softmax.stan", self.save(X=x, y=y.astype(numpy.int32), K=3)

    def counts(self):
        x = self.design(6)
        mean = numpy.exp(1 + x @ numpy.linspace(-0.5, 0.5, 6))
        y = self.random.poisson(self.random.gamma(2.0, mean / 2.0))
        return "counts.stan", self.save(X=x, y=y.astype(numpy.int32))

    def location(self):
        return "location.stan", self.save(y=3 + 2 * self.random.standard_cauchy(self.rows))


TITLES = {
    "covertype": "logistic, covertype", "a9a": "logistic, a9a", "linear": "linear, columns 1e-6 to 1e6",
    "poisson": "Poisson, columns 1e-6 to 1e6", "robust": "robust t regression", "intercepts": "hierarchical intercepts",
    "factors": "matrix factorisation, ml-100k", "network": "neural network, MNIST at 14 x 14", "mixture": "Gaussian mixture",
    "softmax": "softmax regression", "counts": "negative-binomial counts", "location": "heavy-tailed location"}
# Chains diverge above the largest of these step sizes. Iterations of warm-up and after it, with 500 rows for each of their
# gradients (one of sgld, five of sghmc): as many rows as the default run visits, and two and a half times as many.
HELD_OUT_LENGTHS = {"sgld": (20_000, 40_000), "sghmc": (10_000, 20_000)}
HELD_OUT = {"factors": {"sgld": [2e-5, 1e-5, 3e-6], "sghmc": [1e-6, 3e-7, 1e-7]},
            "network": {"sgld": [1e-4, 3e-5, 1e-5], "sghmc": [1e-5, 3e-6, 1e-6]}}
# Linearly dependent columns: in other coordinates NUTS would take hours.
DENSE_NUTS = ["--precondition", "dense"]


def run(program, model, arguments, folder, *more):
    start = time.time()
    done = subprocess.run([program, "sample", model, *arguments, "--out", folder, "--overwrite", "--quiet", *more],
                          capture_output=True, text=True)
    if done.returncode not in (0, 3, 4):  # 3 and 4 are verdicts
        raise RuntimeError(done.stderr.strip().splitlines()[0] if done.stderr else "failed")
    return time.time() - start


def draws_of(folder):
    """All columns of parameters and outputs, with chains concatenated, and their weights."""
    values, weights, names = [], [], None
    for path in sorted(pathlib.Path(folder).glob("chain-*.csv")):
        with open(path) as file:
            reader = csv.reader(line for line in file if not line.startswith("#"))
            header = next(reader)
            rows = numpy.array([[float(v) for v in row] for row in reader])
        keep = [k for k, name in enumerate(header) if not name.endswith("__")]
        if not numpy.isfinite(rows[:, keep]).all():
            raise RuntimeError(f"{path.name} has numbers that are not finite")
        names = [header[k] for k in keep]
        values.append(rows[:, keep])
        weights.append(rows[:, header.index("weight__")] if "weight__" in header else numpy.ones(len(rows)))
    return names, numpy.concatenate(values), numpy.concatenate(weights)


def moments(folder):
    names, values, weights = draws_of(folder)
    mean = numpy.average(values, axis=0, weights=weights)
    return names, mean, numpy.sqrt(numpy.average((values - mean) ** 2, axis=0, weights=weights))


def log_loss(folder):
    """Log loss of the posterior predictive: minus the mean over held-out rows of the log mean density over draws."""
    names, values, weights = draws_of(folder)
    log_density = values[:, [k for k, name in enumerate(names) if name.startswith("log_density")]]
    top = log_density.max(0)
    return -float(numpy.mean(top + numpy.log(numpy.average(numpy.exp(log_density - top), axis=0, weights=weights))))


def method_of(folder):
    record = json.loads((pathlib.Path(folder) / "run.json").read_text())
    return record["options"]["method"], record.get("tuning", {}).get("seconds", 0.0), len(record.get("step_reductions", []))


def covertype_reference(options):
    path = options.reference / "covertype-logistic-laplace.json"
    if not path.exists():
        raise Absent(str(path))
    known = json.loads(path.read_text())
    return {name: numpy.array(known[name]) for name in ("mean", "sd", "covariance")}


def nuts_reference(options, name, maker, model, arguments, folder):
    if maker.reference:
        arguments, scales = maker.reference
    seconds = run(options.program, model, arguments, folder / "nuts", "--method", "nuts", "--chains", "2", "--warmup", "500",
                  "--iterations", str(options.nuts_iterations), *(DENSE_NUTS if name == "a9a" else []))
    names, mean, sd = moments(folder / "nuts")
    if maker.reference:
        by = numpy.array([scales[int(name.split(".")[1]) - 1] if name.startswith("beta.") else 1.0 for name in names])
        mean, sd = mean / by, sd / by
    return mean, sd, seconds


def race(options, model, arguments, folder, known, seconds):
    """The default command on covertype, with its time, then NUTS on all rows on the same machine."""
    def result(of):
        _, values, weights = draws_of(folder / of)
        covariance = numpy.cov(values.T, aweights=weights)
        ratio = numpy.sqrt(numpy.diag(covariance)) / known["sd"]
        shift = numpy.abs(numpy.average(values, axis=0, weights=weights) - known["mean"]) / known["sd"]
        error = numpy.abs(covariance - known["covariance"]).sum() / numpy.abs(known["covariance"]).sum()
        return (f"E2 {error:.3f}, sds {ratio.min():.3f} to {ratio.max():.3f} of the reference's, "
                f"means at most {shift.max():.3f} sd off")
    tuning = method_of(folder / "auto")[1]
    said = (f"\nCovertype, all rows: the default command, reading and writing included, {seconds:.1f} s, {tuning:.1f} of them "
            f"tuning: {result('auto')}.")
    if options.race_draws > 0:
        nuts = run(options.program, model, arguments, folder / "nuts", "--method", "nuts", "--chains", "1", *DENSE_NUTS,
                   "--iterations", str(options.race_draws))
        said += (f" NUTS on all rows on the same two cores, in units of the curvature at the mode, its usual warm-up and "
                 f"{options.race_draws} draws, {nuts:.0f} s ({nuts / seconds:.0f} times as long): {result('nuts')}.")
    return said


def held_out(options, name, model, arguments, folder):
    best = None
    for method, steps in HELD_OUT[name].items():
        warmup, iterations = HELD_OUT_LENGTHS[method]
        like = ["--batch-size", "500", "--chains", "4", "--warmup", str(warmup), "--iterations", str(iterations), "--thin",
                str(iterations // 500)]
        for step in steps:
            try:
                run(options.program, model, arguments, folder / "grid", "--method", method, "--step-size", str(step), "--outputs",
                    "all", "--recoveries", "0", *like)
            except RuntimeError:
                continue
            loss = log_loss(folder / "grid")
            print(f"tuning_table: {name}, {method} {step:g}: {loss:.4f}", file=sys.stderr)
            if best is None or loss < best[0]:
                best = (loss, f"{method} {step:g}")
    return best


def row_of(options, name):
    """The cells of a model's row, and the text below the table."""
    folder = options.work / name
    folder.mkdir(parents=True, exist_ok=True)
    maker = Maker(options.data, folder, options.rows)
    model, arguments = getattr(maker, name)()
    model = str(MODELS / model)
    if name in HELD_OUT:
        seconds = run(options.program, model, arguments, folder / "auto", "--outputs", "all")
        loss = log_loss(folder / "auto")
        method, tuning, back = method_of(folder / "auto")
        best = held_out(options, name, model, arguments, folder)
        holds = best is None or loss <= best[0]
        beside = "no step of the grid worked" if best is None else f"{best[0]:.4f} ({best[1]})"
        return [TITLES[name], f"`{method}`", f"held-out loss {loss:.4f}; grid {beside}", "", f"{tuning:.1f}", f"{seconds:.1f}", "",
                "yes" if holds else "**no**"], ""
    known = covertype_reference(options) if name == "covertype" else None
    seconds = run(options.program, model, arguments, folder / "auto")
    names, mean, sd = moments(folder / "auto")
    method, tuning, back = method_of(folder / "auto")
    if known:
        reference_mean, reference_sd, nuts_seconds = known["mean"], known["sd"], None
    else:
        reference_mean, reference_sd, nuts_seconds = nuts_reference(options, name, maker, model, arguments, folder)
    ratio = sd / reference_sd
    shift = numpy.abs(mean - reference_mean) / reference_sd
    off = statistics.median(abs(r - 1) for r in ratio)
    said = race(options, model, arguments, folder, known, seconds) if known else ""
    return [TITLES[name], f"`{method}`", f"{statistics.median(ratio):.3f} ({ratio.min():.2f} to {ratio.max():.2f})",
            f"{statistics.median(shift):.2f} ({shift.max():.2f})", f"{tuning:.1f}", f"{seconds:.1f}",
            "below" if nuts_seconds is None else f"{nuts_seconds:.1f}", "yes" if off <= 0.1 else "**no**"], said


def times_beside(options, name):
    """The default command by the two programs, alternating: the shortest time of each."""
    folder = options.work / name
    folder.mkdir(parents=True, exist_ok=True)
    model, arguments = getattr(Maker(options.data, folder, options.rows), name)()
    programs = {"this": options.program, "other": options.beside}
    seconds = {of: [] for of in programs}
    for _ in range(options.turns):
        for of, program in programs.items():
            seconds[of].append(run(program, str(MODELS / model), arguments, folder / of))
    here, there = min(seconds["this"]), min(seconds["other"])
    return here, there, method_of(folder / "this")[0], method_of(folder / "other")[0]


def print_times(options):
    print("| model | method | in all, s | other program: method | in all, s | ratio |\n|---|---|---|---|---|---|", flush=True)
    total = [0.0, 0.0]
    for name in options.only.split(","):
        try:
            here, there, method, other = times_beside(options, name)
        except Absent as absent:
            print(f"tuning_table: {name} SKIPPED: {absent} is not there", file=sys.stderr)
            continue
        total[0] += here
        total[1] += there
        print(f"| {TITLES[name]} | `{method}` | {here:.2f} | `{other}` | {there:.2f} | {here / there:.2f} |", flush=True)
    print(f"| all | | {total[0]:.2f} | | {total[1]:.2f} | {total[0] / max(total[1], 1e-9):.2f} |")


def write_table(head, rows, below):
    """Keeps rows that were not recomputed, and the text below them."""
    page = ROOT / "docs" / "tuning.md"
    before, rest = page.read_text().split(BEGIN)
    old, after = rest.split(END)
    old_rows = {line.split("|")[1].strip(): line for line in old.splitlines() if line.startswith("| ")}
    lines = head + [row for row in (rows.get(title, old_rows.get(title)) for title in TITLES.values()) if row]
    said = [line for line in old.strip().splitlines() if not line.startswith("|")]
    lines.append(below or "\n".join(said))
    page.write_text(before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "sgmcmc"))
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--reference", type=pathlib.Path, default=ROOT.parent / "shared" / "reference")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "tuning_table", help="folder for data and draws")
    parser.add_argument("--rows", type=int, default=50_000, help="of the models whose data are made up")
    parser.add_argument("--nuts-iterations", type=int, default=1000)
    parser.add_argument("--race-draws", type=int, default=100, help="of NUTS on covertype; 0: it is not run there")
    parser.add_argument("--only", default=",".join(TITLES))
    parser.add_argument("--write", action="store_true", help="put the rows into the table of docs/tuning.md")
    parser.add_argument("--beside", metavar="PROGRAM", help="only time the default command, beside this other program")
    parser.add_argument("--turns", type=int, default=3, help="of each program with --beside")
    options = parser.parse_args()
    if options.beside:
        print_times(options)
        return 0
    head = ["| model | method | sd / sd of NUTS: median (range) | mean off, in sds: median (most) | tuning, s | in all, s | NUTS, s | "
            "within 10 % |", "|---|---|---|---|---|---|---|---|"]
    print("\n".join(head), flush=True)
    failed, below, rows = 0, "", {}
    for name in options.only.split(","):
        try:
            cells, said = row_of(options, name)
            below += said
            failed += cells[-1] != "yes"
        except Absent as absent:
            cells = [TITLES[name], "", f"not run: {absent} is not there", "", "", "", "", ""]
            print(f"tuning_table: {name} SKIPPED: {absent} is not there", file=sys.stderr)
        except RuntimeError as error:
            cells = [TITLES[name], "", f"failed: {error}", "", "", "", "", "**no**"]
            failed += 1
        rows[TITLES[name]] = "| " + " | ".join(cells) + " |"
        print(rows[TITLES[name]], flush=True)
    if below:
        print(below)
    if options.write:
        write_table(head, rows, below)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

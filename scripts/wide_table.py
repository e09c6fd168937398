#!/usr/bin/env python3
"""The default command on models with thousands of coefficients, and on shrinkage priors, beside long exact runs: makes the
table of docs/wide.md.

    scripts/wide_table.py --program build/sgmcmc --data ../shared/data [--only NAME,...] [--reference FOLDER]

A reference is NAME.npz with `mean` and `sd`, in the order of the columns of draws; one that is missing is made by the program
(`hmc` or `nuts`, several times the draws, another seed), which takes hours, and kept. --write puts the table into docs/wide.md.
"""
import argparse
import json
import pathlib
import sys

import numpy

from tuning_table import Absent, ROOT, method_of, moments, opened, run

MODELS = ROOT / "examples" / "wide"
PAGE = ROOT / "docs" / "wide.md"
BEGIN, END = "<!-- table: scripts/wide_table.py -->", "<!-- end of table -->"
HMC = ["--method", "hmc", "--precondition", "low-rank", "--iterations", "3000", "--warmup", "200", "--seed", "77"]
NUTS = ["--method", "nuts", "--target-acceptance", "0.98", "--max-tree-depth", "12", "--iterations", "4000", "--seed", "77"]


def sparse(folder, rows, columns, seed, counts=False):
    """Words of documents: forty draws per row from features with Zipf's distribution."""
    path = folder / "rows.svm"
    if path.exists():
        return ["--data", str(path)]
    random = numpy.random.default_rng(seed)
    weights = 1 / numpy.arange(1, columns + 1)
    edges = numpy.cumsum(weights / weights.sum())
    beta = 0.5 * random.standard_normal(columns)
    features, predictor = [], numpy.zeros(rows)
    for i in range(rows):
        row = numpy.unique(numpy.searchsorted(edges, random.random(40)).clip(0, columns - 1))
        features.append(row)
        predictor[i] = beta[row].sum()
    predictor -= predictor.mean()
    predictor /= max(1, predictor.std() / 1.5)
    if counts:
        y = random.poisson(numpy.exp(0.5 * predictor))
    else:
        y = random.random(rows) < 1 / (1 + numpy.exp(0.3 - predictor))
    with open(path, "w") as file:
        for outcome, row in zip(y.astype(int), features):
            file.write(f"{outcome} " + " ".join(f"{j + 1}:1" for j in row) + "\n")
    return ["--data", str(path)]


def arrays(folder, **values):
    (folder / "sizes.json").write_text(json.dumps({k: v for k, v in values.items() if isinstance(v, int)}))
    arguments = ["--data", str(folder / "sizes.json")]
    for name, value in values.items():
        if isinstance(value, numpy.ndarray):
            numpy.save(folder / f"{name}.npy", value)
            arguments += ["--data", f"{name}={folder / (name + '.npy')}"]
    return arguments


def dense(folder):
    random = numpy.random.default_rng(3)
    x = random.standard_normal((100_000, 2000)).astype(numpy.float32)
    beta = 0.05 * random.standard_normal(2000)
    y = random.random(len(x)) < 1 / (1 + numpy.exp(-(x @ beta + 0.2)))
    return arrays(folder, N=len(x), P=2000, X=x, y=y.astype(numpy.int32))


def mnist(folder, data):
    def idx(name, offset):
        with opened(data / "mnist" / name) as file:
            return numpy.frombuffer(file.read(), dtype=numpy.uint8, offset=offset)

    x = (idx("train-images-idx3-ubyte.gz", 16).reshape(-1, 784) / numpy.float32(255)).astype(numpy.float32)
    y = idx("train-labels-idx1-ubyte.gz", 8).astype(numpy.int32) + 1
    return arrays(folder, N=len(x), P=784, K=10, X=x, y=y)


def shrinkage(folder, rows):
    random = numpy.random.default_rng(4)
    x = random.standard_normal((rows, 60))
    beta = numpy.zeros(60)
    beta[:5] = [1.5, -1, 0.8, 0.5, -0.3]
    y = x @ beta + 0.7 + 2 * random.standard_normal(rows)
    return arrays(folder, N=rows, P=60, X=x, y=y)


# Title, model, data, and the reference.
SETTINGS = {
    "sparse": ("sparse logistic, 50,000 x 8,000", "logistic.stan", lambda f, d: sparse(f, 50_000, 8000, 1), HMC),
    "huge": ("sparse logistic, 500,000 x 50,000", "logistic.stan", lambda f, d: sparse(f, 500_000, 50_000, 11), HMC),
    "dense": ("dense logistic, 100,000 x 2,000", "logistic.stan", lambda f, d: dense(f), HMC),
    "mnist": ("softmax, MNIST, 10 x 784", "softmax.stan", mnist, HMC),
    "counts": ("sparse Poisson, 50,000 x 5,000", "poisson.stan", lambda f, d: sparse(f, 50_000, 5000, 2, True), HMC),
    "horseshoe": ("horseshoe, 20,000 x 60", "horseshoe.stan", lambda f, d: shrinkage(f, 20_000), NUTS),
    "horseshoe-large": ("horseshoe, 500,000 x 60", "horseshoe.stan", lambda f, d: shrinkage(f, 500_000), NUTS),
    "regularised": ("regularised horseshoe, 20,000 x 60", "regularised.stan", lambda f, d: shrinkage(f, 20_000), NUTS),
    "regularised-large": ("regularised horseshoe, 500,000 x 60", "regularised.stan", lambda f, d: shrinkage(f, 500_000), NUTS),
}
# For shrinkage priors: the quantities of the regression, not the heavy-tailed scales of single coefficients.
COMPARED = {"horseshoe.stan": ("alpha", "beta", "tau", "sigma"), "regularised.stan": ("alpha", "beta", "tau", "sigma")}


def reference_of(options, name, model, arguments, how, folder):
    path = options.reference / f"{name}.npz"
    if not path.exists():
        run(options.program, model, arguments, folder / "reference", *how)
        names, mean, sd = moments(folder / "reference")
        options.reference.mkdir(parents=True, exist_ok=True)
        numpy.savez(path, names=names, mean=mean, sd=sd)
    known = numpy.load(path)
    return known["mean"], known["sd"]


def row_of(options, name):
    title, model, make, how = SETTINGS[name]
    folder = options.work / name
    folder.mkdir(parents=True, exist_ok=True)
    arguments = make(folder, options.data)
    path = str(MODELS / model)
    seconds = run(options.program, path, arguments, folder / "auto")
    names, mean, sd = moments(folder / "auto")
    reference_mean, reference_sd = reference_of(options, name, path, arguments, how, folder)
    keep = [k for k, column in enumerate(names) if model not in COMPARED or column.split(".")[0] in COMPARED[model]]
    ratio = numpy.abs(sd / reference_sd - 1)[keep]
    shift = (numpy.abs(mean - reference_mean) / reference_sd)[keep]
    found = [float(v) for v in (numpy.median(ratio), numpy.quantile(ratio, 0.99), numpy.quantile(shift, 0.99))]
    holds = found[0] <= 0.1 and found[1] <= 0.2 and found[2] <= 0.2
    return [title, f"`{method_of(folder / 'auto')[0]}`", f"{seconds:.0f}", f"{100 * found[0]:.1f} %", f"{100 * found[1]:.1f} %",
            f"{found[2]:.2f}", "yes" if holds else "**no**"]


def write_table(head, rows):
    before, rest = PAGE.read_text().split(BEGIN)
    old, after = rest.split(END)
    kept = {line.split("|")[1].strip(): line for line in old.splitlines() if line.startswith("| ")}
    lines = head + [rows.get(s[0], kept.get(s[0])) for s in SETTINGS.values() if s[0] in rows or s[0] in kept]
    PAGE.write_text(before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "sgmcmc"))
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--reference", type=pathlib.Path, default=ROOT / "build" / "wide_table" / "references")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "wide_table", help="folder for data and draws")
    parser.add_argument("--only", default=",".join(SETTINGS))
    parser.add_argument("--write", action="store_true", help="put the rows into the table of docs/wide.md")
    options = parser.parse_args()
    head = ["| model | method | in all, s | sds off: median | 99 in 100 | means off, in sds: 99 in 100 | within limits |",
            "|---|---|---|---|---|---|---|"]
    print("\n".join(head), flush=True)
    failed, rows = 0, {}
    for name in options.only.split(","):
        try:
            cells = row_of(options, name)
        except Absent as absent:
            print(f"wide_table: {name} SKIPPED: {absent} is not there", file=sys.stderr)
            continue
        except RuntimeError as error:
            cells = [SETTINGS[name][0], "", "", "", "", f"failed: {error}", "**no**"]
        failed += cells[-1] != "yes"
        rows[cells[0]] = "| " + " | ".join(cells) + " |"
        print(rows[cells[0]], flush=True)
    if options.write:
        write_table(head, rows)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Writes models/reference/NAME.json: posterior means and standard deviations that samplers are compared with.

Closed forms where there are some; else long runs of NUTS by rstan 2.21 (Debian: r-cran-rstan, r-cran-bh, r-cran-posterior), with
their Monte Carlo errors. Needed only to make the files anew: make_reference.py [NAME...]
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "stan"))
from make_fixtures import for_old_stan  # noqa: E402


def data_of(name):
    return json.loads((HERE / f"{name}.json").read_text())


def exact(moments):
    return {"source": "closed form",
            "parameters": [{"name": n, "mean": m, "sd": s, "mcse_mean": 0, "mcse_sd": 0} for n, m, s in moments]}


def correlated_gaussian():
    data = data_of("correlated_gaussian")
    return exact([(f"x[{k + 1}]", m, math.sqrt(data["Sigma"][k][k])) for k, m in enumerate(data["mu"])])


def banana():
    b = data_of("banana")["b"]
    return exact([("x", 0, 10), ("y", 0, math.sqrt(1 + 2 * (100 * b) ** 2))])


def funnel_small():
    deviation = math.exp(0.25)  # E exp(v) = exp(1/2)
    return exact([("v", 0, 1)] + [(f"x[{d + 1}]", 0, deviation) for d in range(data_of("funnel_small")["D"])])


def proportions():
    data = data_of("proportions")
    counts = [a + data["y"].count(k + 1) for k, a in enumerate(data["alpha"])]
    total = sum(counts)
    return exact([(f"theta[{k + 1}]", c / total, math.sqrt(c * (total - c) / (total * total * (total + 1))))
                  for k, c in enumerate(counts)])


CLOSED = {f.__name__: f for f in (correlated_gaussian, banana, funnel_small, proportions)}
LONG_RUNS = ["autoregression", "covariance", "eight_schools_noncentred", "gaussian_mixture", "item_response",
             "linear_regression", "logistic_regression", "poisson_regression", "radon"]

R_PROGRAM = """
suppressMessages({library(rstan); library(posterior)})
rstan_options(boost_lib = "/usr/include")  # Debian keeps Boost there
arguments <- commandArgs(trailingOnly = TRUE)
data <- jsonlite::fromJSON(arguments[2])
fit <- stan(arguments[1], data = data, chains = 4, cores = 1, warmup = 2000, iter = 22000, seed = 20261, refresh = 0,
            control = list(adapt_delta = 0.95))
table <- summarise_draws(as_draws_array(fit), mean, sd, mcse_mean, mcse_sd)
table <- table[table$variable != "lp__" & is.finite(table$mcse_mean) & is.finite(table$mcse_sd), ]
write(jsonlite::toJSON(table, digits = 10), arguments[3])
"""


def long_run(name):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / f"{name}.stan").write_text(for_old_stan((HERE / f"{name}.stan").read_text()))
        (folder / "run.R").write_text(R_PROGRAM)
        subprocess.run(["Rscript", folder / "run.R", folder / f"{name}.stan", HERE / f"{name}.json",
                        folder / "moments.json"], check=True)
        rows = json.loads((folder / "moments.json").read_text())
    return {"source": "NUTS of rstan 2.21, 4 chains of 20,000 draws",
            "parameters": [{"name": row["variable"], "mean": row["mean"], "sd": row["sd"],
                            "mcse_mean": row["mcse_mean"], "mcse_sd": row["mcse_sd"]} for row in rows]}


def main():
    for name in sys.argv[1:] or [*CLOSED, *LONG_RUNS]:
        reference = CLOSED[name]() if name in CLOSED else long_run(name)
        lines = ",\n    ".join(json.dumps(row) for row in reference["parameters"])
        (HERE / "reference" / f"{name}.json").write_text(
            f'{{\n  "source": {json.dumps(reference["source"])},\n  "parameters": [\n    {lines}\n  ]\n}}\n')
        print(name, len(reference["parameters"]))


if __name__ == "__main__":
    main()

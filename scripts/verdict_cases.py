"""Runs with a known verdict, correct and biased ones: the second part of verdict_table.py.

A case is a model, data and settings of `sgmcmc sample`. The truth is a long run of nuts, or known in closed form; a posterior
that does not exist has none.
"""
import math
import random

NORMAL_MEAN = """
data { int N; vector[N] y; }
parameters { real mu; real<lower=0> sigma; }
model { mu ~ normal(0, 10); sigma ~ normal(0, 5); y ~ normal(mu, sigma); }
"""

REGRESSION = """
data { int N; int K; matrix[N, K] X; array[N] int<lower=0, upper=1> y; }
parameters { real alpha; vector[K] beta; }
model { alpha ~ normal(0, 5); beta ~ normal(0, 2.5); y ~ bernoulli_logit(alpha + X * beta); }
"""

FLAT_REGRESSION = """
data { int N; int K; matrix[N, K] X; array[N] int<lower=0, upper=1> y; }
parameters { real alpha; vector[K] beta; }
model { y ~ bernoulli_logit(alpha + X * beta); }
"""

FLAT_LINEAR = """
data { int N; int K; matrix[N, K] X; vector[N] y; }
parameters { vector[K] beta; real<lower=0> sigma; }
model { y ~ normal(X * beta, sigma); }
"""

FLAT_SOFTMAX = """
data { int N; int K; matrix[N, 2] X; array[N] int<lower=1, upper=K> y; }
parameters { matrix[K, 2] beta; }
model { for (n in 1:N) y[n] ~ categorical_logit(beta * X[n]'); }
"""

TWO_MODES = """
data { real weight; real gap; real width; }
parameters { real theta; }
model { target += log_mix(weight, normal_lpdf(theta | -gap, 1), normal_lpdf(theta | gap, width)); }
"""

TWO_MODES_OF_ROWS = """
data { int N; vector[N] y; }
parameters { real a; }
model { a ~ normal(0, 3); y ~ normal(square(a), 1); }
"""

UNLABELLED_MIXTURE = """
data { int N; vector[N] y; }
parameters { vector[2] mu; real<lower=0, upper=1> share; }
model {
  mu ~ normal(0, 5);
  for (n in 1:N) target += log_mix(share, normal_lpdf(y[n] | mu[1], 1), normal_lpdf(y[n] | mu[2], 1));
}
"""

FUNNEL = """
parameters { real v; vector[9] x; }
model { v ~ normal(0, 3); x ~ normal(0, exp(v / 2)); }
"""

GROUPS = """
data { int N; int J; array[N] int<lower=1, upper=J> group; vector[N] y; }
parameters { real mu; real<lower=0> tau; vector[J] theta; real<lower=0> sigma; }
model {
  mu ~ normal(0, 5); tau ~ normal(0, 5); sigma ~ normal(0, 5);
  theta ~ normal(mu, tau);
  y ~ normal(theta[group], sigma);
}
"""

CAUCHY = "parameters { vector[3] theta; } model { theta ~ cauchy(0, 1); }"
STUDENT = "parameters { vector[3] theta; } model { theta ~ student_t(3, 0, 1); }"

FACTOR = """
data { int N; int K; matrix[N, K] Y; }
parameters { vector[K] loading; vector[N] score; real<lower=0> sigma; }
model {
  loading ~ normal(0, 1); score ~ normal(0, 1); sigma ~ normal(0, 1);
  for (n in 1:N) Y[n]' ~ normal(loading * score[n], sigma);
}
"""


def normal_data():
    r = random.Random(3)
    return {"N": 5000, "y": [round(r.gauss(1.5, 2), 4) for _ in range(5000)]}


def regression_data(rare=False, separated=False, twin=False):
    r = random.Random(11)
    rows, y = [], []
    for i in range(4000):
        x = [r.gauss(0, 1) for _ in range(4)]
        if rare:
            x[3] = float(i % 800 == 0)  # five rows
        if twin:
            x[3] = x[2]
        rows.append([round(v, 4) for v in x])
        predictor = 0.8 * x[0] - 0.5 * x[1] + 0.3 * x[2] - 0.2
        y.append(int(x[0] > 0.1) if separated else int(r.random() < 1 / (1 + math.exp(-predictor))))
    return {"N": len(rows), "K": 4, "X": rows, "y": y}


def linear_data():
    r = random.Random(5)
    x = [[round(r.gauss(0, 1), 4) for _ in range(2)] for _ in range(2000)]
    x = [[a, b, round(a - b, 4)] for a, b in x]
    return {"N": len(x), "K": 3, "X": x, "y": [round(a + 0.5 * b + r.gauss(0, 1), 4) for a, b, _ in x]}


def softmax_data():
    r = random.Random(9)
    x = [[1.0, round(r.gauss(0, 1), 4)] for _ in range(2000)]
    return {"N": len(x), "K": 3, "X": x, "y": [max(range(3), key=lambda k: 0.5 * k * row[1] + r.gauss(0, 1)) + 1 for row in x]}


def squares_data():
    r = random.Random(8)
    return {"N": 400, "y": [round(4 + r.gauss(0, 1), 4) for _ in range(400)]}


def mixture_data():
    r = random.Random(6)
    return {"N": 1500, "y": [round(r.gauss(-2 if r.random() < 0.4 else 2, 1), 4) for _ in range(1500)]}


def group_data():
    r = random.Random(12)
    effects = [r.gauss(1, 0.3) for _ in range(8)]
    group = [i % 8 + 1 for i in range(160)]
    return {"N": 160, "J": 8, "group": group, "y": [round(r.gauss(effects[g - 1], 2), 4) for g in group]}


def factor_data():
    r = random.Random(13)
    scores = [r.gauss(0, 1) for _ in range(60)]
    return {"N": 60, "K": 4, "Y": [[round(l * s + r.gauss(0, 0.5), 4) for l in (0.9, 0.7, -0.6, 0.5)] for s in scores]}


def symmetric(columns, mean, sd):
    return {name: (mean, sd) for name in columns}


def two_modes(weight, gap, width):
    mean = gap * (1 - 2 * weight)
    second = weight * (1 + gap ** 2) + (1 - weight) * (width ** 2 + gap ** 2)
    return {"theta": (mean, math.sqrt(second - mean ** 2))}


NUTS = "nuts"  # the truth is a long run
NONE = None    # there is no posterior
LONG = ["--iterations", "40000", "--warmup", "4000", "--thin", "10"]
# Kills the run with SIGKILL once its first chain has written some draws. A killed run is judged by diagnose, as it is.
KILLED, RESUMED = "killed", "killed and resumed"
SLOWLY = ["--method", "sgld-cv", "--step-size", "1e-5", "--iterations", "200000", "--thin", "100", "--checkpoint-every", "0.1"]
SHALLOW = ["--method", "nuts", "--max-tree-depth", "6"]  # without the limit, minutes along a direction without end
# Name, model, data, truth, and the settings to try.
CASES = {
    "regression": (REGRESSION, regression_data, NUTS, [
        [], ["--method", "sgld", "--step-size", "auto"], ["--method", "sgld-cv", "--step-size", "auto"],
        ["--method", "sghmc", "--step-size", "auto"], ["--method", "sghmc-cv", "--step-size", "auto"],
        ["--method", "sgnht", "--step-size", "auto"], ["--method", "sgnht-cv", "--step-size", "auto"],
        ["--method", "psgld", "--step-size", "auto"], ["--method", "psgld-cv", "--step-size", "auto"], ["--method", "sglm-cv"],
        ["--method", "hamcmc-cv", "--step-size", "auto"], ["--method", "sgld-saga", "--step-size", "auto"],
        ["--method", "sgld-svrg", "--step-size", "auto"], ["--method", "sgfs-full"], ["--method", "sgfs-full", "--warmup", "2000"],
        ["--method", "sgfs-diagonal", "--warmup", "2000"], ["--method", "nuts"], ["--method", "hmc"], ["--method", "mala"],
        ["--method", "laplace"], ["--method", "hmc-ecs"],
        ["--method", "sghmc", "--step-size", "1e-3", *LONG], ["--method", "sghmc-cv", "--step-size", "3e-4", *LONG],
        ["--method", "sgnht", "--step-size", "1e-2", *LONG], ["--method", "psgld", "--step-size", "1e-1", *LONG],
        ["--method", "sgld", "--step-size", "1e-3", *LONG], ["--method", "sgld", "--step-size", "1e-7", "--iterations", "20000"],
        ["--method", "sgld", "--step-size", "1e-5", "--iterations", "2000"],
        ["--method", "nuts", "--warmup", "20", "--iterations", "50"], ["--method", "nuts", "--iterations", "30"],
        ["--method", "mala", "--warmup", "10", "--iterations", "300"],
        ["--method", "sgfs-full", "--warmup", "0"], ["--method", "sgld", "--step-size", "1e-5", "--warmup", "0"],
        ["--method", "sghmc", "--step-size", "1e-5", "--initial-radius", "8"],
        ["--method", "sghmc", "--step-size", "1e-5", "--initial-radius", "8", "--warmup", "0"],
        [KILLED, *SLOWLY, "--threads", "1"], [RESUMED, *SLOWLY, "--threads", "1"], [RESUMED, *SLOWLY],
        [RESUMED, "--method", "sghmc", "--step-size", "1e-3", "--thin", "100", *SLOWLY[-2:], "--iterations", "100000"],
        [KILLED, "--method", "nuts", "--iterations", "100000", *SLOWLY[-2:]],
        [RESUMED, "--method", "nuts", "--iterations", "10000", *SLOWLY[-2:]]]),
    "rare level": (REGRESSION, lambda: regression_data(rare=True), NUTS, [
        [], ["--method", "sgld", "--step-size", "auto"], ["--method", "sgld-cv", "--step-size", "auto"],
        ["--method", "sgld", "--step-size", "3e-4", *LONG], ["--method", "sgld-cv", "--step-size", "3e-4", *LONG]]),
    "mean and scale": (NORMAL_MEAN, normal_data, NUTS, [
        [], ["--method", "sgld", "--step-size", "auto"], ["--method", "sgld-cv", "--step-size", "3e-4", *LONG]]),
    "two modes, 0.8 and 0.2": (TWO_MODES, lambda: {"weight": 0.8, "gap": 6.0, "width": 1.0}, two_modes(0.8, 6, 1),
                               [[], ["--method", "nuts", "--seed", "5"]]),
    "two modes, one wide": (TWO_MODES, lambda: {"weight": 0.3, "gap": 8.0, "width": 3.0}, two_modes(0.3, 8, 3), [[]]),
    "two modes, close": (TWO_MODES, lambda: {"weight": 0.6, "gap": 1.8, "width": 1.0}, two_modes(0.6, 1.8, 1), [[]]),
    "two signs": (TWO_MODES_OF_ROWS, squares_data, {"a": (0.0, 2.0)}, [[], ["--method", "sgld-cv", "--step-size", "auto"]]),
    "labels": (UNLABELLED_MIXTURE, mixture_data, {"mu[1]": (0.0, 2.0), "mu[2]": (0.0, 2.0)}, [
        [], ["--method", "sgld", "--step-size", "auto"], ["--method", "nuts", "--chains", "1"]]),
    "factor": (FACTOR, factor_data, {f"loading[{k + 1}]": (0.0, abs(l)) for k, l in enumerate((0.9, 0.7, -0.6, 0.5))},
               [[], ["--method", "nuts", "--chains", "1"]]),
    "funnel": (FUNNEL, dict, {"v": (0.0, 3.0)}, [[], ["--method", "hmc"], ["--method", "sgld", "--step-size", "1e-2", *LONG]]),
    "eight groups": (GROUPS, group_data, NUTS, [[], ["--method", "sgld", "--step-size", "auto"], ["--method", "laplace"]]),
    "heavy tails": (CAUCHY, dict, NONE, [[], ["--method", "hmc"]]),
    "student": (STUDENT, dict, symmetric((f"theta[{k}]" for k in (1, 2, 3)), 0.0, math.sqrt(3)), [[], ["--method", "laplace"]]),
    "separated": (FLAT_REGRESSION, lambda: regression_data(separated=True), NONE, [SHALLOW, ["--method", "sgld", "--step-size", "auto"]]),
    "equal columns": (FLAT_REGRESSION, lambda: regression_data(twin=True), NONE, [SHALLOW, ["--method", "sgld-cv", "--step-size", "auto"]]),
    "collinear": (FLAT_LINEAR, linear_data, NONE, [[], ["--method", "nuts"]]),
    "flat softmax": (FLAT_SOFTMAX, softmax_data, NONE, [SHALLOW, ["--method", "sgld", "--step-size", "auto"]]),
}

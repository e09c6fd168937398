"""A logistic regression and its data, for several tests."""

import warnings

import numpy as np

MODEL = """
data { int N; int K; matrix[N, K] X; array[N] int<lower=0, upper=1> y; }
parameters { vector[K] beta; real<lower=0> scale; }
model {
  beta ~ normal(0, scale);
  scale ~ normal(0, 2);
  y ~ bernoulli_logit(X * beta);
}
generated quantities { matrix[2, K] twice = rep_matrix(2 * beta', 2); }
"""


def data(rows=1000):
    random = np.random.default_rng(1)
    x = random.normal(size=(rows, 3))
    return {"X": x, "y": (random.random(rows) < 1 / (1 + np.exp(-x @ [1, -0.5, 0]))).astype(int)}


def quietly(function, *arguments, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **settings)

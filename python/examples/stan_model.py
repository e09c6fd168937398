"""A model in the Stan language: draws, whether to trust them, and the log density."""

import numpy as np

import sgmcmc as sg

random = np.random.default_rng(1)
X = random.normal(size=(2000, 3))
y = random.random(2000) < 1 / (1 + np.exp(-X @ np.array([1.0, -0.5, 0.0])))

model = sg.StanModel(code="""
data { int N; int K; matrix[N, K] X; array[N] int<lower=0, upper=1> y; }
parameters { vector[K] beta; }
model {
  beta ~ normal(0, 2);
  y ~ bernoulli_logit(X * beta);
}
""")
bound = model.bind({"X": X, "y": y})
run = bound.sample(method="nuts", iterations=300, warmup=300, blocking=False)
fit = run.wait()
assert fit is not None
print(fit.verdict, fit["beta"].shape, fit.summary()["beta[1]"]["mean"])

mode = bound.optimize()
value, gradient = bound.log_density_gradient(mode.theta)
print(mode["beta"], value, gradient)

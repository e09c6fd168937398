"""A model in Python: heights by group, with a chain that is stepped by hand."""

import numpy as np

import sgmcmc as sg

random = np.random.default_rng(2)
group = random.integers(0, 10, size=3000)
height = random.normal(group / 10, 1.0)


@sg.model(mean=sg.vector(10), spread=sg.real(lower=0), noise=sg.real(lower=0),
          prior=lambda mean, spread, noise: (sg.normal_lpdf(mean, 0, spread).sum() + sg.half_normal_lpdf(spread, 1)
                                             + sg.half_normal_lpdf(noise, 2)))
def heights(row: sg.Row, mean: sg.Expression, noise: sg.Expression) -> sg.Expression:
    location = mean[row.group]
    result: sg.Expression = sg.normal_lpdf(row.height, location, noise)
    return result


bound = heights.bind({"height": height, "group": group})
fit = bound.sample(method="nuts", iterations=200, warmup=200)
print(fit.verdict)

chain = sg.sgld(bound, step_size=1e-5, estimator="cv").init(seed=1).step(100)
print(chain.values["mean"], chain.log_density)

"""Likelihoods whose gradients are computed by user-defined functions, compared with the same models as expressions."""

import gc
import pickle
import subprocess
import sys
import unittest

import numpy as np

import sgmcmc as sg
from logistic import data, quietly

PRIOR = {"beta": sg.vector(3), "prior": lambda beta: sg.normal_lpdf(beta, 0, 2)}


@sg.model(**PRIOR)
def by_expression(row, beta):
    return sg.bernoulli_logit_lpmf(row.y, row.X @ beta)


def _each(batch, beta):
    eta = batch.X @ beta
    return batch.y * eta - np.logaddexp(0, eta), (batch.y - 1 / (1 + np.exp(-eta)))[:, None] * batch.X


@sg.model(gradient=True, **PRIOR)
def by_sums(batch, beta):
    values, gradients = _each(batch, beta)
    return values.sum(), gradients.sum(axis=0)


@sg.model(gradient=True, **PRIOR)
def by_rows(batch, beta):
    return _each(batch, beta)


@sg.model(gradient=True, mean=sg.real(), sd=sg.real(lower=0), shares=sg.simplex(3), prior=lambda mean, sd: sg.normal_lpdf(mean, 0, 5) + sg.normal_lpdf(sd, 0, 5))
def normal(batch, sd, mean):  # neither in order nor all
    z = (batch["y"] - mean) / sd
    return -0.5 * (z**2).sum() - len(batch) * np.log(sd), {"mean": z.sum() / sd, "sd": ((z**2).sum() - len(batch)) / sd}


class Gradients(unittest.TestCase):
    def setUp(self):
        self.data = data(400)

    def test_density_and_draws_are_those_of_the_expression(self):
        expected = by_expression.bind(self.data)
        for function in (by_sums, by_rows):
            bound = function.bind(self.data)
            self.assertEqual((bound.rows, bound.dimension), (400, 3))
            theta = [0.3, -0.2, 0.5]
            self.assertAlmostEqual(bound.log_density(theta), expected.log_density(theta), places=9)
            np.testing.assert_allclose(bound.log_density_gradient(theta)[1], expected.log_density_gradient(theta)[1], rtol=1e-10)
            for method in ("sgld", "sghmc-cv") if function is by_sums else ("sgld", "sghmc-cv", "sgnht-saga", "psgld", "sgfs-full", "sglm"):
                settings = dict(method=method, iterations=40, warmup=5, chains=2, batch_size=50, seed=3,
                                **({} if method == "sgfs-full" else {"step_size": 1e-4}))
                with self.subTest(function=function.__name__, method=method):
                    np.testing.assert_allclose(quietly(bound.sample, **settings).draws, quietly(expected.sample, **settings).draws, rtol=1e-6, atol=1e-8)

    def test_left_alone_a_run_tunes_and_judges_itself(self):
        fit = quietly(by_rows.sample, self.data, iterations=300)
        self.assertIn(fit.verdict.trust, ("trust", "caution"), fit)
        exact = quietly(by_expression.sample, self.data, method="nuts", iterations=500)
        self.assertLess(np.abs(fit["beta"].mean((0, 1)) - exact["beta"].mean((0, 1))).max(), 0.1)

    def test_constrained_parameters_get_their_jacobians(self):
        y = np.random.default_rng(1).normal(1.0, 2.0, size=500)
        model = sg.Model(y=y)
        mean, sd, _ = model.parameter("mean"), model.parameter("sd", lower=0), model.parameter("shares", 3, constraint="simplex")
        model.prior(sg.normal_lpdf(mean, 0, 5))
        model.prior(sg.normal_lpdf(sd, 0, 5))
        model.likelihood(-0.5 * ((model.row.y - mean) / sd) ** 2 - np.log(sd))
        bound = normal.bind(y=y)
        theta = np.array([0.2, 0.4, 0.1, -0.3])
        value, gradient = bound.log_density_gradient(theta)
        self.assertAlmostEqual(value, model.log_density(theta), places=8)
        np.testing.assert_allclose(gradient, model.log_density_gradient(theta)[1], rtol=1e-9, atol=1e-9)
        self.assertAlmostEqual(bound.optimize()["sd"], model.optimize()["sd"], places=5)

    def test_columns_stay_what_they_are(self):
        class Column:
            shape = (400, 3)

            def __init__(self, values):
                self.values, self.kinds = values, set()

            def __getitem__(self, rows):
                self.kinds.add(type(rows))
                return self.values[rows]

        column = Column(self.data["X"])
        bound = by_sums.bind({"X": column, "y": list(self.data["y"])})
        quietly(bound.sample, method="sgld-cv", step_size=1e-4, iterations=5, chains=1)
        self.assertEqual(column.kinds, {slice, np.ndarray})  # full passes read slices, minibatches row numbers

    def test_wrong_gradients_are_refused(self):
        cases = {"not those of the log likelihood": lambda v, g: (v.sum(), 1.3 * g.sum(axis=0)),
                 "not those": lambda v, g: (v.sum(), g.sum(axis=0) * [1, 1, 0]),
                 "gradient of beta has shape \\[2\\]; expected \\[3\\]": lambda v, g: (v.sum(), g.sum(axis=0)[:2]),
                 "has shape \\[3\\]; expected \\[10, 3\\]": lambda v, g: (v, g.sum(axis=0)),
                 "looks like a mean over the rows. Return sums": lambda v, g: (v.mean(), g.mean(axis=0)),
                 "looks like a mean": lambda v, g: (400 * v.mean(), 400 * g.mean(axis=0)),
                 "of 10 rows is .* and of its two halves": lambda v, g: (v.sum() - 5, g.sum(axis=0)),
                 "depends on which other rows": lambda v, g: (v / len(v), g / len(v)),
                 "must return two things": lambda v, g: v.sum(),
                 "beta is missing": lambda v, g: (v.sum(), {}),
                 "gamma is not among them": lambda v, g: (v.sum(), {"beta": g.sum(axis=0), "gamma": 1.0})}
        for message, change in cases.items():
            def function(batch, beta):
                return change(*_each(batch, beta))

            with self.subTest(message), self.assertRaisesRegex(sg.Error, message):
                sg.model(gradient=True, **PRIOR)(function).bind(self.data)
        with self.assertRaisesRegex(sg.DataError, "has no data"):
            by_sums.bind()
        with self.assertRaisesRegex(sg.DataError, "'y' has masked elements"):
            by_sums.bind(X=np.zeros((3, 3)), y=np.ma.array([0.0, 1.0, 1.0], mask=[0, 1, 0]))
        with self.assertRaisesRegex(sg.DataError, "the same number of rows"):
            by_sums.bind(X=np.zeros((3, 3)), y=np.zeros(4))

    def test_gradients_in_single_precision_are_accepted(self):
        @sg.model(gradient=True, **PRIOR)
        def single(batch, beta):
            value, gradient = _each(batch, beta.astype(np.float32))
            return np.float32(value.sum() * 100) / np.float32(100), gradient.sum(axis=0).astype(np.float32)

        single.bind({"X": self.data["X"].astype(np.float32), "y": self.data["y"].astype(np.float32)})

    def test_errors_of_the_function_reach_the_caller(self):
        calls = []

        @sg.model(gradient=True, **PRIOR)
        def failing(batch, beta):
            calls.append(1)
            if len(calls) > 30:
                raise RuntimeError("no more")
            values, gradients = _each(batch, beta)
            return values.sum(), gradients.sum(axis=0)

        with self.assertRaisesRegex(RuntimeError, "no more"):
            failing.sample(self.data, method="sgld", step_size=1e-4, iterations=1000)

    def test_chains_go_on_bit_for_bit(self):
        chain = sg.sghmc(by_sums.bind(self.data), step_size=1e-4).init(seed=2).step(20)
        again = pickle.loads(pickle.dumps(chain))
        self.assertTrue((again.step(20).position == chain.step(20).position).all())

    def test_a_run_can_be_dropped(self):
        run = by_sums.bind(self.data).sample(method="sgld", step_size=1e-5, iterations=10**8, thin=10**5, blocking=False)
        del run
        gc.collect()  # ends the run, without waiting for its own thread
        code = ("import numpy as np, sgmcmc as sg\n"
                "@sg.model(gradient=True, a=sg.real())\n"
                "def f(batch, a): return -0.5 * ((batch.y - a)**2).sum(), (batch.y - a).sum()\n"
                "run = f.bind(y=np.zeros(1000)).sample(method='sgld', step_size=1e-5, iterations=10**8, thin=10**5, blocking=False)\n")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()

"""Chains stepped by the caller: the same draws as runs, and saved states that continue bit for bit."""

import pickle
import unittest
import warnings

import numpy as np

import sgmcmc as sg

CODE = """
data { int N; int K; matrix[N, K] X; array[N] int<lower=0, upper=1> y; }
parameters { vector[K] beta; real<lower=0> scale; }
model { beta ~ normal(0, scale); scale ~ normal(0, 2); y ~ bernoulli_logit(X * beta); }
"""
RANDOM = np.random.default_rng(1)
X = RANDOM.normal(size=(1000, 3))
Y = (RANDOM.random(1000) < 1 / (1 + np.exp(-X @ [1, -0.5, 0]))).astype(int)


@sg.model(beta=sg.vector(3), prior=lambda beta: sg.normal_lpdf(beta, 0, 2))
def logistic(row, beta):
    return sg.bernoulli_logit_lpmf(row.y, row.x @ beta)


class Chains(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bound = sg.StanModel(code=CODE).bind({"X": X, "y": Y})

    def test_seeds_and_numbers_of_chains_are_not_negative(self):
        kernel = sg.sgld(self.bound, step_size=1e-4)
        for given, words in (({"seed": -1}, "seed=-1"), ({"seed": 1.5}, "seed=1.5"), ({"chain": -1}, "chain=-1")):
            with self.assertRaisesRegex(sg.OptionError, f"{words} is not a non-negative whole number"):
                kernel.init(**given)

    def test_steps_make_the_draws_of_a_run(self):
        settings = dict(step_size=1e-4, batch_size=50)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit = self.bound.sample(method="sghmc-cv", iterations=40, warmup=10, chains=2, seed=7, **settings)
        kernel = sg.sghmc(self.bound, estimator="cv", **settings)
        for number in range(2):
            chain = kernel.init(seed=7, chain=number).step(10)
            self.assertTrue(np.array_equal(chain.draws(40), fit.draws[number]))
            self.assertEqual(chain.iteration, 50)

    def test_a_pickled_chain_goes_on_bit_for_bit(self):
        for method in ("sgld-cv", "sghmc", "sgnht-svrg", "sgld-saga", "nuts"):
            with self.subTest(method):
                settings = {} if method == "nuts" else {"step_size": 1e-4}
                chain = sg.chain(self.bound, method, **settings).init(seed=3, chain=1).step(20)
                again = pickle.loads(pickle.dumps(chain))
                self.assertEqual(again.iteration, 20)
                self.assertTrue(np.array_equal(again.step(20).position, chain.step(20).position))

    def test_a_chain_of_a_model_in_python(self):
        bound = logistic.bind({"x": X, "y": Y})
        chain = sg.sgld(bound, step_size=1e-4).init(seed=2).step(5)
        again = pickle.loads(pickle.dumps(chain))
        self.assertTrue(np.array_equal(again.step(5).position, chain.step(5).position))
        plain = sg.Model(x=X, y=Y)
        beta = plain.parameter("beta", 3)
        plain.likelihood(sg.bernoulli_logit_lpmf(plain.row.y, plain.row.x @ beta))
        other = sg.sgld(plain, step_size=1e-4).init(seed=2).step(5)
        again = pickle.loads(pickle.dumps(other))
        self.assertTrue(np.array_equal(again.step(5).position, pickle.loads(pickle.dumps(other)).step(5).position))
        restored = sg.sgld(plain, step_size=1e-4).init(seed=2).restore(other.save())
        self.assertTrue(np.array_equal(restored.step(5).position, other.step(5).position))

    def test_what_a_chain_knows(self):
        chain = sg.sgld(self.bound, estimator="cv", step_size=1e-4).init().step(3)
        self.assertEqual(chain.values["beta"].shape, (3,))
        np.testing.assert_allclose(self.bound.param_constrain(chain.position), [*chain.values["beta"], chain.values["scale"]], rtol=1e-13)
        value, gradient = self.bound.log_density_gradient(chain.position)
        self.assertEqual(chain.log_density, value)
        np.testing.assert_array_equal(chain.gradient, gradient)
        self.assertEqual(chain.step_size, 1e-4)

    def test_a_step_size_can_be_found(self):
        chain = sg.sgld(self.bound, estimator="cv", step_size="auto").init().step()
        self.assertGreater(chain.step_size, 0)

    def test_mistakes(self):
        with self.assertRaisesRegex(sg.OptionError, "no setting 'step'"):
            sg.sgld(self.bound, step=1)
        with self.assertRaisesRegex(sg.UsageError, "StanModel"):
            sg.sgld(sg.StanModel(code=CODE), step_size=1e-4)
        chain = sg.sgld(self.bound, step_size=1e-4).init()
        with self.assertRaises(sg.FileError):
            chain.restore(b"nonsense")
        with self.assertRaisesRegex(AttributeError, "no attribute 'sgldd'"):
            sg.sgldd


if __name__ == "__main__":
    unittest.main()

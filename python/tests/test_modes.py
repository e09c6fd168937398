"""The mode, the normal approximation there, and reports on models."""

import unittest

import numpy as np

import sgmcmc as sg
from logistic import MODEL, data


class Modes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bound = sg.StanModel(code=MODEL).bind(data())

    def test_mode_and_curvature(self):
        mode = self.bound.optimize()
        self.assertTrue(mode.converged)
        value, gradient = self.bound.log_density_gradient(mode.theta)
        self.assertAlmostEqual(value, mode.log_density, places=8)
        self.assertLess(np.abs(gradient).max(), 1e-2)
        np.testing.assert_allclose(mode["twice"], np.tile(2 * mode["beta"], (2, 1)), rtol=1e-12)
        laplace = self.bound.laplace()
        np.testing.assert_allclose(laplace.theta, mode.theta, atol=1e-3)
        step = 1e-4
        for k in range(4):
            shift = np.eye(4)[k] * step
            column = (self.bound.log_density_gradient(mode.theta + shift)[1] - self.bound.log_density_gradient(mode.theta - shift)[1]) / (2 * step)
            np.testing.assert_allclose(-(laplace.covariance @ column), np.eye(4)[k], atol=1e-3)
        with self.assertRaisesRegex(sg.OptionError, "no setting 'iteration'"):
            self.bound.optimize(iteration=4)

    def test_without_jacobians_it_is_the_mode_of_the_declared_parameters(self):
        model = sg.Model()
        sigma = model.parameter("sigma", lower=0)
        model.prior(sg.gamma_lpdf(sigma, 3, 2))
        for method in ("lbfgs", "adam"):
            self.assertAlmostEqual(float(model.optimize(method=method, initial={"sigma": 0.7})["sigma"]), 3 / 2, places=3)
            mode = model.optimize(method=method, initial={"sigma": 0.7}, jacobian=False)
            self.assertAlmostEqual(float(mode["sigma"]), (3 - 1) / 2, places=3)
            self.assertAlmostEqual(mode.log_density, np.log(2**3 / 2 * np.exp(-2)), places=4)
        with self.assertRaisesRegex(sg.OptionError, "jacobian: the normal approximation"):
            model.laplace(jacobian=False)

    def test_what_was_understood(self):
        check = self.bound.check()
        self.assertEqual((check.rows, check.dimension, check.parameters["scale"]), (1000, 4, ((), "lower")))
        self.assertEqual([one.kind for one in check.statements], ["prior", "prior", "likelihood"])
        self.assertIn("y ~ bernoulli_logit(X * beta);", repr(check))

    def test_optimisers_that_take_minibatches(self):
        mode = self.bound.optimize()
        sd = self.bound.laplace().sd
        for method, settings in (("adam", {}), ("sgd", {"step_size": 1e-4}), ("adam-svrg", {"batch_size": 50})):
            with self.subTest(method):
                found = self.bound.optimize(method=method, iterations=20_000, seed=3, **settings)
                self.assertFalse(found.converged)
                np.testing.assert_array_less(np.abs(found.theta - mode.theta), 0.5 * sd)
                self.assertEqual(found.log_density, self.bound.log_density(found.theta))
                self.assertLess(found.log_density, mode.log_density + 1e-6)
                again = self.bound.optimize(method=method, iterations=20_000, seed=3, **settings)
                np.testing.assert_array_equal(again.theta, found.theta)
        with self.assertRaisesRegex(sg.Error, "step_size"):
            self.bound.optimize(method="sgd")
        with self.assertRaisesRegex(sg.Error, "there is no method 'bfgs'. Did you mean 'lbfgs'"):
            self.bound.optimize(method="bfgs")
        with self.assertRaisesRegex(sg.OptionError, "lbfgs does"):
            self.bound.laplace(method="adam")

    def test_optimisers_on_a_model_in_python(self):
        values = np.random.default_rng(1).normal(2, 1, size=5000)
        model = sg.Model(y=values)
        mean = model.parameter("mean")
        model.likelihood(sg.normal_lpdf(model.row.y, mean, 1))
        np.testing.assert_allclose(model.optimize()["mean"], values.mean(), rtol=1e-6)
        np.testing.assert_allclose(model.optimize(method="adam", initial={"mean": 1.5})["mean"], values.mean(), atol=0.05)

    def test_outputs_that_cannot_be_computed(self):
        model = sg.StanModel(code="parameters { real a; } model { a ~ normal(0, 1); } "
                                  "generated quantities { real b = 1; if (a < 5) reject(\"too small\"); }").bind()
        with self.assertWarnsRegex(UserWarning, "not all outputs"):
            mode = model.optimize()
        self.assertAlmostEqual(float(mode["a"]), 0, places=4)


if __name__ == "__main__":
    unittest.main()

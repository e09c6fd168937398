"""Bayesian regressions as scikit-learn estimators."""

import pickle
import unittest
import warnings

import numpy as np

import sgmcmc as sg

try:
    import sklearn  # noqa: F401
    from scipy import sparse
except ImportError:
    sklearn = None


@unittest.skipIf(sklearn is None, "scikit-learn is not installed")
class Estimators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        random = np.random.default_rng(2)
        cls.x = random.normal(size=(1500, 4)) * (random.random((1500, 4)) < 0.7)
        cls.location = 0.3 + cls.x @ [1, -0.5, 0, 0.8]
        cls.random = random

    def test_scikit_learns_own_checks(self):
        from sklearn.utils.estimator_checks import check_estimator

        for name in sg.sklearn.__all__:
            # Some of its data have no noise, and then a linear regression has no mode.
            settings = dict(method="nuts", iterations=25, chains=1) if name == "BayesianLinearRegression" else dict(method="laplace", iterations=100, chains=2)
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check_estimator(getattr(sg.sklearn, name)(**settings))

    def fitted(self, name, y, **settings):
        settings = {"method": "nuts", "iterations": 200, "chains": 2, **settings}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dense = getattr(sg.sklearn, name)(**settings).fit(self.x, y)
            packed = getattr(sg.sklearn, name)(**settings).fit(sparse.csr_matrix(self.x), y)
        difference = np.abs(dense.coef_ - packed.coef_) / dense.coef_sd_
        self.assertLess(difference.max(), 0.5, name)  # the same posterior, from sums in another order
        predict = getattr(dense, "predict_proba", dense.predict)
        np.testing.assert_allclose(predict(self.x), predict(sparse.csr_matrix(self.x)), rtol=1e-10)
        self.assertNotEqual(dense.fit_.verdict.trust, "do not trust", dense.fit_)
        return dense

    def test_linear(self):
        y = self.location + 0.5 * self.random.normal(size=1500)
        model = self.fitted("BayesianLinearRegression", y)
        plain, *_ = np.linalg.lstsq(np.column_stack([self.x, np.ones(1500)]), y, rcond=None)
        np.testing.assert_allclose(model.coef_, plain[:4], atol=0.2 * model.coef_sd_.max())
        self.assertAlmostEqual(float(model.intercept_), plain[4], delta=0.01)
        self.assertAlmostEqual(model.fit_["noise"].mean(), 0.5, delta=0.05)

    def test_priors_of_a_linear_regression_are_relative_to_y(self):
        y = self.location[:200] + 0.5 * self.random.normal(size=200)
        settings = dict(method="nuts", iterations=200, chains=2, random_state=3)
        plain = sg.sklearn.BayesianLinearRegression(**settings).fit(self.x[:200], y)
        for shift, unit in ((5000.0, 1.0), (2e5, 1000.0), (0.0, 1e-6)):
            with self.subTest(shift=shift, unit=unit):
                other = sg.sklearn.BayesianLinearRegression(**settings).fit(self.x[:200], shift + unit * y)
                np.testing.assert_allclose(other.coef_ / unit, plain.coef_, atol=0.2 * plain.coef_sd_.max())
                self.assertAlmostEqual((float(other.intercept_) - shift) / unit, float(plain.intercept_), delta=0.02)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            same = sg.sklearn.BayesianLinearRegression(**settings).fit(self.x[:200], np.full(200, 0.1))
        np.testing.assert_allclose(same.predict(self.x[:200]), 0.1, atol=0.05)

    def test_features_in_small_units_are_not_shrunk_away(self):
        from sklearn.datasets import load_diabetes

        x, y = load_diabetes(return_X_y=True)
        self.assertGreater(sg.sklearn.BayesianLinearRegression(method="nuts", iterations=200, chains=2).fit(x, y).score(x, y), 0.45)

    def test_logistic_with_names_of_classes(self):
        y = np.where(self.random.random(1500) < 1 / (1 + np.exp(-self.location)), "yes", "no")
        model = self.fitted("BayesianLogisticRegression", y, prior="laplace", scale=0.5)
        probabilities = model.predict_proba(self.x)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        draws = model.fit_.stan_variable("coef") @ self.x[:5].T + model.fit_.stan_variable("intercept")[:, None]
        np.testing.assert_allclose(probabilities[:5, 1], (1 / (1 + np.exp(-draws))).mean(axis=0), atol=1e-12)
        self.assertEqual(list(model.classes_), ["no", "yes"])
        self.assertEqual([model.coef_.shape, model.coef_sd_.shape, model.intercept_.shape], [(1, 4), (1, 4), (1,)])  # as LogisticRegression
        self.assertGreater(model.score(self.x, y), 0.6)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict_proba(self.x), probabilities)

    def test_poisson(self):
        y = self.random.poisson(np.exp(0.5 * self.location))
        model = self.fitted("BayesianPoissonRegression", y)
        np.testing.assert_allclose(model.coef_, [0.5, -0.25, 0, 0.4], atol=5 * model.coef_sd_.max())
        self.assertAlmostEqual(model.predict(self.x).mean(), y.mean(), delta=0.05)

    def test_softmax(self):
        logits = np.column_stack([self.location, -self.location, np.zeros(1500)])
        y = np.array([self.random.choice(3, p=np.exp(row) / np.exp(row).sum()) for row in logits])
        model = self.fitted("BayesianSoftmaxRegression", y, iterations=100)
        self.assertEqual(model.coef_.shape, (3, 4))
        differences = model.coef_[0] - model.coef_[1]
        np.testing.assert_allclose(differences, [2, -1, 0, 1.6], atol=0.5)
        np.testing.assert_allclose(model.predict_proba(self.x).sum(axis=1), 1)

    def test_mistakes(self):
        with self.assertRaisesRegex(sg.OptionError, "prior: 'gauss' is not one of normal"):
            sg.sklearn.BayesianLinearRegression(prior="gauss").fit(self.x, self.location)
        with self.assertRaisesRegex(sg.DataError, "y has one class, 1.0; two are needed"):
            sg.sklearn.BayesianLogisticRegression().fit(self.x, np.ones(1500))
        with self.assertRaisesRegex(sg.DataError, "'y' has masked elements"):
            sg.sklearn.BayesianLinearRegression().fit(self.x, np.ma.array(self.location, mask=np.arange(1500) == 3))
        with self.assertRaisesRegex(ValueError, "use BayesianSoftmaxRegression"):
            sg.sklearn.BayesianLogisticRegression().fit(self.x, np.arange(1500) % 3)


if __name__ == "__main__":
    unittest.main()

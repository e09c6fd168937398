"""Conversions of fits to diagnoses, data frames and ArviZ; and fits that kept the draws of some variables only."""

import pathlib
import pickle
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

import numpy as np

import sgmcmc as sg
from logistic import MODEL, data, quietly


class Fits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.fit = quietly(sg.StanModel(code=MODEL).sample, data(), method="nuts", iterations=200, warmup=200)

    def test_diagnosis(self):
        diagnosis = self.fit.diagnose()
        self.assertIn(diagnosis.verdict.trust, ("trust", "caution", "do not trust", "cannot tell"))
        self.assertTrue(repr(diagnosis).startswith("verdict: "))
        self.assertIn("R-hat", diagnosis.table)
        self.assertTrue(repr(self.fit.diagnose(draws=100)).startswith("verdict: "))
        with self.assertRaisesRegex(sg.OptionError, "no setting 'draw'"):
            self.fit.diagnose(draw=100)
        with self.assertRaises(sg.UsageError):
            pickle.loads(pickle.dumps(self.fit)).diagnose()

    def test_the_summary_of_a_vector_names_its_elements(self):
        with self.assertRaisesRegex(KeyError, r"no row 'beta'; there are its elements beta\[1\], beta\[2\]"):
            self.fit.summary()["beta"]
        with self.assertRaisesRegex(KeyError, "no row 'gamma'; there are .*scale"):
            self.fit.summary()["gamma"]

    def test_report(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.fit.report(pathlib.Path(folder, "fit.html"), name="logistic")
            page = pathlib.Path(path).read_text()
            self.assertIn("<h1>logistic</h1>", page)
            self.assertIn('"bias":{', page)  # the gradients of the model, not only its draws
            self.assertIn("bernoulli_logit", page)  # its text
            plain = pickle.loads(pickle.dumps(self.fit)).report(pathlib.Path(folder, "plain.html"))
            self.assertNotIn('"bias":{', pathlib.Path(plain).read_text())
            self.fit.save(pathlib.Path(folder, "run"))
            self.assertEqual(sg.report(pathlib.Path(folder, "run")), str(pathlib.Path(folder, "run", "report.html")))
            with self.assertRaises(sg.FileError):
                sg.report(pathlib.Path(folder, "nothing"))

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = self.fit.draws_pd()
        self.assertEqual(len(frame), 800)
        self.assertEqual(list(frame.columns[:3]), ["chain__", "iter__", "draw__"])
        np.testing.assert_array_equal(frame["beta[2]"].to_numpy().reshape(4, 200), self.fit["beta"][:, :, 1])
        self.assertEqual(list(self.fit.draws_pd("scale").columns), ["chain__", "iter__", "draw__", "scale"])
        self.assertEqual(len(self.fit.draws_pd(["beta", "twice[1,2]"]).columns), 7)
        self.assertIsInstance(self.fit.summary().to_pandas(), pandas.DataFrame)
        with self.assertRaisesRegex(KeyError, "there is no variable 'gamma'"):
            self.fit.draws_pd("gamma")

    def test_xarray(self):
        try:
            import xarray  # noqa: F401
        except ImportError:
            self.skipTest("xarray is not installed")
        dataset = self.fit.posterior
        self.assertEqual(dataset["twice"].dims, ("chain", "draw", "twice_dim_0", "twice_dim_1"))
        np.testing.assert_array_equal(dataset["beta"].values, self.fit["beta"])

    def test_arviz_has_our_numbers(self):
        try:
            import arviz
        except ImportError:
            self.skipTest("ArviZ is not installed")
        bound = sg.StanModel(code=MODEL).bind(data())
        by_minibatches = quietly(bound.sample, method="sgld-cv", step_size=2e-4, iterations=1000, chains=3, seed=4)
        for fit in (self.fit, by_minibatches):
            theirs = arviz.summary(fit.to_arviz(), round_to="none")
            ours = fit.summary()
            names = {"beta[0]": "beta[1]", "beta[1]": "beta[2]", "beta[2]": "beta[3]", "scale": "scale", "twice[1, 2]": "twice[2,3]"}
            for column, key in (("mean", "mean"), ("sd", "sd"), ("mcse_mean", "mcse_mean"), ("ess_bulk", "ess_bulk"),
                                ("ess_tail", "ess_tail"), ("r_hat", "rhat")):
                for their_name, our_name in names.items():
                    with self.subTest(method=fit.method, column=column, name=our_name):
                        np.testing.assert_allclose(theirs.loc[their_name, column], ours[our_name][key], rtol=1e-6)

    def test_arviz_of_either_version(self):
        for version, form in (("0.23.1", lambda posterior, sample_stats: (posterior, sample_stats)),
                              ("1.0.0", lambda groups: (groups["posterior"], groups["sample_stats"]))):
            arviz = types.SimpleNamespace(__version__=version, from_dict=form)
            with mock.patch.dict(sys.modules, arviz=arviz):
                posterior, statistics = self.fit.to_arviz()
            np.testing.assert_array_equal(posterior["scale"], self.fit["scale"])
            self.assertEqual(statistics["diverging"].dtype, bool)

    def test_weighted_draws_are_drawn_again(self):
        state = self.fit.__getstate__()
        weights = np.ones(self.fit.draws.shape[:2])
        weights[:, 100:] = 3
        weighted = sg.Fit({**state, "weights": weights})
        arviz = types.SimpleNamespace(__version__="1.0.0", from_dict=lambda groups: groups["posterior"])
        with mock.patch.dict(sys.modules, arviz=arviz), self.assertWarnsRegex(UserWarning, "unequal weights"):
            drawn = weighted.to_arviz()["scale"]
        expected = np.average(self.fit["scale"], weights=weights)
        self.assertLess(abs(drawn.mean() - expected), 0.1 * self.fit["scale"].std())
        self.assertAlmostEqual(np.isin(drawn, self.fit["scale"][:, 100:]).mean(), 0.75, places=2)

    def test_optional_packages_are_not_imported(self):
        code = ("import sys, sgmcmc\n"
                "print([name for name in ('pandas', 'xarray', 'arviz', 'scipy', 'sklearn', 'asyncio') if name in sys.modules])")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.stdout.strip(), "[]", done.stderr)


class Kept(unittest.TestCase):
    """sample(keep=...): other variables are summarised."""

    SETTINGS = dict(method="sgld-cv", step_size=2e-4, iterations=400, chains=2, seed=4)

    @classmethod
    def setUpClass(cls):
        cls.bound = sg.StanModel(code=MODEL).bind(data())
        cls.whole = quietly(cls.bound.sample, **cls.SETTINGS)

    def check(self, fit):
        self.assertEqual(fit.names, ["beta[2]", "scale"])
        self.assertEqual(fit.summarised, [name for name in self.whole.names if name not in fit.names])
        np.testing.assert_array_equal(fit["scale"], self.whole["scale"])
        np.testing.assert_array_equal(fit["beta[2]"], self.whole["beta[2]"])
        ours, all_kept = fit.summary(), self.whole.summary()
        self.assertEqual(sorted(ours.names), sorted(all_kept.names))
        for name in self.whole.names:
            np.testing.assert_allclose(ours[name]["mean"], all_kept[name]["mean"], rtol=1e-10)
            np.testing.assert_allclose(ours[name]["sd"], all_kept[name]["sd"], rtol=1e-8)
        self.assertIn("beta[1]", repr(ours))
        for name in ("beta[1]", "twice", "twice[1,2]"):
            with self.assertRaisesRegex(KeyError, "were not kept; fit.summary\\(\\) has its mean"):
                fit[name]
        with self.assertRaisesRegex(KeyError, "there is no variable 'gamma'"):
            fit["gamma"]
        self.assertEqual(fit.verdict, self.whole.verdict)

    def test_in_memory(self):
        fit = quietly(self.bound.sample, keep=["beta[2]", "scale"], **self.SETTINGS)
        self.check(fit)
        self.check(pickle.loads(pickle.dumps(fit)))
        with self.assertRaisesRegex(sg.Error, "keep"):
            self.bound.sample(keep="gamma", **self.SETTINGS)

    def test_in_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run"
            self.check(quietly(self.bound.sample, keep="beta[2],scale", out=path, **self.SETTINGS))
            self.check(sg.load(path))

    def test_no_draws_at_all(self):
        fit = quietly(self.bound.sample, keep="none", **self.SETTINGS)
        self.assertEqual(fit.names, [])
        self.assertEqual(fit.summary().names, self.whole.names)
        self.assertIn("scale", repr(fit))


if __name__ == "__main__":
    unittest.main()

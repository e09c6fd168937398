"""Runs in folders and in the background, modes, and what a fit turns into."""

import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import warnings
from unittest import mock

import numpy as np

import sgmcmc as sg

PROGRAM = os.environ.get("SGMCMC_PROGRAM", "sgmcmc")

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


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bound = sg.StanModel(code=MODEL).bind(data())


class Folders(InFolder):
    SETTINGS = dict(method="sgld-cv", step_size=2e-4, iterations=300, chains=2, seed=4)

    def test_a_folder_holds_the_fit(self):
        fit = quietly(self.bound.sample, out=self.folder / "run", **self.SETTINGS)
        in_memory = quietly(self.bound.sample, **self.SETTINGS)
        self.assertTrue(np.array_equal(fit.draws, in_memory.draws))
        loaded = sg.load(self.folder / "run")
        self.assertTrue(np.array_equal(loaded.draws, fit.draws))
        self.assertEqual((loaded.names, loaded.method, loaded.verdict, loaded.interrupted), (fit.names, "sgld-cv", fit.verdict, False))
        self.assertEqual(repr(loaded.summary()), repr(fit.summary()))
        with self.assertRaisesRegex(sg.UsageError, "holds a previous run"):
            self.bound.sample(out=self.folder / "run", **self.SETTINGS)
        quietly(self.bound.sample, out=self.folder / "run", overwrite=True, **self.SETTINGS)
        with self.assertRaisesRegex(sg.UsageError, "knows no model"):
            loaded.diagnose()

    def test_a_resumed_run_is_one_without_a_break(self):
        whole = quietly(self.bound.sample, **{**self.SETTINGS, "iterations": 500})
        quietly(self.bound.sample, out=self.folder / "run", **self.SETTINGS)
        longer = quietly(self.bound.resume, self.folder / "run", iterations=500)
        self.assertTrue(np.array_equal(longer.draws, whole.draws))
        with self.assertRaisesRegex(sg.UsageError, "is finished"):
            self.bound.resume(self.folder / "run")
        other = data()
        other["y"] = 1 - other["y"]
        with self.assertRaisesRegex(sg.UsageError, "another model or other data"):
            sg.StanModel(code=MODEL).bind(other).resume(self.folder / "run", iterations=900)

    def test_an_interrupted_run_goes_on(self):
        settings = dict(method="sgld-cv", step_size=2e-4, iterations=30_000, warmup=0, thin=300, chains=2, seed=4)
        run = self.bound.sample(out=self.folder / "run", blocking=False, **settings)
        while run.progress[0] != "sampling" or run.progress[1] == 0:
            time.sleep(0.01)
        first = quietly(run.abort)
        self.assertTrue(first.interrupted)
        rest = quietly(self.bound.resume, self.folder / "run")
        whole = quietly(self.bound.sample, **settings)
        self.assertTrue(np.array_equal(rest.draws, whole.draws))

    def test_start_values_and_the_model_are_kept_with_the_run(self):
        fit = quietly(self.bound.sample, out=self.folder / "run", initial={"beta": [1, 2, 3]}, **self.SETTINGS)
        self.assertTrue(np.array_equal(fit.draws, quietly(self.bound.sample, initial={"beta": [1, 2, 3]}, **self.SETTINGS).draws))
        self.assertEqual((self.folder / "run" / "model.stan").read_text(), MODEL)
        self.assertEqual(json.loads((self.folder / "run" / "initial.json").read_text()), {"beta": [1, 2, 3]})

    def test_a_saved_fit_is_read_by_the_program(self):
        fit = quietly(self.bound.sample, method="nuts", iterations=100, warmup=100)
        fit.save(self.folder / "saved")
        loaded = sg.load(self.folder / "saved")
        self.assertTrue(np.array_equal(loaded.draws, fit.draws))
        self.assertEqual((loaded.verdict, loaded.statistic_names), (fit.verdict, fit.statistic_names))
        self.assertTrue(np.array_equal(loaded.statistics, fit.statistics))
        with self.assertRaisesRegex(sg.UsageError, "holds a previous run"):
            fit.save(self.folder / "saved")
        shown = subprocess.run([PROGRAM, "summary", self.folder / "saved", "--json"], capture_output=True, text=True)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        by_name = {row["name"]: row for row in json.loads(shown.stdout)["parameters"]}
        np.testing.assert_allclose(by_name["beta[2]"]["mean"], fit["beta"][:, :, 1].mean(), rtol=1e-10)

    def test_a_model_in_python_is_saved_when_its_run_ends(self):
        model = sg.Model(y=data()["X"][:, 0])
        mean = model.parameter("mean")
        model.likelihood(sg.normal_lpdf(model.row.y, mean, 1))
        fit = quietly(model.sample, out=self.folder / "run", method="nuts", iterations=50, warmup=50)
        self.assertTrue(np.array_equal(sg.load(self.folder / "run").draws, fit.draws))
        with self.assertRaisesRegex(sg.OptionError, "overwrite: it is about the files of a run; add out="):
            model.sample(overwrite=True)


class Background(InFolder):
    def test_a_run_can_be_watched_and_waited_for(self):
        run = self.bound.sample(method="nuts", iterations=300, warmup=200, blocking=False)
        self.assertIn(run.progress[0], ("tuning", "sampling", "judging", "done"))
        fit = run.wait()
        self.assertTrue(run.done)
        self.assertEqual(run.progress, ("done", 1.0))
        self.assertIs(run.wait(), fit)
        self.assertTrue(np.array_equal(fit.draws, self.bound.sample(method="nuts", iterations=300, warmup=200).draws))

    def test_a_run_can_be_ended(self):
        run = self.bound.sample(method="sgld-cv", step_size=1e-5, iterations=10**9, thin=1000, warmup=0, blocking=False)
        self.assertIsNone(run.wait(timeout=0.2))
        with self.assertWarnsRegex(UserWarning, "interrupted"):
            fit = run.abort()
        self.assertTrue(fit.interrupted)

    def test_a_run_that_is_ended_while_tuning_has_no_draws(self):
        fit = quietly(sg.StanModel(code=MODEL).bind(data(20000)).sample(blocking=False).abort)
        self.assertTrue(fit.interrupted)
        self.assertIn("there are no draws", repr(fit))
        self.assertIn("there are no draws", fit._repr_html_())
        with self.assertRaisesRegex(sg.UsageError, "no draws to save"):
            fit.save(self.folder / "run")

    def test_mistakes_are_raised_at_once_or_by_wait(self):
        with self.assertRaisesRegex(sg.OptionError, "no setting 'iteration'"):
            self.bound.sample(iteration=3, blocking=False)
        run = self.bound.sample(method="sgld-cv", step_size={"gamma": 1e-4}, blocking=False)
        with self.assertRaisesRegex(sg.OptionError, "there is no parameter 'gamma'"):
            run.wait()

    def test_a_run_that_nobody_waits_for_ends_with_the_interpreter(self):
        code = ("import numpy as np, sgmcmc as sg\n"
                "m = sg.Model(y=np.zeros(1000)); a = m.parameter('a'); m.likelihood(sg.normal_lpdf(m.row.y, a, 1))\n"
                "run = m.sample(method='sgld-cv', step_size=1e-5, iterations=10**9, thin=10**6, blocking=False)\n")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Interrupts(unittest.TestCase):
    def interrupted_after(self, seconds, work):
        timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        start = time.monotonic()
        result = quietly(work)
        timer.join()
        self.assertLess(time.monotonic() - start, seconds + 10)
        return result

    def test_ctrl_c_ends_the_tuning(self):
        bound = sg.StanModel(code=MODEL).bind(data(100_000))
        self.assertTrue(self.interrupted_after(0.2, bound.sample).interrupted)

    def test_ctrl_c_ends_with_the_topics_there_are(self):
        counts = np.random.default_rng(1).poisson(0.2, size=(1000, 50))
        lda = self.interrupted_after(0.3, lambda: sg.LDA(5, iterations=10_000_000).fit(counts))
        self.assertTrue(lda.interrupted_)
        np.testing.assert_allclose(lda.components_.sum(axis=1), 1, rtol=1e-4)


class Settings(unittest.TestCase):
    def test_settings_are_described(self):
        settings = sg.settings()
        self.assertEqual(settings["chains"][0], "4")
        self.assertIn("method", settings)
        self.assertNotIn("data", settings)
        self.assertIn("chains = 4: ", repr(settings))


class Modes(InFolder):
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

    def test_what_was_understood(self):
        check = self.bound.check()
        self.assertEqual((check.rows, check.dimension, check.parameters["scale"]), (1000, 4, ((), "lower")))
        self.assertEqual([one.kind for one in check.statements], ["prior", "prior", "likelihood"])
        self.assertIn("y ~ bernoulli_logit(X * beta);", repr(check))


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
        table = arviz.summary(self.fit.to_arviz(), var_names=["beta", "scale"], round_to="none")
        ours = self.fit.summary()
        for theirs, name in (("beta[0]", "beta[1]"), ("beta[2]", "beta[3]"), ("scale", "scale")):
            for column, key in (("mean", "mean"), ("sd", "sd"), ("ess_bulk", "ess_bulk"), ("ess_tail", "ess_tail"), ("r_hat", "rhat")):
                np.testing.assert_allclose(table.loc[theirs, column], ours[name][key], rtol=1e-6)

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


if __name__ == "__main__":
    unittest.main()

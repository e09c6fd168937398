"""Runs in folders and in the background, and their settings."""

import inspect
import json
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

import sgmcmc as sg
from logistic import MODEL, data, quietly

PROGRAM = os.environ.get("SGMCMC_PROGRAM", "sgmcmc")


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

    def test_a_run_that_is_ended_while_judging_gets_its_verdict_when_resumed(self):
        bound = sg.StanModel(code=MODEL).bind(data(100_000))
        run = bound.sample(out=self.folder / "run", diagnose="full", blocking=False, **self.SETTINGS)
        while run.progress[0] not in ("judging", "done"):
            time.sleep(0.002)
        fit = quietly(run.abort)
        self.assertTrue(fit.interrupted)
        self.assertEqual((fit.draws.shape[1], fit.verdict.trust), (300, ""))
        resumed = quietly(bound.resume, self.folder / "run")
        self.assertFalse(resumed.interrupted)
        self.assertNotEqual(resumed.verdict.trust, "")
        self.assertTrue(np.array_equal(resumed.draws, fit.draws))

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


class RowFiles(InFolder):
    def test_a_file_that_is_cut_during_a_run_is_named(self):
        (self.folder / "model.stan").write_text(MODEL)
        given = data(20_000)
        np.save(self.folder / "X.npy", given["X"])
        np.save(self.folder / "y.npy", given["y"])
        pack = [PROGRAM, "pack", "model.stan", "--data", "X=X.npy", "--data", "y=y.npy", "--out", "rows.sgr", "--quiet"]
        subprocess.run(pack, cwd=self.folder, check=True)
        code = """if True:
            import sgmcmc as sg
            run = sg.StanModel("model.stan").sample(files=["rows.sgr"], method="sgld-cv", step_size=1e-6, iterations=10**8,
                                                    chains=1, out="run", checkpoint_every=0.05, blocking=False)
            run.wait()
            """
        child = subprocess.Popen([sys.executable, "-c", code], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while not list((self.folder / "run").glob("*.checkpoint")) and child.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertIsNone(child.poll(), "the run was over before its file was cut")
        os.truncate(self.folder / "rows.sgr", 8192)
        _, error = child.communicate(timeout=60)
        self.assertEqual(child.returncode, -signal.SIGBUS)
        self.assertRegex(error, r"rows\.sgr: the file was cut, or its disk failed")


class Times(InFolder):
    def test_phases_add_up(self):
        for out in (None, self.folder / "run"):
            begin = time.perf_counter()
            fit = quietly(self.bound.sample, out=out, iterations=200)
            whole = time.perf_counter() - begin
            self.assertEqual(set(fit.times), {"tuning", "sampling", "judging"})
            self.assertLessEqual(sum(fit.times.values()), whole)
            self.assertGreaterEqual(fit.times["sampling"], 0.5 * fit.seconds)
            self.assertEqual(pickle.loads(pickle.dumps(fit)).times, fit.times)
        self.assertEqual(set(sg.load(self.folder / "run").times), {"sampling"})


class Settings(unittest.TestCase):
    def test_settings_are_described(self):
        settings = sg.settings()
        self.assertEqual(settings["chains"][0], "4")
        self.assertIn("method", settings)
        self.assertNotIn("data", settings)
        self.assertIn("chains = 4: ", repr(settings))

    def test_settings_of_other_packages_are_answered_with_ours(self):
        from sgmcmc._settings import ELSEWHERE

        ours = {*sg.settings(), *inspect.signature(sg.BoundModel.sample).parameters}
        self.assertFalse(ours & set(ELSEWHERE))
        for name, advice in ELSEWHERE.items():
            named = re.findall(r"(\w+)=", advice)
            self.assertTrue(named and ours.issuperset(named), advice)
        model = sg.Model(y=np.zeros(3))
        level = model.parameter("level")
        model.likelihood(sg.normal_lpdf(model.row.y, level, 1))
        for name, answer in {"iter": "iterations=", "init": "initial=", "cores": "threads=", "target_accept": "target_acceptance=",
                             "random_seed": "seed=", "draws": "iterations="}.items():
            with self.assertRaisesRegex(sg.OptionError, f"there is no setting '{name}': .*{answer}"):
                model.sample(**{name: 5})


if __name__ == "__main__":
    unittest.main()

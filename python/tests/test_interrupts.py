"""Ctrl-C in every phase: takes effect within a second, and returns the draws made so far or raises KeyboardInterrupt."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import unittest

import numpy as np

import sgmcmc as sg

SCRIPT = pathlib.Path(__file__).with_name("interrupted_phase.py")
MOST_SECONDS = 3.0  # a second, and some more for a busy machine


class Phases(unittest.TestCase):
    def end_of(self, phase):
        done = subprocess.run([sys.executable, SCRIPT, phase], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        end, seconds = re.fullmatch(r"(.*) after (.*) s\n", done.stdout).groups()
        print(f"{phase}: {end} after {seconds} s", end=" ... ", flush=True)
        self.assertGreaterEqual(float(seconds), 0, f"{phase} ended before it was interrupted: {end}")
        self.assertLess(float(seconds), MOST_SECONDS)
        return end

    def test_data(self):
        for phase in ("reading", "binding"):
            with self.subTest(phase):
                self.assertEqual(self.end_of(phase), "KeyboardInterrupt")

    def test_runs_that_have_no_draws_yet(self):
        for phase in ("mode search", "curvature", "tuning"):
            with self.subTest(phase):
                self.assertEqual(self.end_of(phase), "interrupted=True draws=0")

    def test_sampling_returns_the_draws_so_far(self):
        self.assertRegex(self.end_of("sampling"), r"interrupted=True draws=[1-9]")

    def test_judging_returns_all_draws(self):
        self.assertEqual(self.end_of("judging"), "interrupted=True draws=200")

    def test_searches_for_the_mode(self):
        for phase in ("optimize", "adam", "sgd", "laplace"):
            with self.subTest(phase):
                self.assertEqual(self.end_of(phase), "KeyboardInterrupt")

    def test_diagnosis(self):
        self.assertEqual(self.end_of("diagnose"), "KeyboardInterrupt")

    def test_tuning_of_a_chain(self):
        self.assertEqual(self.end_of("chain"), "KeyboardInterrupt")


class Topics(unittest.TestCase):
    def setUp(self):  # shells start programs in the background with Ctrl-C ignored
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))

    def test_ctrl_c_ends_with_the_topics_there_are(self):
        counts = np.random.default_rng(1).poisson(0.2, size=(1000, 50))
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        lda = sg.LDA(5, iterations=10_000_000).fit(counts)
        timer.join()
        self.assertTrue(lda.interrupted_)
        np.testing.assert_allclose(lda.components_.sum(axis=1), 1, rtol=1e-4)


if __name__ == "__main__":
    unittest.main()

"""Calibration of nuts on models of models/, and of too large a step size; takes minutes.

    test_calibration.py PROGRAM MODEL [unittest arguments]

A run is a false alarm with the probability of --level, 0.1 % for each model.
"""

import json
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
PROGRAM, MODEL = "", ""


class CalibrationTest(unittest.TestCase):
    def calibrate(self, *words):
        done = subprocess.run([PROGRAM, "calibrate", MODELS / f"{MODEL}.stan", "--data", MODELS / f"{MODEL}.json", "--json",
                               "--level", "0.001", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_nuts_is_calibrated(self):
        replications = "200" if MODEL == "covariance" else "400"  # its fits take ten times as long as those of the others
        report = self.calibrate("--replications", replications)
        self.assertEqual(report["failed"], 0)
        self.assertLessEqual(report["dependent"], 4)
        self.assertTrue(report["calibrated"], report["verdict"])

    def test_half_the_draws_of_an_unfinished_chain_are_not(self):
        """An error that must be detected: no adaptation in warm-up, and a step size far too small."""
        report = self.calibrate("--replications", "100", "--step-size", "1e-4", "--adapt", "false", "--warmup", "0",
                                "--max-tree-depth", "2", "--iterations", "100", "--longest", "1")
        self.assertFalse(report["calibrated"])


if __name__ == "__main__":
    PROGRAM, MODEL = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])

"""The examples run, and have types that mypy accepts; so does the package."""

import concurrent.futures
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "python" / "examples").glob("*.py"))


class Examples(unittest.TestCase):
    def run_python(self, *words):
        with tempfile.TemporaryDirectory() as folder:  # the cache of mypy
            done = subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_examples_run(self):
        self.assertGreater(len(EXAMPLES), 1)
        for example in EXAMPLES:
            with self.subTest(example.name):
                self.assertIn("verdict", self.run_python(str(example)))

    @unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is not installed")
    def test_types(self):
        checks = (("mypy", "--strict", *map(str, EXAMPLES)), ("mypy", "--config-file", str(ROOT / "pyproject.toml"), "-p", "sgmcmc"),
                  ("mypy.stubtest", "sgmcmc._functions"))
        with concurrent.futures.ThreadPoolExecutor(len(checks)) as pool:  # each takes ten seconds, on one core
            list(pool.map(lambda words: self.run_python("-m", *words), checks))


if __name__ == "__main__":
    unittest.main()

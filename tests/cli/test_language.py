"""Models in the Stan language as users of the program meet them: what stops, what is refused, and where it says so.

    test_language.py PROGRAM [unittest arguments]
"""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
SECONDS = 60  # a bound for slow machines: a second or two is usual

BLOCKS = ["functions", "data", "transformed data", "parameters", "transformed parameters", "model",
          "generated quantities"]
WITH_STATEMENTS = [block for block in BLOCKS if block not in ("data", "parameters")]


def model_with(block, statement):
    """A normal model with the statement in the block; in a function, one that transformed data call."""
    inside = {name: statement + "\n" if name == block else "" for name in BLOCKS}
    if block == "functions":
        inside["functions"] = f"real f(real x) {{\n{statement}\nreturn x;\n}}\n"
        inside["transformed data"] = "real called = f(1);\n"
    inside["data"] = "int N;\nvector[N] y;\n" + inside["data"]
    inside["parameters"] = "real mu;\n" + inside["parameters"]
    inside["model"] += "mu ~ normal(0, 1);\ny ~ normal(mu, 1);\n"
    return "".join(f"{name} {{\n{inside[name]}}}\n" for name in BLOCKS if inside[name])


def line_of(model, text):
    return next(number for number, line in enumerate(model.split("\n"), 1) if text in line)


class LanguageTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("y.json", json.dumps({"N": 3, "y": [1, 2, 4]}))

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def words(self, model, *more, command="sample"):
        self.write("m.stan", model)
        return [PROGRAM, command, "m.stan", "--data", "y.json", *more]

    def run_model(self, model, *more, command="sample"):
        return subprocess.run(self.words(model, *more, command=command), cwd=self.folder, capture_output=True, text=True,
                              timeout=SECONDS)


class Limits(LanguageTest):
    def test_EndlessLoop_EndsWithItsLineInEveryBlock(self):
        for block in WITH_STATEMENTS:
            with self.subTest(block=block):
                model = model_with(block, "while (1) {}")
                ended = self.run_model(model)
                self.assertEqual(ended.returncode, 1, ended.stderr)
                self.assertIn(f"m.stan:{line_of(model, 'while')}:8: error: this while loop never ends: no turn of it "
                              "changes anything", ended.stderr)

    def test_LoopThatCountsForEver_EndsWithItsLine(self):
        for block in ("transformed data", "generated quantities"):
            with self.subTest(block=block):
                model = model_with(block, "{ int n = 0; while (n < 2) n = 1 - n; }")
                ended = self.run_model(model)
                self.assertEqual(ended.returncode, 1, ended.stderr)
                self.assertIn(f"m.stan:{line_of(model, 'while')}:21: error: this while loop has run 5000000 "
                              "statements and its condition still holds", ended.stderr)

    def test_ContainerLargerThanMemory_EndsWithItsLineInEveryBlock(self):
        for block in BLOCKS:
            with self.subTest(block=block):
                model = model_with(block, "array[1000000] vector[1000000] v;")
                ended = self.run_model(model)
                self.assertEqual(ended.returncode, 1, ended.stderr)
                self.assertIn(f"m.stan:{line_of(model, 'array')}:", ended.stderr)
                if block == "data":  # nothing is allocated for it
                    self.assertIn("data: variable 'v' is missing", ended.stderr)
                else:
                    self.assertIn("'v' would have 1000000000000 elements and take 8000 GB", ended.stderr)

    def test_SizeBeyondIntegers_EndsWithItsLineInEveryBlock(self):
        for block in BLOCKS:
            for size in ("1000000000000", "1000000 * 1000000"):
                with self.subTest(block=block, size=size):
                    model = model_with(block, f"vector[{size}] v;")
                    ended = self.run_model(model)
                    self.assertEqual(ended.returncode, 1, ended.stderr)
                    self.assertIn(f"m.stan:{line_of(model, 'v;')}:8: error: ", ended.stderr)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()

"""Errors of Stan models in the program: endless loops, memory limits and failing statements, with their places.

    test_language.py PROGRAM [unittest arguments]
"""

import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
SANITIZED = False
SECONDS = 60  # a bound for slow machines: a second or two is usual
CPU_SECONDS = 5  # what a thread may use for a model that never ends, whatever else the machine does

BLOCKS = ["functions", "data", "transformed data", "parameters", "transformed parameters", "model",
          "generated quantities"]
WITH_STATEMENTS = [block for block in BLOCKS if block not in ("data", "parameters")]


def model_with(block, statement):
    """A normal model with the statement in the block; for functions, in one that transformed data call."""
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
    def stopped(self, model, threads=1):
        """The error output of a model that must stop quickly by itself; threads: number of threads."""
        def used():
            children = resource.getrusage(resource.RUSAGE_CHILDREN)
            return children.ru_utime + children.ru_stime
        before = used()
        ended = self.run_model(model)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertLess(used() - before, threads * CPU_SECONDS * (10 if SANITIZED else 1))
        return ended.stderr

    def test_EndlessLoop_EndsWithItsLineInEveryBlock(self):
        for block in WITH_STATEMENTS:
            with self.subTest(block=block):
                model = model_with(block, "while (1) {}")
                errors = self.stopped(model)
                self.assertIn(f"m.stan:{line_of(model, 'while')}:8: error: this while loop never ends: its iterations change nothing", errors)

    def test_LoopThatCountsForEver_EndsWithItsLine(self):
        for block in ("transformed data", "generated quantities"):
            with self.subTest(block=block):
                model = model_with(block, "{ int n = 0; while (n < 2) n = 1 - n; }")
                chains = min(4, os.cpu_count()) if block == "generated quantities" else 1
                errors = self.stopped(model, threads=chains)
                self.assertIn(f"m.stan:{line_of(model, 'while')}:21: error: this while loop has run 5000000 "
                              "statements and its condition still holds", errors)

    def test_ContainerLargerThanMemory_EndsWithItsLineInEveryBlock(self):
        for block in BLOCKS:
            with self.subTest(block=block):
                model = model_with(block, "array[1000000] vector[1000000] v;")
                errors = self.stopped(model)
                self.assertIn(f"m.stan:{line_of(model, 'array')}:", errors)
                if block == "data":  # nothing is allocated for it
                    self.assertIn("data: variable 'v' is missing", errors)
                else:
                    self.assertIn("'v' would have 1000000000000 elements and take 8000 GB", errors)

    def test_SizeBeyondIntegers_EndsWithItsLineInEveryBlock(self):
        for block in BLOCKS:
            for size in ("1000000000000", "1000000 * 1000000"):
                with self.subTest(block=block, size=size):
                    model = model_with(block, f"vector[{size}] v;")
                    errors = self.stopped(model)
                    self.assertIn(f"m.stan:{line_of(model, 'v;')}:8: error: ", errors)

    def test_LoopThatUsesUpTheMemory_EndsWithItsLine(self):
        if SANITIZED:
            self.skipTest("sanitizers need more address space than this leaves")
        model = model_with("model", "for (i in 1:100000000) target += normal_lpdf(mu | i, 1);")
        most = 1000 * 2**20
        ended = subprocess.run(self.words(model), cwd=self.folder, capture_output=True, text=True, timeout=SECONDS,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)))
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertRegex(ended.stderr, f"m.stan:{line_of(model, 'for (')}:[0-9]+: error: not enough memory for this statement")

    def interrupted(self, block):
        """Starts a loop that takes minutes and prints at its beginning, then sends Ctrl-C."""
        loop = "for (i in 1:190000000) {}"
        if block in ("transformed parameters", "model"):  # these run once without a word before the first draw
            model = model_with(block, loop).replace("parameters {", 'transformed data {\nprint("it runs");\n}\nparameters {', 1)
        else:
            model = model_with(block, 'print("it runs");\n' + loop)
        with subprocess.Popen(self.words(model), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as running:
            self.assertEqual(running.stderr.readline(), "it runs\n")
            running.send_signal(signal.SIGINT)
            try:
                error = running.communicate(timeout=SECONDS)[1]
            finally:
                running.kill()
        self.assertEqual(running.returncode, 130, error)
        return f"m.stan:{line_of(model, 'for (')}:24: error: interrupted here", error

    def test_Interrupt_EndsALoopWithItsLineInEveryBlock(self):
        for block in WITH_STATEMENTS:
            with self.subTest(block=block):
                expected, error = self.interrupted(block)
                self.assertIn(expected, error)
                if block == "generated quantities":
                    self.assertIn("sgmcmc: interrupted; ", error)


class PrintAndReject(LanguageTest):
    def test_PrintOfTransformedData_ComesOnceOnStandardError(self):
        ended = self.run_model(model_with("transformed data", 'print("y is ", y);'), "--json")
        self.assertEqual(ended.stderr.count("y is [1,2,4]\n"), 1, ended.stderr)
        json.loads(ended.stdout)

    def test_PrintOfTheModel_ComesAtEveryDraw(self):
        ended = self.run_model(model_with("model", 'print("mu is ", mu);'), "--iterations", "50", "--chains", "2")
        self.assertEqual(ended.stderr.count("mu is "), 100, ended.stderr)

    def test_RejectInTransformedData_EndsWithItsTextAndLine(self):
        model = model_with("transformed data", 'if (y[3] > 3) reject("y[3] is ", y[3]);')
        ended = self.run_model(model)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertIn(f"m.stan:{line_of(model, 'reject')}:15: error: the model rejects: y[3] is 4", ended.stderr)

    def test_RejectOfAllParameters_IsNamedWhenNoStartIsFound(self):
        model = model_with("model", 'if (mu < 100) reject("mu is ", mu);')
        ended = self.run_model(model)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertIn("no starting point found", ended.stderr)
        self.assertIn("The model rejects some parameters:\n"
                      f'm.stan:{line_of(model, "reject")}:15: reject("mu is ", mu);', ended.stderr)

    def test_RejectOfSomeParameters_IsObeyed(self):
        ended = self.run_model(model_with("model", 'if (mu < 1.5) reject("mu is ", mu);'), "--json", "--seed", "1")
        rows = json.loads(ended.stdout)["parameters"]
        self.assertGreater(next(row for row in rows if row["name"] == "mu")["q5"], 1.5)

    def test_RejectInGeneratedQuantities_LeavesThemOutAndSaysWhy(self):
        model = model_with("generated quantities", 'real z = mu;\nif (z < 1.5) reject("z is ", z);')
        ended = self.run_model(model)
        self.assertNotIn("\nz ", ended.stdout)
        self.assertIn("sgmcmc: warning: z is left out of the files and the summary: no finite number at", ended.stderr)
        self.assertIn(f"m.stan:{line_of(model, 'reject')}:14: error: the model rejects: z is ", ended.stderr)

    def test_RejectInGeneratedQuantitiesWithoutOutputs_IsTold(self):
        model = model_with("generated quantities", 'if (mu < 1.5) reject("mu is ", mu);')
        ended = self.run_model(model)
        self.assertRegex(ended.stderr, "sgmcmc: warning: generated quantities fail at [0-9]+ draws, first at draw "
                                       "[0-9]+ of\\s+chain 1:")
        self.assertIn("the model rejects: mu is ", ended.stderr)


class Constraints(LanguageTest):
    def test_TransformedParameterOutside_IsNotDrawn(self):
        ended = self.run_model(model_with("transformed parameters", "real<lower=1.5> z = mu;"), "--json", "--seed", "1")
        rows = json.loads(ended.stdout)["parameters"]
        self.assertGreater(next(row for row in rows if row["name"] == "z")["q5"], 1.5)

    def test_GeneratedQuantityOutside_IsLeftOutWithTheReason(self):
        model = model_with("generated quantities", "real<lower=1.5> z = mu;")
        ended = self.run_model(model)
        self.assertNotIn("\nz ", ended.stdout)
        self.assertIn("sgmcmc: warning: z is left out of the files and the summary: no finite number at", ended.stderr)
        self.assertRegex(ended.stderr, "generated quantity 'z': it is [0-9.e-]+, must be at least 1.5; declared at "
                                       f"m.stan:{line_of(model, 'z =')}:17")

    def test_TransformedParameterOutsideInAMinibatchRun_IsLeftOutWithTheReason(self):
        model = model_with("transformed parameters", "real<lower=1.5> z = mu;")
        ended = self.run_model(model, "--method", "sgld", "--step-size", "0.01", "--iterations", "2000", "--batch-size",
                               "1")
        self.assertNotIn("\nz ", ended.stdout)
        self.assertRegex(ended.stderr, "transformed parameter 'z': it is [0-9.e-]+, must be at least 1.5")

    def test_DataOutsideTheirTruncation_AreWarnedOf(self):
        ended = self.run_model(model_with("model", "for (n in 1:N) y[n] ~ normal(mu, 1) T[0, 2];"))
        self.assertEqual(ended.returncode, 1)
        self.assertIn("warning: an outcome is outside its truncation: the log density is -infinity for all parameters",
                      ended.stderr)


class Include(LanguageTest):
    def test_Folders_AreGivenInOrder(self):
        (self.folder / "library").mkdir()
        self.write("library/f.stan", "real f(real x) {\n  return x;\n}\n")
        model = "functions {\n#include f.stan\n}\nparameters { real mu; }\nmodel { f(mu) ~ normal(0, 1); }\n"
        ended = self.run_model(model, command="check")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("m.stan:2:10: error: the file 'f.stan' was not found in .\n", ended.stderr)
        self.assertIn("help: add the folder it is in to the include folders", ended.stderr)
        for command in ("check", "optimize", "sample"):
            ended = self.run_model(model, "--include", "nowhere", "--include", "library", command=command)
            self.assertIn(ended.returncode, (0, 3, 4), ended.stderr)

    def test_IncludedFileThatChanged_IsToldWhenARunIsRepeatedOrResumed(self):
        self.write("f.stan", "real f(real x) { return x; }\n")
        model = "functions {\n#include f.stan\n}\nparameters { real mu; }\nmodel { f(mu) ~ normal(0, 1); }\n"
        self.run_model(model, "--out", "run", "--iterations", "100")
        record = json.loads((self.folder / "run" / "run.json").read_text())
        self.assertEqual([entry["file"] for entry in record["included"]], ["f.stan"])
        self.write("f.stan", "real f(real x) { return 2 * x; }\n")
        resumed = subprocess.run([PROGRAM, "resume", "run", "--iterations", "200"], cwd=self.folder, capture_output=True,
                                 text=True, timeout=SECONDS)
        self.assertNotEqual(resumed.returncode, 0)
        self.assertIn("f.stan", resumed.stderr)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    SANITIZED = any(name in pathlib.Path(PROGRAM).read_bytes() for name in (b"__asan_init", b"__tsan_init"))
    unittest.main()

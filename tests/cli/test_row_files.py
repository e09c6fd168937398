"""Row files as a user meets them: packing that is killed, files that are damaged, or cut while a run reads them.

    test_row_files.py PROGRAM [KILLS [ROWS]]      KILLS: how many times packing is killed; default 3
"""

import fcntl
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""
KILLS = 3
ROWS = 40_000

MODEL = """data {
  int<lower=0> N;
  matrix[N, 5] X;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  vector[5] beta;
}
model {
  beta ~ normal(0, 1);
  y ~ bernoulli_logit(X * beta);
}
"""


def write_csv(path, rows, seed):
    chance = random.Random(seed)
    with open(path, "w") as file:
        for _ in range(rows):
            x = [chance.gauss(0, 1) for _ in range(5)]
            y = int(chance.random() < 0.5 + 0.1 * max(-4, min(4, x[0] - x[1])))
            file.write(",".join(f"{value:.4f}" for value in x) + f",{y}\n")


class RowFileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.shared.name)
        (cls.folder / "model.stan").write_text(MODEL)
        write_csv(cls.folder / "rows.csv", ROWS, 1)
        begin = time.monotonic()
        cls.call(cls.pack_words("whole.sgr"))
        cls.seconds = time.monotonic() - begin

    @classmethod
    def tearDownClass(cls):
        cls.shared.cleanup()

    @staticmethod
    def pack_words(out):
        return ["pack", "model.stan", "--data", "X=rows.csv:1..5", "--data", "y=rows.csv:6", "--precision", "float",
                "--out", out]

    @classmethod
    def call(cls, words, status=0):
        done = subprocess.run([PROGRAM] + words, cwd=cls.folder, capture_output=True, text=True, timeout=600)
        if done.returncode != status:
            raise AssertionError(f"{words}: status {done.returncode}: {done.stderr}")
        return done

    def test_PackingKilledAtRandomInstants_EndsWithTheSameBytes(self):
        chance = random.Random(KILLS)
        whole = (self.folder / "whole.sgr").read_bytes()
        kills = rounds = 0
        while kills < KILLS:
            rounds += 1
            killed_here = 0
            while kills < KILLS and killed_here < 5:
                process = subprocess.Popen([PROGRAM] + self.pack_words("killed.sgr"), cwd=self.folder,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                try:
                    process.wait(timeout=chance.uniform(0, self.seconds))
                    _, error = process.communicate()
                    self.assertEqual(process.returncode, 0, error)
                    break
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
                    kills += 1
                    killed_here += 1
                    if (self.folder / "killed.sgr").exists():  # it was about to exit
                        break
            if not (self.folder / "killed.sgr").exists():
                self.call(self.pack_words("killed.sgr"))
            self.assertTrue((self.folder / "killed.sgr").read_bytes() == whole, f"other bytes after {kills} kills")
            self.assertEqual([path.name for path in self.folder.glob("killed.sgr.*")], [])
            os.remove(self.folder / "killed.sgr")
        print(f"{kills} kills in {rounds} packings of {ROWS} rows: always the same bytes")

    def test_FileThatAnotherProcessPacks_IsRefused(self):
        with open(self.folder / "held.sgr.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = self.call(self.pack_words("held.sgr"), status=1)
            self.assertIn("'held.sgr' is being written by another process", done.stderr)
        self.call(self.pack_words("held.sgr"))  # a lock file that a killed process left
        self.assertEqual([path.name for path in self.folder.glob("held.sgr.*")], [])

    def test_FileOfTheUserWithTheNameOfALock_IsKept(self):
        (self.folder / "own.sgr.lock").write_text("notes of the user")
        self.call(self.pack_words("own.sgr"))
        self.assertEqual((self.folder / "own.sgr.lock").read_text(), "notes of the user")

    def test_SeveralPackingsOfOneFileAtOnce_EndWithTheFileOfOne(self):
        whole = (self.folder / "whole.sgr").read_bytes()
        for _ in range(3):
            started = [subprocess.Popen([PROGRAM] + self.pack_words("raced.sgr"), cwd=self.folder, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True) for _ in range(3)]
            ended = []
            for process in started:
                _, error = process.communicate(timeout=600)
                self.assertRegex(error, "^$|is being written by another process|is there already")
                ended.append(process.returncode)
            self.assertEqual(sorted(ended), [0, 1, 1])
            self.assertEqual((self.folder / "raced.sgr").read_bytes(), whole)
            self.assertEqual([path.name for path in self.folder.glob("raced.sgr.*")], [])
            os.remove(self.folder / "raced.sgr")

    def test_FileThatIsRead_IsNotReplaced(self):
        before = (self.folder / "rows.csv").read_bytes()
        for words in (["--overwrite"], []):
            done = self.call(self.pack_words("./rows.csv") + words, status=2)
            self.assertIn("--out: './rows.csv' is read by this call and would be replaced", done.stderr)
        self.assertIn("is read by this call", self.call(self.pack_words("model.stan") + ["--overwrite"], status=2).stderr)
        self.assertEqual((self.folder / "rows.csv").read_bytes(), before)
        self.assertEqual((self.folder / "model.stan").read_text(), MODEL)

    def test_ColumnPackedWithAnotherType_IsNamed(self):
        for declared, other in (("array[N] int y", "vector[N] y"), ("vector[N] y", "array[N] int y")):
            text = "data { int N; matrix[N, 5] X; TYPE; } parameters { vector[5] b; } model { target += X * b; y ~ normal(0, 1); }"
            (self.folder / "typed.stan").write_text(text.replace("TYPE", declared))
            (self.folder / "other.stan").write_text(text.replace("TYPE", other))
            self.call(["pack", "typed.stan", "--data", "X=rows.csv:1..5", "--data", "y=rows.csv:6", "--out", "typed.sgr", "--overwrite"])
            done = self.call(["check", "other.stan", "--data", "typed.sgr"], status=1)
            self.assertIn("'y' was packed with another type than the model declares", " ".join(done.stderr.split()))

    def test_FlippedBit_IsFound(self):
        chance = random.Random(2)
        whole = (self.folder / "whole.sgr").read_bytes()
        for _ in range(5):
            at = chance.randrange(8 * len(whole))
            bytes_now = bytearray(whole)
            bytes_now[at // 8] ^= 1 << (at % 8)
            (self.folder / "flipped.sgr").write_bytes(bytes_now)
            done = self.call(["check", "model.stan", "--data", "flipped.sgr"], status=1)
            self.assertIn("flipped.sgr", done.stderr, f"bit {at}")

    @unittest.skipIf(len(sys.argv) > 3, "the message is that of the usual number of rows")
    def test_NumbersForEachRowBeyondTheLimit_AreRefused(self):
        words = ["sample", "model.stan", "--data", "whole.sgr", "--memory", "64M", "--method", "sgld-saga", "--step-size", "1e-6",
                 "--iterations", "10", "--quiet", "--exit-status", "plain"]
        done = self.call(words + ["--chains", "25"], status=2)  # 8 bytes for each row, parameter and chain
        self.assertEqual(done.stderr, "sgmcmc: --memory: the method keeps 0.04 GB for a gradient of every row and chain, more than half "
                         "of it. Use control variates (-cv), which keep one gradient for all rows\n")
        self.call(words + ["--chains", "1"])

    def test_ArraysOverRowsThatAreMissing_AreNamed(self):
        done = self.call(["pack", "model.stan", "--data", "X=rows.csv:1..5", "--out", "part.sgr"], status=2)
        self.assertIn("the data files do not have 'y', which the model declares over the same rows as 'X'", done.stderr)
        (self.folder / "named.csv").write_text("a,b\n1,2\n")
        done = self.call(["pack", "model.stan", "--data", "named.csv", "--out", "part.sgr"], status=2)
        self.assertIn("none of the arrays that the model declares ('X', 'y')", done.stderr)
        self.assertIn("--data NAME=FILE:COLUMNS", done.stderr)
        self.assertFalse((self.folder / "part.sgr").exists())

    def test_RowsFromElsewhereBesideARowFile_AreRefused(self):
        (self.folder / "features.stan").write_text(MODEL.replace("  array[N] int<lower=0, upper=1> y;\n", "").replace(
            "y ~ bernoulli_logit(X * beta)", "target += sum(X * beta)"))
        self.call(["pack", "features.stan", "--data", "X=rows.csv:1..5", "--out", "features.sgr"])
        done = self.call(["check", "model.stan", "--data", "features.sgr", "--data", "y=rows.csv:6"], status=1)
        self.assertRegex(done.stderr, "rows.csv: column 6.*: 'y' has the rows of 'X' .*in random order")
        self.call(["check", "features.stan", "--data", "features.sgr"])

    def test_ArrayOfACsvFileThatDoesNotCountRows_IsPackedWithItsValues(self):
        (self.folder / "scaled.stan").write_text(MODEL.replace(
            "array[N] int<lower=0, upper=1> y;", "array[N] int<lower=0, upper=1> y;\n  int K;\n  vector[K] scale;").replace(
            "beta ~ normal(0, 1)", "beta ~ normal(0, scale)"))
        (self.folder / "scale.csv").write_text("scale\n" + "".join(f"{value}\n" for value in (0.5, 1, 2, 4, 8)))
        self.call(["pack", "scaled.stan", "--data", "X=rows.csv:1..5", "--data", "y=rows.csv:6", "--data", "scale.csv",
                   "--out", "scaled.sgr"])
        done = self.call(["sample", "scaled.stan", "--data", "scaled.sgr", "--method", "laplace", "--iterations", "100", "--json",
                          "--exit-status", "plain"])
        self.assertIn('"beta[5]"', done.stdout)

    def test_FileCutWhileARunReadsIt_IsNamedAndTheRunCanBeResumed(self):
        whole = (self.folder / "whole.sgr").read_bytes()
        (self.folder / "cut.sgr").write_bytes(whole)
        words = ["sample", "model.stan", "--data", "cut.sgr", "--method", "sgld-cv", "--step-size", "1e-5", "--iterations",
                 "400000", "--chains", "1", "--out", "run", "--checkpoint-every", "0.05", "--exit-status", "plain"]
        process = subprocess.Popen([PROGRAM] + words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True)
        deadline = time.monotonic() + 60
        while not list((self.folder / "run").glob("**/*checkpoint*")) and time.monotonic() < deadline:
            time.sleep(0.005)
        self.assertIsNone(process.poll(), "the run was over before its file was cut")
        os.truncate(self.folder / "cut.sgr", 8192)
        _, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, error)
        self.assertRegex(error, r"sgmcmc: \S*cut\.sgr: the file was cut, or its disk failed")
        self.assertEqual(len(re.findall("sgmcmc: .*cut", error)), 1)
        (self.folder / "cut.sgr").write_bytes(whole)
        self.call(["resume", "run", "--quiet"])


GROUPED_MODEL = """data {
  int<lower=0> N;
  int<lower=0> J;
  vector[N] x;
  array[N] int<lower=1, upper=J> g;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> tau;
  real beta;
  real<lower=0> sigma;
  vector[J] theta;
}
model {
  mu ~ normal(0, 2);
  tau ~ normal(0, 1);
  beta ~ normal(0, 1);
  sigma ~ normal(0, 1);
  theta ~ normal(mu, tau);
  y ~ normal(theta[g] + beta * x, sigma);
}
"""


class GroupedRowFileTest(unittest.TestCase):
    """Row files that keep the rows of a group together: half of the rows belong to one group."""
    GROUPS = 60

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.shared.name)
        (cls.folder / "model.stan").write_text(GROUPED_MODEL)
        (cls.folder / "sizes.json").write_text(f'{{"J": {cls.GROUPS}}}')
        chance = random.Random(3)
        effects = [0.5 + 0.7 * chance.gauss(0, 1) for _ in range(cls.GROUPS)]
        with open(cls.folder / "rows.csv", "w") as file:
            file.write("x,g,y\n")
            for _ in range(ROWS // 10):
                group = 7 if chance.random() < 0.5 else chance.randrange(cls.GROUPS)
                x = chance.gauss(0, 1)
                file.write(f"{x:.4f},{group + 1},{effects[group] - 0.5 * x + chance.gauss(0, 1):.4f}\n")
        begin = time.monotonic()
        cls.call(cls.pack_words("whole.sgr"))
        cls.seconds = time.monotonic() - begin

    @classmethod
    def tearDownClass(cls):
        cls.shared.cleanup()

    @staticmethod
    def pack_words(out):
        return ["pack", "model.stan", "--data", "rows.csv", "--data", "sizes.json", "--group-by", "g", "--out", out]

    @classmethod
    def call(cls, words, status=0):
        done = subprocess.run([PROGRAM] + words, cwd=cls.folder, capture_output=True, text=True, timeout=600)
        if done.returncode != status:
            raise AssertionError(f"{words}: status {done.returncode}: {done.stderr}")
        return done

    def summary(self, data, more):
        done = self.call(["sample", "model.stan", "--seed", "1", "--json", "--chains", "2", "--groups", "1:20", "--exit-status", "plain"] +
                         data + more)
        return {variable["name"]: variable for variable in json.loads(done.stdout)["parameters"] if variable["name"] != "lp__"}

    def test_PackingKilledAtRandomInstants_EndsWithTheSameBytes(self):
        chance = random.Random(KILLS)
        whole = (self.folder / "whole.sgr").read_bytes()
        self.assertEqual(whole[:13], b"sgmcmc rows 3")
        for _ in range(KILLS):
            process = subprocess.Popen([PROGRAM] + self.pack_words("killed.sgr"), cwd=self.folder, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            try:
                process.wait(timeout=chance.uniform(0, self.seconds))
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            if (self.folder / "killed.sgr").exists():  # it was about to exit, or had ended
                self.assertTrue((self.folder / "killed.sgr").read_bytes() == whole)
                os.remove(self.folder / "killed.sgr")
        self.call(self.pack_words("killed.sgr"))
        self.assertTrue((self.folder / "killed.sgr").read_bytes() == whole, "other bytes")
        self.assertEqual([path.name for path in self.folder.glob("killed.sgr.*")], [])

    def test_GroupedFileAndCsvFile_HaveTheSamePosterior(self):
        for method in ("marginal-nuts", "marginal-sglm"):
            more = ["--method", method] + (["--step-size", "0.3", "--iterations", "4000", "--thin", "4"] if method.endswith("sglm")
                                           else ["--warmup", "100", "--iterations", "300"])
            file = self.summary(["--data", "whole.sgr"], more)
            memory = self.summary(["--data", "rows.csv", "--data", "sizes.json"], more)
            self.assertEqual(file.keys(), memory.keys())
            self.assertGreater(len(file), 20)
            for name, own in file.items():
                self.assertLess(abs(own["mean"] - memory[name]["mean"]), 0.25 * memory[name]["sd"], f"{method}: {name}")
                self.assertLess(abs(own["sd"] / memory[name]["sd"] - 1), 0.25, f"{method}: {name}")

    def test_Slices_AreRefused_AndOtherMinibatchesAreNot(self):
        words = ["sample", "model.stan", "--data", "whole.sgr", "--method", "sghmc", "--step-size", "1e-6", "--iterations", "20", "--quiet",
                 "--exit-status", "plain"]
        self.call(words)
        done = self.call(words + ["--row-sampling", "slices"], status=2)
        self.assertEqual(done.stderr, "sgmcmc: --row-sampling: the rows of each group are together in the row file, so consecutive rows are "
                         "not a random sample. Use with-replacement, or pack the data without group-by\n")

    def test_OtherVariables_AreRefused(self):
        use = "; rows are grouped by an integer variable with one number for each row\n"
        for name, reason in (("y", "'y' is real"), ("J", "'J' is not over the rows"), ("h", "the data have no 'h'")):
            words = [name if word == "g" else word for word in self.pack_words("part.sgr")]
            self.assertEqual(self.call(words, status=2).stderr, f"sgmcmc: --group-by: {reason}{use}")
        self.assertEqual(list(self.folder.glob("part.sgr*")), [])


class RowOrderTest(unittest.TestCase):
    """Models of rows in random order: those that depend on the order are refused, others are not."""
    ROWS = 3000
    DATA = "data { int<lower=0> N; int J; vector[N] y; matrix[N, 2] X; array[N] int<lower=1, upper=J> g; array[N] int id; MORE } "
    PARAMETERS = "parameters { real mu; real b; vector[2] beta; vector[J] theta; MORE } "

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.shared.name)
        chance = random.Random(5)
        with open(cls.folder / "rows.csv", "w") as file:
            file.write("y,u,v,g,id\n")
            for i in range(cls.ROWS):
                file.write(f"{chance.gauss(2 * i / 1000, 1):.4f},{chance.gauss(0, 1):.4f},{chance.gauss(3, 2):.4f},{1 + i % 20},{i + 1}\n")
        w = [round(chance.gauss(0, 1), 4) for _ in range(cls.ROWS)]
        (cls.folder / "sizes.json").write_text('{"J": 20}')
        (cls.folder / "w.json").write_text(json.dumps({"w": w, "M": cls.ROWS}))
        (cls.folder / "pack.stan").write_text(cls.DATA.replace("MORE", "") + "parameters { real mu; } model { y ~ normal(mu, 1); }")
        for name, more in (("rows.sgr", []), ("grouped.sgr", ["--group-by", "g"])):
            cls.call(["pack", "pack.stan", "--data", "rows.csv", "--data", "X=rows.csv:u,v", "--data", "sizes.json", "--out", name] + more)

    @classmethod
    def tearDownClass(cls):
        cls.shared.cleanup()

    @classmethod
    def call(cls, words, status=0):
        done = subprocess.run([PROGRAM] + words, cwd=cls.folder, capture_output=True, text=True, timeout=600)
        if done.returncode != status:
            raise AssertionError(f"{words}: status {done.returncode}: {done.stderr}")
        return done

    def check(self, blocks, status, data="", parameters="", files=("rows.sgr",)):
        text = self.DATA.replace("MORE", data) + blocks.replace("PARAMETERS", self.PARAMETERS.replace("MORE", parameters))
        (self.folder / "model.stan").write_text(text)
        words = ["check", "model.stan"] + [word for name in files for word in ("--data", name)]
        with self.subTest(model=blocks, files=files):
            return " ".join(self.call(words, status).stderr.split())
        return ""

    def test_ModelsThatDependOnTheOrder_AreRefused(self):
        depends = "the posterior depends on the order of rows, but a row file has its rows in random order: in two orders of the first 1000 rows"
        for blocks in (
                "PARAMETERS model { for (i in 1:N) y[i] ~ normal(mu + b * i / 1000.0, 1); }",
                "PARAMETERS model { for (i in 1:N) y[i] ~ normal(mu + b * (i / 1000.0), 1); }",
                "transformed data { vector[N] d; d[1] = y[1]; for (i in 2:N) d[i] = y[i] - y[i - 1]; } PARAMETERS model { d ~ normal(mu, 1); }",
                "transformed data { vector[N] d = cumulative_sum(y); } PARAMETERS model { d ~ normal(mu, 1 + abs(X[, 1])); }",
                "transformed data { vector[N] d = sort_asc(y); } PARAMETERS model { d ~ normal(mu, 1 + abs(X[, 1])); }",
                "PARAMETERS model { for (i in 2:N) y[i] ~ normal(b * y[i - 1], 1); }",
                "PARAMETERS model { y[1] ~ normal(mu, 1); y[2:N] ~ normal(b * y[1:(N - 1)], 1); }"):
            self.assertIn(depends, self.check(blocks, 1))
            self.assertIn(depends, self.check(blocks, 1, files=("grouped.sgr",)))

    def test_ModelsThatNeedAllRows_AreRefusedByTheirColumns(self):
        words = self.check("PARAMETERS model { each ~ normal(0, 1); for (i in 1:N) y[i] ~ normal(each[id[i]] + b * i / 1000.0, 1); }", 1,
                           parameters="vector[N] each;")
        self.assertIn("the model uses the number of a row, but a row file has its rows in random order: add the number as a column", words)
        words = self.check("PARAMETERS model { each ~ normal(0, 1); for (i in 1:N) y[i] ~ normal(each[id[i]] + b * w[i], 1); }", 1,
                           "int M; vector[M] w;", "vector[N] each;", files=("rows.sgr", "w.json"))
        self.assertRegex(words, "variable 'w' has the rows of data: variable '(y|id)', but a row file has its rows in random order, .* Pack both together")

    def test_ArrayOverTheSameRowsFromElsewhere_IsRefusedUnderAnySize(self):
        for size in ("N", "M", "(2 * N - N)", str(self.ROWS)):
            words = self.check("PARAMETERS model { for (i in 1:N) y[i] ~ normal(mu + b * w[i], 1); }", 1,
                               f"int M; vector[{size}] w;", files=("rows.sgr", "w.json"))
            self.assertRegex(words, "'w' has the rows of '[yX]'|pack 'w' with the other columns")
        words = self.check("transformed data { vector[N] r = y - w; } PARAMETERS model { r ~ normal(mu + b * X[, 1], 1); }", 1,
                           "int M; vector[M] w;", files=("rows.sgr", "w.json"))
        self.assertIn("pack 'w' with the other columns if it has their rows", words)
        words = self.check("PARAMETERS model { for (i in 1:N) y[i] ~ normal(mu + b * w[id[i]], 1); }", 0,
                           "int M; vector[M] w;", files=("rows.sgr", "w.json"))  # a table that each row looks up

    def test_OtherModels_AreAccepted(self):
        standardised = ("transformed data { matrix[N, 2] Z; for (k in 1:2) Z[, k] = (X[, k] - mean(X[, k])) / sd(X[, k]); real most = max(y); "
                        "real middle = quantile(y, 0.5); } PARAMETERS model { beta ~ normal(0, 1); y ~ normal(mu + Z * beta, 1 + square(most)); "
                        "mu ~ normal(middle, 1); }")
        for blocks in (
                standardised,
                "PARAMETERS model { y ~ normal(mu + X * beta, 1); }",
                "PARAMETERS model { for (i in 1:N) y[i] ~ normal(mu + X[i] * beta + b * log1p(id[i]), 1); }",
                "PARAMETERS model { theta ~ normal(mu, 1); y ~ normal(theta[g], 1); }",
                "PARAMETERS model { theta ~ normal(mu, 1); for (i in 1:N) y[i] ~ normal(theta[g[i]] + dot_product(X[i], beta), 1); }",
                "transformed data { vector[N] c = y - mean(y); array[J] int n = rep_array(0, J); for (i in 1:N) n[g[i]] += 1; } "
                "PARAMETERS model { theta ~ normal(mu, 1); for (i in 1:N) c[i] ~ normal(theta[g[i]], sqrt(n[g[i]])); }",
                "transformed data { vector[N] e; for (i in 1:N) e[i] = normal_rng(0, 1); } PARAMETERS model { y + e ~ normal(mu, 2); }"):
            for files in (("rows.sgr",), ("grouped.sgr",)):
                self.assertNotIn("order", self.check(blocks, 0, files=files))
        self.check("PARAMETERS model { each ~ normal(mu, 1); y ~ normal(each, 1); }", 0, parameters="vector[N] each;")
        # Where one group ends and the next begins can be found from the rows themselves.
        ends = ("transformed data { array[J] int rows = rep_array(0, J); array[J] int place; int k = 0; for (i in 1:N) { "
                "if (i == 1 || g[i] != g[max(1, i - 1)]) k += 1; rows[g[i]] += 1; place[g[i]] = k; } } "
                "PARAMETERS model { target += -0.1 * k; for (i in 1:N) y[i] ~ normal(theta[g[i]] + b * rows[g[i]], 1); }")
        self.check(ends, 0, files=("grouped.sgr",))
        self.check(ends, 1)

    def test_ComputedColumnsOfAGroupedFile_AreNotTakenAsSlices(self):
        (self.folder / "model.stan").write_text(
            self.DATA.replace("MORE", "") + "transformed data { vector[N] z = (y - 1) / 2; } parameters { real mu; } model { z ~ normal(mu, 1); }")
        words = ["sample", "model.stan", "--data", "grouped.sgr", "--method", "sgld", "--step-size", "2e-5", "--iterations", "20", "--quiet",
                 "--exit-status", "plain"]
        self.call(words)
        done = self.call(words + ["--row-sampling", "slices"], status=2)
        self.assertIn("the rows of each group are together in the row file", done.stderr)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else KILLS
    ROWS = int(sys.argv[3]) if len(sys.argv) > 3 else ROWS
    unittest.main(argv=sys.argv[:1])

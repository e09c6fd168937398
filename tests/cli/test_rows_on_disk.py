"""Whole runs on a row file, compared draw by draw: from memory and from disk, for several limits of memory (which is how
far rows are read ahead and kept), numbers of chains, threads and ranks.

    test_rows_on_disk.py PROGRAM      with ranks where mpirun is installed
"""

import array
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
MPIRUN = shutil.which("mpirun")
ROWS, FEATURES = 500_000, 20  # 42 MB: more than the half of 64M that is for rows
BLOCK = 5_000

MODEL = """data {
  int<lower=0> N;
  matrix[N, 20] X;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  vector[20] beta;
}
model {
  beta ~ normal(0, 1);
  y ~ bernoulli_logit(X * beta);
}
"""

HIERARCHICAL = """data {
  int<lower=0> N;
  int<lower=0> J;
  matrix[N, 100] X;
  array[N] int<lower=1, upper=J> g;
  vector[N] y;
}
parameters {
  real<lower=0> tau;
  real beta;
  vector[J] theta;
}
model {
  tau ~ normal(0, 1);
  beta ~ normal(0, 1);
  theta ~ normal(0, tau);
  y ~ normal(theta[g] + X * rep_vector(beta, 100), 2);
}
"""
GROUPS = 1_000  # one of them with a fifth of the rows
GROUPED_ROWS, GROUPED_FEATURES = 50_000, 100  # few and wide, which takes less time; 40 MB as doubles

METHODS = {
    "default": [],
    "sgld-cv": ["--method", "sgld-cv", "--step-size", "1e-6", "--iterations", "300"],
    "sghmc": ["--method", "sghmc", "--step-size", "1e-6", "--iterations", "300"],
}
GROUP_METHODS = {
    "marginal-sglm": ["--method", "marginal-sglm", "--step-size", "0.3", "--iterations", "200"],
    "sghmc": METHODS["sghmc"],
}


def write_npy(path, kind, shape, block, repeats):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
        for _ in range(repeats):
            file.write(block)


class RowsOnDiskTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.shared.name)
        (cls.folder / "model.stan").write_text(MODEL)
        chance = random.Random(1)
        x = array.array("f", (chance.gauss(0, 1) for _ in range(BLOCK * FEATURES)))
        y = array.array("i", (int(chance.random() < 0.5 + 0.1 * max(-4, min(4, x[i * FEATURES] - x[i * FEATURES + 1])))
                              for i in range(BLOCK)))
        write_npy(cls.folder / "X.npy", "<f4", (ROWS, FEATURES), x.tobytes(), ROWS // BLOCK)
        write_npy(cls.folder / "y.npy", "<i4", (ROWS,), y.tobytes(), ROWS // BLOCK)
        cls.call([PROGRAM, "pack", "model.stan", "--data", "X=X.npy", "--data", "y=y.npy", "--out", "rows.sgr"])
        (cls.folder / "hierarchical.stan").write_text(HIERARCHICAL)
        (cls.folder / "sizes.json").write_text(f'{{"J": {GROUPS}}}')
        g = array.array("i", (5 if chance.random() < 0.2 else 1 + chance.randrange(GROUPS) for _ in range(BLOCK)))
        repeats = GROUPED_ROWS // BLOCK
        write_npy(cls.folder / "wide.npy", "<f4", (GROUPED_ROWS, GROUPED_FEATURES), x.tobytes() * (GROUPED_FEATURES // FEATURES), repeats)
        write_npy(cls.folder / "g.npy", "<i4", (GROUPED_ROWS,), g.tobytes(), repeats)
        write_npy(cls.folder / "labels.npy", "<i4", (GROUPED_ROWS,), y.tobytes(), repeats)
        for words in (["--out", "scattered.sgr"], ["--group-by", "g", "--out", "grouped.sgr"]):
            cls.call([PROGRAM, "pack", "hierarchical.stan", "--data", "X=wide.npy", "--data", "y=labels.npy", "--data", "g=g.npy",
                      "--data", "sizes.json"] + words)

    @classmethod
    def tearDownClass(cls):
        cls.shared.cleanup()

    @classmethod
    def call(cls, words):
        done = subprocess.run(words, cwd=cls.folder, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            raise AssertionError(f"{words}: status {done.returncode}: {done.stderr}")
        return done

    def draws(self, method, memory=None, threads=1, ranks=0, chains=2, model="model.stan", data="rows.sgr"):
        """All draws of a run, as written to its files."""
        out = f"{data}-{method}-{memory}-{threads}-{ranks}-{chains}"
        words = [PROGRAM, "sample", model, "--data", data, "--chains", str(chains), "--threads",
                 str(threads), "--quiet", "--exit-status", "plain", "--out", out] + (METHODS | GROUP_METHODS)[method]
        if memory:
            words += ["--memory", memory]
        if ranks:
            words = [MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)] + words
        self.call(words)
        files = sorted((self.folder / out).glob("**/*.csv"))
        self.assertGreaterEqual(len(files), chains)
        return [[line for line in file.read_text().splitlines() if not line.startswith("#")] for file in files]

    def test_RunsFromDiskAndFromMemory_AreTheSame(self):
        for method in METHODS:
            expected = self.draws(method)
            self.assertGreater(len(expected[0]), 50)
            cases = [("64M", 1, 0), ("80M", 1, 0), (None, 2, 0), ("64M", 2, 0)]
            if MPIRUN:
                cases += [(None, 1, 1), ("64M", 1, 1), (None, 1, 2), ("64M", 1, 2)]
            for memory, threads, ranks in cases:
                with self.subTest(method=method, memory=memory, threads=threads, ranks=ranks):
                    self.assertTrue(self.draws(method, memory, threads, ranks) == expected, "other draws")
            alone = self.draws(method, chains=1)
            for memory, threads in (("64M", 1), ("80M", 2)):
                with self.subTest(method=method, memory=memory, threads=threads, chains=1):
                    self.assertTrue(self.draws(method, memory, threads, chains=1) == alone, "other draws")
            print(f"{method}: the same draws in {len(cases) + 4} runs", flush=True)

    def test_RunsOnGroupedRows_AreTheSameFromDiskAndFromMemory(self):
        for data in ("grouped.sgr", "scattered.sgr"):
            for method in GROUP_METHODS:
                expected = self.draws(method, model="hierarchical.stan", data=data)
                self.assertGreater(len(expected[0]), 50)
                for memory, threads in (("64M", 1), ("80M", 2)):
                    with self.subTest(data=data, method=method, memory=memory, threads=threads):
                        self.assertTrue(self.draws(method, memory, threads, model="hierarchical.stan", data=data) == expected,
                                        "other draws")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1])

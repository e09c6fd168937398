"""Large arrays are read in place: they are not copied, and live as long as the model."""

import gc
import pathlib
import tempfile
import unittest

import numpy as np

import sgmcmc as sg

CODE = """
data { int N; int K; matrix[N, K] X; vector[N] y; }
parameters { vector[K] b; }
model { b ~ normal(0, 1); y ~ normal(X * b, 1); }
"""


def anonymous_megabytes():
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    raise unittest.SkipTest("this kernel does not tell how much anonymous memory a process has")


class Memory(unittest.TestCase):
    rows, columns = 1 << 18, 1024  # 1 GB in single precision

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.mapped = np.memmap(pathlib.Path(folder.name) / "X", np.float32, "w+", shape=(self.rows, self.columns))
        self.mapped[0] = np.linspace(-1, 1, self.columns)  # the others stay 0, and take no space on disk
        self.y = np.ones(self.rows)

    def expected(self, b):
        normal = -0.5 * np.log(2 * np.pi)
        y = np.zeros(self.rows)
        y[0] = np.linspace(-1, 1, self.columns, dtype=np.float32).astype(float) @ b
        return b.size * normal - 0.5 * (b @ b) + self.rows * normal - 0.5 * np.sum((self.y - y) ** 2)

    def check(self, bind):
        b = np.linspace(0, 0.1, self.columns)
        expected = self.expected(b)
        before = anonymous_megabytes()
        bound = bind({"X": self.mapped, "y": self.y})
        del self.mapped
        gc.collect()
        self.assertAlmostEqual(bound.log_density(b), expected, delta=1e-9 * abs(expected))
        fit = bound.sample(method="sgld", step_size=1e-6, batch_size=100, iterations=20, warmup=0, chains=1, threads=1, diagnose="none",
                           initial={"b": b})
        self.assertEqual(fit["b"].shape, (1, 20, self.columns))
        self.assertLess(anonymous_megabytes() - before, 50)

    def test_memory_map_of_a_stan_model_is_not_copied(self):
        self.check(sg.StanModel(code=CODE).bind)

    def test_memory_map_of_a_model_in_python_is_not_copied(self):
        def bind(data):
            model = sg.Model(**data)
            b = model.parameter("b", self.columns)
            model.prior(sg.normal_lpdf(b, 0, 1))
            model.likelihood(sg.normal_lpdf(model.row.y, model.row.X @ b, 1))
            return model

        self.check(bind)


if __name__ == "__main__":
    unittest.main()

"""Stan models from Python: draws bit-identical to those of the program, errors with positions, fits that can be inspected and saved."""

import csv
import json
import os
import pathlib
import pickle
import subprocess
import tempfile
import unittest
import warnings

import logistic
import numpy as np

import sgmcmc as sg

PROGRAM = os.environ.get("SGMCMC_PROGRAM", "sgmcmc")

LOGISTIC = logistic.MODEL.split("generated quantities")[0] + "generated quantities { real twice = 2 * scale; }\n"


def logistic_data(rows=2000, columns=3):
    random = np.random.default_rng(1)
    x = random.normal(size=(rows, columns))
    y = (random.random(rows) < 1 / (1 + np.exp(-x @ np.linspace(-1, 1, columns)))).astype(int)
    return {"N": rows, "K": columns, "X": x, "y": y}


class Bits(unittest.TestCase):
    """Draws are those of the program, digit by digit."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.folder.name)
        cls.path = folder / "model.stan"
        cls.path.write_text(LOGISTIC)
        cls.data = logistic_data()
        (folder / "data.json").write_text(json.dumps({key: value.tolist() if hasattr(value, "tolist") else value
                                                      for key, value in cls.data.items()}))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def program_draws(self, *words):
        folder = pathlib.Path(self.folder.name)
        out = folder / "out"
        done = subprocess.run([PROGRAM, "sample", self.path, "--data", folder / "data.json", "--out", out, "--overwrite", "--quiet",
                               "--exit-status", "plain", *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        chains = []
        for path in sorted(out.glob("chain-*.csv")):
            with open(path) as file:
                rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
            chains.append(rows)
        return chains

    def assert_same(self, words, **settings):
        chains = self.program_draws(*words)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit = sg.StanModel(self.path).sample(self.data, **settings)
        self.assertEqual(fit.draws.shape[:2], (len(chains), len(chains[0])))
        for column, name in enumerate(fit.names):
            key = name.replace("[", ".").replace("]", "").replace(",", ".")
            theirs = np.array([[float(row[key]) for row in chain] for chain in chains])
            self.assertTrue(np.array_equal(fit.draws[:, :, column], theirs), name)
        for column, name in enumerate(fit.statistic_names):
            theirs = np.array([[float(row[name]) for row in chain] for chain in chains])
            self.assertTrue(np.array_equal(fit.statistics[:, :, column], theirs), name)

    def test_five_methods_with_one_and_two_threads(self):
        for method, iterations in (("nuts", 50), ("sgld-cv", 200), ("sghmc", 200), ("sgnht-svrg", 200), ("hmc", 30)):
            for threads in (1, 2):
                words = ["--method", method, "--iterations", str(iterations), "--threads", str(threads), "--seed", "7", "--warmup", "100"]
                settings = dict(method=method, iterations=iterations, threads=threads, seed=7, warmup=100)
                if method not in ("nuts", "hmc"):
                    words += ["--step-size", "1e-4"]
                    settings["step_size"] = 1e-4
                with self.subTest(method=method, threads=threads):
                    self.assert_same(words, **settings)

    def test_the_default(self):
        self.assert_same([])


class Models(unittest.TestCase):
    def test_sizes_are_found_from_arrays(self):
        data = logistic_data(100)
        bound = sg.StanModel(code=LOGISTIC).bind({"X": data["X"], "y": data["y"]})
        self.assertEqual(bound.rows, 100)
        self.assertEqual(bound.parameters, {"beta": (3,), "scale": ()})
        self.assertEqual(bound.dimension, 4)

    def test_density_and_gradient(self):
        bound = sg.StanModel(code=LOGISTIC).bind(logistic_data(100))
        theta = np.array([0.1, -0.2, 0.3, 0.4])
        value, gradient = bound.log_density_gradient(theta)
        self.assertEqual(value, bound.log_density(theta))
        for k in range(4):
            step = np.zeros(4)
            step[k] = 1e-5
            slope = (bound.log_density(theta + step) - bound.log_density(theta - step)) / 2e-5
            self.assertAlmostEqual(gradient[k], slope, places=4)

    def test_constraints_there_and_back(self):
        bound = sg.StanModel(code=LOGISTIC).bind(logistic_data(100))
        theta = bound.param_unconstrain({"beta": [1, 2, 3], "scale": 0.5})
        np.testing.assert_allclose(theta, [1, 2, 3, np.log(0.5)], rtol=1e-14)
        np.testing.assert_allclose(bound.param_constrain(theta), [1, 2, 3, 0.5], rtol=1e-14)
        self.assertEqual(bound.constrained_names, ["beta[1]", "beta[2]", "beta[3]", "scale"])

    def test_arrays_of_any_kind(self):
        data = logistic_data(100)
        plain = sg.StanModel(code=LOGISTIC).bind(data)
        theta = [0.1, 0.2, 0.3, 0.4]
        for x in (np.asfortranarray(data["X"]), data["X"][::-1][::-1], data["X"].tolist()):
            for y in (data["y"].astype(bool), data["y"].astype(np.uint8), list(data["y"])):
                self.assertEqual(sg.StanModel(code=LOGISTIC).bind({"X": x, "y": y}).log_density(theta), plain.log_density(theta))

    def test_sparse_matrices_of_any_form(self):
        try:
            from scipy import sparse
        except ImportError:
            self.skipTest("SciPy is not installed")
        data = logistic_data(200)
        x = data["X"] * (np.abs(data["X"]) > 1)
        dense = sg.StanModel(code=LOGISTIC).bind({"X": x, "y": data["y"]})
        theta = [0.1, 0.2, 0.3, 0.4]
        for form in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array):
            bound = sg.StanModel(code=LOGISTIC).bind({"X": form(x), "y": data["y"]})
            self.assertEqual(bound.rows, 200)
            value, gradient = bound.log_density_gradient(theta)
            np.testing.assert_allclose(value, dense.log_density(theta), rtol=1e-13)
            np.testing.assert_allclose(gradient, dense.log_density_gradient(theta)[1], rtol=1e-11)

    def test_mistakes_name_the_place(self):
        with self.assertRaisesRegex(sg.ModelError, r"model\.stan:1:14"):
            sg.StanModel(code="parameters { rael x; } model { }")
        with self.assertRaisesRegex(sg.DataError, "'y' is missing"):
            sg.StanModel(code=LOGISTIC).bind({"X": np.ones((3, 2)), "K": 2})
        with self.assertRaisesRegex(sg.DataError, "beyond 32 bits"):
            sg.StanModel(code=LOGISTIC).bind({"y": [2**40]})
        with self.assertRaisesRegex(sg.DataError, "not numbers"):
            sg.StanModel(code=LOGISTIC).bind({"y": ["a"]})
        with self.assertRaisesRegex(sg.ShapeError, "3 coordinates; the model has 4"):
            sg.StanModel(code=LOGISTIC).bind(logistic_data(10)).log_density([1, 2, 3])
        self.assertTrue(issubclass(sg.ModelError, ValueError))

    def test_columns_of_tables(self):
        model = sg.StanModel(code="data { int N; vector[N] u; vector[N] v; } parameters { real a; } model { v ~ normal(a * u, 1); }")
        u, v = np.arange(5.0), np.arange(5.0) ** 2
        expected = model.bind({"u": u, "v": v}).log_density([0.3])
        for package, make in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")):
            try:
                table = getattr(__import__(package), make)({"u": u, "v": v, "text": list("abcde")})
            except ImportError:
                continue
            with self.subTest(package):
                self.assertEqual(model.bind(table).log_density([0.3]), expected)

    def test_a_pickled_model_is_the_same_model(self):
        bound = sg.StanModel(code=LOGISTIC).bind(logistic_data(50))
        theta = [0.1, 0.2, 0.3, 0.4]
        self.assertEqual(pickle.loads(pickle.dumps(bound)).log_density(theta), bound.log_density(theta))
        self.assertEqual(pickle.loads(pickle.dumps(sg.StanModel(code=LOGISTIC))).data_names, ["N", "K", "X", "y"])

    def test_data_that_the_model_does_not_declare(self):
        data = logistic_data(10)
        model = sg.StanModel(code=LOGISTIC)
        with self.assertWarnsRegex(UserWarning, "declares no data 'weights', which is not used. It declares: N, K, X, y"):
            model.bind({**data, "weights": 3})
        with self.assertRaisesRegex(sg.DataError, "'y' is missing"), self.assertWarnsRegex(UserWarning, "'Y', which is not used. Did you mean 'y'"):
            model.bind({"X": data["X"], "Y": data["y"]})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.bind(data)

    def test_settings_that_do_not_exist(self):
        bound = sg.StanModel(code=LOGISTIC).bind(logistic_data(10))
        with self.assertRaisesRegex(sg.OptionError, "there is no setting 'iteration'. Did you mean 'iterations'"):
            bound.sample(iteration=10)
        with self.assertRaisesRegex(sg.UsageError, "iterations: 'many' is not a non-negative whole number"):
            bound.sample(iterations="many")

    def test_arguments_of_other_packages(self):
        for name, answer in {"stan_file": r"StanModel\('model.stan'\)", "model_code": "code=", "force_compile": "not compiled"}.items():
            with self.assertRaisesRegex(TypeError, f"no argument '{name}': .*{answer}"):
                sg.StanModel(**{name: "model.stan"})
        with self.assertRaisesRegex(TypeError, "no argument 'nonsense'"):
            sg.StanModel(nonsense=1)


class Fits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.fit = sg.StanModel(code=LOGISTIC).sample(logistic_data(), method="nuts", iterations=300, warmup=300)

    def test_variables_have_their_shapes(self):
        self.assertEqual(self.fit["beta"].shape, (4, 300, 3))
        self.assertEqual(self.fit["scale"].shape, (4, 300))
        self.assertTrue(np.array_equal(self.fit["twice"], 2 * self.fit["scale"]))
        self.assertTrue(np.array_equal(self.fit["beta[2]"], self.fit["beta"][:, :, 1]))
        self.assertEqual(self.fit.stan_variable("beta").shape, (1200, 3))
        with self.assertRaisesRegex(KeyError, "there is no variable 'gamma'"):
            self.fit["gamma"]

    def test_the_verdict_comes_first(self):
        self.assertTrue(repr(self.fit).startswith("verdict: "))
        self.assertIn(self.fit.verdict.trust, ("trust", "caution", "do not trust", "cannot tell"))
        self.assertIn("verdict", self.fit._repr_html_())

    def test_summary(self):
        summary = self.fit.summary()
        self.assertEqual(summary.names, ["beta[1]", "beta[2]", "beta[3]", "scale", "twice"])
        np.testing.assert_allclose(summary["mean"][3], self.fit["scale"].mean(), rtol=1e-12)
        np.testing.assert_allclose(summary["beta[2]"]["sd"], self.fit["beta"][:, :, 1].std(ddof=1), rtol=1e-12)
        self.assertIn("rhat", repr(summary))

    def test_a_pickle_is_the_same_fit(self):
        again = pickle.loads(pickle.dumps(self.fit))
        self.assertTrue(np.array_equal(again["beta"], self.fit["beta"]))
        self.assertEqual(repr(again), repr(self.fit))


if __name__ == "__main__":
    unittest.main()

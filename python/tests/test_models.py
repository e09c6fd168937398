"""Models written in Python: functions of NumPy and SciPy on expressions, densities, constraints, and errors that name what is wrong."""

import inspect
import pickle
import unittest
import warnings

import numpy as np

try:
    from scipy import special, stats
except ImportError:
    special = stats = None

import sgmcmc as sg
from sgmcmc import _numpy


def evaluate(function, *points):
    """Values of a function of parameters, and the gradients of the sum of weights times values: exact in both."""
    points = [np.asarray(point, dtype=float) for point in points]
    model = sg.Model()
    arguments = [model.parameter(f"x{k}", point.shape) for k, point in enumerate(points)]
    result = function(*arguments)
    weights = model.parameter("weights", result.shape)
    model.prior(weights * result)
    size = result.size
    at = np.concatenate([point.reshape(-1) for point in points] + [1 + np.arange(size) / 7])
    _, gradient = model.log_density_gradient(at)
    gradients, begin = [], 0
    for point in points:
        gradients.append(gradient[begin:begin + point.size].reshape(point.shape))
        begin += point.size
    return gradient[begin:].reshape(result.shape), gradients


def difference(function, x):
    """The derivative by central differences of order eight."""
    step = 4e-3
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    return sum(weight * (function(x + k * step) - function(x - k * step)) for k, weight in weights.items()) / step


def ufunc_called(name):
    for module in (np, special):
        if isinstance(getattr(module, name, None), np.ufunc):
            return getattr(module, name)
    return None


INSIDE = np.array([0.15, 0.37, 0.52, 0.81])
POINTS = {"arccosh": INSIDE + 1.2, "gamma": INSIDE * 4 + 0.5, "gammaln": INSIDE * 9 + 0.2, "loggamma": INSIDE * 9 + 0.2, "psi": INSIDE * 5 + 0.2,
          "log_ndtr": INSIDE * 8 - 6, "log_expit": INSIDE * 80 - 40, "expit": INSIDE * 30 - 15, "exp": INSIDE * 20 - 10}
POINTS_TWO = {"gammainc": (INSIDE * 3 + 0.5, INSIDE[::-1] * 4 + 0.3), "gammaincc": (INSIDE * 3 + 0.5, INSIDE[::-1] * 4 + 0.3),
              "logaddexp": (INSIDE * 50 - 20, INSIDE[::-1] * 40), "poch": (INSIDE * 3 + 0.5, np.array([1.0, 2.0, 3.0, 4.0])),
              "betaln": (INSIDE * 20, INSIDE[::-1] * 7)}
FLAT = {"floor", "ceil", "trunc", "sign", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_and", "logical_or",
        "logical_not"}


class Ufuncs(unittest.TestCase):
    def check(self, name):
        ufunc = ufunc_called(name)
        if ufunc is None:
            self.skipTest(f"{name} is not in this NumPy or SciPy")
        if ufunc.nin == 1:
            points = (POINTS.get(name, INSIDE + 0.01),)
        elif ufunc.nin == 2:
            points = POINTS_TWO.get(name, (INSIDE + 0.4, INSIDE[::-1] + 0.13))
        else:
            points = (INSIDE * 3 + 0.4, INSIDE[::-1] * 3 + 0.7, INSIDE)
        values, gradients = evaluate(ufunc, *points)
        expected = ufunc(*points)
        np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-300)
        weights = (1 + np.arange(values.size) / 7).reshape(values.shape)
        for k, gradient in enumerate(gradients):
            if name == "poch" and k == 1:
                continue  # a whole number
            if name in FLAT:
                np.testing.assert_array_equal(gradient, 0)
                continue
            if name in ("matmul", "vecdot"):
                np.testing.assert_allclose(gradient, points[1 - k], rtol=1e-12)
                continue
            slope = difference(lambda x: ufunc(*points[:k], x, *points[k + 1:]), points[k])
            np.testing.assert_allclose(gradient, weights * slope, rtol=2e-9, atol=1e-11)

    def test_every_mapped_ufunc_has_numpys_value_and_its_slope(self):
        if special is None:
            self.skipTest("SciPy is not installed")
        found = 0
        for name in _numpy.mapped_ufuncs():
            with self.subTest(name):
                self.check(name)
                found += 1
        self.assertGreater(found, 60)

    def test_an_unmapped_one_names_a_substitute(self):
        x = sg.Model().parameter("x", 3)
        for function, words in ((np.rint, "rint cannot take expressions.*x: global real \\[3\\].*use sg.round"),
                                (np.prod, "use np.exp\\(np.sum\\(np.log"), (np.einsum, "use @"), (np.spacing, "sg.functions\\(\\)")):
            with self.subTest(function.__name__), self.assertRaisesRegex(TypeError, words):
                function(*(("i,i", x, x) if function is np.einsum else (x,)))
        if special is not None:
            for function in (special.logsumexp, special.softmax):
                with self.assertRaisesRegex(TypeError, "use sg.logsumexp, sg.softmax"):
                    function(x)
        with self.assertRaisesRegex(TypeError, "no truth value.*np.where"):
            if x > 0:
                pass
        with self.assertRaisesRegex(TypeError, "out= and where= do not apply"):
            np.exp(x, out=np.zeros(3))

    def test_arguments_that_do_not_apply_are_refused(self):
        model = sg.Model()
        x, matrix = model.parameter("x", 3), model.parameter("matrix", (3, 3))
        for words, call in (("add: initial=", lambda: x.__array_ufunc__(np.add, "reduce", x, initial=5.0)), ("exp: dtype=", lambda: np.exp(x, dtype=np.float32)),
                            ("matmul: axes=", lambda: np.matmul(x, x, axes=[0, 0, ()])), ("sum: initial=", lambda: np.sum(x, initial=1)),
                            ("zeros_like: dtype=", lambda: np.zeros_like(x, dtype=int)), ("trace\\(matrix\\).*2 arguments", lambda: np.trace(matrix, 1)),
                            ("where\\(condition, if_true, if_false\\).*'if_true'", lambda: np.where(x > 0)),
                            ("sum\\(x, axis, keepdims\\).*too many", lambda: np.sum(matrix, 0, None, None, True)),
                            ("Euclidean norm only", lambda: np.linalg.norm(matrix, 2, axis=(0, 1)))):
            with self.subTest(words), self.assertRaisesRegex(TypeError, words):
                call()
        for words, call in (("sum: there is no axis 5", lambda: np.sum(x, axis=5)), ("no axis -3", lambda: matrix.max(axis=-3)),
                            ("names an axis twice", lambda: np.sum(matrix, axis=(0, -2))), ("no axis 7", lambda: np.cumsum(matrix, axis=7)),
                            ("no axis 2", lambda: sg.logsumexp(matrix, axis=2))):
            with self.subTest(words), self.assertRaisesRegex(sg.ShapeError, words):
                call()
        self.assertEqual((np.sum(x, axis=0, dtype=float).shape, np.sum(x[0], axis=0).shape), ((), ()))

    @unittest.skipIf(special is None, "SciPy is not installed")
    def test_boxcox_of_power_zero_is_the_logarithm(self):
        for function in (lambda x: special.boxcox(x, 0), lambda x: special.boxcox(x, [0, 0.5, 0, 2]), lambda x: special.boxcox(x, x - INSIDE[1])):
            values, (gradient,) = evaluate(function, INSIDE)
            np.testing.assert_allclose(values, function(INSIDE), rtol=1e-14)
            self.assertTrue(np.isfinite(gradient).all())

    def test_numbers_of_any_side(self):
        array = np.array([1.0, 2.0, 3.0])
        for function in (lambda x: np.float64(2) * x, lambda x: array * x, lambda x: array @ x, lambda x: x @ array, lambda x: 2 - x,
                         lambda x: array / x, lambda x: x ** 2, lambda x: 2 ** x, lambda x: np.int64(3) + x, lambda x: -x, lambda x: abs(x - 2),
                         lambda x: np.where((x > 1) & ~(x > 2) | (x == 3), x, 0)):
            np.testing.assert_allclose(evaluate(function, array)[0], function(array), rtol=1e-14)


class Functions(unittest.TestCase):
    MATRIX = np.array([[0.4, 1.7, -0.3], [2.2, 0.9, 1.1]])

    def test_functions_of_arrays(self):
        square = np.array([[2.0, 0.3], [0.3, 1.0]])
        for name, function, point in (
                ("sum", np.sum, self.MATRIX), ("sum axis 0", lambda x: np.sum(x, axis=0), self.MATRIX),
                ("sum keepdims", lambda x: np.sum(x, axis=-1, keepdims=True), self.MATRIX), ("method", lambda x: x.sum(axis=1), self.MATRIX),
                ("both axes", lambda x: np.sum(x, axis=(0, 1)), self.MATRIX),
                ("mean", np.mean, self.MATRIX), ("mean axis", lambda x: np.mean(x, axis=1), self.MATRIX),
                ("max", lambda x: np.max(x, axis=0), self.MATRIX), ("min", lambda x: np.min(x, axis=1), self.MATRIX),
                ("where", lambda x: np.where(x > 1, x, x ** 2), self.MATRIX), ("clip", lambda x: np.clip(x, 0.0, 1.0), self.MATRIX),
                ("concatenate", lambda x: np.concatenate([x, x * 2, np.ones((1, 3))]), self.MATRIX),
                ("concatenate axis", lambda x: np.concatenate([x, x * 2], axis=1), self.MATRIX),
                ("stack", lambda x: np.stack([x, x + 1]), self.MATRIX), ("stack axis", lambda x: np.stack([x, x + 1], axis=-1), self.MATRIX),
                ("vstack", lambda x: np.vstack([x, x]), self.MATRIX), ("transpose", lambda x: x.T, self.MATRIX),
                ("reshape", lambda x: x.reshape(3, 2), self.MATRIX), ("ravel", np.ravel, self.MATRIX), ("roll", lambda x: np.roll(x, 1), self.MATRIX),
                ("cumsum", lambda x: np.cumsum(x, axis=0), self.MATRIX), ("diff", np.diff, self.MATRIX),
                ("diff twice", lambda x: np.diff(x, 2), self.MATRIX), ("diff axis", lambda x: np.diff(x, axis=0), self.MATRIX), ("dot", lambda x: np.dot(x, [1, 2, 3]), self.MATRIX),
                ("matrix product", lambda x: x @ x.T, self.MATRIX), ("outer", lambda x: np.outer(x[0], x[1]), self.MATRIX),
                ("indices", lambda x: x[:, ::2], self.MATRIX), ("one", lambda x: x[-1], self.MATRIX), ("mask", lambda x: x[[0, 0, 1], [2, 1, 0]], self.MATRIX),
                ("new axis", lambda x: x[..., None], self.MATRIX), ("iteration", lambda x: sum(x), self.MATRIX), ("norm", np.linalg.norm, self.MATRIX),
                *([("vecdot", lambda x: np.vecdot(x, x + 1), self.MATRIX)] if hasattr(np, "vecdot") else []),
                ("reduce", np.logaddexp.reduce, self.MATRIX), ("cholesky", np.linalg.cholesky, square), ("inv", np.linalg.inv, square),
                ("det", np.linalg.det, square), ("solve", lambda x: np.linalg.solve(x, [1.0, 2.0]), square), ("diag", np.diag, square),
                ("trace", np.trace, square), ("eigvalsh", np.linalg.eigvalsh, square), ("broadcast", lambda x: np.broadcast_to(x[0], (2, 3)), self.MATRIX)):
            with self.subTest(name):
                values, _ = evaluate(function, point)
                expected = np.asarray(function(point))
                self.assertEqual(values.shape, expected.shape)
                np.testing.assert_allclose(values, expected, rtol=1e-13, atol=1e-14)

    @unittest.skipIf(special is None, "SciPy is not installed")
    def test_functions_that_replace_scipys(self):
        for axis in (None, 0, 1):
            np.testing.assert_allclose(evaluate(lambda x: sg.logsumexp(x, axis=axis), self.MATRIX)[0], special.logsumexp(self.MATRIX, axis=axis),
                                       rtol=1e-13)
        np.testing.assert_allclose(sg.logsumexp(self.MATRIX), special.logsumexp(self.MATRIX), rtol=1e-13)
        np.testing.assert_allclose(evaluate(sg.softmax, self.MATRIX)[0], special.softmax(self.MATRIX, axis=-1), rtol=1e-13)

    def test_densities_of_numbers_are_numbers(self):
        self.assertIsInstance(sg.normal_lpdf(0.3, 0, 1), float)
        if stats is None:
            return
        x = np.array([0.2, 0.7, 1.4])
        for ours, theirs in ((sg.normal_lpdf(x, 0.3, 2), stats.norm.logpdf(x, 0.3, 2)), (sg.gamma_lpdf(x, 2, 3), stats.gamma.logpdf(x, 2, scale=1 / 3)),
                             (sg.student_t_lpdf(x, 4, 0.1, 2), stats.t.logpdf(x, 4, 0.1, 2)), (sg.laplace_lpdf(x, 0, 1), stats.laplace.logpdf(x)),
                             (sg.poisson_lpmf([0, 2, 5], 1.5), stats.poisson.logpmf([0, 2, 5], 1.5)), (sg.cauchy_lpdf(x, 0, 1), stats.cauchy.logpdf(x)),
                             (sg.binomial_lpmf([0, 2, 5], 7, 0.3), stats.binom.logpmf([0, 2, 5], 7, 0.3)),
                             (sg.multi_normal_lpdf(x, np.zeros(3), np.eye(3) + 0.2), stats.multivariate_normal.logpdf(x, np.zeros(3), np.eye(3) + 0.2)),
                             (sg.dirichlet_lpdf([0.2, 0.3, 0.5], [1, 2, 3]), stats.dirichlet.logpdf([0.2, 0.3, 0.5], [1, 2, 3])),
                             (sg.normal_lcdf(x, 0, 1), stats.norm.logcdf(x))):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12)

    def test_weights_of_a_mixture_may_be_one_number_or_a_vector(self):
        weights, parts = np.array([0.2, 0.8]), [-0.3, -1.9]
        expected = np.log(weights @ np.exp(parts))
        for mixed in (lambda w: sg.log_mix(w, *parts), lambda w: sg.log_mix(w, parts), lambda w: sg.log_mix(w[0], *parts)):
            np.testing.assert_allclose(evaluate(mixed, weights)[0], expected, rtol=1e-14)
            np.testing.assert_allclose(mixed(weights), expected, rtol=1e-14)
        with self.assertRaisesRegex(sg.ShapeError, "2 components need a vector of as many weights"):
            sg.log_mix(sg.Model().parameter("weights", 3, constraint="simplex"), *parts)

    def test_functions_that_are_no_table_entries_return_numbers_of_numbers_too(self):
        np.testing.assert_allclose(sg.log_mix([0.2, 0.3, 0.5], [1.0, 2.0, 0.0]), np.log(0.2 * np.e + 0.3 * np.exp(2) + 0.5), rtol=1e-14)
        self.assertIsInstance(sg.log_mix([0.5, 0.5], [1.0, 2.0]), float)
        self.assertAlmostEqual(sg.lmgamma(1, 4.0), np.log(6), places=12)
        np.testing.assert_allclose(sg.solve_triangular([[2.0, 0], [1, 4]], [4.0, 8], transposed=True), [1, 2], rtol=1e-14)

    def test_every_density_of_the_engine_is_there(self):
        densities = [name for name in sg.functions() if name.endswith(("_lpdf", "_lpmf"))]
        self.assertGreater(len(densities), 55)
        for name in sg.functions():
            function = getattr(sg, name)
            self.assertTrue(inspect.signature(function).parameters, name)
        self.assertEqual(list(inspect.signature(sg.normal_lpdf).parameters), ["x", "mean", "sd"])
        self.assertIn("normal_lpdf", dir(sg))
        with self.assertRaisesRegex(TypeError, r"normal_lpdf\(x, mean, sd\): missing a required argument: 'sd'"):
            sg.normal_lpdf(1, 2)
        self.assertEqual(sg.normal_lpdf(1.0, sd=2, mean=0.5), sg.normal_lpdf(1.0, 0.5, 2))


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        random = np.random.default_rng(4)
        cls.x = random.normal(size=(3000, 3))
        cls.y = (random.random(3000) < 1 / (1 + np.exp(-cls.x @ [1, -0.5, 0.2]))).astype(int)
        cls.group = random.integers(0, 5, 3000)

    def logistic(self):
        model = sg.Model(x=self.x, y=self.y)
        beta = model.parameter("beta", 3)
        scale = model.parameter("scale", lower=0)
        model.prior(sg.normal_lpdf(beta, 0, scale))
        model.prior(sg.normal_lpdf(scale, 0, 2))
        model.likelihood(sg.bernoulli_logit_lpmf(model.row.y, model.row.x @ beta))
        return model

    STAN = """
data { int N; int K; matrix[N, K] x; array[N] int<lower=0, upper=1> y; }
parameters { vector[K] beta; real<lower=0> scale; }
model { target += normal_lpdf(beta | 0, scale); target += normal_lpdf(scale | 0, 2); y ~ bernoulli_logit(x * beta); }
"""

    def test_the_density_is_that_of_the_stan_model(self):
        ours, stan = self.logistic(), sg.StanModel(code=self.STAN).bind({"x": self.x, "y": self.y})
        at = np.array([0.3, 0.2, -0.1, 0.4])
        (value, gradient), (expected, slopes) = ours.log_density_gradient(at), stan.log_density_gradient(at)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        np.testing.assert_allclose(gradient, slopes, rtol=1e-10)
        self.assertEqual((ours.rows, ours.dimension, ours.parameters), (3000, 4, {"beta": (3,), "scale": ()}))
        self.assertEqual(repr(ours), "Model(3000 rows; parameters beta[3], scale)")
        self.assertIn("no parameters", repr(sg.Model(x=self.x)))
        np.testing.assert_allclose(ours.param_constrain(ours.param_unconstrain({"beta": [1, 2, 3], "scale": 0.5})), [1, 2, 3, 0.5])

    def test_draws_agree_with_those_of_the_stan_model(self):
        settings = dict(method="nuts", iterations=400, warmup=300, seed=5)
        ours, stan = self.logistic().sample(**settings), sg.StanModel(code=self.STAN).bind({"x": self.x, "y": self.y}).sample(**settings)
        self.assertEqual(ours.variables, ["beta", "scale"])
        for k in range(3):
            difference = abs(ours["beta"][..., k].mean() - stan["beta"][..., k].mean())
            self.assertLess(difference, 0.2 * stan["beta"][..., k].std())
        self.assertTrue(ours.verdict)

    def test_the_decorator_makes_the_same_model(self):
        @sg.model(beta=sg.vector(3), scale=sg.real(lower=0), prior=lambda beta, scale: sg.normal_lpdf(beta, 0, scale).sum() + sg.normal_lpdf(scale, 0, 2))
        def logistic(row, beta):
            return sg.bernoulli_logit_lpmf(row.y, row.x @ beta)

        at = np.array([0.3, 0.2, -0.1, 0.4])
        bound = logistic.bind({"x": self.x, "y": self.y})
        np.testing.assert_allclose(bound.log_density(at), self.logistic().log_density(at), rtol=1e-13)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            first, second = (one.sample(method="sgld-cv", step_size=1e-4, iterations=50, seed=2) for one in (bound, self.logistic()))
        np.testing.assert_allclose(first["beta"], second["beta"], rtol=1e-9)
        with self.assertRaisesRegex(sg.ModelError, "takes 'betta', which is not declared.*did you mean 'beta'"):
            sg.model(beta=sg.vector(3))(lambda row, betta: 0)

    def test_minibatches_and_groups(self):
        model = sg.Model(x=self.x, y=self.y, group=self.group)
        intercept = model.parameter("intercept", 5)
        beta = model.parameter("beta", 3)
        model.prior(sg.normal_lpdf(intercept, 0, 1))
        model.prior(sg.normal_lpdf(beta, 0, 1))
        model.likelihood(sg.bernoulli_logit_lpmf(model.row.y, intercept[model.row.group] + model.row.x @ beta))
        at = np.linspace(-0.4, 0.5, 8)
        eta = at[:5][self.group] + self.x @ at[5:]
        prior = np.sum(-0.5 * at ** 2 - 0.5 * np.log(2 * np.pi))
        expected = np.sum(self.y * eta - np.logaddexp(0, eta)) + prior
        np.testing.assert_allclose(model.log_density(at), expected, rtol=1e-12)
        fit = model.sample(method="sgld-cv", step_size=1e-4, iterations=200, chains=2, seed=3)
        self.assertEqual(fit["intercept"].shape, (2, 200, 5))

    def test_sparse_and_float_columns(self):
        try:
            from scipy import sparse
        except ImportError:
            self.skipTest("SciPy is not installed")
        at = np.array([0.3, 0.2, -0.1])

        def density(x, **options):
            model = sg.Model({"x": x, "y": self.y}, **options)
            beta = model.parameter("beta", 3)
            model.likelihood(sg.bernoulli_logit_lpmf(model.row.y, model.row.x @ beta))
            return model.log_density(at)

        kept = self.x * (self.x > 0)
        np.testing.assert_allclose(density(sparse.csr_matrix(kept)), density(kept), rtol=1e-12)
        np.testing.assert_allclose(density(kept.astype(np.float32)), density(kept), rtol=1e-5)
        np.testing.assert_allclose(density(kept, precision="float"), density(kept), rtol=1e-5)
        np.testing.assert_allclose(density(np.asfortranarray(kept)), density(kept), rtol=1e-14)
        values = []
        for x in (kept, sparse.csr_matrix(kept)):
            model = sg.Model(x=x, y=self.y)
            table = model.parameter("table", (3, 2))
            model.likelihood(sg.categorical_logit_lpmf(model.row.y, model.row.x @ table))
            values.append(model.log_density(np.linspace(-1, 1, 6)))
        np.testing.assert_allclose(*values, rtol=1e-12)

    def test_constraints(self):
        for constraint, shape, value in (("simplex", 3, [0.2, 0.3, 0.5]), ("ordered", 3, [-1, 0.5, 2]), ("positive_ordered", 2, [0.5, 2]),
                                         ("cholesky_factor_corr", 2, [[1, 0], [0.6, 0.8]]), ("corr_matrix", 2, [[1, 0.3], [0.3, 1]]),
                                         ("cov_matrix", 2, [[2, 0.3], [0.3, 1]]), ("unit_vector", 2, [0.6, 0.8])):
            with self.subTest(constraint):
                model = sg.Model()
                p = model.parameter("p", shape, constraint=constraint)
                model.prior(sg.normal_lpdf(p, 0, 1))
                at = model.param_unconstrain({"p": value})
                np.testing.assert_allclose(model.param_constrain(at), np.ravel(value), rtol=1e-12)
        model = sg.Model()
        low = model.parameter("low", lower=1, upper=3)
        high = model.parameter("high", 2, lower=low)
        model.prior(-high)
        at = model.param_unconstrain({"low": 2, "high": [2.5, 4]})
        np.testing.assert_allclose(at, [0, np.log(0.5), np.log(2)], atol=1e-14)
        with self.assertRaisesRegex(sg.DataError, "the values of all parameters; missing: low"):
            model.param_unconstrain({"high": [2.5, 4]})

    def test_names_of_parameters_are_identifiers(self):
        for name in (5, "", "a 1", "a.1", "a[1]", "1a", "lp__"):
            with self.subTest(name), self.assertRaisesRegex(sg.ModelError, "a parameter cannot be called"):
                sg.Model().parameter(name)
        with self.assertRaisesRegex(sg.ModelError, "a parameter cannot be called 'lp__'"):
            sg.model(lp__=sg.real())
        sg.Model().parameter("_a1")

    def test_a_model_that_uses_no_data_warns(self):
        def sampled(y, likelihood):
            model = sg.Model(y=y) if y is not None else sg.Model()
            mean = model.parameter("mean")
            model.prior(sg.normal_lpdf(mean, 0, 1))
            if likelihood:
                model.likelihood(sg.normal_lpdf(model.row.y, mean, 1))
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                model.sample(method="nuts", iterations=50, warmup=50, chains=1)
            self.assertTrue(all(one.filename == __file__ for one in found))
            self.assertEqual(model.check().warnings, model.warnings)
            told = [str(one.message) for one in found if "is the prior" in str(one.message)]
            self.assertEqual(told, [text for text in model.warnings if "is the prior" in text])
            return told

        self.assertEqual(sampled(self.x[:9, 0], True) + sampled(None, False), [])
        self.assertRegex(sampled(self.x[:9, 0], False)[0], "no likelihood")
        self.assertRegex(sampled(np.zeros(0), True)[0], "no rows")

    def test_data_that_are_no_numbers_are_told(self):
        for value, words in ((None, "is None"), ((k for k in range(3)), "is of type generator"), ({1, 2}, "is of type set"), ([1, None], "missing elements"),
                             (np.array([1, 2], dtype=object), r"numbers as objects \(int\); convert it"), (["a", "b"], "holds texts"),
                             (np.array(["2020-01-01"], dtype="datetime64[D]"), "days since the first date"), ([[1, 2], [3]], "cannot be converted"),
                             (np.array([1j]), "complex")):
            with self.subTest(words):
                with self.assertRaisesRegex(sg.DataError, f"'x' .*{words}"):
                    sg.Model(x=value)
                with self.assertRaisesRegex(sg.DataError, f"'x' .*{words}"):
                    sg.StanModel(code="data { int N; vector[N] x; } parameters { real a; } model { x ~ normal(a, 1); }").bind({"x": value})
        with self.assertRaisesRegex(sg.ShapeError, "rows of one length"):
            sg.Model().parameter("a") + [[1, 2], [3]]

    def test_columns_of_a_table_that_are_no_numbers_matter_only_if_used(self):
        class Frame:
            def __init__(self, **columns):
                self._columns, self.columns = columns, list(columns)

            def __getitem__(self, name):
                return self._columns[name]

        frame = Frame(y=np.arange(3.0), name=np.array(["a", "b", "c"]), gaps=np.array([1.0, np.nan, 2.0]), big=np.array([2**40, 1, 1]))
        model = sg.Model(frame)
        model.likelihood(sg.normal_lpdf(model.row.y, model.parameter("mean"), 1))
        self.assertEqual(model.rows, 3)
        for name, words in (("name", "holds texts"), ("gaps", "not finite: leave their rows out"), ("big", "beyond 32 bits")):
            with self.assertRaisesRegex(sg.DataError, f"'{name}' .*{words}"):
                model.row[name]
        self.assertEqual(sg.Model(frame, name=[0, 1, 2]).row.name.shape, ())
        with self.assertRaisesRegex(sg.DataError, "no columns of numbers: 'name' holds texts"):
            sg.Model(Frame(name=np.array(["a"])))
        with self.assertRaisesRegex(sg.DataError, "'name' holds texts"):
            sg.model(a=sg.real())(lambda row, a: row["name"] * a).bind(frame)

    def test_an_index_is_a_column_of_whole_numbers(self):
        model = sg.Model(group=self.group, half=self.group % 2, x=self.x[:, 0])
        table = model.parameter("table", (5, 2))
        model.likelihood(table[model.row.group, model.row.half] * model.row.x)
        at = np.arange(10.0) / 7
        np.testing.assert_allclose(model.log_density(at), at.reshape(5, 2)[self.group, self.group % 2] @ self.x[:, 0], rtol=1e-12)
        for index in (model.row.group + 1, model.row.x, table[0, 0]):
            with self.assertRaisesRegex(sg.ShapeError, "an index is a column of whole numbers.*astype\\(int\\)"):
                table[index]

    def test_values_and_shapes_of_the_wrong_kind_are_told(self):
        model = sg.Model()
        model.prior(sg.normal_lpdf(model.parameter("mu"), 0, 1))
        with self.assertRaisesRegex(sg.DataError, "a dict by name.*found list"):
            model.sample(initial=[1, 2])
        with self.assertRaisesRegex(sg.DataError, "the value of parameter 'mu' is not a number.*'a'"):
            model.sample(initial={"mu": "a"})
        for shape in ("a", 2.5, None):
            with self.assertRaisesRegex(sg.ModelError, "a shape is a whole number, or a tuple of them"):
                model.parameter("x", shape)

    def test_masked_elements_are_refused(self):
        y = np.ma.masked_less(self.x[:, 0], 0)
        words = "'y' has masked elements, which have no value: leave their rows out, or impute them"
        for bind in (lambda y: sg.model(a=sg.real())(lambda row, a: row.y * a).bind(y=y),
                     lambda y: sg.StanModel(code="data { int N; vector[N] y; } parameters { real a; } model { y ~ normal(a, 1); }").bind({"y": y})):
            with self.assertRaisesRegex(sg.DataError, words):
                bind(y)
            self.assertEqual(bind(np.ma.array(self.x[:, 0])).rows, 3000)
        with self.assertRaisesRegex(TypeError, "masked elements"):
            sg.Model().parameter("a") + y

    def test_errors_name_the_operation_and_the_shapes(self):
        model = sg.Model(x=self.x, y=self.y)
        beta = model.parameter("beta", 4)
        with self.assertRaisesRegex(sg.ShapeError, r"dot: .*x: per-row real \[3\]; beta: global real \[4\]"):
            model.row.x @ beta
        with self.assertRaisesRegex(sg.ShapeError, r"operator\+: shapes \[4\] and \[3\]"):
            beta + np.ones(3)
        with self.assertRaisesRegex(AttributeError, "no column 'z'"):
            model.row.z
        with self.assertRaisesRegex(sg.DataError, "x with 3000, y with 10"):
            sg.Model(x=self.x, y=self.y[:10])
        with self.assertRaisesRegex(sg.DataError, "'n' is a single number"):
            sg.Model(x=self.x, n=3)
        with self.assertRaisesRegex(sg.ModelError, "there is no constraint 'simplx'; there are: simplex"):
            model.parameter("p", 3, constraint="simplx")
        with self.assertRaisesRegex(sg.ModelError, "beta"):
            model.parameter("beta", 2)
        with self.assertRaisesRegex(sg.ModelError, "row"):
            model.prior(model.row.x @ np.ones(3))


class Pickles(unittest.TestCase):
    def assert_same(self, model):
        again = pickle.loads(pickle.dumps(model))
        self.assertEqual((again.rows, again.parameters, again.unconstrained_names), (model.rows, model.parameters, model.unconstrained_names))
        for theta in np.random.default_rng(3).normal(size=(3, model.dimension)) * 0.5:
            value, gradient = model.log_density_gradient(theta)
            found, found_gradient = again.log_density_gradient(theta)
            self.assertEqual((found, list(found_gradient)), (value, list(gradient)))
        return again

    def test_a_pickled_model_has_the_same_bits(self):
        random = np.random.default_rng(1)
        x, group, y = random.normal(size=(50, 3)), random.integers(0, 4, size=50), random.normal(size=50)
        for precision in ("double", "float"):
            model = sg.Model(x=x, group=group, y=y, single=y.astype(np.float32), precision=precision)
            low = model.parameter("low", upper=0)
            beta = model.parameter("beta", 3, lower=low)  # bounds that are parameters
            level = model.parameter("level", 4, offset=low, multiplier=2.0)
            shares = model.parameter("shares", 2, constraint="simplex")
            factor = model.parameter("factor", 2, constraint="cholesky_factor_corr")
            model.prior(sg.normal_lpdf(low, 0, 1))
            model.prior(sg.normal_lpdf(beta, [0.0, 1.0, 2.0], 1))
            model.prior(sg.lkj_corr_cholesky_lpdf(factor, 2.0) + sg.normal_lpdf(level, 0, 1).sum())
            location = model.row.x @ beta + level[model.row.group]
            model.likelihood(sg.log_mix(shares[0], sg.normal_lpdf(model.row.y, location, 1), sg.student_t_lpdf(model.row.single, 4, 0, np.exp(low))))
            again = self.assert_same(model)
            self.assertEqual(again.row.x.shape, (3,))
            settings = dict(method="sgld", step_size=1e-3, iterations=20, chains=1, progress=False)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.assertTrue(np.array_equal(again.sample(**settings).draws, model.sample(**settings).draws))
            self.assert_same(again)

    @unittest.skipIf(special is None, "SciPy is not installed")
    def test_sparse_columns_and_models_without_data(self):
        from scipy import sparse

        model = sg.Model(x=sparse.random(40, 6, density=0.3, random_state=1, format="csr"), y=np.arange(40) % 2)
        beta = model.parameter("beta", 6)
        model.likelihood(sg.bernoulli_logit_lpmf(model.row.y, model.row.x @ beta))
        self.assert_same(model)
        alone = sg.Model()
        alone.prior(sg.std_normal_lpdf(alone.parameter("z", (2, 3))))
        self.assert_same(alone)

    def test_functions_need_no_module(self):
        @sg.model(a=sg.real(), prior=lambda a: sg.normal_lpdf(a, 0, 1))
        def local(row, a):
            return sg.normal_lpdf(row.y, a, 1)

        self.assert_same(local.bind(y=np.arange(5.0)))


class Outcomes(unittest.TestCase):
    def refused(self, density, column, *words):
        model = sg.Model(y=column)
        with self.assertRaises(sg.DataError) as caught:
            density(model.row.y, model.parameter("p"))
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_outcomes_that_a_density_cannot_have_are_refused(self):
        y = np.arange(10_000) % 2
        sg.bernoulli_logit_lpmf(sg.Model(y=y).row.y, 0.5)
        self.refused(sg.bernoulli_logit_lpmf, np.where(np.arange(10_000) == 5000, 2, y), "column 'y', row 5000", "is 2", "0 or 1")
        self.refused(sg.bernoulli_logit_lpmf, y * 0.3, "row 1", "0.3")
        self.refused(sg.poisson_log_lpmf, np.array([1.0, 2.5]), "row 1", "2.5", "whole number")
        self.refused(sg.poisson_log_lpmf, [-1], "row 0", "-1", "0 or more")
        self.refused(lambda y, p: sg.normal_lpdf(p, 0, y), np.array([1.0, 0.0]), "row 1", "scale", "positive")
        self.refused(lambda y, p: sg.dirichlet_lpdf(y, np.ones(2)), np.array([[0.5, 0.5], [0.5, 0.6]]), "row 1", "sums to 1.1")

    def test_rows_that_a_condition_leaves_out_may_have_any_value(self):
        model = sg.Model(y=np.array([0, 1, -1]))
        known = model.row.y >= 0
        p = model.parameter("p", lower=0, upper=1)
        model.likelihood(np.where(known, sg.bernoulli_lpmf(np.where(known, model.row.y, 0), p), 0))
        self.assertAlmostEqual(model.log_density(model.param_unconstrain({"p": 0.3})), np.log(0.3 * 0.7) + np.log(0.3 * 0.7))

    def test_outcomes_that_are_indices_count_from_0(self):
        model = sg.Model(y=np.array([0, 1, 2]))
        model.likelihood(sg.categorical_lpmf(model.row.y, model.parameter("p", 3, constraint="simplex")))

    def test_columns_and_parameters_of_another_model_are_refused(self):
        one, other = sg.Model(x=np.ones((4, 3))), sg.Model(x=np.zeros((4, 3)))
        with self.assertRaisesRegex(sg.ModelError, "another model"):
            other.likelihood(np.sum(one.row.x) * other.parameter("w"))
        scale = one.parameter("s", lower=0)
        other = sg.Model()
        other.parameter("s", lower=5)
        with self.assertRaisesRegex(sg.ModelError, "not a parameter of this model"):
            other.prior(sg.normal_lpdf(scale, 0, 1))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Makes builtin_values.txt: calls of built-in functions with values from SciPy, NumPy and mpmath.

Never needed to build or to test. Run it after adding a function (needs scipy and mpmath):
    tests/stan/make_builtin_values.py > tests/stan/builtin_values.txt
"""
import math

import mpmath as mp
import numpy as np
from scipy import linalg, special, stats

mp.mp.dps = 40


class V(list):  # vector
    pass


class R(list):  # row vector
    pass


class A(list):  # array
    pass


class M:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    @property
    def a(self):
        return np.array(self.rows, dtype=float)


def number(x):
    if isinstance(x, (int, np.integer)) and not isinstance(x, bool):
        return str(int(x))
    x = float(x)
    if math.isnan(x):
        return "nan"
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    text = repr(x)
    return text if any(c in text for c in ".en") else text + ".0"


def text(x):
    if isinstance(x, M):
        return "[" + ", ".join("[" + ", ".join(number(float(v)) for v in row) + "]" for row in x.rows) + "]"
    if isinstance(x, V):
        return "[" + ", ".join(number(float(v)) for v in x) + "]'"
    if isinstance(x, R):
        return "[" + ", ".join(number(float(v)) for v in x) + "]"
    if isinstance(x, A):
        return "{" + ", ".join(text(v) for v in x) + "}"
    return number(x)


def case(name, *arguments, value):
    print(f"{name}({', '.join(text(a) for a in arguments)}) = {text(value)}")


def heading(words):
    print(f"\n# {words}")


def f(x):
    return float(x)


print("# Calls of built-in functions and their values, made by make_builtin_values.py.")

heading("operators")
a2, b2 = M([[1.5, -0.5], [2.0, 3.0]]), M([[0.5, 1.0], [-1.0, 2.0]])
a23 = M([[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]])
case("add", 2, 3, value=5)
case("add", 2, 0.5, value=2.5)
case("add", V([1, 2]), 0.5, value=V([1.5, 2.5]))
case("add", 1, R([1, 2]), value=R([2, 3]))
case("add", a2, b2, value=M(a2.a + b2.a))
case("subtract", 2, 3, value=-1)
case("subtract", 1.0, V([1, 2]), value=V([0, -1]))
case("subtract", V([1, 2]), V([0.5, 4]), value=V([0.5, -2]))
case("multiply", 3, 4, value=12)
case("multiply", 0.5, 4, value=2.0)
case("multiply", 2, V([1, 2]), value=V([2, 4]))
case("multiply", M([[1, 2]]), 3.0, value=M([[3, 6]]))
case("multiply", R([1, 2]), V([3, 4]), value=11.0)
case("multiply", V([1, 2]), R([3, 4, 5]), value=M([[3, 4, 5], [6, 8, 10]]))
case("multiply", a23, V([1, 0, 2]), value=V([7, 17]))
case("multiply", R([2, 1]), a23, value=R([6, 9, 12.5]))
case("multiply", a2, a23, value=M(a2.a @ a23.a))
case("divide", 7, 2, value=3)
case("divide", -7, 2, value=-3)
case("divide", 7, 2.0, value=3.5)
case("divide", V([1, 2]), 4, value=V([0.25, 0.5]))
case("divide", R([1, 2]), a2, value=R(np.array([1, 2]) @ np.linalg.inv(a2.a)))
case("divide", b2, a2, value=M(b2.a @ np.linalg.inv(a2.a)))
case("int_divide", -7, 2, value=-3)
case("modulus", -7, 3, value=-1)
case("modulus", 7, -3, value=1)
case("elt_multiply", V([1, 2]), V([3, 4]), value=V([3, 8]))
case("elt_multiply", a2, b2, value=M(a2.a * b2.a))
case("elt_divide", V([1, 2]), V([4, 8]), value=V([0.25, 0.25]))
case("elt_divide", 1.0, R([4, 8]), value=R([0.25, 0.125]))
case("mdivide_left", a2, V([1, 2]), value=V(np.linalg.solve(a2.a, [1, 2])))
case("mdivide_left", a2, b2, value=M(np.linalg.solve(a2.a, b2.a)))
case("pow", 2, 3, value=8.0)
case("pow", 2.0, -1.5, value=2.0 ** -1.5)
case("pow", V([1, 4]), 0.5, value=V([1, 2]))
case("pow", 2.0, A([1, 3]), value=A([2.0, 8.0]))
case("elt_pow", V([2, 3]), V([3, 2]), value=V([8, 9]))
case("minus", 3, value=-3)
case("minus", V([1, -2]), value=V([-1, 2]))
case("plus", 3, value=3)
case("transpose", V([1, 2]), value=R([1, 2]))
case("transpose", R([1, 2]), value=V([1, 2]))
case("transpose", a23, value=M(a23.a.T))
for name, values in {"eq": (0, 1, 0), "neq": (1, 0, 1), "lt": (1, 0, 0), "lte": (1, 1, 0), "gt": (0, 0, 1),
                     "gte": (0, 1, 1)}.items():
    for (left, right), v in zip(((1, 2), (2, 2), (2.5, 2)), values):
        case("logical_" + name, left, right, value=v)
for left, right in ((0, 0), (0, 2.5), (-1, 0), (1, 1)):
    case("logical_and", left, right, value=int(bool(left) and bool(right)))
    case("logical_or", left, right, value=int(bool(left) or bool(right)))
case("logical_negation", 0, value=1)
case("logical_negation", 0.5, value=0)

heading("constants")
case("pi", value=math.pi)
case("e", value=math.e)
case("sqrt2", value=math.sqrt(2))
case("log2", value=math.log(2))
case("log10", value=math.log(10))
case("positive_infinity", value=math.inf)
case("negative_infinity", value=-math.inf)
case("not_a_number", value=math.nan)
case("machine_precision", value=2.0 ** -52)

heading("elementary functions")
LINE = (-2.3, -0.4, 0.0, 0.7, 3.1)
POSITIVE = (1e-3, 0.4, 1.0, 2.7, 30.0)
UNIT = (0.02, 0.4, 0.93)


def each(name, function, points, containers=True):
    for x in points:
        case(name, x, value=f(function(mp.mpf(x))))
    if containers:
        values = [f(function(mp.mpf(x))) for x in points[-2:]]
        case(name, V(points[-2:]), value=V(values))
        case(name, A([A(points[-2:])]), value=A([A(values)]))


each("exp", mp.exp, LINE)
each("log", mp.log, POSITIVE)
each("log1p", mp.log1p, (-0.4, 1e-9, 0.0, 2.5))
each("expm1", mp.expm1, (-0.4, 1e-9, 0.0, 2.5))
each("exp2", lambda x: mp.power(2, x), LINE)
each("log2", lambda x: mp.log(x, 2), POSITIVE)
each("log10", mp.log10, POSITIVE)
each("sqrt", mp.sqrt, POSITIVE)
each("cbrt", lambda x: mp.sign(x) * mp.cbrt(abs(x)), (-2.3, -0.4, 0.7, 3.1))
each("square", lambda x: x * x, LINE)
each("inv", lambda x: 1 / x, POSITIVE)
each("inv_sqrt", lambda x: 1 / mp.sqrt(x), POSITIVE)
each("inv_square", lambda x: 1 / x**2, POSITIVE)
each("fabs", abs, LINE)
each("abs", abs, LINE)
case("abs", -3, value=3)
case("abs", A([-3, 2]), value=A([3, 2]))
ROUNDED = (-2.5, -0.4, 0.0, 0.5, 2.7)
each("floor", mp.floor, ROUNDED)
each("ceil", mp.ceil, ROUNDED)
each("trunc", lambda x: mp.floor(x) if x > 0 else mp.ceil(x), ROUNDED)
each("round", lambda x: mp.sign(x) * mp.floor(abs(x) + 0.5), ROUNDED)
each("step", lambda x: x >= 0, LINE)
case("int_step", -1.0, value=0)
case("int_step", 0.0, value=0)
case("int_step", 0.5, value=1)
case("is_inf", math.inf, value=1)
case("is_inf", -math.inf, value=1)
case("is_inf", 1.0, value=0)
case("is_nan", math.nan, value=1)
case("is_nan", 1.0, value=0)
for name, function, points in (("sin", mp.sin, LINE), ("cos", mp.cos, LINE), ("tan", mp.tan, LINE),
                               ("asin", mp.asin, (-0.9, 0.0, 0.3)), ("acos", mp.acos, (-0.9, 0.0, 0.3)),
                               ("atan", mp.atan, LINE), ("sinh", mp.sinh, LINE), ("cosh", mp.cosh, LINE),
                               ("tanh", mp.tanh, LINE), ("asinh", mp.asinh, LINE), ("acosh", mp.acosh, (1.0, 1.2, 40.0)),
                               ("atanh", mp.atanh, (-0.9, 0.0, 0.3))):
    each(name, function, points)
each("inv_logit", lambda x: 1 / (1 + mp.exp(-x)), (-40.0, -0.4, 0.0, 3.1))
each("logit", lambda x: mp.log(x / (1 - x)), UNIT)
each("log_inv_logit", lambda x: -mp.log1p(mp.exp(-x)), (-400.0, -0.4, 0.0, 40.0))
each("log1m_inv_logit", lambda x: -mp.log1p(mp.exp(x)), (-40.0, -0.4, 0.0, 400.0))
each("log1p_exp", lambda x: mp.log1p(mp.exp(x)), (-40.0, -0.4, 0.0, 400.0))
each("log1m", lambda x: mp.log1p(-x), (-3.0, 1e-9, 0.4))
each("log1m_exp", lambda x: mp.log(-mp.expm1(x)), (-40.0, -0.7, -0.1, -1e-9))
each("inv_cloglog", lambda x: -mp.expm1(-mp.exp(x)), (-20.0, -0.4, 0.0, 2.1))
case("hypot", 3.0, 4.0, value=5.0)
case("hypot", 1e200, 1e200, value=math.hypot(1e200, 1e200))
case("atan2", 1.5, -0.5, value=math.atan2(1.5, -0.5))
case("atan2", -1.5, V([-0.5, 0.5]), value=V([math.atan2(-1.5, -0.5), math.atan2(-1.5, 0.5)]))
case("fdim", 3.0, 1.5, value=1.5)
case("fdim", 1.5, 3.0, value=0.0)
case("fmod", -7.5, 2.0, value=-1.5)
case("fmin", 1.5, V([1, 2]), value=V([1, 1.5]))
case("fmax", 1.5, V([1, 2]), value=V([1.5, 2]))
case("fma", 2.0, 3.0, V([1, 2]), value=V([7, 8]))
case("ldexp", 1.5, 3, value=12.0)
case("multiply_log", 2.0, 3.0, value=2 * math.log(3))
case("multiply_log", 0.0, 0.0, value=0.0)
case("lmultiply", 2.0, 3.0, value=2 * math.log(3))
case("log_diff_exp", 3.0, 1.0, value=f(mp.log(mp.exp(3) - mp.exp(1))))
case("log_diff_exp", 1.0, 1.0, value=-math.inf)
case("log_inv_logit_diff", 0.7, -0.4, value=f(mp.log(1 / (1 + mp.exp(mp.mpf("-0.7"))) - 1 / (1 + mp.exp(mp.mpf("0.4"))))))

heading("special functions")
each("lgamma", mp.loggamma, (1e-3, 0.4, 1.0, 2.0, 2.7, 300.0))
each("digamma", mp.digamma, (1e-3, 0.4, 1.0, 2.7, 300.0))
each("trigamma", lambda x: mp.polygamma(1, x), (1e-3, 0.4, 1.0, 2.7, 300.0))
each("tgamma", mp.gamma, (-0.5, 0.4, 1.0, 2.7, 30.0))
each("erf", mp.erf, LINE)
each("erfc", mp.erfc, (-2.3, 0.0, 0.7, 5.0))
each("Phi", mp.ncdf, (-8.0, -2.3, 0.0, 0.7, 3.1))
each("inv_Phi", lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), (1e-5, 0.02, 0.5, 0.93))
each("std_normal_qf", lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), (0.02, 0.5, 0.93))
each("std_normal_log_qf", lambda p: mp.sqrt(2) * mp.erfinv(2 * mp.exp(p) - 1), (-3.0, -0.5))
each("Phi_approx", lambda x: 1 / (1 + mp.exp(-(mp.mpf("0.07056") * x**3 + mp.mpf("1.5976") * x))), LINE)
each("inv_erfc", lambda x: -mp.erfinv(x - 1), (0.3, 1.0, 1.7))
each("lambert_w0", mp.lambertw, (-0.3, 0.0, 0.7, 30.0))
case("lbeta", 2.5, 0.7, value=f(mp.log(mp.beta(mp.mpf("2.5"), mp.mpf("0.7")))))
case("lbeta", V([1, 300]), 2.0, value=V([f(mp.log(mp.beta(1, 2))), f(mp.log(mp.beta(300, 2)))]))
case("beta", 2.5, 0.7, value=f(mp.beta(mp.mpf("2.5"), mp.mpf("0.7"))))
case("lchoose", 7, 3, value=f(mp.log(35)))
case("lchoose", 7.5, 2.5, value=f(mp.log(mp.binomial(mp.mpf("7.5"), mp.mpf("2.5")))))
case("binomial_coefficient_log", 7.5, 2.5, value=f(mp.log(mp.binomial(mp.mpf("7.5"), mp.mpf("2.5")))))
case("choose", 7, 3, value=35)
case("choose", 30, 15, value=155117520)
case("choose", 3, 7, value=0)
case("falling_factorial", 5.5, 3, value=5.5 * 4.5 * 3.5)
case("rising_factorial", 5.5, 3, value=5.5 * 6.5 * 7.5)
case("log_falling_factorial", 5.5, 3.0, value=math.log(5.5 * 4.5 * 3.5))
case("log_rising_factorial", 5.5, 3.0, value=math.log(5.5 * 6.5 * 7.5))
case("gamma_p", 2.5, 1.7, value=special.gammainc(2.5, 1.7))
case("gamma_q", 2.5, 1.7, value=special.gammaincc(2.5, 1.7))
case("inc_beta", 2.5, 0.7, 0.3, value=special.betainc(2.5, 0.7, 0.3))
case("owens_t", 0.7, 1.3, value=special.owens_t(0.7, 1.3))
case("bessel_first_kind", 2, 1.7, value=f(mp.besselj(2, mp.mpf("1.7"))))
case("bessel_second_kind", 2, 1.7, value=f(mp.bessely(2, mp.mpf("1.7"))))
case("modified_bessel_first_kind", 2, 1.7, value=f(mp.besseli(2, mp.mpf("1.7"))))
case("modified_bessel_second_kind", 2, V([1.7, 3]), value=V([f(mp.besselk(2, mp.mpf("1.7"))), f(mp.besselk(2, 3))]))
case("lmgamma", 3, 2.7, value=special.multigammaln(2.7, 3))
case("binary_log_loss", 1, 0.3, value=-math.log(0.3))
case("binary_log_loss", 0, 0.3, value=-math.log(0.7))

heading("reductions")
x = [0.5, -1.5, 2.0, 4.0]
case("sum", V(x), value=5.0)
case("sum", A([1, 2, 3]), value=6)
case("sum", A([]), value=0)
case("sum", a23, value=21.5)
case("prod", V(x), value=-6.0)
case("prod", A([2, 3]), value=6.0)
case("mean", R(x), value=1.25)
case("variance", V(x), value=np.var(x, ddof=1))
case("variance", V([3]), value=0.0)
case("sd", A(x), value=np.std(x, ddof=1))
case("max", V(x), value=4.0)
case("min", A(x), value=-1.5)
case("max", 2, 3, value=3)
case("min", A([4, 2, 9]), value=2)
case("log_sum_exp", V(x), value=f(mp.log(sum(mp.exp(v) for v in x))))
case("log_sum_exp", V([1000, 1000]), value=1000 + math.log(2))
case("log_sum_exp", 1.0, 2.0, value=f(mp.log(mp.exp(1) + mp.exp(2))))
case("log_sum_exp", -math.inf, 2.0, value=2.0)
case("log_mix", 0.3, -1.0, 2.0, value=f(mp.log(mp.mpf("0.3") * mp.exp(-1) + mp.mpf("0.7") * mp.exp(2))))
case("log_mix", 0.0, -1.0, 2.0, value=2.0)
weights = [0.2, 0.5, 0.3]
case("log_mix", V(weights), V([1, -1, 0.5]),
     value=f(mp.log(sum(mp.mpf(w) * mp.exp(v) for w, v in zip(weights, (1, -1, 0.5))))))
case("log_mix", V(weights), A([V([1, -1, 0.5]), V([0, 2, 1])]),
     value=f(mp.log(sum(mp.mpf(w) * mp.exp(v) for w, v in zip(weights, (1, -1, 0.5)))) +
             mp.log(sum(mp.mpf(w) * mp.exp(v) for w, v in zip(weights, (0, 2, 1))))))
case("norm1", V(x), value=8.0)
case("norm2", V(x), value=np.linalg.norm(x))
case("dot_product", V(x), R([1, 2, 3, 4]), value=float(np.dot(x, [1, 2, 3, 4])))
case("dot_self", A(x), value=float(np.dot(x, x)))
case("distance", V([1, 2]), R([4, 6]), value=5.0)
case("squared_distance", V([1, 2]), V([4, 6]), value=25.0)
case("columns_dot_product", a2, b2, value=R((a2.a * b2.a).sum(axis=0)))
case("rows_dot_product", a2, b2, value=V((a2.a * b2.a).sum(axis=1)))
case("columns_dot_self", a23, value=R((a23.a**2).sum(axis=0)))
case("rows_dot_self", a23, value=V((a23.a**2).sum(axis=1)))
case("columns_dot_product", V([1, 2]), V([3, 4]), value=R([11]))
case("rows_dot_product", V([1, 2]), V([3, 4]), value=V([3, 8]))
case("quantile", V(x), 0.3, value=np.quantile(x, 0.3))
case("quantile", A(x), A([0.0, 0.5, 1.0]), value=A([-1.5, 1.25, 4.0]))

heading("sizes and containers made from sizes")
case("num_elements", a23, value=6)
case("num_elements", A([V([1, 2]), V([3, 4])]), value=4)
case("size", A([V([1, 2]), V([3, 4]), V([5, 6])]), value=3)
case("size", a23, value=6)
case("size", 3.0, value=1)
case("dims", A([a23, a23, a23]), value=A([3, 2, 3]))
case("rows", a23, value=2)
case("cols", a23, value=3)
case("rows", R([1, 2]), value=1)
case("cols", V([1, 2]), value=1)
case("rep_array", 3, 2, value=A([3, 3]))
case("rep_array", 1.5, 2, 1, value=A([A([1.5]), A([1.5])]))
case("rep_array", V([1, 2]), 2, value=A([V([1, 2]), V([1, 2])]))
case("rep_vector", 1, 2, value=V([1, 1]))
case("rep_row_vector", 1.5, 3, value=R([1.5] * 3))
case("rep_matrix", 1.5, 2, 1, value=M([[1.5], [1.5]]))
case("rep_matrix", V([1, 2]), 3, value=M([[1, 1, 1], [2, 2, 2]]))
case("rep_matrix", R([1, 2]), 3, value=M([[1, 2], [1, 2], [1, 2]]))
for kind, made in (("vector", V), ("row_vector", R), ("array", lambda x: A(float(v) for v in x)), ("int_array", A)):
    case("ones_" + kind, 2, value=made([1, 1]))
    case("zeros_" + kind, 2, value=made([0, 0]))
    case("one_hot_" + kind, 3, 2, value=made([0, 1, 0]))
case("linspaced_row_vector", 3, 1.0, 2.0, value=R([1, 1.5, 2]))
case("linspaced_vector", 3, 1.0, 2.0, value=V([1, 1.5, 2]))
case("linspaced_vector", 1, 1.0, 2.0, value=V([2]))
case("linspaced_array", 5, -1, 1, value=A([-1.0, -0.5, 0.0, 0.5, 1.0]))
case("linspaced_int_array", 3, 1, 5, value=A([1, 3, 5]))
case("identity_matrix", 2, value=M([[1, 0], [0, 1]]))
case("uniform_simplex", 4, value=V([0.25] * 4))

heading("arrangements")
case("to_vector", a23, value=V(a23.a.T.ravel()))
case("to_vector", A([1, 2]), value=V([1, 2]))
case("to_row_vector", a23, value=R(a23.a.T.ravel()))
case("to_array_1d", a23, value=A(list(a23.a.T.ravel())))
case("to_array_1d", A([A([1, 2]), A([3, 4])]), value=A([1, 2, 3, 4]))
case("to_array_2d", a23, value=A([A(row) for row in a23.rows]))
case("to_matrix", V([1, 2, 3, 4, 5, 6]), 2, 3, value=M([[1, 3, 5], [2, 4, 6]]))
case("to_matrix", A([1, 2, 3, 4, 5, 6]), 2, 3, 0, value=M([[1, 2, 3], [4, 5, 6]]))
case("to_matrix", a23, 3, 2, value=M(a23.a.T.ravel().reshape(2, 3).T))
case("to_matrix", V([1, 2]), value=M([[1], [2]]))
case("to_matrix", A([A([1, 2]), A([3, 4])]), value=M([[1, 2], [3, 4]]))
case("head", V([1, 2, 3]), 2, value=V([1, 2]))
case("tail", A([1, 2, 3]), 2, value=A([2, 3]))
case("segment", R([1, 2, 3, 4]), 2, 2, value=R([2, 3]))
case("head", A([V([1, 2]), V([3, 4])]), 1, value=A([V([1, 2])]))
case("sub_row", a23, 2, 2, 2, value=R([5, 6.5]))
case("sub_col", a23, 1, 3, 2, value=V([3, 6.5]))
case("block", a23, 1, 2, 2, 2, value=M([[2, 3], [5, 6.5]]))
case("row", a23, 2, value=R([4, 5, 6.5]))
case("col", a23, 2, value=V([2, 5]))
case("append_col", a2, V([7, 8]), value=M([[1.5, -0.5, 7], [2, 3, 8]]))
case("append_col", V([1, 2]), V([3, 4]), value=M([[1, 3], [2, 4]]))
case("append_col", 1.0, R([2, 3]), value=R([1, 2, 3]))
case("append_row", a2, R([7, 8]), value=M([[1.5, -0.5], [2, 3], [7, 8]]))
case("append_row", R([1, 2]), R([3, 4]), value=M([[1, 2], [3, 4]]))
case("append_row", V([1]), 2, value=V([1, 2]))
case("append_array", A([1, 2]), A([3]), value=A([1, 2, 3]))
case("append_array", A([1.5]), A([3]), value=A([1.5, 3.0]))
case("reverse", V([1, 2, 3]), value=V([3, 2, 1]))
case("diagonal", a2, value=V([1.5, 3]))
case("diag_matrix", V([1, 2]), value=M([[1, 0], [0, 2]]))
case("symmetrize_from_lower_tri", a2, value=M([[1.5, 2], [2, 3]]))
case("cumulative_sum", V(x), value=V(np.cumsum(x)))
case("cumulative_sum", A([1, 2, 3]), value=A([1, 3, 6]))
case("softmax", V(x), value=V(special.softmax(x)))
case("log_softmax", V(x), value=V(special.log_softmax(x)))
case("sort_asc", A([3, 1, 2]), value=A([1, 2, 3]))
case("sort_desc", V([3, 1, 2]), value=V([3, 2, 1]))
case("sort_indices_asc", V([3, 1, 2]), value=A([2, 3, 1]))
case("sort_indices_desc", A([3, 1, 2]), value=A([1, 3, 2]))
case("rank", V([3, 1, 2]), 1, value=2)
sparse = M([[19, 27, 0, 0], [0, 0, 0, 0], [0, 0, 52, 81]])
case("csr_extract_w", sparse, value=V([19, 27, 52, 81]))
case("csr_extract_v", sparse, value=A([1, 2, 3, 4]))
case("csr_extract_u", sparse, value=A([1, 3, 3, 5]))
case("csr_to_dense_matrix", 3, 4, V([19, 27, 52, 81]), A([1, 2, 3, 4]), A([1, 3, 3, 5]), value=sparse)
case("csr_matrix_times_vector", 3, 4, V([19, 27, 52, 81]), A([1, 2, 3, 4]), A([1, 3, 3, 5]), V([1, 2, 3, 4]),
     value=V(sparse.a @ [1, 2, 3, 4]))

heading("linear algebra")
spd = M([[2.0, 0.3, 0.2], [0.3, 1.7, -0.4], [0.2, -0.4, 1.5]])
low = M([[1.1, 0, 0], [0.3, 0.9, 0], [-0.2, 0.4, 1.2]])
b3 = M([[1.0, 2.0], [0.5, -1.0], [2.0, 0.3]])
v3 = [1.0, -0.5, 2.0]
inv = np.linalg.inv
case("cholesky_decompose", spd, value=M(np.linalg.cholesky(spd.a)))
case("inverse", a2, value=M(inv(a2.a)))
case("inverse_spd", spd, value=M(inv(spd.a)))
case("determinant", a2, value=np.linalg.det(a2.a))
case("log_determinant", M([[0, 2], [3, 1]]), value=math.log(6))
case("log_determinant_spd", spd, value=np.linalg.slogdet(spd.a)[1])
case("trace", a2, value=4.5)
case("chol2inv", low, value=M(inv(low.a @ low.a.T)))
case("matrix_exp", a2, value=M(linalg.expm(a2.a)))
case("matrix_exp_multiply", a2, b2, value=M(linalg.expm(a2.a) @ b2.a))
case("scale_matrix_exp_multiply", 0.3, a2, b2, value=M(linalg.expm(0.3 * a2.a) @ b2.a))
case("matrix_power", a2, 3, value=M(np.linalg.matrix_power(a2.a, 3)))
case("mdivide_left_spd", spd, V(v3), value=V(np.linalg.solve(spd.a, v3)))
case("mdivide_left_tri_low", low, b3, value=M(np.linalg.solve(low.a, b3.a)))
case("mdivide_right", R([1, 2]), a2, value=R(np.array([1, 2]) @ inv(a2.a)))
case("mdivide_right_spd", R(v3), spd, value=R(np.array(v3) @ inv(spd.a)))
case("mdivide_right_tri_low", M(b3.a.T), low, value=M(b3.a.T @ inv(low.a)))
case("crossprod", a23, value=M(a23.a.T @ a23.a))
case("tcrossprod", a23, value=M(a23.a @ a23.a.T))
case("multiply_lower_tri_self_transpose", low, value=M(low.a @ low.a.T))
case("quad_form", spd, V(v3), value=float(np.array(v3) @ spd.a @ v3))
case("quad_form", spd, b3, value=M(b3.a.T @ spd.a @ b3.a))
case("quad_form_sym", spd, b3, value=M(b3.a.T @ spd.a @ b3.a))
case("quad_form_diag", spd, V(v3), value=M(np.diag(v3) @ spd.a @ np.diag(v3)))
case("trace_quad_form", spd, b3, value=np.trace(b3.a.T @ spd.a @ b3.a))
case("trace_gen_quad_form", a2, spd, b3, value=np.trace(a2.a @ b3.a.T @ spd.a @ b3.a))
case("diag_pre_multiply", V([2, 3]), a23, value=M(np.diag([2, 3]) @ a23.a))
case("diag_post_multiply", a23, R(v3), value=M(a23.a @ np.diag(v3)))
case("add_diag", a2, 0.5, value=M(a2.a + 0.5 * np.eye(2)))
case("add_diag", a2, V([1, 2]), value=M(a2.a + np.diag([1, 2])))
case("eigenvalues_sym", spd, value=V(np.linalg.eigvalsh(spd.a)))
case("singular_values", b3, value=V(np.linalg.svd(b3.a, compute_uv=False)))
q, r = np.linalg.qr(b3.a)
signs = np.sign(np.diag(r))
case("qr_thin_Q", b3, value=M(q * signs))
case("qr_thin_R", b3, value=M((r.T * signs).T))
case("generalized_inverse", b3, value=M(np.linalg.pinv(b3.a)))

heading("Gaussian processes")
points, others = [0.1, 0.9, 2.5], [0.3, 1.1]


def kernel(function, first, second):
    return M([[function(abs(s - t)) for t in second] for s in first])


def planar(function, first, second):
    return M([[function(math.dist(s, t)) for t in second] for s in first])


shapes = {
    "gp_exp_quad_cov": lambda d: math.exp(-0.5 * d * d),
    "cov_exp_quad": lambda d: math.exp(-0.5 * d * d),
    "gp_exponential_cov": lambda d: math.exp(-d),
    "gp_matern32_cov": lambda d: (1 + math.sqrt(3) * d) * math.exp(-math.sqrt(3) * d),
    "gp_matern52_cov": lambda d: (1 + math.sqrt(5) * d + 5 * d * d / 3) * math.exp(-math.sqrt(5) * d),
}
places, elsewhere = [[0.1, 0.5], [1.0, -0.3], [0.7, 0.2]], [[0.0, 0.4], [2.0, 1.0]]
for name, shape in shapes.items():
    case(name, A(points), 1.3, 0.7, value=kernel(lambda d: 1.69 * shape(d / 0.7), points, points))
    case(name, A(points), A(others), 1.3, 0.7, value=kernel(lambda d: 1.69 * shape(d / 0.7), points, others))
    case(name, A([V(p) for p in places]), A([V(p) for p in elsewhere]), 1.3, 0.7,
         value=planar(lambda d: 1.69 * shape(d / 0.7), places, elsewhere))
    scale = [0.7, 1.9]
    case(name, A([V(p) for p in places]), 1.3, A(scale),
         value=planar(lambda d: 1.69 * shape(d), [[a / s for a, s in zip(p, scale)] for p in places],
                      [[a / s for a, s in zip(p, scale)] for p in places]))
case("gp_periodic_cov", A(points), 1.3, 0.7, 2.1,
     value=kernel(lambda d: 1.69 * math.exp(-2 * math.sin(math.pi * d / 2.1)**2 / 0.49), points, points))
case("gp_dot_prod_cov", A(points), A(others), 1.3, value=M([[1.69 + s * t for t in others] for s in points]))
case("gp_dot_prod_cov", A([V(p) for p in places]), 1.3,
     value=M([[1.69 + float(np.dot(s, t)) for t in places] for s in places]))

heading("continuous distributions")
Y = [0.4, 1.7]


def law(name, frozen, parameters, outcomes, parts=("cdf", "lcdf", "lccdf")):
    """`frozen` is a SciPy distribution with fixed parameters."""
    for y in outcomes:
        case(name + "_lpdf", y, *parameters, value=frozen.logpdf(y))
        for part, function in (("cdf", frozen.cdf), ("lcdf", frozen.logcdf), ("lccdf", frozen.logsf)):
            if part in parts:
                case(f"{name}_{part}", y, *parameters, value=function(y))
    case(name + "_lpdf", V(outcomes), *parameters, value=sum(frozen.logpdf(y) for y in outcomes))
    if "cdf" in parts:
        case(name + "_cdf", A(outcomes), *parameters, value=np.prod([frozen.cdf(y) for y in outcomes]))
    if "lccdf" in parts:
        case(name + "_lccdf", R(outcomes), *parameters, value=sum(frozen.logsf(y) for y in outcomes))


law("std_normal", stats.norm(), [], [-1.3, 0.4])
law("normal", stats.norm(0.3, 1.4), [0.3, 1.4], [-1.3, 0.4])
law("student_t", stats.t(3.5, 0.3, 1.4), [3.5, 0.3, 1.4], [-1.3, 0.4])
law("double_exponential", stats.laplace(0.3, 1.4), [0.3, 1.4], [-1.3, 0.4])
law("cauchy", stats.cauchy(0.3, 1.4), [0.3, 1.4], [-1.3, 0.4])
law("logistic", stats.logistic(0.3, 1.4), [0.3, 1.4], [-1.3, 0.4])
law("skew_normal", stats.skewnorm(2.2, 0.3, 1.4), [0.3, 1.4, 2.2], [-0.3, 0.9])
law("exp_mod_normal", stats.exponnorm(1 / (1.4 * 0.8), 0.3, 1.4), [0.3, 1.4, 0.8], [-1.3, 0.4])
law("gumbel", stats.gumbel_r(0.3, 1.4), [0.3, 1.4], [-1.3, 0.4])
law("von_mises", stats.vonmises(2.3, loc=0.3), [0.3, 2.3], [-1.3, 0.4], parts=())
law("lognormal", stats.lognorm(1.4, scale=math.exp(0.3)), [0.3, 1.4], Y)
law("chi_square", stats.chi2(3.5), [3.5], Y)
law("inv_chi_square", stats.invgamma(1.75, scale=0.5), [3.5], Y)
law("scaled_inv_chi_square", stats.invgamma(1.75, scale=1.75 * 1.69), [3.5, 1.3], Y)
law("exponential", stats.expon(scale=1 / 0.8), [0.8], Y)
law("gamma", stats.gamma(2.5, scale=1 / 0.8), [2.5, 0.8], Y)
law("inv_gamma", stats.invgamma(2.5, scale=0.8), [2.5, 0.8], Y)
law("weibull", stats.weibull_min(2.5, scale=1.3), [2.5, 1.3], Y)
law("frechet", stats.invweibull(2.5, scale=1.3), [2.5, 1.3], Y)
law("rayleigh", stats.rayleigh(scale=1.3), [1.3], Y)
law("pareto", stats.pareto(2.5, scale=0.3), [0.3, 2.5], Y)
law("pareto_type_2", stats.lomax(2.5, loc=0.1, scale=1.3), [0.1, 1.3, 2.5], Y)
law("loglogistic", stats.fisk(2.5, scale=1.3), [1.3, 2.5], Y)
law("beta", stats.beta(2.5, 0.8), [2.5, 0.8], [0.3, 0.8])
law("beta_proportion", stats.beta(0.3 * 4, 0.7 * 4), [0.3, 4.0], [0.3, 0.8])
law("uniform", stats.uniform(-1, 3), [-1.0, 2.0], [0.4, 1.7])


class SkewLaplace:
    """Mass `skew` below the location, with scales chosen so that the density is continuous."""

    def __init__(self, location, scale, skew):
        self.location, self.scale, self.skew = location, scale, skew

    def cdf(self, x):
        z = 2 * (x - self.location) / self.scale
        if z < 0:
            return self.skew * math.exp((1 - self.skew) * z)
        return 1 - (1 - self.skew) * math.exp(-self.skew * z)

    def logcdf(self, x):
        return math.log(self.cdf(x))

    def logsf(self, x):
        return math.log1p(-self.cdf(x))

    def logpdf(self, x):
        return f(mp.log(mp.diff(lambda y: mp.mpf(self.skew) * mp.exp((1 - self.skew) * 2 * (y - self.location) / self.scale)
                                if y < self.location else
                                -(1 - mp.mpf(self.skew)) * mp.exp(-self.skew * 2 * (y - self.location) / self.scale), x)))


law("skew_double_exponential", SkewLaplace(0.3, 1.4, 0.35), [0.3, 1.4, 0.35], [-1.3, 0.9])


def first_passage(x, separation, delay, bias, drift):
    """The large-time series with many terms, in high precision."""
    t, w = (mp.mpf(x) - delay) / mp.mpf(separation)**2, 1 - mp.mpf(bias)
    terms = mp.nsum(lambda k: k * mp.exp(-k * k * mp.pi**2 * t / 2) * mp.sin(k * mp.pi * w), [1, 400], method="d")
    return f(mp.log(mp.pi * terms) + drift * separation * w - mp.mpf(drift)**2 * (mp.mpf(x) - delay) / 2 -
             2 * mp.log(separation))


for x in (0.32, 0.5, 0.9, 1.5, 3.0, 8.0):
    case("wiener_lpdf", x, 1.6, 0.3, 0.6, 0.7, value=first_passage(x, 1.6, 0.3, 0.6, 0.7))
case("wiener_lpdf", A([0.5, 0.9]), 1.6, 0.3, 0.6, -0.7,
     value=first_passage(0.5, 1.6, 0.3, 0.6, -0.7) + first_passage(0.9, 1.6, 0.3, 0.6, -0.7))
case("normal_lpdf", V([1, 2]), V([0.5, 1.5]), A([1.0, 2.0]),
     value=stats.norm(0.5, 1).logpdf(1) + stats.norm(1.5, 2).logpdf(2))
case("normal_lpdf", 1, A([0, 2]), 2, value=stats.norm(0, 2).logpdf(1) + stats.norm(2, 2).logpdf(1))
case("normal_lupdf", 1, 0, 2, value=stats.norm(0, 2).logpdf(1))
case("normal_log", 1, 0, 2, value=stats.norm(0, 2).logpdf(1))
case("normal_ccdf_log", 1, 0, 2, value=stats.norm(0, 2).logsf(1))

heading("discrete distributions")


def count_law(name, frozen, parameters, outcomes, parts=("cdf", "lcdf", "lccdf")):
    for y in outcomes:
        case(name + "_lpmf", y, *parameters, value=frozen.logpmf(y))
        for part, function in (("cdf", frozen.cdf), ("lcdf", frozen.logcdf), ("lccdf", frozen.logsf)):
            if part in parts:
                case(f"{name}_{part}", y, *parameters, value=function(y))
    case(name + "_lpmf", A(outcomes), *parameters, value=sum(frozen.logpmf(y) for y in outcomes))


eta = math.log(0.3 / 0.7)
count_law("bernoulli", stats.bernoulli(0.3), [0.3], [0, 1])
count_law("bernoulli_logit", stats.bernoulli(0.3), [eta], [0, 1], parts=())
count_law("binomial", stats.binom(7, 0.3), [7, 0.3], [0, 3, 6])
count_law("binomial_logit", stats.binom(7, 0.3), [7, eta], [0, 3, 7], parts=())
count_law("beta_binomial", stats.betabinom(7, 2.5, 1.3), [7, 2.5, 1.3], [0, 3, 7])
count_law("beta_neg_binomial", stats.betanbinom(3, 5.5, 3.1), [3.0, 5.5, 3.1], [0, 3, 7], parts=())
count_law("hypergeometric", stats.hypergeom(12, 7, 5), [5, 7, 5], [1, 3, 5], parts=())
count_law("poisson", stats.poisson(2.7), [2.7], [0, 3, 7])
count_law("poisson_log", stats.poisson(2.7), [math.log(2.7)], [0, 3, 7], parts=())
count_law("neg_binomial", stats.nbinom(2.5, 1.3 / 2.3), [2.5, 1.3], [0, 3, 7])
count_law("neg_binomial_2", stats.nbinom(1.3, 1.3 / (1.3 + 2.7)), [2.7, 1.3], [0, 3, 7])
count_law("neg_binomial_2_log", stats.nbinom(1.3, 1.3 / (1.3 + 2.7)), [math.log(2.7), 1.3], [0, 3, 7], parts=())
case("categorical_lpmf", 2, V(weights), value=math.log(0.5))
case("categorical_lpmf", A([1, 3, 3]), V(weights), value=math.log(0.2 * 0.3 * 0.3))
logits = [0.3, -1.2, 0.8]
case("categorical_logit_lpmf", 2, V(logits), value=special.log_softmax(logits)[1])
case("categorical_logit_lpmf", A([1, 3]), V(logits), value=special.log_softmax(logits)[[0, 2]].sum())
cuts = [-1.0, 0.4, 2.0]


def ordered(cdf, y, location, c):
    bounds = [-math.inf, *c, math.inf]
    return math.log(cdf(bounds[y] - location) - cdf(bounds[y - 1] - location))


for name, cdf in (("ordered_logistic", special.expit), ("ordered_probit", stats.norm.cdf)):
    for y in (1, 2, 4):
        case(name + "_lpmf", y, 0.3, V(cuts), value=ordered(cdf, y, 0.3, cuts))
    case(name + "_lpmf", A([1, 3]), V([0.3, -0.5]), V(cuts), value=ordered(cdf, 1, 0.3, cuts) + ordered(cdf, 3, -0.5, cuts))
    case(name + "_lpmf", A([1, 3]), V([0.3, -0.5]), A([V(cuts), V([-2, -1, 0])]),
         value=ordered(cdf, 1, 0.3, cuts) + ordered(cdf, 3, -0.5, [-2, -1, 0]))
case("discrete_range_lpmf", A([2, 3]), 1, 4, value=2 * math.log(0.25))

heading("multivariate distributions")
mu = [0.2, -0.1, 0.5]
normal = stats.multivariate_normal(mu, spd.a)
case("multi_normal_lpdf", V(v3), V(mu), spd, value=normal.logpdf(v3))
case("multi_normal_lpdf", R(v3), R(mu), spd, value=normal.logpdf(v3))
case("multi_normal_lpdf", A([V(v3), V([0, 1, 0])]), V(mu), spd, value=normal.logpdf(v3) + normal.logpdf([0, 1, 0]))
case("multi_normal_lpdf", V(v3), A([V(mu), V([0, 1, 0])]), spd,
     value=normal.logpdf(v3) + stats.multivariate_normal([0, 1, 0], spd.a).logpdf(v3))
case("multi_normal_lpdf", A([V(v3), V(mu)]), A([V(mu), V([0, 1, 0])]), spd,
     value=normal.logpdf(v3) + stats.multivariate_normal([0, 1, 0], spd.a).logpdf(mu))
case("multi_normal_prec_lpdf", V(v3), V(mu), spd, value=stats.multivariate_normal(mu, inv(spd.a)).logpdf(v3))
case("multi_normal_cholesky_lpdf", V(v3), V(mu), low,
     value=stats.multivariate_normal(mu, low.a @ low.a.T).logpdf(v3))
case("multi_student_t_lpdf", V(v3), 3.5, V(mu), spd, value=stats.multivariate_t(mu, spd.a, df=3.5).logpdf(v3))
case("multi_student_t_cholesky_lpdf", V(v3), 3.5, V(mu), low,
     value=stats.multivariate_t(mu, low.a @ low.a.T, df=3.5).logpdf(v3))
y23 = M([[1.0, -0.5, 2.0], [0.3, 0.1, -1.0]])
case("multi_gp_lpdf", y23, spd, V([0.7, 1.9]),
     value=sum(stats.multivariate_normal([0] * 3, spd.a / w).logpdf(row) for row, w in zip(y23.rows, (0.7, 1.9))))
case("multi_gp_cholesky_lpdf", y23, low, V([0.7, 1.9]),
     value=sum(stats.multivariate_normal([0] * 3, low.a @ low.a.T / w).logpdf(row)
               for row, w in zip(y23.rows, (0.7, 1.9))))
case("dirichlet_lpdf", V(weights), V([1.5, 0.7, 3]), value=stats.dirichlet([1.5, 0.7, 3]).logpdf(weights))
case("dirichlet_lpdf", V(weights), A([V([1.5, 0.7, 3]), V([2, 2, 2])]),
     value=stats.dirichlet([1.5, 0.7, 3]).logpdf(weights) + stats.dirichlet([2, 2, 2]).logpdf(weights))
case("multinomial_lpmf", A([1, 4, 2]), V(weights), value=stats.multinomial(7, weights).logpmf([1, 4, 2]))
case("multinomial_logit_lpmf", A([1, 4, 2]), V(logits),
     value=stats.multinomial(7, special.softmax(logits)).logpmf([1, 4, 2]))
case("dirichlet_multinomial_lpmf", A([1, 4, 2]), V([1.5, 0.7, 3]),
     value=stats.dirichlet_multinomial([1.5, 0.7, 3], 7).logpmf([1, 4, 2]))
scale = M(np.diag([1.0, 2.0, 0.5]) + 0.1)
case("wishart_lpdf", spd, 5.5, scale, value=stats.wishart(5.5, scale.a).logpdf(spd.a))
case("inv_wishart_lpdf", spd, 5.5, scale, value=stats.invwishart(5.5, scale.a).logpdf(spd.a))

# The Jacobian of L -> L L' by finite differences is 2^K prod L_ii^(K - i), i from 0.
jacobian = 3 * math.log(2) + 3 * math.log(1.1) + 2 * math.log(0.9) + math.log(1.2)
low2 = M(np.linalg.cholesky(scale.a))
case("wishart_cholesky_lpdf", low, 5.5, low2, value=stats.wishart(5.5, scale.a).logpdf(low.a @ low.a.T) + jacobian)
case("inv_wishart_cholesky_lpdf", low, 5.5, low2,
     value=stats.invwishart(5.5, scale.a).logpdf(low.a @ low.a.T) + jacobian)
corr2 = M([[1.0, 0.3], [0.3, 1.0]])
# In two dimensions the correlation is 2 B - 1 with B ~ beta(shape, shape).
case("lkj_corr_lpdf", corr2, 2.5, value=stats.beta(2.5, 2.5).logpdf(0.65) - math.log(2))
case("lkj_corr_cholesky_lpdf", M(np.linalg.cholesky(corr2.a)), 2.5,
     value=stats.beta(2.5, 2.5).logpdf(0.65) - math.log(2))

heading("generalised linear models")
xs, beta = M([[0.5, 1.0], [-1.0, 2.0], [0.3, 0.1]]), [0.7, -0.4]
linear = xs.a @ beta
case("bernoulli_logit_glm_lpmf", A([1, 0, 1]), xs, 0.2, V(beta),
     value=sum(stats.bernoulli(special.expit(0.2 + e)).logpmf(y) for y, e in zip((1, 0, 1), linear)))
case("bernoulli_logit_glm_lpmf", 1, R(xs.rows[0]), 0.2, V(beta),
     value=stats.bernoulli(special.expit(0.2 + linear[0])).logpmf(1))
case("bernoulli_logit_glm_lpmf", 1, xs, V([0.2, 0.3, 0.4]), V(beta),
     value=sum(stats.bernoulli(special.expit(a + e)).logpmf(1) for a, e in zip((0.2, 0.3, 0.4), linear)))
case("poisson_log_glm_lpmf", A([1, 0, 3]), xs, 0.2, V(beta),
     value=sum(stats.poisson(math.exp(0.2 + e)).logpmf(y) for y, e in zip((1, 0, 3), linear)))
case("neg_binomial_2_log_glm_lpmf", A([1, 0, 3]), xs, 0.2, V(beta), 1.7,
     value=sum(stats.nbinom(1.7, 1.7 / (1.7 + math.exp(0.2 + e))).logpmf(y) for y, e in zip((1, 0, 3), linear)))
case("normal_id_glm_lpdf", V([1, 0.5, 3]), xs, V([0.2, 0.1, 0]), V(beta), 1.7,
     value=sum(stats.norm(a + e, 1.7).logpdf(y) for y, e, a in zip((1, 0.5, 3), linear, (0.2, 0.1, 0))))
case("normal_id_glm_lpdf", V([1, 0.5, 3]), xs, 0.2, V(beta), V([1.7, 1, 2]),
     value=sum(stats.norm(0.2 + e, s).logpdf(y) for y, e, s in zip((1, 0.5, 3), linear, (1.7, 1, 2))))
case("ordered_logistic_glm_lpmf", A([1, 4, 2]), xs, V(beta), V(cuts),
     value=sum(ordered(special.expit, y, e, cuts) for y, e in zip((1, 4, 2), linear)))
coefficients = M([[0.3, -0.5, 0.1], [0.2, 0.7, -0.9]])
case("categorical_logit_glm_lpmf", A([1, 3, 2]), xs, V([0.1, 0.2, -0.1]), coefficients,
     value=sum(special.log_softmax(row @ coefficients.a + [0.1, 0.2, -0.1])[y - 1] for y, row in zip((1, 3, 2), xs.a)))
case("categorical_logit_glm_lpmf", 2, R(xs.rows[0]), V([0.1, 0.2, -0.1]), coefficients,
     value=special.log_softmax(xs.a[0] @ coefficients.a + [0.1, 0.2, -0.1])[1])
case("binomial_logit_glm_lpmf", A([1, 0, 3]), A([5, 6, 7]), xs, 0.2, V(beta),
     value=sum(stats.binom(n, special.expit(0.2 + e)).logpmf(y) for y, n, e in zip((1, 0, 3), (5, 6, 7), linear)))

heading("series")


def dlm(y, F, G, V, W, m0, C0):
    """All outcomes are jointly normal: their explicit mean and covariance."""
    series, times = y.shape
    mean, cov = np.array(m0, dtype=float), C0
    states, gains = [], []
    for t in range(times):
        mean, cov = G @ mean, G @ cov @ G.T + W
        states.append((mean, cov))
    means = np.concatenate([F.T @ m for m, _ in states])
    joint = np.zeros((series * times, series * times))
    for s in range(times):
        for t in range(s, times):
            between = states[s][1] @ np.linalg.matrix_power(G, t - s).T
            block = F.T @ between @ F + (V if s == t else 0)
            joint[s * series:(s + 1) * series, t * series:(t + 1) * series] = block
            joint[t * series:(t + 1) * series, s * series:(s + 1) * series] = block.T
    return stats.multivariate_normal(means, joint).logpdf(y.T.ravel())


design, transition = M([[1.0, 0.5], [0.0, 1.0]]), M([[0.9, 0.2], [-0.1, 0.8]])
noise, moves, first = M([[0.5, 0.1], [0.1, 0.7]]), M([[0.3, 0.05], [0.05, 0.2]]), M([[1.0, 0.2], [0.2, 2.0]])
seen = M([[0.3, 0.5, -0.2, 1.0], [1.1, 0.2, 0.4, -0.6]])
case("gaussian_dlm_obs_lpdf", seen, design, transition, noise, moves, V([0.4, -0.3]), first,
     value=dlm(seen.a, design.a, transition.a, noise.a, moves.a, [0.4, -0.3], first.a))
case("gaussian_dlm_obs_lpdf", seen, design, transition, V([0.5, 0.7]), moves, V([0.4, -0.3]), first,
     value=dlm(seen.a, design.a, transition.a, np.diag([0.5, 0.7]), moves.a, [0.4, -0.3], first.a))
emit, chain, start = np.array([[-1.0, -0.5, -2.0], [-0.3, -1.7, -0.9]]), np.array([[0.8, 0.2], [0.3, 0.7]]), [0.6, 0.4]
total = sum(start[a] * chain[a, b] * chain[b, c] * math.exp(emit[a, 0] + emit[b, 1] + emit[c, 2])
            for a in range(2) for b in range(2) for c in range(2))
case("hmm_marginal", M(emit), M(chain), V(start), value=math.log(total))

heading("other")
case("to_int", 3.7, value=3)
case("if_else", 1, 2.5, 3.5, value=2.5)

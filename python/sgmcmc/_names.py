"""Names of functions in NumPy and SciPy, and their names in the library."""

#: ufunc -> function of the library, if their names differ.
UFUNCS = {
    # NumPy
    "absolute": "abs", "fabs": "abs", "power": "pow", "float_power": "pow", "maximum": "max", "minimum": "min", "fmax": "max", "fmin": "min",
    "logaddexp": "log_add_exp", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh",
    "arccosh": "acosh", "arctanh": "atanh",
    # SciPy
    "expit": "logistic", "log_expit": "log_logistic", "gammaln": "lgamma", "loggamma": "lgamma", "psi": "digamma", "gamma": "tgamma",
    "xlogy": "multiply_log", "betaln": "lbeta", "ndtr": "Phi", "log_ndtr": "log_Phi", "ndtri": "inv_Phi", "gammainc": "gamma_p",
    "gammaincc": "gamma_q", "betainc": "inc_beta", "poch": "rising_factorial",
}
SAME = frozenset((
    "add", "subtract", "multiply", "divide", "negative", "exp", "log", "log1p", "expm1", "exp2", "log2", "log10", "sqrt", "cbrt", "square",
    "reciprocal", "sign", "floor", "ceil", "trunc", "sin", "cos", "tan", "sinh", "cosh", "tanh", "hypot", "fmod", "less", "less_equal",
    "greater", "greater_equal", "equal", "not_equal", "logit", "erf", "erfc", "owens_t"))

#: Available only under their NumPy names, which mean the same.
HIDDEN = {*SAME, "sum", "mean", "maximum", "minimum", "max", "min", "pow", "abs", "dot", "matmul", "outer", "transpose", "trace", "select",
           "gather", "log_sum_exp", "log_mix", "solve_triangular", "inv", "asin", "acos", "atan", "atan2", "asinh", "acosh", "atanh"} - {
               "logit", "erf", "erfc", "owens_t"}

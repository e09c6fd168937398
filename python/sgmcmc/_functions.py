"""Functions for models that NumPy and SciPy do not have: densities, distribution functions, softmax, ... Created on first use."""

from __future__ import annotations

import inspect
from typing import Any

from . import _core
from ._expression import TABLE, Column, call, node_of, result
from ._names import HIDDEN
from ._numpy import logsumexp

_WRITTEN_HERE = ("logsumexp", "log_mix", "solve_triangular", "lmgamma")


def log_mix(weights: Any, *components: Any) -> Any:
    """log(sum_k weights[k] exp(components[k])): log_mix(weight, a, b) with the weight of a, or log_mix(weights, [a, b, c])."""
    mixed = node_of(weights, "log_mix")
    if len(components) == 2 and len(mixed.shape) != 1:
        return call("log_mix", weights, *components)
    parts = list(components[0] if len(components) == 1 else components)
    return result(_core.log_mix(mixed, [node_of(part, "log_mix") for part in parts]), [weights, *parts])


def solve_triangular(lower: Any, b: Any, transposed: bool = False) -> Any:
    """x with L x = b, or L' x = b; only the lower triangle of L is read."""
    if transposed:
        return result(_core.solve_lower_transposed(node_of(lower, "solve_triangular"), node_of(b, "solve_triangular")), [lower, b])
    return call("solve_triangular", lower, b)


def lmgamma(dimension: int, x: Any) -> Any:
    """The logarithm of the multivariate gamma function."""
    return result(_core.lmgamma(dimension, node_of(x, "lmgamma")), [x])


def functions() -> list[str]:
    """Names of the functions for models besides those of NumPy and SciPy."""
    return sorted({*(name for name in TABLE if name not in HIDDEN), *_WRITTEN_HERE})


def __getattr__(name: str) -> Any:
    if name.startswith("_") or name not in TABLE or name in HIDDEN:
        raise AttributeError(f"module 'sgmcmc' has no attribute '{name}'")
    _, arguments, comment = TABLE[name]
    is_density = name.endswith(("_lpdf", "_lpmf"))
    signature = inspect.Signature([inspect.Parameter(one, inspect.Parameter.POSITIONAL_OR_KEYWORD) for one in arguments])

    def function(*given: Any, **named: Any) -> Any:
        if named or len(given) != len(arguments):
            try:
                given = signature.bind(*given, **named).args
            except TypeError as error:
                raise TypeError(f"{name}({', '.join(arguments)}): {error}") from None
        if is_density:
            for place, argument in enumerate(given):
                if isinstance(argument, Column):
                    argument.check(name, place)
        return call(name, *given)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "sgmcmc"
    function.__doc__ = comment or None
    function.__signature__ = signature  # type: ignore[attr-defined]
    globals()[name] = function
    return function

"""The functions of NumPy and SciPy, applied to expressions."""

from __future__ import annotations

from inspect import signature
from typing import Any, Callable

import numpy as np

from . import _core
from ._expression import TABLE, Expression, arranged, call, matmul, node_of
from ._names import SAME, UFUNCS


def _boxcox(x: Any, power: Any) -> Any:
    zero = call("equal", power, 0)
    if not isinstance(zero, Expression) and not np.any(zero):
        return (call("pow", x, power) - 1) / power
    other = call("select", zero, 1, power)
    return call("select", zero, call("log", x), (call("pow", x, other) - 1) / other)


def _vecdot(a: Any, b: Any) -> Any:
    return call("dot", a, b) if np.ndim(a) < 2 and np.ndim(b) < 2 else np.sum(call("multiply", a, b), axis=-1)


_COMPOSED: dict[str, Callable[..., Any]] = {
    "matmul": matmul,
    "positive": lambda x: x,
    "deg2rad": lambda x: x * (np.pi / 180), "radians": lambda x: x * (np.pi / 180),
    "rad2deg": lambda x: x * (180 / np.pi), "degrees": lambda x: x * (180 / np.pi),
    "xlog1py": lambda x, y: x * call("log1p", y),
    "entr": lambda x: -call("multiply_log", x, x),
    "boxcox": _boxcox,
    "vecdot": _vecdot,
    "logical_and": lambda a, b: call("not_equal", a * b, 0),
    "logical_or": lambda a, b: call("not_equal", call("max", call("abs", a), call("abs", b)), 0),
    "logical_not": lambda a: call("equal", a, 0),
}
_SUBSTITUTES = {
    "bitwise_and": "np.logical_and", "bitwise_or": "np.logical_or", "invert": "np.logical_not",
    "rint": "sg.round", "round": "sg.round", "around": "sg.round", "remainder": "np.fmod", "floor_divide": "np.floor(a / b)", "logaddexp2": "np.logaddexp",
    "log_softmax": "sg.log_softmax", "jv": "sg.bessel_first_kind", "yv": "sg.bessel_second_kind", "iv": "sg.modified_bessel_first_kind",
    "kv": "sg.modified_bessel_second_kind", "i0": "sg.modified_bessel_first_kind(0, x)", "i1": "sg.modified_bessel_first_kind(1, x)",
    "zeta": "sg.trigamma for zeta(2, x)", "binom": "np.exp(sg.lchoose(n, k))", "beta": "np.exp(scipy.special.betaln(a, b))",
    "erfinv": "scipy.special.ndtri", "huber": "np.where", "heaviside": "sg.step", "isfinite": "nothing: densities are finite or the draw is refused",
    "prod": "np.exp(np.sum(np.log(x)))", "var": "np.mean(np.square(x - np.mean(x)))", "std": "np.sqrt(np.mean(np.square(x - np.mean(x))))",
    "einsum": "@ and np.sum", "tensordot": "@", "array": "np.stack", "select": "np.where", "piecewise": "np.where",
    "sort": "a parameter with constraint='ordered'", "any": "np.max", "all": "np.min", "slogdet": "sg.log_determinant",
}


def mapped_ufuncs() -> list[str]:
    return sorted({*UFUNCS, *SAME, *_COMPOSED})


def _refuse(name: str, operands: Any) -> TypeError:
    held = ", ".join(repr(operand) for operand in operands if isinstance(operand, Expression))
    instead = _SUBSTITUTES.get(name)
    advice = f"use {instead}" if instead else "sg.functions() lists those that can"
    return TypeError(f"{name} cannot take expressions (it was given {held}); {advice}")


def apply_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    name = ufunc.__name__
    if options.get("out") is not None or options.get("where", True) is not True:
        raise TypeError(f"{name}: expressions cannot be written to, so out= and where= do not apply")
    options = _without_defaults(options)
    unknown = sorted(set(options) - ({"axis", "keepdims"} if method == "reduce" else set()))
    if unknown:
        raise TypeError(f"{name}: {unknown[0]}= does not apply to expressions")
    if method == "reduce":
        reductions = {"add": np.sum, "maximum": np.max, "minimum": np.min, "logaddexp": logsumexp}
        if name not in reductions:
            raise _refuse(f"{name}.reduce", inputs)
        axis = options.get("axis", 0)
        return reductions[name](inputs[0], axis=axis, keepdims=options.get("keepdims", False))  # type: ignore[operator]
    if method != "__call__":
        raise _refuse(f"{name}.{method}", inputs)
    if name in _COMPOSED:
        return _COMPOSED[name](*inputs)
    function = UFUNCS.get(name) or (name if name in SAME else None)
    if function is None:
        raise _refuse(name, inputs)
    return call(function, *inputs)


def _without_defaults(options: dict[str, Any]) -> dict[str, Any]:
    """Without arguments that say what holds for expressions anyway."""
    return {key: value for key, value in options.items()
            if value is not np._NoValue and not (key == "out" and value is None) and not (key == "where" and value is True)
            and not (key == "dtype" and (value is None or np.dtype(value) == np.float64))}


# Functions that are no ufuncs
# --------------------------------------------------------------------------------------------------------

_FUNCTIONS: dict[str, Callable[..., Any]] = {}


def _implements(function: Callable[..., Any]) -> Callable[..., Any]:
    _FUNCTIONS[function.__name__.strip("_")] = function
    return function


def _axes(name: str, axis: Any, count: int) -> list[int]:
    """The axes that `axis` means, of an expression that has so many; of a scalar, 0 and -1 mean none, as in NumPy."""
    axes = list(range(count)) if axis is None else [axis] if isinstance(axis, (int, np.integer)) else list(axis)
    for one in axes:
        if not -max(count, 1) <= one < max(count, 1):
            raise _core.ShapeError(f"{name}: there is no axis {one}; the expression has {count}, counted from 0")
    found = sorted({int(one) % count for one in axes}) if count else []
    if len(found) < len(axes) and count:
        raise _core.ShapeError(f"{name}: axis={axis} names an axis twice")
    return found


def _reduced(name: str, x: Any, axis: Any, keepdims: bool) -> Any:
    shape = np.shape(x)
    axes = _axes(name, axis, len(shape))
    if len(axes) == len(shape):
        node = _core.call(TABLE[name][0], [node_of(x, name)])
    else:
        node = node_of(x, name)
        for one in reversed(axes):
            node = _core.along_axis(name, node, one)
    kept = [1 if k in axes else extent for k, extent in enumerate(shape)]
    return Expression(_core.reshape(node, kept) if keepdims else node)


@_implements
def _sum(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return _reduced("sum", x, axis, keepdims)


@_implements
def _mean(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    total = _reduced("sum", x, axis, keepdims)
    return total / (x.size / total.size)


@_implements
def _max(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return _reduced("maximum", x, axis, keepdims)


@_implements
def _min(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return -_reduced("maximum", -x, axis, keepdims)


_FUNCTIONS.update(amax=_max, amin=_min)


def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """log(sum(exp(x))), stable, over all elements or along axes."""
    if isinstance(x, Expression):
        return _reduced("log_sum_exp", x, axis, keepdims)
    axes = tuple(range(np.ndim(x))) if axis is None else axis
    return np.logaddexp.reduce(np.asarray(x, dtype=float), axis=axes, keepdims=keepdims)  # type: ignore[call-overload]


@_implements
def _where(condition: Any, if_true: Any, if_false: Any) -> Any:
    return call("select", condition, if_true, if_false)


@_implements
def _dot(a: Any, b: Any) -> Any:
    return call("multiply", a, b) if np.ndim(a) == 0 or np.ndim(b) == 0 else matmul(a, b)


@_implements
def _inner(a: Any, b: Any) -> Any:
    return _dot(a, b) if np.ndim(b) < 2 else matmul(a, np.transpose(b))


@_implements
def _vdot(a: Any, b: Any) -> Any:
    return call("dot", np.reshape(a, -1), np.reshape(b, -1))


@_implements
def _clip(x: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    x = x if low is None else call("max", x, low)
    return x if high is None else call("min", x, high)


@_implements
def _cumsum(x: Any, axis: Any = None) -> Any:
    if axis is None or not x.ndim:
        return call("cumulative_sum", np.reshape(x, -1))
    [axis] = _axes("cumsum", axis, x.ndim)
    if axis == x.ndim - 1:
        return call("cumulative_sum", x)
    return np.moveaxis(call("cumulative_sum", np.moveaxis(x, axis, -1)), -1, axis)


@_implements
def _diff(x: Any, n: int = 1, axis: int = -1) -> Any:
    if not x.ndim:
        raise _core.ShapeError("diff: a scalar has no elements next to each other")
    before = (slice(None),) * _axes("diff", axis, x.ndim)[0]
    for _ in range(n):
        x = x[(*before, slice(1, None))] - x[(*before, slice(None, -1))]
    return x


@_implements
def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if ord not in (None, 2) or (ord == 2 and len(_axes("norm", axis, x.ndim)) > 1):
        raise TypeError("norm of an expression: the Euclidean norm only; the largest singular value of a matrix is np.max(np.linalg.svdvals(x))")
    return np.sqrt(np.sum(np.square(x), axis=axis, keepdims=keepdims))


@_implements
def _zeros_like(x: Any) -> Any:
    return np.zeros(x.shape)


@_implements
def _ones_like(x: Any) -> Any:
    return np.ones(x.shape)


@_implements
def _shape(x: Any) -> Any:
    return x.shape


@_implements
def _ndim(x: Any) -> Any:
    return x.ndim


@_implements
def _size(x: Any) -> Any:
    return x.size


@_implements
def _concatenate(parts: Any, axis: Any = 0) -> Any:
    return _joined(lambda positions: np.concatenate(positions, axis=axis), parts)


@_implements
def _stack(parts: Any, axis: int = 0) -> Any:
    shapes = {np.shape(part) for part in parts}
    if axis == 0 and len(shapes) == 1:
        return Expression(_core.stack([node_of(part, "stack") for part in parts]))
    return _joined(lambda positions: np.stack(positions, axis=axis), parts)


for _name in ("hstack", "vstack", "dstack", "column_stack"):
    _FUNCTIONS[_name] = lambda parts, _join=getattr(np, _name): _joined(_join, parts)


def _joined(join: Callable[..., Any], parts: Any) -> Expression:
    """Joins positions of elements as NumPy joins arrays, then takes the elements in that order."""
    positions, begin = [], 0
    for part in parts:
        size = int(np.prod(np.shape(part), dtype=np.int64))
        positions.append(np.arange(begin, begin + size).reshape(np.shape(part)))
        begin += size
    try:
        order = join(positions)
    except ValueError as error:
        shapes = ", ".join(str(list(np.shape(part))) for part in parts)
        raise _core.ShapeError(f"expressions of shapes {shapes} cannot be joined: {error}") from None
    flat = [_core.reshape(node_of(part, "concatenate"), [p.size]) for part, p in zip(parts, positions)]
    return arranged(Expression(_core.concatenate(flat)), lambda _: order)


#: Functions that only arrange the elements of their first argument.
for _name in ("reshape", "ravel", "transpose", "swapaxes", "moveaxis", "rollaxis", "expand_dims", "squeeze", "flip", "fliplr", "flipud", "roll",
              "rot90", "tile", "repeat", "take", "delete", "broadcast_to", "atleast_1d", "atleast_2d", "diagonal", "resize"):
    _FUNCTIONS[_name] = lambda x, *arguments, _arrange=getattr(np, _name), **options: arranged(
        x, lambda positions: _arrange(positions, *arguments, **options))

def _as_many(name: str, expected: tuple[str, ...], arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(arguments) != len(expected):
        raise TypeError(f"{name}({', '.join(expected)}), of expressions: found {len(arguments)} arguments")
    return arguments


#: Functions of the library under NumPy's names.
for _name, _ours in {"outer": "outer", "trace": "trace", "cholesky": "cholesky", "solve": "solve", "inv": "inverse", "det": "determinant",
                     "eigvalsh": "eigenvalues_sym", "svdvals": "singular_values"}.items():
    _FUNCTIONS[_name] = lambda *arguments, _name=_name, _ours=_ours: call(_ours, *_as_many(_name, TABLE[_ours][1], arguments))


@_implements
def _diag(x: Any) -> Any:
    return call("diagonal_matrix" if x.ndim == 1 else "diagonal", x)


def apply_function(function: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    implementation = _FUNCTIONS.get(function.__name__)
    if implementation is None:
        flat = [one for argument in arguments for one in (argument if isinstance(argument, (list, tuple)) else (argument,))]
        raise _refuse(function.__name__, flat)
    options = _without_defaults(options)
    try:
        signature(implementation).bind(*arguments, **options)
    except TypeError as error:
        if "unexpected keyword argument" in str(error):
            word = str(error).rsplit("'", 2)[1]
            raise TypeError(f"{function.__name__}: {word}= does not apply to expressions") from None
        taken = ", ".join(name for name in signature(implementation).parameters if not name.startswith("_"))
        raise TypeError(f"{function.__name__}({taken}), of expressions: {error}") from None
    return implementation(*arguments, **options)

"""Expressions, in which the log density of a row is written. They build the expression graph; NumPy and SciPy functions can be applied to
them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Callable, Union

import numpy as np

from . import _core

#: Function name -> its index in the library's table, the names of its arguments, and its comment.
TABLE: dict[str, tuple[int, tuple[str, ...], str]] = {
    name: (index, tuple(arguments.split()), comment) for index, (name, arguments, comment) in enumerate(_core.functions())}

Operand = Union["Expression", float, int, np.ndarray, Sequence[Any]]


class Expression:
    """A value in the log density of one row: global (depends on parameters and constants only) or per row. Its shape never includes rows.
    Operators and the functions of NumPy and SciPy build new expressions, broadcasting as in NumPy."""

    __slots__ = ("_node",)
    __array_priority__ = 100

    def __init__(self, node: Any) -> None:
        self._node = node

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._node.shape)

    @property
    def ndim(self) -> int:
        return len(self._node.shape)

    @property
    def size(self) -> int:
        size = 1
        for extent in self._node.shape:
            size *= extent
        return size

    @property
    def per_row(self) -> bool:
        """Whether it depends on the data of the row."""
        return bool(self._node.per_row)

    @property
    def T(self) -> Expression:
        return self if self.ndim < 2 else np.transpose(self)  # type: ignore

    def __repr__(self) -> str:
        return f"Expression({self._node.describe()})"

    # NumPy
    # ----------------------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from . import _numpy

        return _numpy.apply_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        from . import _numpy

        return _numpy.apply_function(function, arguments, options)

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise TypeError(
            f"{self!r} has no numbers: it is a formula that the sampler evaluates later, so it cannot become an array. "
            "scipy.special.logsumexp and softmax, scipy.stats and np.array ask for numbers: use sg.logsumexp, sg.softmax, "
            "the densities sg.normal_lpdf, ..., and np.stack")

    def __bool__(self) -> bool:
        raise TypeError(f"{self!r} has no truth value: `if`, `and`, `or`, `not` and 0 < x < 1 cannot depend on it; use np.where(condition, a, b), &, | and ~")

    def __float__(self) -> float:
        raise TypeError(f"{self!r} is a formula, not a number; functions of the module math do not take it: use those of NumPy")

    __int__ = __float__  # type: ignore[assignment]
    __index__ = __float__  # type: ignore[assignment]

    # Operators
    # ----------------------------------------------------------------------------------------------------

    def __add__(self, other: Operand) -> Expression: return _operate("add", self, other)
    def __radd__(self, other: Operand) -> Expression: return _operate("add", other, self)
    def __sub__(self, other: Operand) -> Expression: return _operate("subtract", self, other)
    def __rsub__(self, other: Operand) -> Expression: return _operate("subtract", other, self)
    def __mul__(self, other: Operand) -> Expression: return _operate("multiply", self, other)
    def __rmul__(self, other: Operand) -> Expression: return _operate("multiply", other, self)
    def __truediv__(self, other: Operand) -> Expression: return _operate("divide", self, other)
    def __rtruediv__(self, other: Operand) -> Expression: return _operate("divide", other, self)
    def __pow__(self, other: Operand) -> Expression: return _operate("pow", self, other)
    def __rpow__(self, other: Operand) -> Expression: return _operate("pow", other, self)
    def __lt__(self, other: Operand) -> Expression: return _operate("less", self, other)  # type: ignore[misc]
    def __le__(self, other: Operand) -> Expression: return _operate("less_equal", self, other)  # type: ignore[misc]
    def __gt__(self, other: Operand) -> Expression: return _operate("greater", self, other)  # type: ignore[misc]
    def __ge__(self, other: Operand) -> Expression: return _operate("greater_equal", self, other)  # type: ignore[misc]
    def __eq__(self, other: Operand) -> Expression: return _operate("equal", self, other)  # type: ignore[override]
    def __ne__(self, other: Operand) -> Expression: return _operate("not_equal", self, other)  # type: ignore[override]
    def __matmul__(self, other: Operand) -> Expression: return matmul(self, other)
    def __rmatmul__(self, other: Operand) -> Expression: return matmul(other, self)
    def __and__(self, other: Operand) -> Expression: return np.logical_and(self, other)  # type: ignore
    def __rand__(self, other: Operand) -> Expression: return np.logical_and(other, self)  # type: ignore
    def __or__(self, other: Operand) -> Expression: return np.logical_or(self, other)  # type: ignore
    def __ror__(self, other: Operand) -> Expression: return np.logical_or(other, self)  # type: ignore
    def __invert__(self) -> Expression: return np.logical_not(self)  # type: ignore
    def __neg__(self) -> Expression: return _operate("negative", self)
    def __pos__(self) -> Expression: return self
    def __abs__(self) -> Expression: return _operate("abs", self)
    __hash__ = object.__hash__  # == builds an expression

    # Elements
    # ----------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError(f"{self!r} is a scalar and has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Expression]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, key: Any) -> Expression:
        if isinstance(key, Expression):
            if not (key.per_row and key._node.is_integer):
                raise _core.ShapeError(f"{self!r} at the index {key!r}: an index is a column of whole numbers in the data, counted from 0. Shift or "
                                       "convert the column there, as in sg.Model(group=group.astype(int) - 1)")
            return Expression(_call_node("gather", (self, key)))
        if isinstance(key, tuple) and key and isinstance(key[0], Expression):
            return self[key[0]][key[1:]] if len(key) > 1 else self[key[0]]
        if isinstance(key, tuple) and any(isinstance(part, Expression) for part in key):
            raise TypeError("data of the row can only be the first index, as in table[row.group, 0]")
        if not self.shape:
            raise IndexError(f"{self!r} is a scalar and has no elements")
        if isinstance(key, (int, np.integer)) and not isinstance(key, bool) and -self.shape[0] <= key < self.shape[0]:
            return Expression(_core.element(self._node, int(key) % self.shape[0]))
        return arranged(self, lambda positions: positions[key])

    def sum(self, axis: Any = None, keepdims: bool = False) -> Expression:
        return np.sum(self, axis=axis, keepdims=keepdims)  # type: ignore

    def mean(self, axis: Any = None, keepdims: bool = False) -> Expression:
        return np.mean(self, axis=axis, keepdims=keepdims)  # type: ignore

    def max(self, axis: Any = None, keepdims: bool = False) -> Expression:
        return np.max(self, axis=axis, keepdims=keepdims)  # type: ignore

    def min(self, axis: Any = None, keepdims: bool = False) -> Expression:
        return np.min(self, axis=axis, keepdims=keepdims)  # type: ignore

    def ravel(self) -> Expression:
        return np.ravel(self)  # type: ignore

    def reshape(self, *shape: Any) -> Expression:
        return np.reshape(self, shape[0] if len(shape) == 1 else shape)  # type: ignore

    def dot(self, other: Operand) -> Expression:
        return np.dot(self, other)  # type: ignore


class Column(Expression):
    """The row's value of one column of a model's data."""

    __slots__ = ("_model", "_name")

    def __init__(self, model: Any, name: str) -> None:
        super().__init__(model.row(name))
        self._model = model
        self._name = name

    def check(self, density: str, argument: int) -> None:
        """Raises if a row is outside the domain of this argument of a density."""
        try:
            _core.check_column(self._model, self._name, density, argument)
        except _core.DataError as error:
            raise _core.DataError(f"{error}. Where np.where leaves such rows out, give the density another value for them, as in "
                                  f"np.where(m.row.{self._name} < 0, 0, m.row.{self._name})") from None


def node_of(value: Any, where: str) -> Any:
    """The node of an expression; numbers become constants."""
    if isinstance(value, Expression):
        return value._node
    if value is None:
        raise TypeError(f"{where}: None is not a number")
    if hasattr(value, "tocsr"):
        raise TypeError(f"{where}: a sparse matrix is data of rows: give it to sg.Model(x=matrix) and use model.row.x")
    if isinstance(value, (list, tuple)) and any(isinstance(element, Expression) for element in value):
        return np.stack([element if isinstance(element, Expression) else Expression(node_of(element, where))
                         for element in value])._node  # type: ignore[attr-defined]
    if np.ma.is_masked(value):
        raise TypeError(f"{where}: {value!r} has masked elements, which have no value")
    try:
        array = np.asarray(value)
    except ValueError:
        raise _core.ShapeError(f"{where}: a list of lists needs rows of one length") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{where}: {value!r} is not a number or an array of numbers")
    return _core.constant(np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape))


def _call_node(name: str, arguments: tuple[Any, ...]) -> Any:
    return _core.call(TABLE[name][0], [node_of(argument, name) for argument in arguments])


def call(name: str, *arguments: Any) -> Any:
    """Calls a function of the library. Returns numbers if all arguments are numbers."""
    return result(_call_node(name, arguments), arguments)


def result(node: Any, arguments: Sequence[Any]) -> Any:
    """What a function returns whose value is this node: numbers if all arguments are numbers."""
    if any(_holds_expression(argument) for argument in arguments):
        return Expression(node)
    numbers = node.numbers()
    return numbers if numbers.ndim else float(numbers)


def _holds_expression(value: Any) -> bool:
    return isinstance(value, Expression) or (isinstance(value, (list, tuple)) and any(map(_holds_expression, value)))


def _operate(name: str, *operands: Any) -> Any:
    for operand in operands:
        if isinstance(operand, str):
            return NotImplemented
    return Expression(_call_node(name, operands))


def matmul(a: Any, b: Any) -> Any:
    """The dot product of two vectors, else a matrix product."""
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return call("dot", a, b)
    if isinstance(a, Expression) and a._node.is_sparse:  # the library takes it on the right
        return call("matmul", np.transpose(b), a)
    return call("matmul", a, b)


def arranged(x: Expression, arrange: Callable[[np.ndarray], Any]) -> Expression:
    """The elements of x, rearranged as NumPy arranges their positions: any indexing, transposition or repetition."""
    positions = np.asarray(arrange(np.arange(x.size, dtype=np.int64).reshape(x.shape)))
    if positions.size == x.size and np.array_equal(positions.reshape(-1), np.arange(x.size)):
        return Expression(_core.reshape(x._node, list(positions.shape)))
    return Expression(_core.take(x._node, positions.reshape(-1).tolist(), list(positions.shape)))

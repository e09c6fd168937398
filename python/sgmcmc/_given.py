"""Log likelihoods computed by user-defined functions with their gradients, by torch, JAX, NumPy or other code, one minibatch at a time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Optional

import numpy as np

from . import _core, _data


class Batch:
    """The rows of a minibatch: batch.x, or batch["x"], are those rows of a column; batch.rows their numbers, counted from 0."""

    def __init__(self, columns: Mapping[str, Any], rows: np.ndarray) -> None:
        self._columns = columns
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> Any:
        if name not in self._columns:
            raise KeyError(f"the data have no column '{name}'; there are: {', '.join(self._columns)}")
        first, count = int(self.rows[0]), len(self.rows)
        side_by_side = int(self.rows[-1]) - first == count - 1 and bool((np.diff(self.rows) == 1).all())
        return self._columns[name][first:first + count] if side_by_side else self._columns[name][self.rows]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None


def columns_of(data: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """Columns that can be indexed by row numbers, unconverted if possible, and their number of rows."""
    columns = {name: _data.unmasked(name, value) if hasattr(value, "shape") and not hasattr(value, "iloc") else _data.as_array(name, value) for name, value in data.items()}
    _data.extents(columns)
    if not columns:
        raise _core.DataError("the model has no data: give it columns, as in bind({'x': x, 'y': y}); they tell how many rows there are")
    return columns, int(next(iter(columns.values())).shape[0])


class GivenLikelihood:
    """function(batch, **parameters) returns the log likelihood of the batch and its gradients: sums over the rows, or one of
    each per row."""

    def __init__(self, function: Callable[..., Any], shapes: Mapping[str, tuple[int, ...]], columns: Mapping[str, Any]) -> None:
        self._function = function
        self._shapes = shapes
        self._columns = columns
        self._taken = [name for name in list(inspect.signature(function).parameters)[1:] if name in shapes]
        self._by_row: Optional[bool] = None  # whether it returns one value per row; known after the first call
        self._sizes = {name: int(np.prod(shape, dtype=int)) for name, shape in shapes.items()}

    def sum(self, values: np.ndarray, rows: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = self._call(values, rows)
        return (float(value.sum()), gradient.sum(axis=0)) if self._by_row else (float(value), gradient)

    def each(self, values: np.ndarray, rows: np.ndarray) -> Optional[tuple[np.ndarray, np.ndarray]]:
        """None if the function sums over rows."""
        if self._by_row is False:
            return None
        found = self._call(values, rows)
        return found if self._by_row else None

    def _call(self, values: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        result = self._function(Batch(self._columns, rows), **self._parameters(values))
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise _core.ModelError(f"{self._name}: must return two things, the log likelihood of the batch and its gradients; found {type(result).__name__}")
        value = np.asarray(result[0], dtype=np.float64)
        if value.shape not in ((), (len(rows),)):
            raise _core.ShapeError(f"{self._name}: the log likelihood of {len(rows)} rows has shape {list(value.shape)}; expected a number, or one for each row")
        by_row = value.ndim == 1
        if self._by_row is not None and self._by_row != by_row:
            raise _core.ShapeError(f"{self._name}: returned one log likelihood for each row before, and now their sum, or the other way round")
        self._by_row = by_row
        return value, self._flat(result[1], (len(rows),) if by_row else ())

    def _parameters(self, values: np.ndarray) -> dict[str, Any]:
        found, begin = {}, 0
        for name, shape in self._shapes.items():
            end = begin + self._sizes[name]
            if name in self._taken:
                found[name] = values[begin:end].reshape(shape) if shape else values[begin]
            begin = end
        return found

    def _flat(self, gradients: Any, rows: tuple[int, ...]) -> np.ndarray:
        """The gradients with respect to all parameters, concatenated."""
        if not isinstance(gradients, Mapping):
            alone = len(self._taken) == 1 and not (isinstance(gradients, (tuple, list)) and len(gradients) == 1)
            gradients = dict(zip(self._taken, [gradients] if alone else gradients))
        missing = [name for name in self._taken if name not in gradients]
        unknown = [str(name) for name in gradients if name not in self._taken]
        if missing or unknown:
            raise _core.ModelError(f"{self._name}: the gradients must be those of {', '.join(self._taken)}, by name or in this order; "
                                   + (f"{', '.join(missing)} is missing" if missing else f"{', '.join(unknown)} is not among them"))
        parts = []
        for name, shape in self._shapes.items():
            part = np.asarray(gradients[name], dtype=np.float64) if name in self._taken else np.zeros(rows + shape)
            if part.shape != rows + shape:
                raise _core.ShapeError(f"{self._name}: the gradient of {name} has shape {list(part.shape)}; expected {list(rows + shape)}")
            parts.append(part.reshape(rows + (-1,)))
        return np.concatenate(parts, axis=-1)

    @property
    def _name(self) -> str:
        return getattr(self._function, "__name__", "the function of the likelihood")

    def check(self, values: np.ndarray, rows: int) -> None:
        """Compares the gradients of a few rows with differences of the log likelihood at these values, and a batch with its halves. Throws
        ModelError if they differ."""
        some = np.unique(np.linspace(0, rows - 1, min(rows, 10)).astype(np.int64))
        value, gradient = self.sum(values, some)
        length = np.linalg.norm(gradient)
        if not np.isfinite(value) or not np.isfinite(length):
            return  # cannot be compared here; the sampler reports non-finite values
        random = np.random.default_rng(1).normal(size=len(values))
        for direction in (gradient / length if length > 0 else random, random / np.linalg.norm(random)):
            expected = float(gradient @ direction)
            gaps = []
            for step in (1e-3, 1e-2):
                ends = [self.sum(values + sign * step * direction, some)[0] for sign in (1, -1)]
                noise = np.finfo(np.float32).eps * max(map(abs, ends)) / step  # it may compute in single precision
                gaps.append(abs((ends[0] - ends[1]) / (2 * step) - expected) - 5 * noise)
            if min(gaps) > 0.05 * max(abs(expected), length / np.sqrt(len(values)), 1e-6):
                raise _core.ModelError(f"{self._name}: the gradients are not those of the log likelihood: their derivative along a direction is {expected:.6g}, and finite differences give "
                                       f"{(ends[0] - ends[1]) / (2 * step):.6g}. Return sums over the rows of the batch, without the prior, and derivatives with respect to the parameters as passed")
        self._check_halves(values, some)

    def _check_halves(self, values: np.ndarray, some: np.ndarray) -> None:
        """Rows must count the same in every batch: the sums of a batch are those of its halves, and a row has one log likelihood."""
        if len(some) < 2:
            return
        half = len(some) // 2
        parts = [self._call(values, rows) for rows in (some, some[:half], some[half:])]
        whole, first, second = (np.concatenate([np.atleast_1d(value), gradient.reshape(-1)]) for value, gradient in parts)
        sizes = [len(np.atleast_1d(value)) for value, _ in parts]

        def differs(expected: np.ndarray, size: np.ndarray) -> bool:
            """size: of the terms that `expected` is the sum of, which may be in single precision and cancel."""
            ranges = slice(sizes[0]), slice(sizes[0], None)  # values and gradients have units of their own
            return any(np.linalg.norm((whole - expected)[one]) > 1e-3 * np.linalg.norm((np.abs(whole) + size)[one]) for one in ranges)

        if self._by_row:
            rows = np.concatenate([first[:sizes[1]], second[:sizes[2]], first[sizes[1]:], second[sizes[2]:]])
            if differs(rows, np.abs(rows)):
                raise _core.ModelError(f"{self._name}: the log likelihood or the gradient of a row depends on which other rows are in its batch. Return "
                                       "those of each row alone, not divided by the number of rows, and without the prior")
            return
        size = np.abs(first) + np.abs(second)
        if differs(first + second, size):
            mean = (half * first + (len(some) - half) * second) / len(some)
            what = ("looks like a mean over the rows" if not differs(mean, size) else
                    f"of {len(some)} rows is {whole[0]:.6g}, and of its two halves {first[0]:.6g} and {second[0]:.6g}")
            raise _core.ModelError(f"{self._name}: the log likelihood {what}. Return sums over the rows of the batch, or one value and one gradient for "
                                   "each row, without the prior")

"""Converts data of a model, from dicts of numbers, lists and arrays, to the arrays that the library takes."""

from __future__ import annotations

import difflib
import os
import warnings
from collections.abc import Mapping
from typing import Any, Optional

import numpy as np

from ._core import DataError, SparseMatrix

Arrays = list[tuple[str, np.ndarray]]


def unmasked(name: str, value: Any) -> Any:
    """The value itself, unless elements of it are masked, which np.asarray would take as numbers."""
    if np.ma.is_masked(value):
        raise DataError(f"'{name}' has masked elements, which have no value: leave their rows out, or impute them")
    return value


def _as_array(name: str, value: Any) -> np.ndarray:
    unmasked(name, value)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise DataError(f"'{name}' cannot be converted to an array: {error}") from None
    if array.dtype.kind not in "biuf":
        raise DataError(f"'{name}' holds {array.dtype}, not numbers; leave it out, or give numbers, such as the codes of categories")
    return array


def compressed_rows(name: str, value: Any) -> Any:
    """Converts SciPy's sparse matrices and arrays of any format to compressed rows."""
    rows = value.tocsr()
    if rows is value:
        rows = value.copy()
    rows.sum_duplicates()  # also sorts the columns of each row
    return SparseMatrix(name, rows.shape[1], np.ascontiguousarray(rows.indptr, dtype=np.int64),
                        np.ascontiguousarray(rows.indices, dtype=np.int32), np.ascontiguousarray(rows.data, dtype=np.float64))


def rows(data: Mapping[str, Any]) -> tuple[Arrays, Arrays, Arrays, list[Any]]:
    """Columns of float64, float32 and integers, and sparse matrices; the first axis of each counts rows."""
    extents(data)
    return split(data)


def extents(data: Mapping[str, Any]) -> None:
    """Checks that all columns have the same number of rows."""
    shapes = {name: tuple(value.shape) if hasattr(value, "shape") else np.shape(value) for name, value in data.items()}
    extents = {name: shape[0] if shape else None for name, shape in shapes.items()}
    for name, extent in extents.items():
        if extent is None:
            raise DataError(f"'{name}' is a single number, not a column of rows; numbers that all rows share are used as they are")
    if len(set(extents.values())) > 1:
        raise DataError("all columns must have the same number of rows; found "
                        + ", ".join(f"{name} with {extent}" for name, extent in extents.items()))


def split(data: Mapping[str, Any]) -> tuple[Arrays, Arrays, Arrays, list[Any]]:
    """Arrays of float64, float32 and integers, and sparse matrices, by name; contiguous, without a copy if they already are."""
    reals: Arrays = []
    floats: Arrays = []
    integers: Arrays = []
    sparse: list[Any] = []
    for name, value in data.items():
        if not isinstance(name, str):
            raise DataError(f"names of data must be strings; found {name!r}")
        if hasattr(value, "tocsr"):
            sparse.append(compressed_rows(name, value))
            continue
        array = _as_array(name, value)
        if array.dtype == np.float32:
            floats.append((name, np.ascontiguousarray(array).reshape(array.shape)))
            continue
        if array.dtype.kind == "f":
            reals.append((name, np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)))
            continue
        limits = np.iinfo(np.int32)
        if array.size and (array.min() < limits.min or array.max() > limits.max):
            raise DataError(f"'{name}' has whole numbers beyond 32 bits; divide them, or give them as floats if the model declares reals")
        integers.append((name, np.ascontiguousarray(array, dtype=np.int32).reshape(array.shape)))
    return reals, floats, integers, sparse


def warn_of_unknown(data: Any, known: list[str], stacklevel: int) -> None:
    """Warns of names that the model does not declare, which are probably misspelled. Unused columns of a data frame are fine."""
    if not isinstance(data, Mapping):
        return
    for name in data:
        if name not in known:
            near = difflib.get_close_matches(str(name), [one for one in known if one not in data], 1, 0.5) or difflib.get_close_matches(
                str(name).lower(), [one.lower() for one in known], 1)
            hint = f" Did you mean '{near[0]}'?" if near else f" It declares: {', '.join(known) or 'nothing'}."
            warnings.warn(f"the model declares no data '{name}', which is not used.{hint}", stacklevel=stacklevel + 1)


def as_mapping(data: Any, wanted: Optional[list[str]] = None) -> Mapping[str, Any]:
    """A dict, or an object that has columns by name; of the latter, takes only the columns in `wanted`."""
    if data is None:
        return {}
    if isinstance(data, Mapping):
        return data
    if isinstance(data, (str, os.PathLike)):
        raise DataError("data from files are given by name: files=['data.json'] or files=['X=features.npy']")
    columns = getattr(data, "column_names", getattr(data, "columns", None))  # Arrow; pandas and polars
    if columns is not None:
        return {str(name): data[name] for name in columns if wanted is None or str(name) in wanted}
    raise DataError(f"data are a dict of arrays by name, or a data frame; found {type(data).__name__}")

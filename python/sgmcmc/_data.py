"""Converts data of a model, from dicts of numbers, lists and arrays, to the arrays that the library takes."""

from __future__ import annotations

import difflib
import os
import warnings
from collections.abc import Mapping
from numbers import Number
from typing import Any, Optional

import numpy as np

from ._core import DataError, SparseMatrix

Arrays = list[tuple[str, np.ndarray]]


def unmasked(name: str, value: Any) -> Any:
    """The value itself, unless elements of it are masked, which np.asarray would take as numbers."""
    if np.ma.is_masked(value):
        raise DataError(f"'{name}' has masked elements, which have no value: leave their rows out, or impute them")
    return value


def as_array(name: str, value: Any) -> np.ndarray:
    unmasked(name, value)
    try:
        return np.asarray(value)
    except ValueError as error:
        raise DataError(f"'{name}' cannot be converted to an array: {error}") from None


def as_numbers(name: str, value: Any) -> np.ndarray:
    array = as_array(name, value)
    if array.dtype.kind not in "biuf":
        raise DataError(f"'{name}' {_why_not(array)}")
    return array


def _why_not(array: np.ndarray) -> str:
    """In what way these are not numbers, and what to give instead."""
    if array.ndim == 0 and array.dtype.kind == "O":
        found = array.item()
        return f"is {'None' if found is None else 'of type ' + type(found).__name__}; give a list or an array of numbers"
    kinds = {type(one) for one in array.reshape(-1).tolist()} if array.dtype.kind == "O" else set()
    if any(kind.__name__ in ("NoneType", "NAType") for kind in kinds):
        return "has missing elements (None): leave their rows out, or impute them"
    if kinds and all(issubclass(kind, Number) for kind in kinds):
        return f"holds numbers as objects ({', '.join(sorted(kind.__name__ for kind in kinds))}); convert it, as with np.asarray(values, dtype=float)"
    if array.dtype.kind in "mM":
        return f"holds {array.dtype}; give numbers, such as the days since the first date"
    if array.dtype.kind == "c":
        return "holds complex numbers; give their real and imaginary parts"
    what = "texts" if array.dtype.kind in "US" or kinds == {str} else ", ".join(sorted(kind.__name__ for kind in kinds)) or str(array.dtype)
    return f"holds {what}, not numbers; leave it out, or give numbers, such as the codes of categories"


def usable(table: Mapping[str, Any]) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The columns of a table that rows can hold, and why they cannot hold the others."""
    kept: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    for name, value in table.items():
        try:
            reals, floats, integers, sparse = split({name: value})
        except DataError as error:
            reasons[name] = str(error)
            continue
        if all(np.isfinite(array).all() for _, array in reals + floats):
            kept[name] = value if sparse else (reals + floats + integers)[0][1]
        else:
            reasons[name] = f"'{name}' has elements that are not finite: leave their rows out, or impute them"
    return kept, reasons


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
    shapes = {name: tuple(value.shape) if hasattr(value, "shape") else as_numbers(name, value).shape for name, value in data.items()}
    extents = {name: shape[0] if shape else None for name, shape in shapes.items()}
    for name, extent in extents.items():
        if extent is None:
            as_numbers(name, data[name])
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
        array = as_numbers(name, value)
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

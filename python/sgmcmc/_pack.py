"""Row files from tables that need not fit into memory: Parquet files, and Arrow's tables, data sets and batches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _core, _data, _progress
from ._core import DataError, UsageError
from ._posterior import Path
from ._stan import StanModel

_ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class RowFile:
    """A row file that was written. columns: the type in which each variable is stored."""

    path: str
    rows: int
    bytes: int
    columns: dict[str, str]
    continued: bool


def pack(model: Union[StanModel, Path], table: Any, out: Path, *, columns: Optional[Mapping[str, Union[str, Sequence[str]]]] = None,
         data: Optional[Mapping[str, Any]] = None, precision: Optional[str] = None, group_by: Optional[str] = None, seed: int = 1,
         overwrite: bool = False, progress: Optional[bool] = None) -> RowFile:
    """Writes the rows of a table to a row file, in random order, as `sgmcmc pack` does.

    table: the path of a Parquet file or a list of them, or an Arrow table, data set or list of record batches; pyarrow reads it, a
    batch at a time. columns: the column of each variable over rows, or a list of columns for a matrix; otherwise variables are
    columns of the same name. data: variables that do not count rows. precision: "float" or "double" for real columns; otherwise as
    the table has them. group_by: an integer variable over rows; rows with the same number are kept together, for hierarchical models.
    Stopped packing continues when it is called again."""
    if not isinstance(model, StanModel):
        model = StanModel(model)
    if precision not in (None, "float", "double"):
        raise UsageError(f"precision is 'float' or 'double', not {precision!r}")
    source = _Table(table)
    declared = {name: (integer, size) for name, integer, size in _core.declared_data(model._path, model._code, model._include)}
    chosen = _chosen(declared, source, columns, data or {})
    reals, floats, integers, sparse = _data.split(data or {})
    if floats or sparse:
        reals += [(name, array.astype(np.float64)) for name, array in floats]
        if sparse:
            raise DataError("variables that do not count rows are dense arrays and numbers; a sparse matrix is not")
    for name in [name for name, array in integers if name in declared and not declared[name][0]]:
        position = [one for one, _ in integers].index(name)
        reals.append((name, integers.pop(position)[1].astype(np.float64)))
    layout = []
    for name, names in chosen.items():
        kind, shape = source.shape(name, names, declared[name][0], precision)
        layout.append((name, kind, shape))
    readers = [(names, kind) for (_, kind, _), names in zip(layout, chosen.values())]
    bar = _progress.line(progress)
    told: Optional[Callable[[float], None]] = (lambda share: bar.write(f"packing {100 * share:3.0f}%")) if bar else None
    path = os.fspath(out)
    try:
        result = _core.pack_batches(path, source.rows, layout, reals, integers, lambda first: source.batches(first, readers), source.words,
                                    source.identity + repr(list(chosen.items())), seed, group_by or "", overwrite, told)
    finally:
        if bar:
            bar.close()
    return RowFile(path, result["rows"], result["bytes"], result["columns"], result["continued"])


def _chosen(declared: Mapping[str, tuple[bool, str]], source: _Table, columns: Optional[Mapping[str, Any]],
            data: Mapping[str, Any]) -> dict[str, Union[str, list[str]]]:
    """The columns of every variable over rows."""
    wanted = dict(columns) if columns is not None else {name: name for name in declared if name in source.names and name not in data}
    if not wanted:
        raise DataError(f"{source.words}: no column has the name of a variable of the model; name them, as in "
                        "columns={'X': ['x1', 'x2'], 'y': 'label'}. The table has " + ", ".join(source.names[:20]))
    for name, names in wanted.items():
        if name not in declared:
            raise DataError(f"the model declares no data '{name}'; it declares {', '.join(declared)}")
        for one in [names] if isinstance(names, str) else names:
            if one not in source.names:
                raise DataError(f"{source.words}: there is no column '{one}'; the table has " + ", ".join(source.names[:20]))
    sizes = {declared[name][1] for name in wanted}
    if len(sizes) > 1 or "" in sizes:
        raise DataError(f"the variables {', '.join(wanted)} must all be declared with the number of rows as their first size")
    return {name: names if isinstance(names, str) else list(names) for name, names in wanted.items()}


def _arrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise ImportError("tables are read by pyarrow, which is not installed: pip install pyarrow") from None
    return pyarrow


class _Table:
    """Rows of an Arrow table wherever it is, in batches."""

    def __init__(self, table: Any) -> None:
        arrow = _arrow()
        self._arrow = arrow
        if isinstance(table, (str, os.PathLike)):
            table = [table]
        if isinstance(table, arrow.RecordBatch):
            table = [table]
        self._files: list[str] = []
        self._table: Any = None
        if isinstance(table, (list, tuple)) and table and all(isinstance(one, (str, os.PathLike)) for one in table):
            import pyarrow.parquet
            self._parquet = pyarrow.parquet
            self._files = [os.fspath(one) for one in table]
            heads = []
            for file in self._files:
                try:
                    heads.append(self._parquet.ParquetFile(file))
                except (OSError, arrow.ArrowInvalid) as error:
                    raise DataError(f"{file}: cannot be read as a Parquet file: {error}") from None
            self.schema = heads[0].schema_arrow
            for file, head in zip(self._files, heads):
                if head.schema_arrow.names != self.schema.names:
                    raise DataError(f"{file} has other columns than {self._files[0]}")
            self.rows = sum(head.metadata.num_rows for head in heads)
            self.words = self._files[0] if len(self._files) == 1 else f"{self._files[0]} and {len(self._files) - 1} more"
            times = [(file, os.stat(file).st_size, os.stat(file).st_mtime_ns) for file in self._files]
            self.identity = repr(times)
            for head in heads:
                head.close()
        else:
            if isinstance(table, (list, tuple)) and table and all(isinstance(one, arrow.RecordBatch) for one in table):
                table = arrow.Table.from_batches(table)
            if not hasattr(table, "to_batches") or not hasattr(table, "schema"):
                raise DataError("a table is the path of a Parquet file, a list of them, or an Arrow table, data set or list of record batches; "
                                f"found {type(table).__name__}")
            self._table = table
            self.schema = table.schema
            self.rows = table.num_rows if hasattr(table, "num_rows") else table.count_rows()
            self.words = "the table"
            self.identity = f"table of {self.rows} rows: {self.schema}"
        self.names = list(self.schema.names)

    def shape(self, name: str, names: Union[str, list[str]], integer: bool, precision: Optional[str]) -> tuple[str, list[int]]:
        """Type in which the variable is stored, and the shape of its rows."""
        types = self._arrow.types
        fields = [self.schema.field(one).type for one in ([names] if isinstance(names, str) else names)]
        shape = [] if isinstance(names, str) else [len(names)]
        if isinstance(names, str) and types.is_fixed_size_list(fields[0]):
            shape = [fields[0].list_size]
            fields = [fields[0].value_type]
        for one in fields:
            if not (types.is_integer(one) or types.is_floating(one) or types.is_boolean(one)):
                raise DataError(f"{self.words}: '{name}' needs numbers, but a column holds {one}; leave it out, or code it as numbers")
            if integer and types.is_floating(one):
                raise DataError(f"{self.words}: the model declares '{name}' as int, but its column holds {one}; cast it to integers")
        if integer:
            return "int32", shape
        single = all(types.is_float32(one) for one in fields) if precision is None else precision == "float"
        return ("float32" if single else "float64"), shape

    def batches(self, first: int, readers: list[tuple[Union[str, list[str]], str]]) -> Iterator[list[np.ndarray]]:
        """Arrays of each variable, from row `first` on."""
        needed = list(dict.fromkeys(one for names, _ in readers for one in ([names] if isinstance(names, str) else names)))
        row = 0
        for batch in self._all_batches(needed):
            begin, row = row, row + batch.num_rows
            if row <= first:
                continue
            if begin < first:
                batch = batch.slice(first - begin)
                begin = first
            yield [self._array(batch, begin, names, kind) for names, kind in readers]

    def _all_batches(self, names: list[str]) -> Iterator[Any]:
        if self._table is None:
            for file in self._files:
                with self._parquet.ParquetFile(file) as opened:
                    yield from opened.iter_batches(batch_size=_ROWS_AT_ONCE, columns=names)
        elif hasattr(self._table, "select"):  # a table
            yield from self._table.select(names).to_batches(max_chunksize=_ROWS_AT_ONCE)
        else:
            yield from self._table.to_batches(columns=names, batch_size=_ROWS_AT_ONCE)

    def _array(self, batch: Any, row: int, names: Union[str, list[str]], kind: str) -> np.ndarray:
        if isinstance(names, str):
            return self._numbers(batch, row, names, kind)
        return np.stack([self._numbers(batch, row, name, kind) for name in names], axis=1)

    def _numbers(self, batch: Any, row: int, name: str, kind: str) -> np.ndarray:
        column = batch.column(batch.schema.get_field_index(name))
        lists = self._arrow.types.is_fixed_size_list(column.type)
        values = column.flatten() if lists and column.null_count == 0 else column
        if values.null_count:
            where = int(np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False))[0])
            where = row + where // (column.type.list_size if lists and values is not column else 1) + 1
            raise DataError(f"{self.words}: column '{name}', row {where} has no value: missing values cannot be used. "
                            "Remove these rows, or model them as parameters")
        numbers = values.to_numpy(zero_copy_only=False)
        if kind != "int32":
            return np.ascontiguousarray(numbers, dtype=np.float64 if numbers.dtype != np.float32 else np.float32)
        if numbers.dtype.kind == "b":
            numbers = numbers.astype(np.int8)
        if numbers.dtype.kind == "u" and numbers.dtype.itemsize > 1:
            limit = np.iinfo(np.int32).max
            if numbers.size and numbers.max() > limit:
                raise DataError(f"{self.words}: column '{name}' has integers beyond 32 bits")
            numbers = numbers.astype(np.int64)
        return np.ascontiguousarray(numbers)

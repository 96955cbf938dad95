"""Tables of results: Arrow streams, and rows for whoever needs no more."""

from __future__ import annotations

import bisect
import html
import itertools
import os
from collections.abc import Iterator
from typing import Any

from retold import _retold
from retold._retold import UsageError

# Rows that a notebook shows.
SHOWN = 10


class ArrowStream:
    """Something that pyarrow, Polars, pandas, DuckDB and others read as a table.

    It has `__arrow_c_stream__`, so that `pyarrow.table(it)` or `polars.DataFrame(it)` work; the methods
    below are short for these, and need the package they name.
    """

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise NotImplementedError

    def to_arrow(self) -> Any:
        """Returns a `pyarrow.Table`."""
        return needed("pyarrow").table(self)

    def to_polars(self) -> Any:
        """Returns a `polars.DataFrame`."""
        return needed("polars").DataFrame(self)

    def to_pandas(self) -> Any:
        """Returns a `pandas.DataFrame`; needs pyarrow, too."""
        needed("pandas")
        return self.to_arrow().to_pandas()

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes a Parquet file, batch by batch. In a folder, or where the path ends with `/`, it gets
        the name `part-0.parquet`."""
        pyarrow = needed("pyarrow")
        parquet = needed("pyarrow.parquet")
        name = os.fspath(path)
        if name.endswith(("/", os.sep)) or os.path.isdir(name):
            os.makedirs(name, exist_ok=True)
            name = os.path.join(name, "part-0.parquet")
        batches = pyarrow.RecordBatchReader.from_stream(self)
        with parquet.ParquetWriter(name, batches.schema) as writer:
            for batch in batches:
                writer.write_batch(batch)


def needed(package: str) -> Any:
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError:
        raise UsageError(f"this needs the package {package.split('.')[0]}") from None


class Table(ArrowStream):
    """A table in memory.

    >>> import retold
    >>> note = "The harbour board will close the east quay for repairs from Monday until Friday."
    >>> pairs = retold.find([note, note.upper()]).pairs
    >>> len(pairs), pairs.column_names[:3]
    (1, ['a', 'b', 'relation'])
    >>> pairs[0]["relation"], pairs["resemblance"]
    ('exact', [1.0])
    """

    def __init__(self, table: _retold.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._table.__arrow_c_schema__()

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return self._table.column_names

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, key: int | str) -> Any:
        """A row by its number, as a dictionary, or a column by its name, as a list."""
        if isinstance(key, str):
            return self._table.column(key)
        return self._table.row(key + len(self) if key < 0 else key)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self._table.row(row) for row in range(len(self)))

    def __repr__(self) -> str:
        return f"<retold.Table of {len(self)} rows: {', '.join(self.column_names)}>"

    def _repr_html_(self) -> str:
        def cell(value: Any) -> str:
            text = "" if value is None else str(value)
            return html.escape(text if len(text) <= 60 else text[:59] + "…")

        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.column_names)
        rows = [self._table.row(row) for row in range(min(SHOWN, len(self)))]
        body = "".join(
            "<tr>" + "".join(f"<td>{cell(row[name])}</td>" for name in self.column_names) + "</tr>" for row in rows
        )
        more = f"<p>{len(self) - SHOWN:,} more rows</p>" if len(self) > SHOWN else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

    def __reduce__(self) -> tuple[Any, ...]:
        pyarrow = needed("pyarrow")
        table = self.to_arrow()
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        return _of_bytes, (sink.getvalue().to_pybytes(),)


def _of_bytes(content: bytes) -> Table:
    return Table(_retold.Table.of_stream(needed("pyarrow").ipc.open_stream(content)))


class Kept(ArrowStream):
    """What `dedup` keeps of a table or of files. It is read again each time it is looked at.

    Of Parquet files of one schema it has all columns; of other files the documents, with the fields that Retold knows."""

    def __init__(self, result: _retold.Result, whole: Any, settings: str) -> None:
        self._result = result
        self._whole = whole
        self._settings = settings

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        if isinstance(self._whole, list):
            rows = _kept_parquet(self._whole, self._result)
            if rows is not None:
                return rows.__arrow_c_stream__(requested_schema)
            return _retold.kept_documents(self._whole, self._settings, self._result)
        return _retold.kept_rows_of(self._whole, self._result)

    def __repr__(self) -> str:
        return f"<retold.Kept: {len(self._result.kept_rows)} documents>"


def _kept_parquet(paths: list[str], result: _retold.Result) -> Any:
    """Reads the rows of Parquet files that stay, or returns none if these are no such files, or differ in columns."""
    if not all(path.lower().endswith(".parquet") and os.path.isfile(path) for path in paths):
        return None
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        return None
    schemas = [parquet.read_schema(path) for path in paths]
    if not schemas or not all(schema.equals(schemas[0]) for schema in schemas):
        return None
    documents, removed = Table(result.documents), Table(result.removed)
    gone = set(zip(removed["file"], removed["record"], strict=True))
    # Those of `against` come behind.
    n_first = len(result.kept_rows) + len(gone)
    stay: dict[str, list[int]] = {path: [] for path in paths}
    for place in itertools.islice(zip(documents["file"], documents["record"], strict=True), n_first):
        if place not in gone:
            stay[place[0]].append(place[1])

    def batches() -> Iterator[Any]:
        for path in paths:
            rows, start = stay[path], 0
            for batch in parquet.ParquetFile(path).iter_batches():
                end = start + batch.num_rows
                first, last = bisect.bisect_left(rows, start), bisect.bisect_left(rows, end)
                numbers = pyarrow.array([row - start for row in rows[first:last]], pyarrow.int64())
                yield batch.take(numbers)
                start = end

    return pyarrow.RecordBatchReader.from_batches(schemas[0], batches())

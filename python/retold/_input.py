"""What documents come from: paths, tables, data sets, lists."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retold._retold import UsageError

# Rows taken from a data set at a time.
ROWS = 1_000


@dataclass(frozen=True)
class Input:
    """An input as the library takes it, and how what is kept of it can be read again."""

    kind: str
    value: Any
    #: What was handed over; `None` if it can be read only once.
    whole: Any = None

    def handed(self) -> tuple[str, Any]:
        return self.kind, self.value


def taken(data: Any) -> Input:
    """Looks at what was handed over."""
    if isinstance(data, (str, os.PathLike)):
        paths = found(data)
        return Input("paths", paths, paths)
    if isinstance(data, (bytes, bytearray)):
        raise UsageError("documents must be texts, got bytes: decode them, or name a file")
    if isinstance(data, Mapping):
        raise UsageError("a dictionary is one document, or several data sets: hand over a list, or one of them")
    if is_dataset(data):
        # One that is streamed has no rows by number.
        is_streamed = not callable(getattr(data, "select", None))
        return Input("stream", reader_of(data), None if is_streamed else data)
    if hasattr(data, "__arrow_c_stream__"):
        table = data.to_frame(name="text") if is_series(data) else data
        # A reader gives its batches once.
        is_reader = hasattr(data, "read_next_batch")
        return Input("stream", table, None if is_reader else table)
    if hasattr(data, "collect_schema"):
        raise UsageError("a lazy frame has no rows yet: call collect() first")
    if not isinstance(data, Iterable):
        raise UsageError(
            "documents come from a path, a table, a data set or an iterable of texts, "
            f"got {type(data).__name__}"
        )
    if isinstance(data, Sequence):
        if len(data) > 0 and all(isinstance(item, os.PathLike) for item in data):
            paths = [path for item in data for path in found(item)]
            return Input("paths", paths, paths)
        return Input("items", data, data)
    return Input("items", data)


def found(path: str | os.PathLike[str]) -> list[str]:
    """Returns a path, or the paths that a pattern such as `corpus/*.parquet` fits."""
    name = os.fspath(path)
    if os.path.lexists(name) or not glob.has_magic(name):
        return [name]
    paths = sorted(glob.glob(name, recursive=True))
    if not paths:
        raise UsageError(f"no file fits `{name}`")
    return paths


def is_series(data: Any) -> bool:
    """Whether it is a column of texts."""
    return hasattr(data, "to_frame") and not hasattr(data, "columns")


def is_dataset(data: Any) -> bool:
    """Whether it is a data set of Hugging Face, which need not be installed."""
    return callable(getattr(data, "with_format", None)) and callable(getattr(data, "iter", None))


def reader_of(dataset: Any) -> Any:
    """Reads a data set in batches, as it shows its rows: selected, sorted, filtered."""
    import pyarrow

    batches = batches_of(dataset.with_format("arrow").iter(batch_size=ROWS))
    first = next(batches, None)
    if first is None:
        return pyarrow.table({"text": pyarrow.array([], pyarrow.string())})

    def all_batches() -> Iterator[Any]:
        yield first
        yield from batches

    return pyarrow.RecordBatchReader.from_batches(first.schema, all_batches())


def batches_of(tables: Iterable[Any]) -> Iterator[Any]:
    for table in tables:
        yield from table.to_batches()


def kept(source: Input, rows: Callable[[], list[int]], stream: Callable[[Any], Any]) -> Any:
    """Returns what is kept of an input, in its own form: see `Deduplicated.kept`."""
    whole = source.whole
    if whole is None:
        raise UsageError("the input can be read only once: use kept_rows, or hand over a table or a list")
    if is_dataset(whole):
        return whole.select(rows())
    if source.kind == "items":
        return [whole[row] for row in rows()]
    return stream(whole)

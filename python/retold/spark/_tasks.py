"""What Spark's workers do: they cut the rows they get into tables and give them to the Rust code.

Functions here are made on the driver and sent to the workers, so they hold nothing but plain values. A worker
makes the stages of a job once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow
import pyarrow.compute

from retold.spark._schemas import Columns

# Rows that are given to the Rust code at a time, at least, where groups are small.
LEAST_ROWS = 8_192
# Bytes of rows that are held for that, at most, before groups are given over.
MOST_BYTES = 64 << 20


@functools.lru_cache(maxsize=4)
def stages(job: str) -> Any:
    """The stages of a job."""
    from retold import _retold

    return _retold.Stages(job)


def flat(table: Any) -> Any:
    """A table with the fields of its column `record` as columns of their own."""
    if "record" not in table.column_names:
        return table
    fields = pyarrow.Table.from_batches(
        [pyarrow.RecordBatch.from_struct_array(chunk) for chunk in table.column("record").chunks],
        pyarrow.schema(list(table.schema.field("record").type)),
    )
    table = table.drop_columns(["record"])
    for name in table.column_names:
        if name in fields.column_names:
            fields = fields.drop_columns([name])
    for name in fields.column_names:
        table = table.append_column(name, fields.column(name))
    return table


def whole_groups(batches: Iterator[Any], column: str | None, is_single: bool) -> Iterator[Any]:
    """Tables of whole groups: rows come sorted by `column`. One group at a time, or several small ones.

    Without a column every batch is a table of its own.
    """
    if column is None:
        for batch in batches:
            if batch.num_rows:
                yield pyarrow.Table.from_batches([batch])
        return
    held: list[Any] = []
    n_rows = n_bytes = 0
    for batch in batches:
        while batch.num_rows:
            values = batch.column(column)
            if is_single:
                cut = _end_of_first(values) if not held or held[-1].column(column)[-1] == values[0] else 0
                is_over = cut < batch.num_rows
            else:
                cut = pyarrow.compute.index(values, values[-1]).as_py()
                is_new = bool(held) and cut == 0 and held[-1].column(column)[-1] != values[0]
                is_full = n_rows + cut >= LEAST_ROWS or n_bytes + batch.nbytes >= MOST_BYTES
                is_over = is_full and (cut > 0 or is_new)
            if not is_over:
                held.append(batch)
                n_rows, n_bytes = n_rows + batch.num_rows, n_bytes + batch.nbytes
                break
            if cut:
                held.append(batch.slice(0, cut))
            if held:
                yield pyarrow.Table.from_batches(held)
            held, n_rows, n_bytes = [], 0, 0
            batch = batch.slice(cut)
    if held:
        yield pyarrow.Table.from_batches(held)


def _end_of_first(values: Any) -> int:
    """The number of rows at the beginning that have the value of the first."""
    other = pyarrow.compute.index(pyarrow.compute.not_equal(values, values[0]), True).as_py()
    return len(values) if other < 0 else other


def task(
    job: str,
    method: str,
    columns: Columns,
    by: str | None = None,
    is_single: bool = False,
    arguments: tuple[Any, ...] = (),
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What a worker does with its rows: one of the stages, on tables of whole groups."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        stage = getattr(stages(job), method)
        for table in whole_groups(batches, by, is_single):
            yield from columns.fitted(stage(flat(table), *arguments))

    return run


def numbering(job: str, is_imaging: bool) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Numbers the rows of a partition; documents are also looked at for the first time."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        from retold.spark._schemas import IMAGED

        context = TaskContext.get()
        part = context.partitionId() if context is not None else 0
        place = 0
        for batch in batches:
            n = batch.num_rows
            if not n:
                continue
            places = pyarrow.array(range(place, place + n), pyarrow.int64())
            place += n
            parts = pyarrow.array([part] * n, pyarrow.int32())
            table = pyarrow.Table.from_batches([batch])
            numbered = table.append_column("part", parts).append_column("place", places)
            if is_imaging:
                documents = flat(table.select(["record"])).append_column("ordinal", places)
                imaged = pyarrow.table(stages(job).image(documents)).select(IMAGED.names).cast(IMAGED.arrow())
                for name in IMAGED.names:
                    numbered = numbered.append_column(name, imaged.column(name))
            yield from numbered.combine_chunks().to_batches()

    return run


def imaging(job: str, n_documents: int) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Makes images that need the statistics of the collection."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        from retold.spark._schemas import UNSEEN

        for table in whole_groups(batches, None, False):
            yield from UNSEEN.fitted(stages(job).image(flat(table), n_documents))

    return run

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
# Bytes of images that are packed together, at least: the more, the fewer rows go through a shuffle.
PACKED_BYTES = 16 << 20


@functools.lru_cache(maxsize=4)
def stages(job: str) -> Any:
    """The stages of a job."""
    from retold import _retold

    return _retold.Stages(job)


@functools.lru_cache(maxsize=8)
def places(n: int) -> list[int]:
    """A value for each of `n` tasks that Spark brings to this task, when rows are repartitioned by an `int` column.

    Spark hashes the column by Murmur3; parts with numbers of their own would share tasks, and other tasks would have
    none. If Spark hashed otherwise one day, the result would be the same, but tasks would be uneven.
    """
    found: dict[int, int] = {}
    value = 0
    while len(found) < n:
        found.setdefault(_murmur(value) % n, value)
        value += 1
    return [found[task] for task in range(n)]


def _murmur(value: int) -> int:
    """The hash of an `int` as Spark computes it: Murmur3 of 32 bits with seed 42."""
    def turned(number: int, by: int) -> int:
        return (number << by | number >> (32 - by)) & 0xFFFFFFFF

    key = turned(value * 0xCC9E2D51 & 0xFFFFFFFF, 15) * 0x1B873593 & 0xFFFFFFFF
    hashed = (turned(42 ^ key, 13) * 5 + 0xE6546B64 & 0xFFFFFFFF) ^ 4
    hashed = (hashed ^ hashed >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    hashed = (hashed ^ hashed >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    hashed ^= hashed >> 16
    return hashed - (1 << 32) if hashed >= 1 << 31 else hashed


def lasting(run: Callable[[Iterator[Any]], Iterator[Any]]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A function of a worker after which the worker does not read the archives on its path anew.

    Before each task a worker of Spark tells Python to look for modules again, and Python reads the directory of
    `pyspark.zip` for that, which takes 0.07 s of CPU.
    """

    def whole(batches: Iterator[Any]) -> Iterator[Any]:
        import sys
        import zipimport

        yield from run(batches)
        for path, finder in list(sys.path_importer_cache.items()):
            if isinstance(finder, zipimport.zipimporter):
                del sys.path_importer_cache[path]

    return whole


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
    share: str | None = None,
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What a worker does with its rows: one of the stages, on tables of whole groups. `share` names a column of what comes out that
    is told with six decimals."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        stage = getattr(stages(job), method)
        for table in whole_groups(batches, by, is_single):
            made = pyarrow.table(stage(flat(table), *arguments))
            if share is not None:
                # To the nearest, and ties to even, as in files; Spark rounds ties up.
                values = [round(value, 6) for value in made.column(share).to_pylist()]
                made = made.set_column(made.column_names.index(share), share, pyarrow.array(values, pyarrow.float64()))
            yield from columns.fitted(made)

    return lasting(run)


def packing(job: str, method: str, n_parts: int) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Packs what images have in each of so many parts, and says for each where Spark brings it (`places`)."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        values = pyarrow.array(places(n_parts), pyarrow.int32())
        stage = getattr(stages(job), method)
        for table in _by_bytes(batches, PACKED_BYTES):
            packed = pyarrow.table(stage(table, n_parts))
            yield from pyarrow.table({"part": values.take(packed.column("part")), "packed": packed.column("packed")}).to_batches()

    return lasting(run)


def _by_bytes(batches: Iterator[Any], least: int) -> Iterator[Any]:
    """Tables of some batches, each of about so many bytes, in one piece."""
    held: list[Any] = []
    for batch in batches:
        held += [batch] if batch.num_rows else []
        if sum(batch.nbytes for batch in held) >= least:
            yield pyarrow.Table.from_batches(held).combine_chunks()
            held = []
    if held:
        yield pyarrow.Table.from_batches(held).combine_chunks()


def searching(job: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Lets the documents of blocks search. Rows come by block, slice and kind; a slice of a block takes them as they come, so
    that they are in memory only once."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        from retold.spark._schemas import ANSWERS

        unit: tuple[int, int] | None = None
        search: Any = None
        for batch in batches:
            while batch.num_rows:
                values = [batch.column(name) for name in ("block", "slice")]
                if (first := tuple(column[0].as_py() for column in values)) != unit:
                    unit, search = first, stages(job).searching()
                n = min(_end_of_first(column) for column in values)
                rows = pyarrow.Table.from_batches([batch.slice(0, n)])
                yield from ANSWERS.fitted(search.search(rows))
                batch = batch.slice(n)

    return lasting(run)


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

    return lasting(run)


def imaging(job: str, n_documents: int) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Makes images that need the statistics of the collection."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        from retold.spark._schemas import UNSEEN

        for table in whole_groups(batches, None, False):
            yield from UNSEEN.fitted(stages(job).image(flat(table), n_documents))

    return lasting(run)

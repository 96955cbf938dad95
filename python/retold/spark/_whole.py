"""A whole run in one task, for a collection that one task can hold: its rows go in, the result comes out.

Stages and shuffles pay where many tasks share the work. For less, they cost many times what the work does, so here one task
gets all rows in their order and does what one machine does. The result tables leave it as Arrow streams, some thousand rows in
each, in a table with a column for each of them, which is a single stage that is committed like any other. Java sees no rows
of a table of the result before somebody reads it.
"""

from __future__ import annotations

import bisect
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from retold.spark import _schemas as S
from retold.spark._store import Store
from retold.spark._tasks import flat, lasting

# Bytes of text up to which a run is one task, if nothing else is said.
MOST_BYTES = 64 << 20
# Memory of the run in that task: so many times the text, which spares it files on scratch, and not less than this.
MEMORY_TIMES, LEAST_MEMORY = 5, 256 << 20
# Rows of a result that are handed over at a time.
ROWS = 10_000
# The tables of a result: `pairs` without what only stages need.
RESULT = {
    "pairs": S.PAIRS.without(["a_ordinal", "b_ordinal", *S.SAID.names]),
    "clusters": S.CLUSTERS,
    "documents": S.DOCUMENTS,
    "removed": S.DECISIONS,
    "review": S.DECISIONS,
}
# Names that the tables of one machine have for columns.
NAMES = {"documents": {"ordinal": "record", "is_too_short": "too_short"}, "removed": {"ordinal": "record"}, "review": {"ordinal": "record"}}


def tables(
    store: Store, frame: DataFrame, order: list[Column], used: list[str], job: str, is_deciding: bool, n_bytes: float
) -> dict[str, DataFrame]:
    """Runs a job on so many bytes of text, about, in one task. Returns the tables of its result, and `kept`, the rows that stay,
    if it decides."""
    from pyspark.sql import types as T

    name = "deduplicated" if is_deciding else "found"
    memory = max(LEAST_MEMORY, int(MEMORY_TIMES * n_bytes))
    kinds = {table: columns.spark() for table, columns in RESULT.items()} | ({"kept": frame.schema} if is_deciding else {})
    packed = T.StructType([T.StructField(table, T.BinaryType()) for table in kinds])

    def make(rows: DataFrame) -> DataFrame:
        return rows.mapInArrow(running(job, used, is_deciding, memory), packed)

    told = store.table_of(name, frame, in_order(frame, order, used), make)
    return {table: told.filter(F.col(table).isNotNull()).select(table).mapInArrow(lasting(_read), kind) for table, kind in kinds.items()}


def in_order(frame: DataFrame, order: list[Column], used: list[str]) -> DataFrame:
    """All rows in one partition: by the order of the run, and those of equal keys by their contents."""
    keys = [key.alias(f"key{at}") for at, key in enumerate(order)]
    content = F.xxhash64(*[F.col(f"`{name}`").cast("string") for name in used]).alias("content")
    record = F.struct(*[F.col(f"`{name}`") for name in frame.columns]).alias("record")
    names = [f"key{at}" for at in range(len(order))] + ["content"]
    return frame.select(*keys, content, record).repartition(1).sortWithinPartitions(*names).select("record")


def running(job: str, used: list[str], is_deciding: bool, memory: int) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Runs a job on all rows, which are those of one partition."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        from retold import _retold

        first = next((batch for batch in batches if batch.num_rows), None)
        if first is None:
            return
        settings = json.dumps(json.loads(job) | {"no-shared-text": True})
        resources = json.dumps({"threads": 1, "memory": memory})
        with tempfile.TemporaryDirectory(prefix="retold-") as folder:
            held = os.path.join(folder, "rows.arrow")
            rows = _Rows(first, batches, used, held if is_deciding else None)
            search = _retold.dedup if is_deciding else _retold.find
            found = search(("stream", rows.stream()), settings, resources, None, None, False, None)
            names = [*RESULT, "kept"] if is_deciding else list(RESULT)
            for name, columns in RESULT.items():
                if is_deciding or name not in ("removed", "review"):
                    table = columns.named(getattr(found, name), NAMES.get(name, {}))
                    for batch in table.to_batches(max_chunksize=ROWS):
                        yield _packed(name, batch, names)
            if is_deciding:
                for batch in _taken(held, found.kept_rows):
                    yield _packed("kept", batch, names)

    return lasting(run)


class _Rows:
    """The rows of a run, handed over as a stream; where they are wanted again, they go to a file on the way."""

    def __init__(self, first: Any, others: Iterator[Any], used: list[str], held: str | None) -> None:
        self.first, self.others, self.used, self.held = first, others, used, held

    def stream(self) -> Any:
        schema = self._read(self.first).schema
        return pyarrow.RecordBatchReader.from_batches(schema, self._batches())

    def _read(self, batch: Any) -> Any:
        """Of the columns those that documents are made of."""
        return flat(pyarrow.Table.from_batches([batch])).select(self.used).combine_chunks()

    def _batches(self) -> Iterator[Any]:
        writer = pyarrow.ipc.new_file(self.held, self.first.schema) if self.held else None
        try:
            batch = self.first
            while batch is not None:
                if batch.num_rows:
                    if writer is not None:
                        writer.write_batch(batch)
                    yield from self._read(batch).to_batches()
                batch = next(self.others, None)
        finally:
            if writer is not None:
                writer.close()


def _taken(held: str, rows: list[int]) -> Iterator[Any]:
    """The rows of these numbers, ascending, out of a file, as batches of their columns."""
    with pyarrow.memory_map(held) as source:
        reader = pyarrow.ipc.open_file(source)
        start = at = 0
        for number in range(reader.num_record_batches):
            batch = reader.get_batch(number)
            end = start + batch.num_rows
            first, at = at, bisect.bisect_left(rows, end, at)
            of_batch = pyarrow.array([row - start for row in rows[first:at]], pyarrow.int64())
            yield pyarrow.RecordBatch.from_struct_array(batch.column("record").take(of_batch))
            start = end


def _packed(name: str, batch: Any, names: list[str]) -> Any:
    """Rows of one table of the result as one row of all: an Arrow stream, and nothing in the columns of the others."""
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    stream = [sink.getvalue().to_pybytes()]
    return pyarrow.RecordBatch.from_arrays([pyarrow.array(stream if table == name else [None], pyarrow.binary()) for table in names], names)


def _read(batches: Iterator[Any]) -> Iterator[Any]:
    """The rows that `_packed` packed."""
    for batch in batches:
        for stream in batch.column(0):
            yield from pyarrow.ipc.open_stream(stream.as_buffer())

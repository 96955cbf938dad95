"""The functions that look for copies on a cluster, and what they return."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from retold import _settings
from retold._retold import VERSION, InputError, UsageError
from retold.spark import _spread, _whole
from retold.spark._flow import Flow
from retold.spark._store import Store
from retold.spark._tasks import stages

# Bytes of an Arrow batch between Spark and Python, about.
BATCH_BYTES = 8 << 20
# Documents whose sizes are looked at to find the number of rows of a batch.
SAMPLED = 1_000

Listener = Callable[[str, str], None]


class Found:
    """What was found: DataFrames with the columns of the files that `retold find` writes."""

    def __init__(self, tables: dict[str, DataFrame]) -> None:
        self.pairs: DataFrame = tables["pairs"]
        """Verified pairs, with the passages that prove them."""
        self.clusters: DataFrame = tables["clusters"]
        """Documents that tell the same, with the one that is kept."""
        self.documents: DataFrame = tables["documents"]
        """All documents in their order (`ordinal`), with what became of each."""


class Deduplicated(Found):
    """What was found, and what goes."""

    def __init__(self, tables: dict[str, DataFrame]) -> None:
        super().__init__(tables)
        self.removed: DataFrame = tables["removed"]
        """What goes: the document, the kept one that covers it, how they relate, and the share covered."""
        self.review: DataFrame = tables["review"]
        """What stays and a person should look at."""
        self.kept: DataFrame = tables["kept"]
        """The rows of the input that stay."""


def find(
    df: DataFrame,
    *,
    output: str,
    order: Sequence[str] | None = None,
    spread: bool | None = None,
    partitions: int | None = None,
    block_docs: int | None = None,
    progress: Listener | None = None,
    **settings: Any,
) -> Found:
    """Finds copies among the rows of a DataFrame, as `retold.find` does on one machine.

    Settings are those of `retold.find`: `method`, `text`, `id`, `keep`, `pairs` and so on. `output` is a folder
    that all machines can reach; tables between the stages are kept there, and a call with the same settings
    goes on where an earlier one broke off. It must be empty, or hold an earlier run on the same documents: one on
    others of the same columns is refused.

    Spark's rows have no order, but which of some copies is the first follows from it: documents are put in the order
    of the columns that `order` names, by default of their ids, and among equals of their contents. The result is that
    of one machine that reads them in this order. Texts that all members of a cluster share are not looked for.

    `spread` says whether the work is shared by many tasks, through shuffles, or done in one, which costs far less where one
    can do it; by default one task takes collections of up to 64 MB of text. `partitions` is the number of tasks of a
    shuffle, by default Spark's own setting; `block_docs` says how many documents search in one task. None of these changes
    the result. `progress` is called with the name of a table and `begun`, `done` or `found`.
    """
    return Found(_run(df, False, output, order, spread, partitions, block_docs, progress, settings))


def dedup(
    df: DataFrame,
    *,
    output: str,
    order: Sequence[str] | None = None,
    spread: bool | None = None,
    partitions: int | None = None,
    block_docs: int | None = None,
    progress: Listener | None = None,
    **settings: Any,
) -> Deduplicated:
    """Finds copies and decides which rows go, as `retold.dedup` does on one machine. Arguments are those of `find`."""
    return Deduplicated(_run(df, True, output, order, spread, partitions, block_docs, progress, settings))


def _run(
    df: DataFrame,
    is_deciding: bool,
    output: str,
    order: Sequence[str] | None,
    spread: bool | None,
    partitions: int | None,
    block_docs: int | None,
    progress: Listener | None,
    settings: dict[str, Any],
) -> dict[str, DataFrame]:
    spark = df.sparkSession
    if settings.get("against") is not None:
        raise UsageError("retold.spark compares one collection; put both into one DataFrame")
    if settings.get("idf") is not None:
        raise UsageError("retold.spark takes statistics from the documents; `idf` names a file that workers do not have")
    for name, given in (("partitions", partitions), ("block_docs", block_docs)):
        if given is not None and given < 1:
            raise UsageError(f"{name} must be at least 1, got {given}")
    if settings.get("pairs") is None:
        settings["pairs"] = "star"
    job = _settings.job(settings)
    stage = stages(job)
    used = stage.used(df.columns)
    if not used:
        raise InputError(f"no column is one of a document; there are {', '.join(df.columns)}")
    id_column, df = _identified(df, settings.get("id"))
    if unknown := [name for name in order or () if name not in df.columns]:
        raise InputError(f"no column to order by is named {', '.join(unknown)}; there are {', '.join(df.columns)}")
    keys: list[Column] = [F.col(f"`{name}`") for name in (order if order is not None else [id_column])]
    used = stage.used(df.columns)
    sizes = _sizes(df, used)
    n_bytes = 0.0 if spread else _n_bytes(df, used, sizes[0])
    if spread is None:
        spread = n_bytes > _whole.MOST_BYTES
    partitions = partitions or int(spark.conf.get("spark.sql.shuffle.partitions") or 200)
    about = {
        "job": json.loads(stage.job), "version": VERSION, "order": list(order or [id_column]), "block": block_docs,
        "columns": [f"{field.name} {field.dataType.simpleString()}" for field in df.schema.fields],
    }
    fingerprint = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
    store = Store(spark, output, fingerprint, progress or (lambda name, what: None), _batch_rows(*sizes))
    if not spread:
        return _whole.tables(store, df, keys, used, job, is_deciding, n_bytes)
    flow = Flow(spark, store, job, partitions, block_docs)
    flow.documents(df, keys, id_column)
    return _spread.tables(flow, is_deciding)


def _identified(df: DataFrame, wanted: Any) -> tuple[str, DataFrame]:
    """The column of ids. Where there is none, documents are named by the path of their file, as far as Spark tells it, and by
    their contents."""
    known = {name.lower(): name for name in df.columns}
    names = [wanted] if isinstance(wanted, str) else list(wanted or ("id", "_id", "docno", "doc_id"))
    for name in names:
        if name.lower() in known:
            return known[name.lower()], df
    if wanted:
        raise InputError(f"no column is named {', '.join(names)}; there are {', '.join(df.columns)}")
    texts = [F.coalesce(F.col(f"`{name}`").cast("string"), F.lit("\u0000")) for name in df.columns]
    content = F.sha2(F.concat_ws("\u001f", *texts), 256).substr(1, 24)
    try:
        named = df.withColumn("id", F.concat(F.col("_metadata.file_path"), F.lit("#"), content))
        named.schema  # noqa: B018 (Spark looks at columns when it is asked for them)
    except Exception:  # rows that do not come out of files; the classes differ between Spark and Spark Connect
        named = df.withColumn("id", content)
    return "id", named


def _size(used: list[str]) -> Column:
    """The bytes of a document."""
    lengths = [F.coalesce(F.octet_length(F.col(f"`{name}`").cast("string")), F.lit(0)).cast("long") for name in used]
    return functools.reduce(lambda one, other: one + other, lengths)


def _sizes(df: DataFrame, used: list[str]) -> tuple[float, float]:
    """The mean and the largest of some document sizes."""
    sample = df.limit(SAMPLED).select(_size(used).alias("size")).agg(F.avg("size").alias("mean"), F.max("size").alias("most"))
    [row] = sample.collect()
    return float(row["mean"] or 0.0), float(row["most"] or 0.0)


def _n_bytes(df: DataFrame, used: list[str], mean: float) -> float:
    """The bytes of all documents: added up if there may be as few as one task can hold, and else from the mean of some."""
    n_bytes: float = df.count() * mean
    if n_bytes <= 8 * _whole.MOST_BYTES:
        [row] = df.agg(F.sum(_size(used)).alias("size")).collect()
        return float(row["size"] or 0)
    return n_bytes


def _batch_rows(mean: float, most: float) -> int:
    """Rows of a batch between Spark and Python that bound its bytes."""
    return max(1, min(10_000, int(BATCH_BYTES / max(256.0, mean + most / 16))))

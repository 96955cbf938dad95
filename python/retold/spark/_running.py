"""The functions that look for copies on a cluster, and what they return."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from retold import _settings
from retold._retold import VERSION, InputError, UsageError
from retold.spark._flow import KINDS, Flow
from retold.spark._store import Store
from retold.spark._tasks import stages

# Bytes of an Arrow batch between Spark and Python, about.
BATCH_BYTES = 8 << 20
# Documents whose sizes are looked at to find the number of rows of a batch.
SAMPLED = 1_000
# Documents that search in one task.
BLOCK_DOCS = 100_000

Listener = Callable[[str, str], None]


class Found:
    """What was found: DataFrames with the columns of the files that `retold find` writes."""

    def __init__(self, flow: Flow, relations: DataFrame, groups: DataFrame) -> None:
        self._flow, self._groups = flow, groups
        entries = flow.entries
        ids = entries.select("ordinal", "id")
        store = flow.store
        pairs = store.table("pairs", lambda: flow.pairs(relations, groups))
        cut = flow.cut_documents(relations)
        exact = ("kind", "exact_resemblance", "exact_a_in_b", "exact_b_in_a")
        self.pairs: DataFrame = pairs.drop("a_ordinal", "b_ordinal", *exact)
        """Verified pairs, with the passages that prove them."""
        clusters = flow.clusters(groups)
        members = clusters.select("cluster", F.posexplode("members").alias("place", "ordinal")).join(ids, "ordinal")
        in_order = F.sort_array(F.collect_list(F.struct("place", "id")))
        members = members.groupBy("cluster").agg(F.transform(in_order, lambda member: member["id"]).alias("members"))
        named = clusters.drop("members").join(members, "cluster").join(ids.toDF("kept", "representative"), "kept")
        counts = [F.col("kind_counts")[at].alias("n_" + kind.replace("-", "_")) for at, kind in enumerate(KINDS)]
        n_pairs = F.aggregate("kind_counts", F.lit(0).cast("long"), lambda total, n: total + n)
        self.clusters: DataFrame = named.select(
            F.col("cluster").alias("id"), F.size("members").cast("long").alias("size"), "representative",
            F.round("cohesion", 6).alias("cohesion"), n_pairs.alias("n_pairs"), *counts, "n_derived", "members",
        )
        """Documents that tell the same, with the one that is kept."""
        of_document = clusters.select("cluster", "kept", F.explode("members").alias("ordinal"))
        ends = pairs.select(F.col("a_ordinal").alias("ordinal"), "kind").union(pairs.select("b_ordinal", "kind"))
        n_of = ends.groupBy("ordinal").agg(
            F.count(F.lit(1)).alias("n_pairs"), F.sum((F.col("kind") == len(KINDS) - 1).cast("long")).alias("n_partial")
        )
        told = entries.join(of_document, "ordinal", "left").join(n_of, "ordinal", "left")
        told = told.join(cut.withColumn("pairs_cut", F.lit(True)), "ordinal", "left")
        told = told.join(ids.toDF("kept", "representative"), "kept", "left").join(ids.toDF("first", "first_id"), "first", "left")
        is_kept = F.col("kept") == F.col("ordinal")
        verdict = (
            F.when(is_kept, "representative").when(F.col("kept").isNotNull(), "copy")
            .when(F.col("is_too_short"), "too-short").otherwise("unique")
        )
        zero = F.lit(0).cast("long")
        self.documents: DataFrame = told.select(
            "ordinal", "id", "n_words", verdict.alias("verdict"), "cluster",
            F.when(~is_kept, F.col("representative")).alias("representative"),
            F.when(F.col("first") != F.col("ordinal"), F.col("first_id")).alias("exact_copy_of"),
            F.coalesce("n_pairs", zero).alias("n_pairs"), F.coalesce("pairs_cut", F.lit(False)).alias("pairs_cut"),
            F.coalesce("n_partial", zero).alias("n_partial"), "language", "is_too_short",
        )
        """All documents in their order (`ordinal`), with what became of each."""


class Deduplicated(Found):
    """What was found, and what goes."""

    def __init__(self, flow: Flow, relations: DataFrame, groups: DataFrame) -> None:
        super().__init__(flow, relations, groups)
        ids = flow.entries.select("ordinal", "id")
        names = F.array(*[F.lit(kind) for kind in KINDS])

        def decided(what: int) -> DataFrame:
            rows = groups.filter(F.col("what") == what).join(ids.toDF("doc", "id"), "doc")
            rows = rows.join(ids.toDF("other", "covered_by"), "other")
            relation = names[F.col("kind")].alias("relation")
            covered = F.round("share", 6).alias("covered")
            return rows.select(F.col("doc").alias("ordinal"), "id", "covered_by", relation, covered)

        self.removed: DataFrame = decided(2)
        """What goes: the document, the kept one that covers it, how they relate, and the share covered."""
        self.review: DataFrame = decided(3)
        """What stays and a person should look at."""
        gone = self.removed.select("ordinal")
        self.kept: DataFrame = flow.all_documents.join(gone, "ordinal", "left_anti").select("record.*")
        """The rows of the input that stay."""


def find(
    df: DataFrame,
    *,
    output: str,
    order: Sequence[str] | None = None,
    partitions: int | None = None,
    block_docs: int = BLOCK_DOCS,
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

    `partitions` is the number of tasks of a shuffle, by default Spark's own setting; `block_docs` says how many
    documents search in one task. Neither changes the result. `progress` is called with the name of a table and
    `begun`, `done` or `found`.
    """
    return Found(*_run(df, output, order, partitions, block_docs, progress, settings))


def dedup(
    df: DataFrame,
    *,
    output: str,
    order: Sequence[str] | None = None,
    partitions: int | None = None,
    block_docs: int = BLOCK_DOCS,
    progress: Listener | None = None,
    **settings: Any,
) -> Deduplicated:
    """Finds copies and decides which rows go, as `retold.dedup` does on one machine. Arguments are those of `find`."""
    return Deduplicated(*_run(df, output, order, partitions, block_docs, progress, settings))


def _run(
    df: DataFrame,
    output: str,
    order: Sequence[str] | None,
    partitions: int | None,
    block_docs: int,
    progress: Listener | None,
    settings: dict[str, Any],
) -> tuple[Flow, DataFrame, DataFrame]:
    spark = df.sparkSession
    if settings.get("against") is not None:
        raise UsageError("retold.spark compares one collection; put both into one DataFrame")
    if settings.get("idf") is not None:
        raise UsageError("retold.spark takes statistics from the documents; `idf` names a file that workers do not have")
    if settings.get("pairs") is None:
        settings["pairs"] = "star"
    job = _settings.job(settings)
    stage = stages(job)
    used = stage.used(df.columns)
    if not used:
        raise InputError(f"no column is one of a document; there are {', '.join(df.columns)}")
    id_column, df = _identified(df, settings.get("id"))
    keys: list[Column] = [F.col(f"`{name}`") for name in (order if order is not None else [id_column])]
    partitions = partitions or int(spark.conf.get("spark.sql.shuffle.partitions") or 200)
    about = {
        "job": json.loads(stage.job), "version": VERSION, "order": list(order or [id_column]), "block": block_docs,
        "columns": [f"{field.name} {field.dataType.simpleString()}" for field in df.schema.fields],
    }
    fingerprint = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
    store = Store(spark, output, fingerprint, progress or (lambda name, what: None), _batch_rows(df, used))
    flow = Flow(spark, store, job, partitions, block_docs)
    flow.documents(df, keys)
    images = flow.without_crowds(flow.images())
    second = flow.verify("verified", flow.candidates(images), 2)
    flow.before_kept(second)
    relations = flow.relations()
    return flow, relations, flow.groups(relations)


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


def _batch_rows(df: DataFrame, used: list[str]) -> int:
    """Rows of a batch between Spark and Python that bound its bytes, from a sample of document sizes."""
    lengths = [F.coalesce(F.length(F.col(f"`{name}`").cast("string")), F.lit(0)) for name in used]
    size = lengths[0]
    for length in lengths[1:]:
        size = size + length
    sample = df.limit(SAMPLED).select(size.alias("size")).agg(F.avg("size").alias("mean"), F.max("size").alias("most"))
    [row] = sample.collect()
    mean = max(256.0, (row["mean"] or 0.0) + (row["most"] or 0.0) / 16)
    return max(1, min(10_000, int(BATCH_BYTES / mean)))

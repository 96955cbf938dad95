"""The result of a run that is spread over many tasks: tables of the stages put together, with the columns of the files that
`retold find` and `retold dedup` write."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from retold.spark import _schemas as S
from retold.spark._flow import KINDS, Flow


def tables(flow: Flow, is_deciding: bool) -> dict[str, DataFrame]:
    """Strings the stages together. Returns the tables of the result, and `kept`, the rows that stay, if the run decides."""
    images = flow.without_crowds(flow.images())
    candidates = flow.candidates(images)
    second = flow.verify("verified", candidates, flow.n_candidates, 2)
    flow.before_kept(second)
    relations = flow.relations()
    groups = flow.groups(relations)
    pairs = flow.store.table("pairs", lambda: flow.pairs(relations, groups))
    clusters = flow.clusters(groups)
    told = {
        "pairs": pairs.drop("a_ordinal", "b_ordinal", *S.SAID.names),
        "clusters": _clusters(flow, clusters),
        "documents": _documents(flow, pairs, clusters, flow.cut_documents(relations)),
    }
    if is_deciding:
        told |= {"removed": _decided(flow, groups, 2), "review": _decided(flow, groups, 3)}
        gone = told["removed"].select("ordinal")
        told["kept"] = flow.all_documents.join(gone, "ordinal", "left_anti").select("record.*")
    return told


def _clusters(flow: Flow, clusters: DataFrame) -> DataFrame:
    ids = flow.entries.select("ordinal", "id")
    members = clusters.select("cluster", F.posexplode("members").alias("place", "ordinal")).join(ids, "ordinal")
    in_order = F.sort_array(F.collect_list(F.struct("place", "id")))
    members = members.groupBy("cluster").agg(F.transform(in_order, lambda member: member["id"]).alias("members"))
    named = clusters.drop("members").join(members, "cluster").join(ids.toDF("kept", "representative"), "kept")
    counts = [F.col("kind_counts")[at].alias("n_" + kind.replace("-", "_")) for at, kind in enumerate(KINDS)]
    n_pairs = F.aggregate("kind_counts", F.lit(0).cast("long"), lambda total, n: total + n)
    return named.select(
        F.col("cluster").alias("id"), F.size("members").cast("long").alias("size"), "representative",
        "cohesion", n_pairs.alias("n_pairs"), *counts, "n_derived", "members",
    )


def _documents(flow: Flow, pairs: DataFrame, clusters: DataFrame, cut: DataFrame) -> DataFrame:
    entries = flow.entries
    ids = entries.select("ordinal", "id")
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
    return told.select(
        "ordinal", "id", "n_words", verdict.alias("verdict"), "cluster",
        F.when(~is_kept, F.col("representative")).alias("representative"),
        F.when(F.col("first") != F.col("ordinal"), F.col("first_id")).alias("exact_copy_of"),
        F.coalesce("n_pairs", zero).alias("n_pairs"), F.coalesce("pairs_cut", F.lit(False)).alias("pairs_cut"),
        F.coalesce("n_partial", zero).alias("n_partial"), "language", "is_too_short",
    )


def _decided(flow: Flow, groups: DataFrame, what: int) -> DataFrame:
    ids = flow.entries.select("ordinal", "id")
    names = F.array(*[F.lit(kind) for kind in KINDS])
    rows = groups.filter(F.col("what") == what).join(ids.toDF("doc", "id"), "doc")
    rows = rows.join(ids.toDF("other", "covered_by"), "other")
    relation = names[F.col("kind")].alias("relation")
    covered = F.col("share").alias("covered")
    return rows.select(F.col("doc").alias("ordinal"), "id", "covered_by", relation, covered)

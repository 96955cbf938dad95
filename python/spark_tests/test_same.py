"""The result on a cluster is that of one machine: pairs, scores, passages, clusters, documents, what goes."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import ROOT, Rows, chains, copies, crowd, footers, lines, samples, table_of, with_ids, words
from pyspark.sql import functions as F

import retold
import retold.spark as rs
from retold.spark._flow import Flow
from retold.spark._tasks import places

IS_LONG = os.environ.get("RETOLD_SPARK_LONG") == "1"
METHODS = ["anchor", "codet", "minhash", "sl-fp-sd", "simhash"]


def sorted_rows(rows: Any, names: list[str] | None = None) -> list[str]:
    plain = [{name: row[name] for name in names or row} for row in rows]
    return sorted(json.dumps(row, sort_keys=True) for row in plain)


def collected(frame: Any) -> list[dict[str, Any]]:
    return [row.asDict(recursive=True) for row in frame.collect()]


def same(spark: Any, rows: Rows, folder: Path, block_docs: int = 40, **settings: Any) -> retold.Deduplicated:
    """Runs both and compares all they tell."""
    settings.setdefault("pairs", "star")
    spread = settings.pop("spread", True)
    one = retold.dedup(table_of(rows), no_shared_text=True, **settings)
    frame = spark.createDataFrame(rows, ", ".join(f"`{name}` string" for name in rows[0])).repartition(3)
    found = rs.dedup(frame, output=str(folder), block_docs=block_docs, spread=spread, **settings)
    assert sorted_rows(collected(found.pairs)) == sorted_rows(one.pairs)
    clusters = collected(found.clusters)
    columns = [name for name in (clusters[0] if clusters else []) if name in one.clusters.column_names]
    assert len(columns) > 8 or not clusters
    assert sorted_rows(clusters, columns) == sorted_rows(one.clusters, columns)
    columns = ["id", "n_words", "verdict", "cluster", "representative", "exact_copy_of", "n_pairs", "pairs_cut", "n_partial"]
    assert sorted_rows(collected(found.documents), columns) == sorted_rows(one.documents, columns)
    columns = ["id", "covered_by", "relation", "covered"]
    assert sorted_rows(collected(found.removed), columns) == sorted_rows(one.removed, columns)
    assert sorted_rows(collected(found.review), columns) == sorted_rows(one.review, columns)
    kept = {row["id"] for row in collected(found.kept)}
    assert kept == {row["id"] for row in rows} - set(one.removed["id"])
    return one


@pytest.mark.parametrize("method", METHODS)
def test_sample_news(spark, tmp_path, method):
    one = same(spark, samples(), tmp_path, method=method, block_docs=20)
    assert len(one.pairs) > 0


def test_all_pairs_and_other_policies(spark, tmp_path):
    one = same(spark, samples(), tmp_path / "a", pairs="all", keep="source:reuters then oldest", clusters="components")
    assert len(one.pairs) > 10
    same(spark, samples(), tmp_path / "b", keep="newest", cover=0.6, remove_contained=True, profile="paper", method="simhash")


@pytest.mark.parametrize("method", METHODS if IS_LONG else ["anchor"])
def test_many_copies(spark, tmp_path, method):
    one = same(spark, copies(100_000 if IS_LONG else 600), tmp_path, method=method, block_docs=2_000 if IS_LONG else 200)
    assert len(one.removed) > 500


@pytest.mark.parametrize("method", METHODS if IS_LONG else ["anchor"])
def test_one_task_does_it_all(spark, tmp_path, method):
    one = same(spark, samples(), tmp_path / "a", method=method, spread=False)
    assert len(one.pairs) > 0
    same(spark, crowd(120), tmp_path / "b", method=method, spread=False, pairs="all", keep="first")
    assert [path.name.rpartition("-")[0] for path in (tmp_path / "b" / "stages").glob("*-*")] == ["deduplicated"]


def test_rows_without_a_text_or_an_id(spark, tmp_path):
    text = "The harbour board will close the east quay for repairs from Monday until Friday."
    rows = [("b", text), (None, text.upper()), ("c", None), (None, None), ("a", f"{text} Ferries are not affected by it at all.")]
    frame = spark.createDataFrame(rows, "id string, text string").repartition(2)
    for spread in (True, False):
        found = rs.dedup(frame, output=str(tmp_path / str(spread)), spread=spread, block_docs=2, cover=0.5)
        documents = {row["ordinal"]: row["id"] for row in collected(found.documents)}
        # Those without an id come first, in the order of their contents; one is named by its place.
        assert documents in [{at: str(at), 2: "a", 3: "b"} for at in (0, 1)], spread
        # The one that came first is left for review: the other text holds it, and more.
        assert [row["id"] for row in collected(found.removed)] == ["b"], spread
        assert {row["a"] for row in collected(found.pairs)} | {row["b"] for row in collected(found.pairs)} == set(documents.values())
        assert {tuple(row) for row in found.kept.collect()} == {rows[1], rows[4]}, spread
        only_found = rs.find(frame, output=str(tmp_path / str(spread)), spread=spread, block_docs=2)
        assert sorted_rows(collected(only_found.pairs)) == sorted_rows(collected(found.pairs)), spread


def test_an_empty_collection(spark, tmp_path):
    frame = spark.createDataFrame([], "id string, text string")
    for spread in (True, False, None):
        found = rs.dedup(frame, output=str(tmp_path / str(spread)), spread=spread)
        for table in (found.pairs, found.clusters, found.documents, found.removed, found.review, found.kept):
            assert table.count() == 0


@pytest.mark.parametrize("method", METHODS if IS_LONG else ["anchor"])
def test_a_crowd_is_compared_with_one_of_it(spark, tmp_path, method):
    one = same(spark, crowd(4_000 if IS_LONG else 120), tmp_path, method=method)
    if method == "anchor":
        assert sum(one.clusters["n_derived"]) > 500, "there is a crowd"


@pytest.mark.parametrize("method", METHODS if IS_LONG else ["anchor"])
def test_a_shared_footer_is_limited_alike(spark, tmp_path, method):
    limits = {"stop": 30} if method == "anchor" else {}
    same(spark, footers(3_000 if IS_LONG else 150), tmp_path, method=method, set=limits)


def test_chains_and_limits_per_document(spark, tmp_path):
    one = same(spark, chains(2_000 if IS_LONG else 120), tmp_path / "a", clusters="components", join="containment")
    assert len(one.clusters) == 1
    for method in METHODS[1:] if IS_LONG else []:
        same(spark, chains(2_000), tmp_path / method, clusters="components", join="containment", method=method)
    one = same(spark, copies(50) + [dict(row, id="x" + row["id"]) for row in crowd(60)], tmp_path / "b", pairs_per_document=7)
    assert any(one.documents["pairs_cut"])


@pytest.mark.skipif(not IS_LONG, reason="the long form compares whole collections")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["reuters21578", "turkish_news"])
def test_whole_collections(spark, tmp_path, name, method):
    path = Path(os.environ.get("RETOLD_SPARK_DATA", ROOT / "bench" / "data")) / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"there is no {path}: python/test-spark --long --data FOLDER names another folder")
    one = same(spark, with_ids([row["text"] for row in lines(path)]), tmp_path, block_docs=6_000, method=method)
    assert len(one.pairs) > 1_000 and len(one.removed) > 100


def test_shares_are_rounded_as_in_files(spark, tmp_path):
    """125 in 128 runs of words lie in the middle between two numbers of six decimals."""
    draw = random.Random(7)
    text = words(draw, 132)
    found = same(spark, with_ids([text, f"{' '.join(text.split()[:129])} {words(draw, 3)}", words(draw, 90)]), tmp_path)
    assert [row["covered"] for row in found.removed] == [0.976562]


def test_every_task_gets_its_part(spark):
    for n in (1, 3, 8, 50):
        frame = spark.createDataFrame([(value,) for value in places(n)], "part int").repartition(n, "part")
        found = {row["part"]: row["task"] for row in frame.withColumn("task", F.spark_partition_id()).collect()}
        assert [found[value] for value in places(n)] == list(range(n))


def test_a_block_with_most_of_the_work_goes_to_several_tasks(spark):
    works = {block: 60_000_000 if block == 3 else 1_000_000 for block in range(20) if block != 7}
    held = spark.createDataFrame([(block, b"x", work - 1) for block, work in works.items()], "block long, lists binary, work long")
    flow: Any = SimpleNamespace(store=SimpleNamespace(n_rows={"documents": 1_950}), n_partitions=4, block_docs=100)
    slices, tasks, n_tasks = Flow.shared_out(flow, held)
    assert slices[7] == 0 and slices[0] == 1 and slices[3] > 10 and len(slices) == 20
    loads = Counter()
    at = 0
    for block, n in enumerate(slices):
        for _ in range(n):
            loads[tasks[at]] += works[block] / n
            at += 1
    assert at == len(tasks) and set(loads) == set(places(n_tasks))
    assert max(loads.values()) < 1.5 * sum(loads.values()) / n_tasks

"""What the driver sees and which interfaces of Spark are used."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import JAVA, QUICK, ROOT, footers, samples
from test_same import sorted_rows

import retold
import retold.spark as rs


def test_neither_keys_nor_pairs_come_to_the_driver(spark, tmp_path, monkeypatch):
    seen: list[tuple[list[str], int]] = []
    frame_class = type(spark.range(1))
    for name in ("collect", "toPandas", "toLocalIterator", "toArrow"):
        whole = getattr(frame_class, name, None)
        if whole is not None:
            def noted(self: Any, *arguments: Any, whole: Any = whole, **named: Any) -> Any:
                got = whole(self, *arguments, **named)
                seen.append((self.columns, len(got) if hasattr(got, "__len__") else 1 << 40))
                return got

            monkeypatch.setattr(frame_class, name, noted)
    frame = spark.createDataFrame(footers(150), "id string, text string")
    rs.dedup(frame, output=str(tmp_path), spread=True, block_docs=40, set={"stop": 30})
    assert seen, "the test looks where rows are collected"
    few = 8  # partitions, blocks, or one line
    assert all(n <= few for _, n in seen), seen
    large = {"key", "list", "image", "bytes", "a_ordinal", "b_ordinal", "asker", "other", "record", "ordinal", "members"}
    assert not [columns for columns, _ in seen if large & set(columns)], seen


def test_only_the_interface_of_data_frames_is_used():
    words = (".rdd", "sparkContext", "_jvm", "_jsc", "monotonically_increasing_id", "broadcast(")
    for path in (ROOT / "python" / "retold" / "spark").glob("*.py"):
        text = path.read_text()
        assert not [word for word in words if word in text], path


def test_what_cannot_be_spread_is_refused(spark, tmp_path):
    frame = spark.createDataFrame([("a", "b")], "id string, text string")
    for settings in ({"clusters": "cliques"}, {"clusters": "closed-sets"}, {"against": frame}, {"idf": "news.idf"}, {"pairs": "none"}):
        with pytest.raises(retold.UsageError):
            rs.find(frame, output=str(tmp_path), **settings)
    with pytest.raises(retold.InputError):
        rs.find(frame, output=str(tmp_path), id="url")


def test_the_order_of_columns_decides_who_is_first(spark, tmp_path):
    text = "The harbour board will close the east quay for repairs from Monday until Friday."
    frame = spark.createDataFrame([("a", text, "2"), ("b", text, "1")], "id string, text string, path string")
    by_path = rs.dedup(frame, output=str(tmp_path / "path"), order=["path"], keep="first")
    by_id = rs.dedup(frame, output=str(tmp_path / "id"), keep="first")
    assert [row["id"] for row in by_path.removed.collect()] == ["a"]
    assert [row["id"] for row in by_id.removed.collect()] == ["b"]
    assert by_path.kept.columns == ["id", "text", "path"]


def test_documents_without_ids_are_named_by_path_and_content(spark, tmp_path):
    text = "The harbour board will close the east quay for repairs from Monday until Friday."
    for name, body in (("a", text), ("b", text.upper())):
        spark.createDataFrame([(body,)], "text string").coalesce(1).write.parquet(str(tmp_path / "in" / f"part={name}"))
    frame = spark.read.parquet(str(tmp_path / "in"))
    clean = rs.dedup(frame, output=str(tmp_path / "out"))
    ids = [row["id"] for row in clean.documents.collect()]
    assert len(set(ids)) == 2 and all("/in/part=" in name and len(name.rpartition("#")[2]) == 24 for name in ids), ids
    again = rs.dedup(frame.repartition(5), output=str(tmp_path / "again"))
    assert len({row["id"] for row in again.documents.collect()}) == 2
    assert clean.removed.count() == again.removed.count() == 1


def test_a_plan_grows_with_the_documents_and_with_what_they_share(spark):
    rows = samples()
    frame = spark.createDataFrame([(row["id"], row["text"]) for row in rows], "id string, text string")
    one = rs.plan(frame, cores=2)
    assert one.n_documents == len(rows) and abs(one.n_bytes - sum(len(row["text"].encode()) for row in rows)) <= 1
    four = rs.plan(frame.union(frame).union(frame).union(frame), cores=2)
    assert four.n_documents == 4 * len(rows) and four.cpu_seconds > one.cpu_seconds
    for stage, n in one.bytes_shuffled.items():
        assert 0 < 3.5 * n < four.bytes_shuffled[stage] < 4.5 * n, stage
    assert rs.plan(frame, cores=4).hours == pytest.approx(one.hours / 2)
    assert rs.plan(frame, candidates=10.0).bytes_shuffled["compare"] > 5 * one.bytes_shuffled["compare"]
    assert one.overhead_bytes >= 384 << 20 and "GiB of overhead" in str(one)


PACKED = """
import json, sys
from pyspark.sql import SparkSession
settings, rows, output = json.load(open(sys.argv[1]))
builder = SparkSession.builder.appName("packed")
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()

def where(batches):
    import pyarrow, retold._retold
    for batch in batches:
        yield pyarrow.record_batch({"path": [retold._retold.__file__]})

import retold.spark as rs
paths = [row.path for row in spark.range(0, 1, 1, 1).mapInArrow(where, "path string").collect()]
found = rs.dedup(spark.createDataFrame(rows, "id string, text string"), output=output, partitions=2)
print(json.dumps([paths, found.removed.count()]))
"""


def test_the_package_travels_in_an_archive(cluster, tmp_path):
    archive = shutil.make_archive(str(tmp_path / "wheel"), "zip", ROOT / "python", "retold")
    settings = cluster.settings() | QUICK | {
        "spark.cores.max": "1", "spark.archives": f"{archive}#unpacked", "spark.executorEnv.PYTHONPATH": "unpacked",
    }
    text = "The harbour board will close the east quay for repairs from Monday until Friday."
    (tmp_path / "task.json").write_text(json.dumps([settings, [["a", text], ["b", text]], str(tmp_path / "out")]))
    (tmp_path / "packed.py").write_text(PACKED)
    cluster.add_worker()
    try:
        done = subprocess.run(
            [sys.executable, tmp_path / "packed.py", tmp_path / "task.json"], env=cluster.environment, capture_output=True, text=True
        )
    finally:
        cluster.stop_worker()
    assert done.returncode == 0, done.stderr[-3000:]
    [[path], n_removed] = json.loads(done.stdout.splitlines()[-1])
    assert "/unpacked/retold/" in path and str(ROOT) not in path, path
    assert n_removed == 1


CONNECTED = """
import json, sys
from pyspark.sql import SparkSession
import retold.spark as rs
rows, output = json.load(open(sys.argv[1]))
spark = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "3").getOrCreate()
assert "connect" in type(spark).__module__
found = rs.dedup(spark.createDataFrame(rows, "id string, text string"), output=output, block_docs=20)
print(json.dumps([row.asDict(recursive=True) for row in found.pairs.collect()]))
"""


def test_it_runs_through_spark_connect(cluster, tmp_path):
    import pyspark

    if int(pyspark.__version__.split(".")[0]) < 4:
        pytest.skip("Spark Connect is tested from Spark 4 on")
    pytest.importorskip("grpc")
    rows = [[row["id"], row["text"]] for row in samples()]
    (tmp_path / "task.json").write_text(json.dumps([rows, str(tmp_path / "out")]))
    (tmp_path / "connected.py").write_text(CONNECTED)
    environment = {name: value for name, value in cluster.environment.items() if name != "SPARK_HOME"}
    done = subprocess.run(
        [sys.executable, tmp_path / "connected.py", tmp_path / "task.json"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    one = retold.dedup([tuple(row) for row in rows], pairs="star", no_shared_text=True)
    assert sorted_rows(json.loads(done.stdout.splitlines()[-1])) == sorted_rows(one.pairs)


def test_the_command_line_writes_tables(cluster, tmp_path):
    program = Path(os.environ.get("RETOLD", ROOT / "target" / "debug" / "retold"))
    if not program.exists():
        pytest.skip(f"there is no program at {program}")
    with (tmp_path / "news.json").open("w") as out:
        for row in samples():
            out.write(json.dumps({name: value for name, value in row.items() if value is not None}) + "\n")
    command = [
        program, "spark", "dedup", tmp_path / "news.json", "-o", tmp_path / "out", "--input-format", "json",
        "--partitions", "3", "--setting", "cover=0.7", "--", "--master", "local[2]",
        "--driver-java-options", JAVA, "--conf", "spark.sql.codegen.wholeStage=false",
    ]
    done = subprocess.run(command, env=cluster.environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    import pyarrow.parquet

    removed = pyarrow.parquet.read_table(tmp_path / "out" / "removed").column("id").to_pylist()
    one = retold.dedup(str(tmp_path / "news.json"), cover=0.7)
    assert sorted(removed) == sorted(one.removed["id"]) and len(removed) > 5

"""What dies in the middle of a stage does not change the result."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import QUICK, ROOT, chains, crowd, table_of
from test_same import IS_LONG, collected, sorted_rows

import retold
import retold.spark as rs

STAGES = [
    "documents", "entries", "minima", "crowd-forest", "crowds", "verified-crowds", "unseen", "lists", "answers",
    "code-pairs", "verified", "verified-before", "many", "forest", "groups", "pairs", "clusters",
]
# Where one task does all there is one stage.
WHOLE = "deduplicated"
# In the short form one stage of each kind: Rust over documents, over lists, over pairs, over groups.
SHORT = {"documents": "python", "answers": "executor", "verified": "worker", "groups": "python"}
# How often all stages are gone through, so that each is killed while it runs, and after how many seconds first.
PASSES, FIRST = 6, 0.4


def rows() -> list[dict[str, Any]]:
    return crowd(90) + [dict(row, id="x" + row["id"]) for row in chains(40)]


def processes(cluster: Any, sign: str) -> list[int]:
    """Processes below the workers of a cluster that have a word in their command line."""
    found = []
    sessions = {worker.pid for worker in cluster.workers if worker.poll() is None}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().decode(errors="replace")
                if sign in command and os.getsid(int(entry.name)) in sessions:
                    found.append(int(entry.name))
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                pass
    return found


def kill(cluster: Any, what: str) -> bool:
    """Kills something of the first worker that has it; a dead worker is replaced."""
    sign = {"python": "pyspark.daemon", "executor": "CoarseGrainedExecutorBackend", "worker": "deploy.worker.Worker"}[what]
    for _ in range(100):
        if pids := processes(cluster, sign):
            os.kill(pids[-1], signal.SIGKILL)
            if what == "worker":
                cluster.add_worker()
            return True
        time.sleep(0.05)
    return False


def compared(found: Any) -> None:
    one = retold.dedup(table_of(rows()), pairs="star", no_shared_text=True)
    assert sorted_rows(collected(found.pairs)) == sorted_rows(one.pairs)
    columns = ["id", "covered_by", "relation", "covered"]
    assert sorted_rows(collected(found.removed), columns) == sorted_rows(one.removed, columns)
    names = ["id", "size", "representative", "cohesion", "n_pairs", "n_derived"]
    assert sorted_rows(collected(found.clusters), names) == sorted_rows(one.clusters, names)
    kept = {row["id"] for row in collected(found.documents) if row["verdict"] != "copy"}
    assert kept == {row["id"] for row in one.documents if row["verdict"] != "copy"}


class Killer:
    """Kills something in stages, some time after each began, and notes which of them were then still running."""

    def __init__(self, cluster: Any, plan: dict[str, str], after: dict[str, float]) -> None:
        self.cluster, self.plan, self.after = cluster, plan, after
        self.running: str | None = None
        self.killed: list[str] = []
        self.too_late: list[str] = []
        self.threads: list[threading.Thread] = []

    def progress(self, name: str, what: str) -> None:
        self.running = name if what == "begun" else None
        if what == "begun" and name in self.plan:
            self.threads.append(threading.Thread(target=self.kill, args=[name]))
            self.threads[-1].start()

    def kill(self, name: str) -> None:
        time.sleep(self.after.get(name, FIRST))
        if self.running == name and kill(self.cluster, self.plan[name]) and self.running == name:
            self.killed.append(name)
        else:
            self.too_late.append(name)

    def end(self) -> None:
        for thread in self.threads:
            thread.join()


@pytest.mark.parametrize("what", ["worker", "executor", "python"] if IS_LONG else ["all"])
def test_killed_on_the_way(spark, cluster, tmp_path, outcomes, what):
    left = dict(SHORT) if what == "all" else dict.fromkeys([*STAGES, WHOLE], what)
    after: dict[str, float] = {}
    for attempt in range(PASSES):
        for spread in (True, False):
            of_form = {name: sign for name, sign in left.items() if (name != WHOLE) == spread}
            if not of_form:
                continue
            killer = Killer(cluster, of_form, after)
            frame = spark.createDataFrame(rows(), "id string, text string").repartition(3)
            found = rs.dedup(frame, output=str(tmp_path / f"{attempt}{spread}"), spread=spread, block_docs=40, progress=killer.progress)
            killer.end()
            compared(found)
            for name in killer.killed:
                outcomes[name, left.pop(name)] = "finished, same result"
            after |= {name: after.get(name, FIRST) / 2 for name in killer.too_late}
    assert not left, f"stages that were over before something was killed: {left}"


DRIVER = """
import json, sys
from pyspark.sql import SparkSession
import retold.spark as rs
settings, rows, output, spread = json.load(open(sys.argv[1]))
builder = SparkSession.builder.appName("killed")
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
frame = spark.createDataFrame(rows, "id string, text string").repartition(3)
rs.dedup(frame, output=output, spread=spread, block_docs=40, progress=lambda name, what: print(what, name, flush=True))
"""


@pytest.mark.parametrize("stage", [*STAGES, WHOLE] if IS_LONG else ["verified"])
def test_a_killed_driver_goes_on_where_it_was(spark, cluster, tmp_path, outcomes, stage):
    task = tmp_path / "task.json"
    settings = cluster.settings() | QUICK | {"spark.master": "local[1]"}
    task.write_text(json.dumps([settings, [[row["id"], row["text"]] for row in rows()], str(tmp_path / "out"), stage != WHOLE]))
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    environment = dict(cluster.environment, PYTHONPATH=str(ROOT / "python"))
    with subprocess.Popen(
        [sys.executable, script, task], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        start_new_session=True, text=True,
    ) as driver:
        assert driver.stdout is not None
        done = []
        for line in driver.stdout:
            what, name = line.split()
            if (what, name) == ("begun", stage):
                time.sleep(0.3)
                os.killpg(driver.pid, signal.SIGKILL)
                break
            done += [name] if what == "done" else []
        else:
            pytest.fail(f"there is no stage {stage}: {done}")
    told: list[tuple[str, str]] = []
    frame = spark.createDataFrame(rows(), "id string, text string").repartition(3)
    found = rs.dedup(
        frame, output=str(tmp_path / "out"), spread=stage != WHOLE, block_docs=40, progress=lambda name, what: told.append((what, name))
    )
    compared(found)
    again = {name for what, name in told if what == "begun"}
    assert stage in again and not again & set(done), "what was done is not done again"
    assert not done or ("found", done[-1]) in told
    outcomes[stage, "driver"] = "resumed, same result"


@pytest.mark.parametrize("spread", [True, False])
def test_a_result_of_other_documents_is_not_taken_for_this_one(spark, tmp_path, spread):
    schema = "id string, text string, tags map<string, string>"
    frame = spark.createDataFrame([(row["id"], row["text"], {"n": str(n)}) for n, row in enumerate(rows()[:20])], schema)
    first = rs.dedup(frame, output=str(tmp_path), spread=spread, block_docs=40)
    kept = sorted_rows(collected(first.kept))
    told: list[str] = []
    again = rs.dedup(
        frame.orderBy("text"), output=str(tmp_path), spread=spread, block_docs=40, progress=lambda name, what: told.append(what)
    )
    assert sorted_rows(collected(again.kept)) == kept and "tags" in kept[0]
    assert set(told) == {"found"}
    with pytest.raises(retold.UsageError, match="other documents"):
        rs.dedup(frame.limit(19), output=str(tmp_path), spread=spread, block_docs=40)


def test_a_damaged_table_is_made_again(spark, tmp_path):
    frame = spark.createDataFrame(rows(), "id string, text string")
    first = rs.dedup(frame, output=str(tmp_path), spread=True, block_docs=40)
    pairs = sorted_rows(collected(first.pairs))
    damaged = next(tmp_path.glob("stages/answers-*"))
    other = spark.read.parquet(str(damaged)).limit(1)
    other.write.parquet(str(tmp_path / "other"))
    for file in damaged.iterdir():
        file.unlink()
    for file in (tmp_path / "other").iterdir():
        file.rename(damaged / file.name)
    told: list[tuple[str, str]] = []
    again = rs.dedup(frame, output=str(tmp_path), spread=True, block_docs=40, progress=lambda name, what: told.append((what, name)))
    assert sorted_rows(collected(again.pairs)) == pairs
    assert ("begun", "answers") in told and ("found", "lists") in told

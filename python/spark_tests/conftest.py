"""What the tests of `retold.spark` share: a cluster of one master and two workers, and collections."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow
import pyspark
import pytest

ROOT = Path(__file__).resolve().parents[2]
HOME = Path(pyspark.__file__).parent
MEMORY = "1g"
# Collections are small here: what is compiled while it runs would take longer than the work.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
QUICK = {
    "spark.driver.extraJavaOptions": JAVA,
    "spark.executor.extraJavaOptions": JAVA,
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "3",
}


class Cluster:
    """A standalone cluster: processes of its own, started by `spark-class`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = dict(
            os.environ, SPARK_HOME=str(HOME), PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1",
            PYTHONPATH=os.environ.get("PYTHONPATH", str(ROOT / "python")), SPARK_WORKER_DIR=str(folder / "work"), SPARK_LOCAL_DIRS=str(folder / "local"),
            SPARK_DAEMON_JAVA_OPTS=JAVA,
        )
        self.master_process = self._start("master", "org.apache.spark.deploy.master.Master", "--port", "0", "--webui-port", "0")
        self.master = self._wait(r"Starting Spark master at (spark://\S+)", "master")
        self.workers: list[subprocess.Popen[bytes]] = []
        self.n_started = 0
        for _ in range(2):
            self.add_worker()
        self._wait(r"(?s)Registering worker.*Registering worker", "master")

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        log = (self.folder / f"{name}.log").open("wb")
        command = [str(HOME / "bin" / "spark-class"), *arguments, "--host", "127.0.0.1"]
        return subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, start_new_session=True)

    def _wait(self, pattern: str, name: str) -> str:
        path = self.folder / f"{name}.log"
        for _ in range(600):
            found = re.search(pattern, path.read_text(errors="replace"))
            if found:
                return found[1] if found.groups() else ""
            time.sleep(0.1)
        raise AssertionError(f"no {pattern} in {path}: {path.read_text(errors='replace')[-2000:]}")

    def add_worker(self) -> None:
        self.n_started += 1
        worker = self._start(
            f"worker{self.n_started}", "org.apache.spark.deploy.worker.Worker", "--cores", "1", "--memory", MEMORY,
            "--webui-port", "0", self.master,
        )
        self.workers.append(worker)

    def stop_worker(self) -> None:
        """Stops the worker that was added last."""
        worker = self.workers.pop()
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()

    def settings(self) -> dict[str, str]:
        return {
            "spark.master": self.master,
            "spark.cores.max": "2",
            "spark.executor.memory": "640m",
            "spark.executor.memoryOverhead": "384m",
            "spark.driver.memory": "1g",
            "spark.driver.host": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.task.maxFailures": "8",
        }

    def stop(self) -> None:
        for process in [*self.workers, self.master_process]:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.stop()


@pytest.fixture(scope="session")
def spark(cluster):
    from pyspark.sql import SparkSession

    os.environ.update(cluster.environment)
    builder = SparkSession.builder.appName("retold")
    for name, value in (cluster.settings() | QUICK).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


# What came of a kill, by stage and what was killed; shown at the end.
OUTCOMES: dict[tuple[str, str], str] = {}


@pytest.fixture
def outcomes():
    return OUTCOMES


def pytest_terminal_summary(terminalreporter):
    kinds = list(dict.fromkeys(kind for _, kind in OUTCOMES))
    stages = list(dict.fromkeys(stage for stage, _ in OUTCOMES))
    if stages:
        terminalreporter.write_line(f"| killed in the middle of | {' | '.join(kinds)} |")
        terminalreporter.write_line("|---" * (len(kinds) + 1) + "|")
    for stage in stages:
        told = [OUTCOMES.get((stage, kind), "-") for kind in kinds]
        terminalreporter.write_line(f"| `{stage}` | {' | '.join(told)} |")


Rows = list[dict[str, Any]]


def words(draw: random.Random, n: int) -> str:
    """A text of made-up words, each different."""
    return " ".join("".join(draw.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(6)) for _ in range(n))


def changed(draw: random.Random, text: str, n: int) -> str:
    """A text in which `n` words are others."""
    all_words = text.split()
    for _ in range(n):
        all_words[draw.randrange(len(all_words))] = words(draw, 1)
    return " ".join(all_words)


def with_ids(texts: list[str]) -> Rows:
    return [{"id": f"{n:07}", "text": text} for n, text in enumerate(texts)]


def copies(n: int) -> Rows:
    """A text told `n` times, in small and capital letters, and some others that hold it or a part of it."""
    draw = random.Random(1)
    text = words(draw, 60)
    texts = [text if draw.random() < 0.5 else text.upper() for _ in range(n)]
    texts += [f"{words(draw, 20)} {text}" for _ in range(3)] + [words(draw, 80) for _ in range(20)]
    draw.shuffle(texts)
    return with_ids(texts)


def crowd(n: int) -> Rows:
    """`n` versions of one text that differ in a few words, one that holds it, and some others."""
    draw = random.Random(2)
    text = words(draw, 240)
    texts = [changed(draw, text, draw.randrange(4)) for _ in range(n)]
    texts += [changed(draw, text, 14).rsplit(None, 12)[0] for _ in range(5)]
    texts += [f"{text} {words(draw, 900)}", " ".join(text.split()[40:90])]
    texts += [words(draw, 200) for _ in range(30)]
    draw.shuffle(texts)
    return with_ids(texts)


def footers(n: int) -> Rows:
    """`n` texts of their own with the same footer, some of them twice, and tiny ones out of them."""
    draw = random.Random(3)
    footer = words(draw, 40)
    texts = [f"{words(draw, draw.randrange(20, 400))} {footer}" for _ in range(n)]
    texts += [changed(draw, text, 5) for text in texts[:: max(1, n // 25)]]
    texts += [" ".join(text.split()[7:15]) for text in texts[:: max(1, n // 20)]]
    return with_ids(texts)


def chains(n: int) -> Rows:
    """`n` texts of which each has most of the one before."""
    draw = random.Random(4)
    all_words = words(draw, 100 + 12 * n).split()
    return with_ids([" ".join(all_words[12 * at : 12 * at + 100]) for at in range(n)])


def samples() -> Rows:
    """The sample news, by their ids."""
    import retold

    documents = retold.dedup(str(ROOT / "samples" / "news"), cover=1.0, keep="first").kept.to_arrow().to_pylist()
    names = ("id", "text", "time", "source", "language")
    rows = [{name: row.get(name) for name in names} for row in documents]
    return sorted(rows, key=lambda row: row["id"].encode())


def table_of(rows: Rows) -> Any:
    return pyarrow.table({name: [row[name] for row in rows] for name in rows[0]})


def lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]

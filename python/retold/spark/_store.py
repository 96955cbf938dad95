"""Where the tables between the stages lie: folders of Parquet files, each committed with a checksum.

A table is written to a folder with a name of its own, and then a line that names this folder, the number of its
rows and sums of their hashes. A run that finds such a line of the same job reads the folder instead of making
the table again, if rows and hashes are still the same. So a run that broke off goes on where it was, and a
folder that was not finished is never read. Everything goes through Spark: the driver needs no access to the
files.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F


def _sums(frame: DataFrame) -> list[Any]:
    """The number of rows and two sums over their hashes, neither of which can overflow."""
    # Spark does not hash maps.
    columns = [
        F.to_json(F.struct(F.col(f"`{field.name}`"))) if "map<" in field.dataType.simpleString() else F.col(f"`{field.name}`")
        for field in frame.schema.fields
    ]
    row = F.xxhash64(*columns)
    low = row.bitwiseAND(F.lit(0xFFFFFF).cast("long"))
    return [F.count(F.lit(1)).alias("n_rows"), F.bit_xor(row).alias("crossed"), F.sum(low).alias("summed")]


def _told(row: Any) -> tuple[int, str]:
    """Rows and checksum of what `_sums` found."""
    return int(row["n_rows"]), f"{row['crossed'] or 0} {row['summed'] or 0}"


def is_same(one: DataFrame, other: DataFrame) -> bool:
    """Whether two tables of the same columns have the same rows, in any order."""
    return _told(one.agg(*_sums(one)).first()) == _told(other.agg(*_sums(other)).first())


class Store:
    """The tables of a run, by name."""

    def __init__(self, spark: SparkSession, folder: str, fingerprint: str, listener: Callable[[str, str], None], batch_rows: int) -> None:
        self.spark = spark
        self.folder = folder.rstrip("/")
        self.fingerprint = fingerprint
        self.listener = listener
        self.batch_rows = batch_rows
        self.n_rows: dict[str, int] = {}
        self.commits = self._read_commits()

    def table(self, name: str, make: Callable[[], DataFrame], batch_rows: int | None = None) -> DataFrame:
        """The table of this name, made if it is not there. Where rows are larger than documents, batches between Spark and
        Python have fewer of them."""
        found = self._committed(name)
        if found is not None:
            self.listener(name, "found")
            return found
        self.listener(name, "begun")
        path = f"{self.folder}/stages/{name}-{uuid.uuid4().hex[:12]}"
        _bound_batches(self.spark, min(self.batch_rows, batch_rows or self.batch_rows))
        frame = make()
        seen = Observation()
        frame.observe(seen, *_sums(frame)).write.parquet(path)
        n_rows, checksum = _told(seen.get)
        line = json.dumps([self.fingerprint, name, path, n_rows, checksum])
        commit = self.spark.range(0, 1, 1, 1).select(F.lit(line).alias("value"))
        commit.write.mode("append").text(f"{self.folder}/stages/commits")
        self.n_rows[name] = n_rows
        self.listener(name, "done")
        # With the schema at hand Spark need not look into the files, and an empty table is one, too.
        return self.spark.read.schema(frame.schema).parquet(path)

    def _read_commits(self) -> dict[str, list[tuple[str, int, str]]]:
        """What earlier runs of the job committed, by name: folders, rows and checksums."""
        try:
            lines = self.spark.read.text(f"{self.folder}/stages/commits").collect()
        except Exception as error:  # the classes differ between Spark and Spark Connect
            if _is_missing(error):
                return {}
            raise
        commits: dict[str, list[tuple[str, int, str]]] = {}
        for line in sorted(line["value"] for line in lines):
            fingerprint, name, path, n_rows, checksum = json.loads(line)
            if fingerprint == self.fingerprint:
                commits.setdefault(name, []).append((path, n_rows, checksum))
        return commits

    def _committed(self, name: str) -> DataFrame | None:
        # A table that was damaged and made again has two lines.
        for path, n_rows, checksum in self.commits.get(name, []):
            try:
                frame = self.spark.read.parquet(path)
                is_same = n_rows == 0 or _told(frame.agg(*_sums(frame)).first()) == (n_rows, checksum)
            except Exception as error:
                if _is_missing(error):
                    continue
                raise
            if is_same:
                self.n_rows[name] = n_rows
                return frame
        return None


def _bound_batches(spark: Any, rows: int) -> None:
    try:
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(rows))
    except Exception:  # some services fix the settings of a session; their own bound holds then
        pass


def _is_missing(error: Exception) -> bool:
    told = str(error)
    return any(word in told for word in ("PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA", "does not exist"))

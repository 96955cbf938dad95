"""Where the tables between the stages lie: folders of Parquet files, each committed with a checksum.

A table is written to a folder with a name of its own, and then a line that names this folder, the number of its
rows and the sum of their hashes. A run that finds such a line of the same job reads the folder instead of making
the table again, if rows and hashes are still the same. So a run that broke off goes on where it was, and a
folder that was not finished is never read. Everything goes through Spark: the driver needs no access to the
files.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F


def _hash(frame: DataFrame) -> Any:
    columns = [F.col(f"`{name}`") for name in frame.columns]
    return F.sum(F.xxhash64(*columns).cast("decimal(38,0)"))


class Store:
    """The tables of a run, by name."""

    def __init__(self, spark: SparkSession, folder: str, fingerprint: str, listener: Callable[[str, str], None]) -> None:
        self.spark = spark
        self.folder = folder.rstrip("/")
        self.fingerprint = fingerprint
        self.listener = listener
        self.n_rows: dict[str, int] = {}

    def table(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        """The table of this name, made if it is not there."""
        found = self._committed(name)
        if found is not None:
            self.listener(name, "found")
            return found
        self.listener(name, "begun")
        path = f"{self.folder}/stages/{name}-{uuid.uuid4().hex[:12]}"
        frame = make()
        seen = Observation()
        watched = frame.observe(seen, F.count(F.lit(1)).alias("n_rows"), _hash(frame).alias("checksum"))
        watched.write.parquet(path)
        told = seen.get
        checksum = str(told["checksum"] if told["checksum"] is not None else 0)
        line = [(self.fingerprint, path, int(told["n_rows"]), checksum)]
        schema = "fingerprint string, path string, n_rows long, checksum string"
        commit = self.spark.createDataFrame(line, schema).coalesce(1)
        commit.write.mode("overwrite").parquet(f"{self.folder}/stages/{name}.commit")
        self.n_rows[name] = int(told["n_rows"])
        self.listener(name, "done")
        # With the schema at hand Spark need not look into the files, and an empty table is one, too.
        return self.spark.read.schema(frame.schema).parquet(path)

    def _committed(self, name: str) -> DataFrame | None:
        try:
            lines = self.spark.read.parquet(f"{self.folder}/stages/{name}.commit").collect()
        except Exception as error:  # the classes differ between Spark and Spark Connect
            if _is_missing(error):
                return None
            raise
        if len(lines) != 1 or lines[0]["fingerprint"] != self.fingerprint:
            return None
        [line] = lines
        try:
            frame = self.spark.read.parquet(line["path"])
            is_empty = line["n_rows"] == 0
            told = None if is_empty else frame.agg(F.count(F.lit(1)).alias("n"), _hash(frame).alias("sum")).first()
        except Exception as error:
            if _is_missing(error):
                return None
            raise
        if told is not None and (told["n"], str(told["sum"])) != (line["n_rows"], line["checksum"]):
            return None
        self.n_rows[name] = int(line["n_rows"])
        return frame


def _is_missing(error: Exception) -> bool:
    told = str(error)
    return any(word in told for word in ("PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA", "does not exist"))

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
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from retold._retold import UsageError


def _sums(fields: Any, inside: str = "") -> list[Any]:
    """The number of rows and two sums over the hashes of some columns, neither of which can overflow. `inside` names a column
    of which these are the fields."""
    # Spark does not hash maps.
    columns = []
    for field in fields:
        column = F.col(f"{inside}`{field.name}`")
        columns.append(F.to_json(F.struct(column)) if "map<" in field.dataType.simpleString() else column)
    row = F.xxhash64(*columns)
    low = row.bitwiseAND(F.lit(0xFFFFFF).cast("long"))
    return [F.count(F.lit(1)).alias("n_rows"), F.bit_xor(row).alias("crossed"), F.sum(low).alias("summed")]


def _told(row: Any) -> tuple[int, str]:
    """Rows and checksum of what `_sums` found."""
    return int(row["n_rows"]), f"{row['crossed'] or 0} {row['summed'] or 0}"


def is_same(one: DataFrame, other: DataFrame) -> bool:
    """Whether two tables of the same columns have the same rows, in any order."""
    return sums_of(one) == sums_of(other)


def sums_of(frame: DataFrame) -> tuple[int, str]:
    """The rows of a table and their checksum."""
    return _told(frame.agg(*_sums(frame.schema.fields)).first())


class Commit(NamedTuple):
    """A table that is there: its folder, its rows, their checksum, and the same of the documents it was made of, if it is one of
    those that are compared with the documents of a run."""

    path: str
    n_rows: int
    checksum: str
    of: list[Any] | None


class Store:
    """The tables of a run, by name."""

    def __init__(self, spark: SparkSession, folder: str, fingerprint: str, listener: Callable[[str, str], None], batch_rows: int) -> None:
        self.spark = spark
        self.folder = folder.rstrip("/")
        self.fingerprint = fingerprint
        self.listener = listener
        self.batch_rows = batch_rows
        self.n_rows: dict[str, int] = {}
        self.of: dict[str, list[Any] | None] = {}
        self.commits = self._read_commits()

    def table(self, name: str, make: Callable[[], DataFrame], batch_rows: int | None = None) -> DataFrame:
        """The table of this name, made if it is not there. Where rows are larger than documents, batches between Spark and
        Python have fewer of them."""
        found = self._committed(name)
        if found is not None:
            self.listener(name, "found")
            return found
        return self._made(name, make, batch_rows, None)

    def table_of(self, name: str, frame: DataFrame, rows: DataFrame, make: Callable[[DataFrame], DataFrame]) -> DataFrame:
        """The table of this name, made of the documents of a run, which are the column `record` of `rows`. What was made of other
        documents is refused."""
        found = self._committed(name)
        if found is not None:
            if self.of[name] != list(sums_of(frame)):
                raise self.other_documents()
            self.listener(name, "found")
            return found
        seen = Observation()
        watched = rows.observe(seen, *_sums(frame.schema.fields, "record."))
        return self._made(name, lambda: make(watched), None, seen)

    def other_documents(self) -> UsageError:
        """What is told of a folder that holds another run."""
        return UsageError(
            f"`{self.folder}` holds a run on other documents of the same columns: name another folder, or remove it"
        )

    def _made(
        self, name: str, make: Callable[[], DataFrame], batch_rows: int | None, of: Observation | None
    ) -> DataFrame:
        self.listener(name, "begun")
        path = f"{self.folder}/stages/{name}-{uuid.uuid4().hex[:12]}"
        _bound_batches(self.spark, min(self.batch_rows, batch_rows or self.batch_rows))
        frame = make()
        seen = Observation()
        frame.observe(seen, *_sums(frame.schema.fields)).write.parquet(path)
        n_rows, checksum = _told(seen.get)
        line = json.dumps([self.fingerprint, name, path, n_rows, checksum, list(_told(of.get)) if of else None])
        commit = self.spark.range(0, 1, 1, 1).select(F.lit(line).alias("value"))
        commit.write.mode("append").text(f"{self.folder}/stages/commits")
        self.n_rows[name] = n_rows
        self.listener(name, "done")
        # With the schema at hand Spark need not look into the files, and an empty table is one, too.
        return self.spark.read.schema(frame.schema).parquet(path)

    def _read_commits(self) -> dict[str, list[Commit]]:
        """What earlier runs of the job committed, by name."""
        try:
            lines = self.spark.read.text(f"{self.folder}/stages/commits").collect()
        except Exception as error:  # the classes differ between Spark and Spark Connect
            if _is_missing(error):
                return {}
            raise
        commits: dict[str, list[Commit]] = {}
        for line in sorted(line["value"] for line in lines):
            fingerprint, name, *commit = json.loads(line)
            if fingerprint == self.fingerprint:
                commits.setdefault(name, []).append(Commit(*commit))
        return commits

    def _committed(self, name: str) -> DataFrame | None:
        # A table that was damaged and made again has two lines.
        for commit in self.commits.get(name, []):
            try:
                frame = self.spark.read.parquet(commit.path)
                is_same = commit.n_rows == 0 or sums_of(frame) == (commit.n_rows, commit.checksum)
            except Exception as error:
                if _is_missing(error):
                    continue
                raise
            if is_same:
                self.n_rows[name], self.of[name] = commit.n_rows, commit.of
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

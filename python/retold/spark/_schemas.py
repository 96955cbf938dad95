"""The columns of the tables that go through Spark, for Spark and for Arrow."""

from __future__ import annotations

from typing import Any

import pyarrow

_ARROW = {
    "long": pyarrow.int64(),
    "int": pyarrow.int32(),
    "double": pyarrow.float64(),
    "string": pyarrow.string(),
    "binary": pyarrow.binary(),
    "boolean": pyarrow.bool_(),
    "array<long>": pyarrow.list_(pyarrow.int64()),
    "array<string>": pyarrow.list_(pyarrow.string()),
}
_PASSAGE = ("a_start", "a_end", "b_start", "b_end", "words", "differ", "moved")
_ARROW["passages"] = pyarrow.list_(
    pyarrow.struct([*((name, pyarrow.int64()) for name in _PASSAGE), ("agrees", pyarrow.string())])
)


def _spark_types() -> dict[str, Any]:
    from pyspark.sql import types as T

    numbers = [T.StructField(name, T.LongType()) for name in _PASSAGE]
    passage = T.StructType([*numbers, T.StructField("agrees", T.StringType())])
    return {
        "long": T.LongType(),
        "int": T.IntegerType(),
        "double": T.DoubleType(),
        "string": T.StringType(),
        "binary": T.BinaryType(),
        "boolean": T.BooleanType(),
        "array<long>": T.ArrayType(T.LongType()),
        "array<string>": T.ArrayType(T.StringType()),
        "passages": T.ArrayType(passage),
    }


class Columns:
    """Columns by name and type."""

    def __init__(self, told: str) -> None:
        self.columns = [tuple(column.split(":")) for column in told.split()]

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.columns]

    def arrow(self) -> Any:
        return pyarrow.schema([(name, _ARROW[kind]) for name, kind in self.columns])

    def spark(self, before: Any = ()) -> Any:
        """The type of a row, with other fields before these."""
        from pyspark.sql import types as T

        known = _spark_types()
        return T.StructType([*before, *[T.StructField(name, known[kind]) for name, kind in self.columns]])

    def fitted(self, table: Any) -> list[Any]:
        """The batches of a table, its columns as these are."""
        batches: list[Any] = pyarrow.table(table).select(self.names).cast(self.arrow()).to_batches()
        return batches

    def named(self, table: Any, names: dict[str, str]) -> Any:
        """The columns of a table as these, where some have other names there."""
        table = pyarrow.table(table)
        values = [table.column(names.get(name, name)).cast(kind) for name, kind in zip(self.names, self.arrow().types, strict=True)]
        return pyarrow.table(values, names=self.names)

    def without(self, names: list[str]) -> Columns:
        """These columns but for some."""
        left = Columns("")
        left.columns = [column for column in self.columns if column[0] not in names]
        return left

    def __add__(self, other: Columns) -> Columns:
        added = Columns("")
        added.columns = self.columns + other.columns
        return added


SAID = Columns("kind:int exact_resemblance:double exact_a_in_b:double exact_b_in_a:double")
IMAGED = Columns(
    "id:string n_words:long n_bytes:long words_hash:binary text_hash:long start:long end:long is_cut:boolean "
    "language:string ranks:array<string> rank_numbers:array<long> image:binary bad:string"
)
FEATURES = Columns("ordinal:long feature:long")
PACKED = Columns("part:int packed:binary")
MINIMA = Columns("minimum:long ordinal:long least:long")
CROWDS = Columns("kept:long member:long")
UNSEEN = Columns("ordinal:long image:binary")
LISTS = Columns("block:long lists:binary work:long")
ANSWERS = Columns("asker:long other:long wanted:boolean") + SAID
CODE_PAIRS = Columns("asker:long other:long needed:int n:int")
PAIRS = (
    Columns("a_ordinal:long b_ordinal:long")
    + SAID
    + Columns(
        "a:string b:string relation:string resemblance:double a_in_b:double b_in_a:double a_words:long b_words:long "
        "a_runs:long b_runs:long common_runs:long longest_words:long shared_words:long "
        "distinctive_runs:long evidence:passages evidence_cut:long"
    )
)
NUMBERED = Columns("part:int place:long")
LIMITED = Columns("a_ordinal:long b_ordinal:long phase:int extent:int")
FOREST = Columns("a:long b:long")
GROUPS = Columns(
    "component:long what:int doc:long other:long kind:int share:double members:array<long> kind_counts:array<long> "
    "n_derived:long is_of_copies:boolean"
)
CLUSTERS = Columns(
    "id:long size:long representative:string cohesion:double n_pairs:long n_exact:long n_near_duplicate:long n_contains:long "
    "n_contained:long n_partial:long n_derived:long members:array<string>"
)
DOCUMENTS = Columns(
    "ordinal:long id:string n_words:long verdict:string cluster:long representative:string exact_copy_of:string n_pairs:long "
    "pairs_cut:boolean n_partial:long language:string is_too_short:boolean"
)
DECISIONS = Columns("ordinal:long id:string covered_by:string relation:string covered:double")

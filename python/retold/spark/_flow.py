"""The stages of a run in their order, each a committed table; what is decided is decided in Rust (`_tasks`).

Every function brings together what belongs together, by a shuffle, and hands it to a stage. Documents are known
by their ordinal: their place in the order of the run. Nothing but counts ever comes to the driver.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import json
import math
from collections.abc import Callable
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from retold.spark import _schemas as S
from retold.spark._store import is_same
from retold.spark._tasks import imaging, lasting, numbering, packing, places, searching, stages, task

# Words of documents whose postings are put together in one task, about: some 200 MB.
PART_WORDS = 12_500_000
# Tasks that search: as many for each partition, or one for each block, and not more; and the work of a task that is worth a
# task, in documents that are looked at.
SEARCHING, MOST_SEARCHING = 2, 4_096
LEAST_WORK = 100_000
# Documents of a block, if nothing else is said: as many as there are for so many blocks, within bounds.
BLOCKS, LEAST_BLOCK, MOST_BLOCK = 64, 1_000, 100_000
# Rows of a batch of lists, which come in pieces of 16 kB, or of images that ask.
SEARCH_ROWS = 1_024
# Partitions of a forest that are joined to one.
FAN_IN = 8
# Pairs that are compared together, at least and at most, and into how many times as many parts as there are partitions they are
# cut if there are that many.
LEAST_COMPARED, MOST_COMPARED = 64, 65_536
COMPARING = 2
# Documents that go before the kept one of a crowd and are compared with all its members.
MOST_BEFORE_KEPT = 4
KINDS = ("exact", "near-duplicate", "contains", "contained", "partial")
PARTIAL = KINDS.index("partial")
NEAR = (0, 1)


def _partner() -> Any:
    return (S.Columns("other:long") + S.SAID).spark()


class Flow:
    """One run."""

    def __init__(self, spark: SparkSession, store: Any, job: str, n_partitions: int, block_docs: int | None) -> None:
        self.spark, self.store, self.job = spark, store, job
        self.n_partitions, self.block_docs = n_partitions, block_docs or 0
        self.about = json.loads(stages(job).facts)
        self.limit = int(self.about["pairs_per_document"])
        self.used: list[str] = []

    # How rows come together.

    def mapped(self, frame: DataFrame, method: str, columns: S.Columns, **options: Any) -> DataFrame:
        """Hands rows to a stage, as they come."""
        return frame.mapInArrow(task(self.job, method, columns, **options), columns.spark())

    def grouped(
        self, frame: DataFrame, by: str, then: list[str], method: str, columns: S.Columns, **options: Any
    ) -> DataFrame:
        """Hands rows to a stage, those of a group together and in order."""
        together = frame.repartition(self.n_partitions, by).sortWithinPartitions(by, *then)
        return self.mapped(together, method, columns, by=by, **options)

    def by_part(
        self, images: DataFrame, packed: str, n_parts: int, method: str, columns: S.Columns, **options: Any
    ) -> DataFrame:
        """Packs what images have in each part, brings parts together and hands each to a stage: one part, one task."""
        rows = images.select("ordinal", "image").mapInArrow(packing(self.job, packed, n_parts), S.PACKED.spark())
        together = rows.repartition(n_parts, "part").sortWithinPartitions("part")
        return self.mapped(together, method, columns, by="part", is_single=True, **options)

    def is_empty(self, name: str) -> bool:
        n_rows: int = self.store.n_rows[name]
        return n_rows == 0

    # Documents, their order and their ranks.

    def documents(self, frame: DataFrame, order: list[Column], id_column: str) -> None:
        """Puts documents in order, numbers them and looks at them for the first time."""
        self.used = stages(self.job).used(frame.columns)
        whole = F.struct(*[F.col(f"`{name}`") for name in frame.columns])
        keys = [key.alias(f"key{at}") for at, key in enumerate(order)]
        names = [f"key{at}" for at in range(len(order))] + ["content"]
        content = F.xxhash64(*[F.col(f"`{name}`").cast("string") for name in self.used])
        rows = frame.select(*keys, content.alias("content"), whole.alias("record"))
        in_order = rows.repartitionByRange(self.n_partitions, *names).sortWithinPartitions(*names).select("record")
        columns = (S.NUMBERED + S.IMAGED).spark(in_order.schema.fields)

        def make() -> DataFrame:
            return in_order.mapInArrow(numbering(self.job, True), columns)

        is_resumed = "documents" in self.store.commits
        raw = self.store.table("documents", make)
        if is_resumed and not is_same(frame, raw.select("record.*")):
            raise self.store.other_documents()
        numbered, n_words = self.with_ordinal(raw, "ordinal", F.sum("n_words"))
        n_docs = self.store.n_rows["documents"]
        self.block_docs = self.block_docs or min(max(LEAST_BLOCK, math.ceil(n_docs / BLOCKS)), MOST_BLOCK)
        # Parts of all keys: a part of a large collection fits in memory, too.
        self.n_parts = max(self.n_partitions, math.ceil(n_words / PART_WORDS))
        # A document without an id is named by its place, as on one machine.
        numbered = numbered.withColumn("id", _or_place(F.col("id"), "string"))
        self.all_documents = numbered.filter(F.col("bad").isNull())
        self.n_bad = raw.filter(F.col("bad").isNotNull())
        kinds = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
        fields = {name: F.col(f"record.`{name}`") for name in self.used}
        if kinds[id_column] in ("string", "bigint", "int"):
            fields[id_column] = _or_place(fields[id_column], kinds[id_column])
        record = F.struct(*[field.alias(name) for name, field in fields.items()])
        self.texts = self.all_documents.select("ordinal", "n_words", record.alias("record"))
        self.make_entries()

    def with_ordinal(self, numbered: DataFrame, name: str, summed: Column) -> tuple[DataFrame, int]:
        """Turns numbers of partitions and places in them into places in all. Also returns a sum over all rows."""
        counts = numbered.groupBy("part").agg(F.count(F.lit(1)).alias("n"), summed.alias("sum")).collect()
        starts = [0] * (max((row["part"] for row in counts), default=0) + 1)
        n_before = 0
        for row in sorted(counts, key=lambda row: row["part"]):
            starts[row["part"]] = n_before
            n_before += row["n"]
        frame = numbered.withColumn(name, _of(starts, F.col("part")) + F.col("place")).drop("part", "place")
        return frame, sum(row["sum"] or 0 for row in counts)

    def numbered(self, name: str, frame: DataFrame, order: list[Column], column: str) -> DataFrame:
        """Numbers rows in an order."""
        in_order = frame.repartitionByRange(self.n_partitions, *order).sortWithinPartitions(*order)
        columns, job = S.NUMBERED.spark(frame.schema.fields), self.job

        def make() -> DataFrame:
            return in_order.mapInArrow(numbering(job, False), columns)

        return self.with_ordinal(self.store.table(name, make), column, F.lit(0))[0]

    def make_entries(self) -> None:
        """What is known of every document: the first with its words, how many have them, its rank."""
        known = self.all_documents.drop("record", "image").withColumn("is_too_short", F.lit(False))
        if not self.about["needs_counts"]:
            known = self.all_documents.withColumn("is_too_short", F.col("image").isNull()).drop("record", "image")

        def make() -> DataFrame:
            same = known.filter(F.col("words_hash").isNotNull()).groupBy("words_hash")
            groups = same.agg(F.min("ordinal").alias("first"), F.count(F.lit(1)).alias("n_copies"))
            groups = groups.filter(F.col("n_copies") > 1)
            joined = self.ranked(known).join(groups, "words_hash", "left")
            return (
                joined.withColumn("first", F.coalesce("first", "ordinal"))
                .withColumn("n_copies", F.coalesce("n_copies", F.lit(1).cast("long")))
                .drop("words_hash", "ranks", "rank_numbers", "bad", "n_bytes")
            )

        self.entries = self.store.table("entries", make)
        self.copied = self.entries.filter(F.col("n_copies") > 1)

    def ranked(self, known: DataFrame) -> DataFrame:
        """Adds ranks: smaller is kept rather, no two are the same."""
        steps = [step.strip() for step in self.about["keep"].split(" then ")]
        if steps == ["first"]:
            return known.withColumn("rank", F.col("ordinal"))
        if steps == ["longest"] and self.store.n_rows["documents"] < 1 << 31:
            rank = (F.lit((1 << 31) - 1) - F.col("n_words")) * F.lit(1 << 31) + F.col("ordinal")
            return known.withColumn("rank", rank.cast("long"))
        order: list[tuple[Column, bool]] = []  # what decides, and whether the largest comes first
        for at, step in enumerate(steps):
            value, number = F.col("ranks")[at], F.col("rank_numbers")[at]
            name, _, rest = step.partition(":")
            if name == "longest":
                order.append((F.col("n_words"), True))
            elif name == "first":
                order.append((F.col("ordinal"), False))
            elif name == "source":
                sources = [source for source in rest.split(",") if source]
                place = F.lit(len(sources))
                for n, source in reversed(list(enumerate(sources))):
                    place = F.when(value == source, F.lit(n)).otherwise(place)
                order.append((place, False))
            else:
                is_largest = name in ("newest", "score") or rest.startswith("-")
                of_texts = F.when(number.isNull(), value)
                order += [(value.isNull(), False), (number.isNull(), is_largest)]
                order += [(number, is_largest), (of_texts, is_largest)]
        rows = known.select("ordinal", *[value.alias(f"key{at}") for at, (value, _) in enumerate(order)])
        keys = [(F.col(f"key{at}"), is_largest) for at, (_, is_largest) in enumerate(order)]
        by = [key.desc() if is_largest else key.asc() for key, is_largest in keys] + [F.col("ordinal").asc()]
        ranks = self.numbered("ranks", rows, by, "rank").select("ordinal", "rank")
        return known.join(ranks, "ordinal")

    # Images.

    def images(self) -> DataFrame:
        """Images of all documents that are the first of their words."""
        copies = self.copied.filter(F.col("first") != F.col("ordinal")).select("ordinal")
        if not self.about["needs_counts"]:
            images = self.all_documents.select("ordinal", "image").filter(F.col("image").isNotNull())
            return images.join(copies, "ordinal", "left_anti")
        texts = self.texts

        def features() -> DataFrame:
            return self.mapped(texts, "features", S.FEATURES)

        counted = self.store.table("features", features)
        n_documents = self.entries.count()
        counts = counted.groupBy("feature").agg(F.count(F.lit(1)).alias("n"))
        of_document = (
            counted.join(copies, "ordinal", "left_anti")
            .join(counts, "feature")
            .groupBy("ordinal")
            .agg(F.collect_list(F.struct("feature", "n")).alias("counts"))
        )

        def make() -> DataFrame:
            rows = texts.join(copies, "ordinal", "left_anti").join(of_document, "ordinal", "left")
            return rows.mapInArrow(imaging(self.job, n_documents), S.UNSEEN.spark())

        images = self.store.table("images", make)
        too_short = images.filter(F.col("image").isNull()).select(F.col("ordinal").alias("first"), F.lit(True).alias("is_short"))
        self.entries = (
            self.entries.join(too_short, "first", "left")
            .withColumn("is_too_short", F.coalesce("is_short", F.lit(False)))
            .drop("is_short")
        )
        return images.filter(F.col("image").isNotNull())

    def without_crowds(self, images: DataFrame) -> DataFrame:
        """Finds crowds, compares their members with the kept ones, and leaves members what is their own."""
        self.verified: list[DataFrame] = []
        self.crowds: DataFrame | None = None
        if not self.about["has_crowds"]:
            return images

        minima = self.store.table("minima", lambda: self.by_part(images, "minima", self.n_parts, "met", S.MINIMA))
        if self.is_empty("minima"):
            return images
        roots = self.components("crowd-forest", minima.select(F.col("ordinal").alias("a"), F.col("least").alias("b")))
        placed = _placed(minima.select("minimum", "ordinal"), roots, "ordinal")

        def make() -> DataFrame:
            documents = (
                placed.select("component", "ordinal").distinct()
                .join(self.entries.select("ordinal", "rank"), "ordinal")
                .join(images, "ordinal")
                .select("component", F.lit(0).alias("role"), "ordinal", "rank", F.lit(0).cast("long").alias("minimum"), "image")
            )
            meetings = placed.select(
                "component", F.lit(1).alias("role"), "ordinal", F.lit(0).cast("long").alias("rank"), "minimum",
                F.lit(None).cast("binary").alias("image"),
            )
            return self.grouped(documents.union(meetings), "component", ["role", "ordinal"], "crowds", S.CROWDS)

        self.crowds = crowds = self.store.table("crowds", make)
        if self.is_empty("crowds"):
            self.crowds = None
            return images
        pairs = crowds.select(F.least("kept", "member").alias("a"), F.greatest("kept", "member").alias("b"))
        first = self.verify("verified-crowds", self.unsaid(pairs), self.store.n_rows["crowds"], 1)
        near = first.filter(F.col("kind").isin(*NEAR) & (F.col("exact_resemblance") >= self.about["near"]))
        members = (
            near.select(F.col("a_ordinal").alias("a"), F.col("b_ordinal").alias("b"))
            .join(crowds.select(F.least("kept", "member").alias("a"), F.greatest("kept", "member").alias("b"), "kept", "member"), ["a", "b"])
            .select("kept", "member")
        )

        def unseen() -> DataFrame:
            rows = (
                members.select("kept", F.lit(1).alias("is_member"), F.col("member").alias("ordinal"))
                .union(members.select("kept", F.lit(0).alias("is_member"), F.col("kept").alias("ordinal")).distinct())
                .join(images, "ordinal")
                .select("kept", "is_member", "ordinal", "image")
            )
            return self.grouped(rows, "kept", ["is_member", "ordinal"], "unseen", S.UNSEEN)

        left = self.store.table("unseen", unseen)
        others = images.join(left.select("ordinal"), "ordinal", "left_anti")
        return others.union(left.filter(F.col("image").isNotNull()))

    # Candidates.

    def candidates(self, images: DataFrame) -> DataFrame:
        """Searches: pairs that may be related, with what the method says of them."""

        def lists() -> DataFrame:
            return self.by_part(images, "postings", self.n_parts, "lists", S.LISTS, arguments=(self.block_docs,))

        held = self.store.table("lists", lists)
        # A block with much work goes to several tasks: each gets its lists, and some of those that ask.
        slices, tasks, n_tasks = self.shared_out(held)
        n_slices = _of(slices, F.col("block").cast("int"))
        slice_of = F.pmod(F.xxhash64("number"), F.greatest(n_slices, F.lit(1)))
        number = F.lit(0).cast("long").alias("number")
        of_lists = held.select(
            "block", F.explode(F.sequence(F.lit(0).cast("long"), n_slices - 1)).alias("slice"), F.lit(1).alias("kind"), number,
            F.col("lists").alias("bytes"),
        )
        askers = images.select(
            _block_of("ordinal", self.block_docs), F.lit(2).alias("kind"), F.col("ordinal").alias("number"), F.col("image").alias("bytes")
        )
        askers = askers.filter(n_slices > 0).withColumn("slice", slice_of)
        askers = askers.select("block", "slice", "kind", "number", "bytes")
        starts = list(itertools.accumulate(slices, initial=0))
        place = _of(tasks, (_of(starts, F.col("block").cast("int")) + F.col("slice")).cast("int"), "int")

        def asked(rows: DataFrame) -> DataFrame:
            together = rows.withColumn("place", place).repartition(n_tasks, "place").drop("place")
            in_order = together.sortWithinPartitions("block", "slice", "kind", "number")
            return in_order.mapInArrow(searching(self.job), S.ANSWERS.spark())

        answers = self.store.table("answers", lambda: asked(of_lists.union(askers)), SEARCH_ROWS)
        found = answers.filter(~F.col("wanted"))
        # Documents that want images to look at ask again when they are there, until they want no more.
        wanted, looked_at, n_rounds = answers.filter(F.col("wanted")), None, 0
        while not _is_nothing(wanted):
            n_rounds += 1
            more = wanted.select(_block_of("asker", self.block_docs), F.col("asker").alias("number"), F.col("other").alias("ordinal"))
            more = more.withColumn("slice", slice_of).drop("number")
            looked_at = more if looked_at is None else looked_at.union(more)
            brought = looked_at.distinct().join(images, "ordinal").select(
                "block", "slice", F.lit(0).alias("kind"), F.col("ordinal").alias("number"), F.col("image").alias("bytes")
            )
            again = askers.join(wanted.select(F.col("asker").alias("number")).distinct(), "number", "left_semi")
            again = again.select("block", "slice", "kind", "number", "bytes")
            slices_again = again.select("block", "slice").distinct()
            of_blocks = of_lists.join(slices_again, ["block", "slice"], "left_semi")
            rows = brought.join(slices_again, ["block", "slice"], "left_semi").union(of_blocks).union(again)
            answers = self.store.table(f"answers-{n_rounds + 1}", functools.partial(asked, rows), SEARCH_ROWS)
            found = found.union(answers.filter(~F.col("wanted")))
            wanted = answers.filter(F.col("wanted"))
        said = [F.col(name) for name in S.SAID.names]
        pairs = found.select(F.col("other").alias("a"), F.col("asker").alias("b"), *said)
        self.n_candidates = self.store.n_rows["answers"] + sum(self.store.n_rows[f"answers-{n + 1}"] for n in range(1, n_rounds + 1))
        if not self.about["looks_for_codes"]:
            return pairs

        def code_pairs() -> DataFrame:
            # A part without a code of a tiny document finds nothing.
            n_parts = stages(self.job).n_code_parts(self.n_parts)
            met = self.by_part(images, "code_parts", n_parts, "code_pairs", S.CODE_PAIRS)
            summed = met.groupBy("asker", "other").agg(F.sum("n").alias("n"), F.max("needed").alias("needed"))
            return summed.filter(F.col("n") >= F.col("needed")).select(F.col("other").alias("a"), F.col("asker").alias("b"))

        by_codes = self.store.table("code-pairs", code_pairs)
        self.n_candidates += self.store.n_rows["code-pairs"]
        new = by_codes.join(pairs.select("a", "b"), ["a", "b"], "left_anti")
        return pairs.union(self.unsaid(new))

    def shared_out(self, held: DataFrame) -> tuple[list[int], list[int], int]:
        """Shares blocks out to tasks by their work. Returns for each block into how many slices it is cut, none if nobody finds
        anything there, for each slice of all blocks where Spark brings it, and the number of tasks."""
        rows = held.groupBy("block").agg(F.sum(F.col("work") + F.octet_length("lists")).alias("work")).collect()
        works = [0] * math.ceil(self.store.n_rows["documents"] / self.block_docs)
        for row in rows:
            works[int(row["block"])] = int(row["work"])
        n_tasks = max(1, min(max(SEARCHING * self.n_partitions, len(rows)), MOST_SEARCHING))
        fair = max(LEAST_WORK, math.ceil(sum(works) / n_tasks))
        slices = [min(math.ceil(work / fair), self.block_docs) for work in works]
        shares = [(works[block] / n, block) for block, n in enumerate(slices) for _ in range(n)]
        # The largest first, each to the task that has least.
        loads = [(0.0, task) for task in range(n_tasks)]
        task_of = [0] * len(shares)
        for at in sorted(range(len(shares)), key=lambda at: -shares[at][0]):
            load, task = heapq.heappop(loads)
            task_of[at] = task
            heapq.heappush(loads, (load + shares[at][0], task))
        values = places(n_tasks)
        return slices, [values[task] for task in task_of], n_tasks

    def unsaid(self, pairs: DataFrame) -> DataFrame:
        """Pairs of which the method says nothing."""
        zero = F.lit(0.0)
        return pairs.select("a", "b", F.lit(PARTIAL).alias("kind"), zero.alias("x"), zero.alias("y"), zero.alias("z")).toDF(
            "a", "b", *S.SAID.names
        )

    # Relations.

    def verify(self, name: str, pairs: DataFrame, n_pairs: int, phase: int) -> DataFrame:
        """Compares candidates, of which there are so many, about; only the documents that are needed are fetched."""

        def make() -> DataFrame:
            # A unit gets the pairs of some later documents, and each document of these once.
            n_units = max(1, min(COMPARING * self.n_partitions, n_pairs // LEAST_COMPARED), n_pairs // MOST_COMPARED)
            unit = F.pmod(F.xxhash64("b"), F.lit(n_units)).cast("int")
            said = F.struct(F.col("a").alias("other"), *S.SAID.names)
            ends = F.array(
                F.struct(F.col("b").alias("ordinal"), said.alias("partner")),
                F.struct(F.col("a").alias("ordinal"), F.lit(None).cast(_partner()).alias("partner")),
            )
            # By unit before they are taken apart: those that find most may all have searched in one place.
            rows = pairs.withColumn("unit", _of(places(n_units), unit, "int")).repartition(n_units, "unit")
            rows = rows.select("unit", F.explode(ends).alias("end")).select("unit", "end.*")
            # What is null is not collected.
            rows = rows.groupBy("unit", "ordinal").agg(F.collect_list("partner").alias("partners"))
            rows = rows.join(self.texts, "ordinal").repartition(n_units, "unit").sortWithinPartitions("unit")
            return self.mapped(rows, "verify", S.PAIRS, by="unit", is_single=True)

        verified = self.store.table(name, make).withColumn("phase", F.lit(phase))
        self.verified.append(verified)
        return verified

    def before_kept(self, second: DataFrame) -> None:
        """Compares the members of a crowd with documents that go before its kept one."""
        if self.crowds is None:
            return
        ranks = self.entries.select("ordinal", "rank")
        near = second.filter(F.col("kind").isin(*NEAR)).select(F.col("a_ordinal").alias("a"), F.col("b_ordinal").alias("b"))
        near = near.join(ranks.toDF("a", "a_rank"), "a").join(ranks.toDF("b", "b_rank"), "b")
        is_a = F.col("a_rank") < F.col("b_rank")
        ordered = near.select(
            F.when(is_a, F.col("a")).otherwise(F.col("b")).alias("first"),
            F.when(is_a, F.col("b")).otherwise(F.col("a")).alias("kept"),
            F.least("a_rank", "b_rank").alias("rank"),
        ).distinct()
        best = ordered.join(self.crowds.select("kept").distinct(), "kept")
        best = best.withColumn("n", F.row_number().over(Window.partitionBy("kept").orderBy("rank")))
        best = best.filter(F.col("n") <= MOST_BEFORE_KEPT).select("kept", "first")
        pairs = best.join(self.crowds, "kept").filter(F.col("member") != F.col("first"))
        pairs = pairs.select(F.least("first", "member").alias("a"), F.greatest("first", "member").alias("b")).distinct()
        self.verify("verified-before", self.unsaid(pairs), MOST_BEFORE_KEPT * self.store.n_rows["crowds"], 3)

    def relations(self) -> DataFrame:
        """All verified pairs of first documents, with how much of each is reported: `extent`."""
        all_pairs = reduce(lambda one, other: one.union(other), self.verified)
        if self.limit >= (1 << 32) - 1:
            return all_pairs.withColumn("extent", F.lit(0))
        firsts = self.entries.filter(F.col("first") == F.col("ordinal"))
        of_group = Window.partitionBy("first")
        in_groups = self.copied.withColumn("is_kept", F.col("rank") == F.min("rank").over(of_group))
        in_groups = in_groups.filter(F.col("first") == F.col("ordinal")).select("ordinal", "is_kept")
        is_star = (F.col("n_copies") > self.about["most_in_full"]) | (F.col("n_copies") > self.limit + 1)
        n_exact = F.when(is_star & ~F.coalesce("is_kept", F.lit(True)), F.lit(1)).otherwise(F.col("n_copies") - 1)
        sizes = firsts.join(in_groups, "ordinal", "left").select("ordinal", "n_copies", n_exact.cast("long").alias("n_exact"))
        bare = all_pairs.select("a_ordinal", "b_ordinal", "phase")

        def limits() -> DataFrame:
            a, b = sizes.toDF("a_ordinal", "a_copies", "a_exact"), sizes.toDF("b_ordinal", "b_copies", "b_exact")
            sized = bare.join(a, "a_ordinal").join(b, "b_ordinal")
            ends = sized.select(F.col("a_ordinal").alias("ordinal"), F.col("b_copies").alias("n"), F.col("a_exact").alias("n_exact"))
            ends = ends.union(sized.select("b_ordinal", "a_copies", "b_exact"))
            many = ends.groupBy("ordinal").agg((F.sum("n") + F.first("n_exact")).alias("n"))
            many = many.filter(F.col("n") > self.limit).select("ordinal")
            is_many = F.lit(True).alias("is_many")
            flagged = sized.join(many.select(F.col("ordinal").alias("a_ordinal"), is_many.alias("a_many")), "a_ordinal", "left")
            flagged = flagged.join(many.select(F.col("ordinal").alias("b_ordinal"), is_many.alias("b_many")), "b_ordinal", "left")
            return flagged.filter(F.col("a_many") | F.col("b_many"))

        many = self.store.table("many", limits)
        if self.is_empty("many"):
            return all_pairs.withColumn("extent", F.lit(0))
        between = many.filter(F.col("a_many") & F.col("b_many"))
        roots = self.components("many-forest", between.select(F.col("a_ordinal").alias("a"), F.col("b_ordinal").alias("b")))
        one_end = F.when(F.coalesce("a_many", F.lit(False)), F.col("a_ordinal")).otherwise(F.col("b_ordinal"))
        placed = _placed(many.withColumn("end", one_end), roots, "end")
        n_words = self.entries.select("ordinal", "n_words")
        placed = placed.join(n_words.toDF("a_ordinal", "a_words"), "a_ordinal").join(n_words.toDF("b_ordinal", "b_words"), "b_ordinal")
        is_b = F.col("b_words") > F.col("a_words")
        placed = placed.withColumn("long", F.when(is_b, F.col("b_ordinal")).otherwise(F.col("a_ordinal")))
        placed = placed.withColumn("short", F.when(is_b, F.col("a_ordinal")).otherwise(F.col("b_ordinal")))
        sized = ["a_copies", "b_copies", "a_exact", "b_exact"]
        rows = placed.select("component", "phase", "long", "short", "a_ordinal", "b_ordinal", *sized)

        def limited() -> DataFrame:
            return self.grouped(rows, "component", ["phase", "long", "short"], "limit", S.LIMITED)

        extents = self.store.table("limits", limited)
        joined = all_pairs.join(extents, ["a_ordinal", "b_ordinal", "phase"], "left")
        return joined.withColumn("extent", F.coalesce("extent", F.lit(0)))

    def components(self, name: str, edges: DataFrame) -> DataFrame:
        """Each document with the smallest it hangs together with (`a`, `b`), but for the smallest.

        Every partition makes a forest of its edges; partitions are joined, ever fewer, until one is left.
        """

        def make() -> DataFrame:
            frame, n = edges.select("a", "b"), self.n_partitions
            frame = frame.repartition(n, "b")
            while True:
                frame = frame.mapInArrow(_whole_partition(self.job), S.FOREST.spark())
                if n == 1:
                    return frame
                n = (n + FAN_IN - 1) // FAN_IN
                frame = frame.repartition(n, F.floor(F.col("b") / 1024)) if n > 1 else frame.repartition(1)

        return self.store.table(name, make)

    def groups(self, relations: DataFrame) -> DataFrame:
        """Clusters, and what goes."""
        linked = relations.filter((F.col("kind") != PARTIAL) | (F.col("extent") == 2))
        roots = self.components("forest", linked.select(F.col("a_ordinal").alias("a"), F.col("b_ordinal").alias("b")))

        def make() -> DataFrame:
            ends = roots.select(F.col("a").alias("first"), F.col("b").alias("component"))
            ends = ends.union(roots.select(F.col("b"), F.col("b")).distinct())
            documents = self.entries.join(ends, "first", "left")
            documents = documents.filter(F.col("component").isNotNull() | (F.col("n_copies") > 1))
            zeros = [F.lit(0.0).alias(name) for name in S.SAID.names[1:]]
            documents = documents.select(
                F.coalesce("component", "first").alias("component"), F.lit(0).alias("role"), F.col("ordinal").alias("a"),
                F.col("first").alias("b"), "rank", F.lit(0).alias("kind"), *zeros, F.lit(0).alias("dropped"),
            )
            related = _placed(linked, roots, "a_ordinal").select(
                "component", F.lit(1).alias("role"), F.col("a_ordinal").alias("a"), F.col("b_ordinal").alias("b"),
                F.lit(0).cast("long").alias("rank"), *S.SAID.names, (F.col("extent") == 2).cast("int").alias("dropped"),
            )
            return self.grouped(documents.union(related), "component", ["role", "a", "b"], "group", S.GROUPS, share="share")

        return self.store.table("groups", make)

    # What is handed over.

    def pairs(self, relations: DataFrame, groups: DataFrame) -> DataFrame:
        """All reported pairs."""
        names = S.PAIRS.names
        starred = groups.filter(F.col("what") == 1).select(F.col("doc").alias("a_ordinal"), F.col("other").alias("b_ordinal"))
        starred = starred.distinct().withColumn("is_starred", F.lit(True))
        told = relations.join(starred, ["a_ordinal", "b_ordinal"], "left")
        firsts = told.filter((F.col("extent") < 2) | F.col("is_starred")).select(*names)

        def exact() -> DataFrame:
            rows = self.copied.select("first", "ordinal", "rank", "n_words", "start", "end", "id")
            return self.grouped(rows, "first", ["ordinal"], "exact", S.PAIRS)

        # Pairs of copies of two documents: each with each, but for the two themselves.
        copied = self.copied.select("first", "ordinal", "text_hash", "id")
        sizes = self.entries.filter(F.col("first") == F.col("ordinal")).select("ordinal", "n_copies", "text_hash")
        sized = relations.filter(F.col("extent") == 0).select(*names)
        sized = sized.join(sizes.toDF("a_ordinal", "a_copies", "a_hash"), "a_ordinal")
        sized = sized.join(sizes.toDF("b_ordinal", "b_copies", "b_hash"), "b_ordinal")
        sized = sized.filter((F.col("a_copies") > 1) | (F.col("b_copies") > 1))
        both = sized.join(copied.toDF("a_ordinal", "x", "x_hash", "x_id"), "a_ordinal", "left")
        both = both.join(copied.toDF("b_ordinal", "y", "y_hash", "y_id"), "b_ordinal", "left")
        both = both.withColumn("x", F.coalesce("x", "a_ordinal")).withColumn("y", F.coalesce("y", "b_ordinal"))
        both = both.filter((F.col("x") != F.col("a_ordinal")) | (F.col("y") != F.col("b_ordinal")))
        # Where texts are the same to the byte, so is the evidence; only the others have to be looked at.
        is_same = (F.coalesce("x_hash", "a_hash") == F.col("a_hash")) & (F.coalesce("y_hash", "b_hash") == F.col("b_hash"))
        same = both.filter(is_same).withColumn("a", F.coalesce("x_id", "a")).withColumn("b", F.coalesce("y_id", "b"))
        same = same.withColumn("a_ordinal", F.col("x")).withColumn("b_ordinal", F.col("y")).select(*names)
        both = both.filter(~is_same).select("a_ordinal", "b_ordinal", "x", "y", *S.SAID.names)

        def of_copies() -> DataFrame:
            four = F.array(
                *[F.struct(F.lit(at).alias("part"), F.col(name).alias("ordinal")) for at, name in enumerate(("a_ordinal", "b_ordinal", "x", "y"))]
            )
            rows = both.select(F.xxhash64("x", "y").alias("pair"), F.explode(four).alias("four"), *S.SAID.names)
            rows = rows.select("pair", "four.part", "four.ordinal", *S.SAID.names).join(self.texts, "ordinal")
            return self.grouped(rows, "pair", ["part"], "copies", S.PAIRS)

        return firsts.union(exact().select(*names)).union(_earlier_first(same)).union(of_copies().select(*names))

    def cut_documents(self, relations: DataFrame) -> DataFrame:
        """Documents of which not all pairs are reported."""
        is_star = F.col("n_copies") > min(self.about["most_in_full"], self.limit + 1)
        if self.limit >= (1 << 32) - 1:
            is_star = F.lit(False)
        stars = self.copied.filter(is_star).select("ordinal")
        cut = relations.filter(F.col("extent") > 0)
        ends = cut.select(F.col("a_ordinal").alias("first")).union(cut.select("b_ordinal")).distinct()
        return stars.union(self.entries.join(ends, "first").select("ordinal")).distinct()

    def clusters(self, groups: DataFrame) -> DataFrame:
        """Clusters, with their numbers and the ordinals of their members."""
        made = groups.filter(F.col("what") == 0).select(
            "members", F.col("doc").alias("kept"), F.col("share").alias("cohesion"), "kind_counts", "n_derived"
        )
        order = [F.col("members").asc()]
        return self.numbered("clusters", made, order, "cluster")


def _of(values: list[int], at: Column, kind: str = "bigint") -> Column:
    """The value at a place of a list. As one text the list costs the driver less than a column for each value."""
    return F.split(F.lit(",".join(map(str, values or [0]))), ",").cast(f"array<{kind}>")[at]


def _earlier_first(pairs: DataFrame) -> DataFrame:
    """Turns pairs of which the later document comes first."""
    is_turned = F.col("b_ordinal") < F.col("a_ordinal")
    contains, contained = KINDS.index("contains"), KINDS.index("contained")
    turned = {
        "kind": F.when(F.col("kind") == contains, contained).when(F.col("kind") == contained, contains).otherwise(F.col("kind")),
        "relation": F.when(F.col("relation") == "contains", "contained").when(F.col("relation") == "contained", "contains")
        .otherwise(F.col("relation")),
        "evidence": F.array_sort(F.transform("evidence", lambda passage: F.struct(
            passage["b_start"].alias("a_start"), passage["b_end"].alias("a_end"),
            passage["a_start"].alias("b_start"), passage["a_end"].alias("b_end"), passage["words"],
            passage["differ"], passage["moved"], passage["agrees"],
        ))),
    }
    for one, other in (
        ("a_ordinal", "b_ordinal"), ("a", "b"), ("exact_a_in_b", "exact_b_in_a"), ("a_in_b", "b_in_a"), ("a_words", "b_words"), ("a_runs", "b_runs"),
    ):
        turned |= {one: F.col(other), other: F.col(one)}
    return pairs.select(*[
        F.when(is_turned, turned[name]).otherwise(F.col(name)).alias(name) if name in turned else F.col(name) for name in S.PAIRS.names
    ])


def _or_place(name: Column, kind: str) -> Column:
    """An id, or the ordinal of a document that has none."""
    is_nothing = F.coalesce(name.cast("string"), F.lit("")) == ""
    return F.when(is_nothing, F.col("ordinal").cast(kind)).otherwise(name)


def _block_of(column: str, block_docs: int) -> Column:
    """The block of the documents in a column."""
    return F.floor(F.col(column) / block_docs).cast("long").alias("block")


def _is_nothing(frame: DataFrame) -> bool:
    """Whether a table has no rows."""
    n_rows: int = frame.limit(1).count()
    return n_rows == 0


def _placed(frame: DataFrame, roots: DataFrame, column: str) -> DataFrame:
    """Adds `component`: the smallest document that the one in a column hangs together with."""
    named = roots.select(F.col("a").alias(column), F.col("b").alias("component"))
    joined = frame.join(named, column, "left")
    return joined.withColumn("component", F.coalesce("component", column))


def _whole_partition(job: str) -> Callable[[Any], Any]:
    def run(batches: Any) -> Any:
        import pyarrow

        held = [batch for batch in batches if batch.num_rows]
        if held:
            yield from S.FOREST.fitted(stages(job).forest(pyarrow.Table.from_batches(held)))

    return lasting(run)

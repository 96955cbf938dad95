"""What a run on a cluster will cost, before it is done: from a sample of the documents.

The first stages are run on the sample, on the driver, and tell how large images, postings and codes of these documents are.
What Spark takes to move and sort bytes is a constant, measured by `bench/spark`; `docs/scaling.md` has the model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pyarrow
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from retold import _settings
from retold._retold import InputError
from retold.spark._flow import MOST_BLOCK
from retold.spark._tasks import stages

# Documents that are sampled, and parts into which their postings are packed.
SAMPLED = 2_000
PARTS = 64
# CPU seconds that Spark and Python take for a document, for its rows in all stages; for a byte that is shuffled, beyond that; and
# for one that is read or written in Parquet. The first two are fitted to three runs of `bench/spark`.
DOCUMENT_SECONDS = 240e-6
SHUFFLE_SECONDS = 20e-9
STORE_SECONDS = 10e-9
# CPU seconds of the Rust code for a byte of text: reading and imaging, and comparing with a candidate.
IMAGE_SECONDS = 10e-9
COMPARE_SECONDS = 25e-9
# CPU seconds of a job whatever its size: starting, planning, committing of some fifteen tables, compiling.
FIXED_SECONDS = 40.0
# Bytes of a posting in a list: document, payload, facts. Blocks that ask a list, on average.
LIST_BYTES, LIST_BLOCKS = 13, 2.0
# Bytes that a block holds of a posting, and of a document that stands in its lists; and what a part of all postings takes.
POSTING_BYTES, DOCUMENT_BYTES = 16, 100
PART_BYTES = 256 << 20
# What a Python worker takes beside its rows: interpreter, pyarrow, extension.
WORKER_BYTES = 250 << 20
HEAP_BYTES = 2 << 30


@dataclass(frozen=True)
class Planned:
    """What a run will cost.

    `bytes_shuffled` are by stage, before Spark compresses them; `heap_bytes` and `overhead_bytes` are the settings
    `spark.executor.memory` and `spark.executor.memoryOverhead` for an executor of one core. `hours` are those of all cores
    that were named, if all have work.
    """

    n_documents: int
    n_bytes: int
    bytes_shuffled: dict[str, int]
    cpu_seconds: float
    heap_bytes: int
    overhead_bytes: int
    hours: float

    def __str__(self) -> str:
        shown = "\n".join(f"  {name:<12} {n / 1e9:>12.3f} GB" for name, n in self.bytes_shuffled.items())
        return (
            f"{self.n_documents:,} documents, {self.n_bytes / 1e9:.2f} GB of text\nshuffled {sum(self.bytes_shuffled.values()) / 1e9:.2f} GB:\n{shown}\n"
            f"an executor of one core: {self.heap_bytes / 2**30:.1f} GiB of heap and {self.overhead_bytes / 2**30:.1f} GiB of overhead\n"
            f"{self.cpu_seconds / 3600:.2f} hours of CPU, {self.hours:.2f} hours on the clock"
        )


def plan(
    df: DataFrame,
    *,
    cores: int = 2,
    candidates: float = 1.0,
    block_docs: int = MOST_BLOCK,
    **settings: Any,
) -> Planned:
    """Tells what `find` or `dedup` of these rows will cost on so many cores.

    `candidates` is the number of candidates per document: some 0.7 for news, ten and more for collections full of
    versions; a run of `retold find` on a part of the documents tells it. Settings are those of `find`.
    """
    stage = stages(_settings.job(settings))
    used = stage.used(df.columns)
    if not used:
        raise InputError(f"no column is one of a document; there are {', '.join(df.columns)}")
    n = df.count()
    columns = [F.col(f"`{name}`").cast("string").alias(name) for name in used]
    sampled = df.select(*columns).sample(fraction=min(1.0, 1.2 * SAMPLED / max(n, 1)), seed=1).limit(SAMPLED)
    rows = [row.asDict() for row in sampled.collect()]
    if not rows:
        raise InputError("there are no documents")
    table = pyarrow.table({name: pyarrow.array([row[name] for row in rows], pyarrow.string()) for name in used})
    record = table.nbytes / len(rows)
    table = table.append_column("ordinal", pyarrow.array(range(len(rows)), pyarrow.int64()))
    imaged = pyarrow.table(stage.image(table, len(rows)))
    text = sum(imaged["n_bytes"].to_pylist()) / len(rows)
    images = imaged.select(["ordinal", "image"])
    image = images["image"].nbytes / len(rows)
    postings = pyarrow.table(stage.postings(images, PARTS)).nbytes / len(rows)
    n_postings = stage.n_postings(images) / len(rows)
    codes = pyarrow.table(stage.code_parts(images, PARTS)).nbytes / len(rows)
    # Half of the keys of a large collection stand in several of its documents, by what was measured.
    lists = 0.5 * n_postings * LIST_BYTES * LIST_BLOCKS
    by_stage = {
        "documents": record,
        "entries": 150.0,
        "keys": postings,
        "search": lists + image,
        "codes": codes,
        "compare": candidates * (record + 100.0) + min(1.0, candidates) * record,
        "groups": candidates * 120.0,
    }
    shuffled = {name: int(n * value) for name, value in by_stage.items()}
    stored = n * (2 * record + image + lists)
    rust = n * text * (IMAGE_SECONDS + 2 * candidates * COMPARE_SECONDS)
    cpu = FIXED_SECONDS + n * DOCUMENT_SECONDS + rust + sum(shuffled.values()) * SHUFFLE_SECONDS + stored * STORE_SECONDS
    of_block = min(block_docs, max(n, 1)) * lists / LIST_BYTES
    block = of_block * POSTING_BYTES + min(n, of_block) * DOCUMENT_BYTES
    overhead = WORKER_BYTES + max(PART_BYTES, int(block))
    return Planned(
        n_documents=n,
        n_bytes=int(n * text),
        bytes_shuffled=shuffled,
        cpu_seconds=cpu,
        heap_bytes=HEAP_BYTES,
        overhead_bytes=math.ceil(max(overhead, 384 << 20) / (64 << 20)) * (64 << 20),
        hours=cpu / 3600 / max(cores, 1),
    )

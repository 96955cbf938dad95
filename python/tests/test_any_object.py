"""Whatever Python hands over, the package answers or raises an error of its own: no panic, no crash.

Objects are made of bytes that are drawn at random, the same ones every time. For hours, or beginning with another seed:

    RETOLD_FUZZ_SECONDS=3600 RETOLD_FUZZ_SEED=7 python/test target/debug/retold -k any_object
"""

from __future__ import annotations

import datetime
import decimal
import math
import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from conftest import ARTICLE, NOTE, OTHER

import retold

N_INPUTS = 1_500

WORDS = (NOTE, ARTICLE, OTHER, NOTE.upper(), "", " ", "\x00", "\ud800", "a" * 5_000, "ä\u0301\u200b", "\U0001f600", "1")
NAMES = ("text", "id", "title", "time", "source", "url", "language", "markup", "body", "", "\ud800", "n")


class Drawing:
    """Takes choices out of bytes; when they are used up, the first choice."""

    def __init__(self, content: bytes) -> None:
        self.content = iter(content)

    def below(self, n: int) -> int:
        return next(self.content, 0) % n

    def one(self, choices: Any) -> Any:
        return choices[self.below(len(choices))]

    def several(self, make: Callable[[Drawing], Any]) -> list[Any]:
        return [make(self) for _ in range(self.below(6))]


class Text(str):
    """A string of its own class."""


class Raising:
    """Raises whatever one does with it."""

    def __iter__(self) -> Iterator[Any]:
        yield NOTE
        raise LookupError("it broke off")

    def __str__(self) -> str:
        raise LookupError("it has no text")

    def __index__(self) -> int:
        raise LookupError("it has no number")


class Lying:
    """Says that it is a table, and is none."""

    def __init__(self, told: Any) -> None:
        self.told = told

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self.told


def value(drawing: Drawing) -> Any:
    plain = (
        *WORDS, Text(NOTE), None, True, 0, -1, 1 << 70, math.nan, math.inf, 1.5, b"bytes", bytearray(b"x"),
        datetime.date(1, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59, 999_999), datetime.timedelta(days=-1),
        decimal.Decimal("NaN"), object(), Raising(), Path("nowhere/at all"), memoryview(b"x"), range(3), {1, 2}, (NOTE,),
    )
    kind = drawing.below(8)
    if kind < 6:
        return drawing.one(plain)
    return drawing.several(value) if kind == 6 else row(drawing)


def text(drawing: Drawing) -> str:
    """Now and then what is no text of Unicode is no problem; here it would be one of pyarrow."""
    return " ".join(word for word in drawing.several(lambda drawing: drawing.one(WORDS)) if "\ud800" not in word)


def row(drawing: Drawing) -> dict[Any, Any]:
    found = {drawing.one((*NAMES, 1, None)): value(drawing) for _ in range(drawing.below(4))}
    if drawing.below(3):
        found["text"] = text(drawing)
    return found


def column(drawing: Drawing) -> pyarrow.Array:
    n = drawing.below(5)
    texts = [drawing.one((None, text(drawing))) for _ in range(n)]
    array = pyarrow.array(texts, pyarrow.string())
    times = [datetime.datetime(2026, 11, 1, hour=hour) for hour in range(n)]
    makers: tuple[Callable[[], pyarrow.Array], ...] = (
        lambda: array,
        lambda: array.cast(pyarrow.large_string()),
        lambda: array.cast(pyarrow.string_view()),
        lambda: array.dictionary_encode(),
        lambda: array.cast(pyarrow.binary()),
        lambda: pyarrow.array([NOTE, OTHER, *texts, NOTE])[1 : n + 1],
        lambda: pyarrow.DictionaryArray.from_arrays(pyarrow.array([None] * n, pyarrow.int8()), pyarrow.array([NOTE])),
        lambda: pyarrow.nulls(n),
        lambda: pyarrow.array(range(n)),
        lambda: pyarrow.array([[t] if t else None for t in texts], pyarrow.list_(pyarrow.string())),
        lambda: pyarrow.StructArray.from_arrays([array], ["text"]),
        lambda: pyarrow.array([{"text": t} for t in texts], pyarrow.struct({"text": pyarrow.string()})),
        lambda: pyarrow.array(times, drawing.one((pyarrow.timestamp("s"), pyarrow.timestamp("ns", "UTC"), pyarrow.date64()))),
        lambda: pyarrow.array([decimal.Decimal(n)] * n, pyarrow.decimal128(9, 2)),
        lambda: pyarrow.array([[("a", "b")]] * n, pyarrow.map_(pyarrow.string(), pyarrow.string())),
        lambda: pyarrow.RunEndEncodedArray.from_arrays(list(range(1, n + 1)), texts) if n else array,
    )
    return drawing.one(makers)()


def table(drawing: Drawing) -> pyarrow.Table:
    columns = [column(drawing) for _ in range(1 + drawing.below(4))]
    n = min(len(each) for each in columns)
    names = [drawing.one(NAMES[:4] + NAMES[8:9]) for _ in columns]
    cut = [each[len(each) - n :] for each in columns]
    return pyarrow.Table.from_arrays(cut, names)


def documents(drawing: Drawing) -> Any:
    kind = drawing.below(8)
    if kind < 3:
        return drawing.several(drawing.one((row, value)))
    if kind < 6:
        made = table(drawing)
        return drawing.one((made, made.to_batches(), made.to_reader(), iter(made.to_pylist())))
    if kind == 6:
        return Lying(drawing.one((None, 1, "capsule", object())))
    return drawing.one((value(drawing), iter(drawing.several(row)), Raising()))


def settings(drawing: Drawing) -> dict[str, Any]:
    names = ("method", "cover", "keep", "text", "id", "threads", "memory", "edits", "pairs", "containment", "seed", "nothing")
    usual = {"keep": ("longest", "oldest", "score:n"), "text": ("body", "text"), "id": ("n",), "edits": ("heavy",)}
    found = {}
    # Most calls are without settings, so that something is answered.
    for _ in range(drawing.below(9) // 4):
        name = drawing.one(names)
        found[name] = drawing.one((*usual.get(name, ()), 1, 0.5)) if drawing.below(3) else value(drawing)
    return found


def call(drawing: Drawing, folder: Path) -> None:
    what = drawing.below(7)
    if what < 2:
        given = documents(drawing)
        result = (retold.find, retold.dedup)[what](given, **settings(drawing))
        n_documents = result.summary["n_documents"]
        assert len(result.documents) == n_documents
        if isinstance(given, pyarrow.Table):
            assert n_documents + result.summary["n_bad"] == given.num_rows
        if what == 1:
            assert len(result.kept_rows) == n_documents - len(result.removed)
    elif what == 2:
        retold.compare(value(drawing), value(drawing), **settings(drawing))
    elif what == 3:
        retold.query(value(drawing), documents(drawing), **settings(drawing))
    elif what == 4:
        path = folder / "fuzzed.idx"
        with retold.Index.open(path) if path.exists() else retold.Index.create(path) as index:
            index.add(documents(drawing))
            index.query(value(drawing))
            index.get(value(drawing))
    elif what == 5:
        with retold.Watch(folder / "fuzzed.watch") as watch:
            watch.add_all(drawing.several(row))
    else:
        retold.evaluate(documents(drawing), documents(drawing))


def test_any_object(tmp_path):
    seconds = float(os.environ.get("RETOLD_FUZZ_SECONDS", "0"))
    seed = int(os.environ.get("RETOLD_FUZZ_SEED", "1"))
    end = time.monotonic() + seconds
    n, n_answered, refused = 0, 0, dict[str, int]()
    while n < N_INPUTS or time.monotonic() < end:
        drawing = Drawing(random.Random(f"{seed}/{n}").randbytes(64))
        n += 1
        try:
            call(drawing, tmp_path)
            n_answered += 1
        except (retold.InternalError, SystemError, MemoryError, AssertionError) as error:
            pytest.fail(f"input {n - 1} of seed {seed}: {type(error).__name__}: {error}")
        except (retold.Error, TypeError, ValueError, OverflowError, LookupError) as error:
            refused[type(error).__name__] = refused.get(type(error).__name__, 0) + 1
            # Errors of the package say what is wrong.
            assert not isinstance(error, retold.Error) or str(error)
    print(f"{n} inputs of seed {seed}: {n_answered} answered, refused {refused}")
    assert n_answered > n / 10 and refused.get("UsageError", 0) > n / 50

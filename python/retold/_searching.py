"""The functions that look for copies."""

from __future__ import annotations

import json
import os
from typing import Any

from retold import _input, _progress, _retold, _settings
from retold._answers import Answer
from retold._index import Index
from retold._results import Deduplicated, Found
from retold._retold import UsageError


def find(
    data: Any,
    *,
    against: Any = None,
    output: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    scratch: str | os.PathLike[str] | None = None,
    progress: bool | _progress.Listener | None = None,
    **settings: Any,
) -> Found:
    """Finds exact copies, near-duplicates, containments and shared passages.

    `data` is a path or a pattern such as `"corpus/*.parquet"`, a list of `pathlib.Path`s, anything with
    `__arrow_c_stream__` (pyarrow, Polars, pandas), a data set of Hugging Face, or an iterable of texts, of
    pairs of an id and a text, or of dictionaries. Records without an id get the number of their row.

    Settings are those of the command line with underscores: `method`, `keep`, `pairs`, `clusters`,
    `strict` and so on; `text`, `id`, `title`, `time`, `source`, `url` and `language` name columns, and
    `set={...}` has parameters of the method. `against` is a second collection, or an index: pairs are
    then looked for between both. `output` also writes a folder with tables. `threads`, `memory` (such
    as "4G") and `scratch` (a folder) say what it is done with, and never change the result.

    >>> import retold
    >>> note = "The harbour board will close the east quay for repairs from Monday until Friday."
    >>> article = f"Ships will have to wait. {note} Ferries are not affected by it at all."
    >>> found = retold.find([("note", note), ("article", article)])
    >>> pair = found.pairs[0]
    >>> pair["a"], pair["relation"], pair["b"], pair["a_in_b"]
    ('note', 'contained', 'article', 1.0)
    """
    source = _input.taken(data)
    with _progress.shown(progress) as listener:
        result = _retold.find(
            source.handed(),
            _settings.job(settings),
            _settings.resources(threads, memory, scratch),
            second(against),
            None if output is None else os.fspath(output),
            overwrite,
            listener,
        )
    return Found(result, source, settings)


def dedup(
    data: Any,
    *,
    against: Any = None,
    output: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    scratch: str | os.PathLike[str] | None = None,
    progress: bool | _progress.Listener | None = None,
    **settings: Any,
) -> Deduplicated:
    """Finds copies and decides which documents go: those that a kept one holds.

    Arguments are those of `find`. `cover` is the share of a document that a kept one must hold (0.8),
    `keep` says which of a cluster is kept ("longest", "oldest", "newest", "first", "source:ap,afp",
    "field:NAME"). What `against` holds is removed, too, and stays itself. With `output`, files that were
    read are also written there without the records that go. Pairs and clusters are made only with
    `pairs="star"` or `pairs="all"`: what goes is decided without most of them.

    >>> import retold
    >>> note = "The harbour board will close the east quay for repairs from Monday until Friday."
    >>> rows = [{"url": "a", "body": note}, {"url": "b", "body": note + " Ferries are not affected."}]
    >>> retold.dedup(rows, text="body", id="url").kept_rows
    [1]
    """
    source = _input.taken(data)
    with _progress.shown(progress) as listener:
        result = _retold.dedup(
            source.handed(),
            _settings.job(settings),
            _settings.resources(threads, memory, scratch),
            second(against),
            None if output is None else os.fspath(output),
            overwrite,
            listener,
        )
    return Deduplicated(result, source, settings)


def second(against: Any) -> tuple[str, Any] | None:
    """A second collection, or an index, by itself or by its path."""
    if against is None:
        return None
    if isinstance(against, Index):
        return "index", (os.fspath(against.path), None)
    if isinstance(against, (str, os.PathLike)) and _retold.is_index(os.fspath(against)):
        return "index", (os.fspath(against), None)
    return _input.taken(against).handed()


def query(
    question: Any,
    collection: Any,
    *,
    top: int | None = 10,
    relations: list[str] | None = None,
    quotes: str | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    scratch: str | os.PathLike[str] | None = None,
    progress: bool | _progress.Listener | None = None,
    **settings: Any,
) -> Any:
    """Asks what a text was copied from.

    `question` is a text, and the answer one `Answer`; a `pathlib.Path`, a table or an iterable are many
    questions, and the answers a list. `collection` is an index, or anything that `find` takes: it is read
    for this call. For many calls make an `Index`. With `quotes="mark"` hits tell what the text quotes and
    whether it names them; with `quotes="skip"` that is left out.

    >>> import retold
    >>> note = "The harbour board will close the east quay for repairs from Monday until Friday"
    >>> retold.query(note, [("quay", note + ", it said.")])[0].id
    'quay'
    """
    if not isinstance(collection, Index) and isinstance(collection, (str, os.PathLike)):
        if _retold.is_index(os.fspath(collection)):
            collection = Index.open(collection)
    if isinstance(collection, Index):
        return collection.query(question, top=top, relations=relations, quotes=quotes, **settings)
    is_one = isinstance(question, str)
    asked = _input.taken([("question", question)] if is_one else question)
    with _progress.shown(progress) as listener:
        answers = _retold.query(
            asked.handed(),
            _input.taken(collection).handed(),
            _settings.job(settings),
            _settings.options({"top": top, "relations": relations, "quotes": quotes}),
            _settings.resources(threads, memory, scratch),
            listener,
        )
    told = [Answer(json.loads(answer)) for answer in answers]
    if is_one and not told:
        raise UsageError("the question cannot be read as a text: it may be binary")
    return told[0] if is_one else told

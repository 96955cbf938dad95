"""A collection that remembers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from types import TracebackType
from typing import Any

from retold import _input, _progress, _retold, _settings
from retold._answers import Answer
from retold._comparison import one
from retold._retold import UsageError


class Index:
    """An index on disk: made once, added to, and asked in milliseconds.

    Whoever asks sees one state of it, that of opening or of the last change made through this object;
    `reload` looks at what other processes wrote. There is one writer at a time: this object becomes it
    with its first change, and stays it until it is closed. It pickles as its path and the number of
    its state, and unpickles only where that state is still the newest.

    >>> import retold, tempfile
    >>> note = "The harbour board will close the east quay for repairs from Monday until Friday"
    >>> folder = tempfile.TemporaryDirectory()
    >>> with retold.Index.create(folder.name + "/archive.idx") as index:
    ...     index.add([("quay", note + ", it said.")])["n_added"]
    ...     hits = index.query(note)
    1
    >>> hits[0].id, hits[0].relation, hits.searched.n_documents
    ('quay', 'near-duplicate', 1)
    """

    def __init__(self, index: _retold.Index) -> None:
        self._index = index

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        methods: Iterable[str] | None = None,
        texts: str = "stored",
        **settings: Any,
    ) -> Index:
        """Makes an index. Settings are those of `find`; `methods` are several methods at once, of which
        questions may choose. `texts="by-reference"` leaves texts in their files."""
        jobs = [settings | {"method": method} for method in methods] if methods else [settings]
        return cls(_retold.Index.create(os.fspath(path), [_settings.job(job) for job in jobs], texts))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Index:
        """Opens an index as it is now."""
        return cls(_retold.Index.open(os.fspath(path)))

    @property
    def path(self) -> str:
        return os.fspath(self._index.path)

    @property
    def commit(self) -> int:
        """Number of the state that is read."""
        return self._index.commit

    @property
    def methods(self) -> list[str]:
        """Names of the methods it was made for."""
        return self._index.methods()

    def add(
        self,
        data: Any,
        *,
        strict: bool = False,
        threads: int | None = None,
        memory: int | str | None = None,
        scratch: str | os.PathLike[str] | None = None,
        progress: bool | _progress.Listener | None = None,
        **settings: Any,
    ) -> dict[str, Any]:
        """Adds documents, as `find` takes them; one with an id that is there replaces the other. Settings
        are those of reading: `text`, `id` and so on. Returns how many were added, replaced, and bad."""
        source = _input.taken(data)
        with _progress.shown(progress) as listener:
            added = self._index.add(
                source.handed(),
                _settings.job(settings),
                _settings.resources(threads, memory, scratch),
                strict,
                listener,
            )
        told: dict[str, Any] = json.loads(added)
        return told

    def query(
        self,
        question: Any,
        *,
        top: int | None = 10,
        relations: list[str] | None = None,
        method: str | None = None,
        rank: str | None = None,
        since: Any = None,
        until: Any = None,
        where: dict[str, Any] | None = None,
        without: dict[str, Any] | None = None,
        without_ids: Iterable[str] | None = None,
        passages_per_pair: int | None = None,
        whole: bool = False,
        quotes: str | None = None,
        explain: bool = False,
        threads: int | None = None,
        progress: bool | _progress.Listener | None = None,
        **settings: Any,
    ) -> Any:
        """Asks what a text was copied from.

        A text, a dictionary or a pair of an id and a text gives one `Answer`, everything else that
        `find` takes a list of them; files are named by `pathlib.Path`s. `since`, `until`, `where` and
        `without` say which documents may answer: `where={"source": ["ap", "afp"]}`. `quotes` is as for
        `retold.query`.
        """

        def listed(fields: dict[str, Any] | None) -> dict[str, list[str]] | None:
            return fields and {k: [v] if isinstance(v, str) else list(v) for k, v in fields.items()}

        asking = _settings.options(
            {
                "top": top,
                "relations": relations,
                "method": method,
                "rank": rank,
                "from": since,
                "until": until,
                "where": listed(where),
                "without": listed(without),
                "without_ids": None if without_ids is None else list(without_ids),
                "passages_per_pair": passages_per_pair,
                "whole": whole,
                "quotes": quotes,
                "explain": explain,
            }
        )
        if isinstance(question, (str, dict, tuple)) and not settings:
            return Answer(json.loads(self._index.ask(one(question), asking)))
        source = _input.taken([question] if isinstance(question, (str, dict, tuple)) else question)
        with _progress.shown(progress) as listener:
            answers = self._index.ask_all(
                source.handed(), _settings.job(settings), asking, _settings.resources(threads, None, None), listener
            )
        told = [Answer(json.loads(answer)) for answer in answers]
        is_one = isinstance(question, (str, dict, tuple))
        if is_one and not told:
            raise UsageError("the question cannot be read as a text: it may be binary")
        return told[0] if is_one else told

    def get(self, id: str) -> dict[str, Any] | None:
        """Returns a document by its id."""
        told = self._index.get(id)
        return None if told is None else json.loads(told)

    def remove(self, ids: str | Iterable[str], *, purge: bool = False) -> int:
        """Removes documents by their ids and returns how many there were; `purge` erases their texts from
        all files."""
        return self._index.remove([ids] if isinstance(ids, str) else list(ids), purge)

    def expire(self, before: Any) -> int:
        """Removes documents from before a time, such as "2026-11-01"."""
        return self._index.expire(before.isoformat() if hasattr(before, "isoformat") else str(before))

    def merge(self) -> None:
        """Merges all parts of the index into one."""
        self._index.merge()

    def refresh(self, *, threads: int | None = None) -> None:
        """Counts the statistics of methods that need any anew, and makes their images again."""
        self._index.refresh(_settings.resources(threads, None, None))

    def reload(self) -> None:
        """Reads the newest state, if another process wrote to it."""
        self._index.reload()

    def stats(self) -> dict[str, Any]:
        """Returns figures: documents, bytes, methods."""
        told: dict[str, Any] = json.loads(self._index.stats())
        return told

    def close(self) -> None:
        """Closes it; what was written is durable already."""
        self._index.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._index)

    def __bool__(self) -> bool:
        return True

    def __contains__(self, id: str) -> bool:
        return self._index.get(id) is not None

    def __repr__(self) -> str:
        if not self._index.is_open:
            return f"<retold.Index {self.path!r}, closed>"
        return f"<retold.Index {self.path!r} of {len(self)} documents>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (os.path.abspath(self.path), self.commit)


def _reopened(path: str, commit: int) -> Index:
    index = Index.open(path)
    if index.commit != commit:
        raise UsageError(f"index `{path}` has changed since it was pickled: open it again")
    return index

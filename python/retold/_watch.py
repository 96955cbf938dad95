"""Documents that come one by one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any

from retold import _retold, _settings
from retold._answers import Hit


class Verdict:
    """What a story repeats of a time window."""

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told
        self.id: str = told["id"]
        #: Its number in the stream, from 1.
        self.seq: int = told["seq"]
        #: The earliest story of the window that tells the same, if there is one.
        self.copy_of: str | None = told.get("copy_of")
        #: Id of the story that its cluster began with; its own if it is new.
        self.cluster: str = told["cluster"]
        #: The earliest telling that is known: its id, time and source.
        self.first_id: str = told["first"]["id"]
        self.first_time: str | None = told["first"].get("time")
        self.first_source: str | None = told["first"].get("source")
        #: Whether it is older than the window, and was not kept.
        self.is_late: bool = told["is_late"]
        self.is_too_short: bool = told["is_too_short"]
        #: Related stories of the window.
        self.hits: list[Hit] = [Hit._of(hit) for hit in told["hits"]]

    @property
    def is_new(self) -> bool:
        """Whether it begins a cluster of its own: no story of the window tells the same."""
        return self.cluster == self.id

    def to_dict(self) -> dict[str, Any]:
        """Returns everything, as `retold stream` prints it."""
        return self._told

    def __repr__(self) -> str:
        told = "new" if self.is_new else f"repeats {self.cluster!r}"
        return f"<retold.Verdict on {self.id!r}: {told}>"


class Watch:
    """A stream of stories that an index keeps: each is compared with those of a time window.

    An index that is not there is made, with the settings of `find`. Every story is durable when `add`
    returns; a stream that is opened again goes on where it stopped.

    >>> import retold, tempfile
    >>> note = "The harbour board will close the east quay for repairs from Monday until Friday"
    >>> folder = tempfile.TemporaryDirectory()
    >>> with retold.Watch(folder.name + "/wire.idx", window="7d") as watch:
    ...     first = watch.add(id="a", text=note, time="2026-11-01", source="ap")
    ...     second = watch.add(id="b", text=note + ", it said.", time="2026-11-02", source="afp")
    >>> first.is_new, second.is_new, second.first_source
    (True, False, 'ap')
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        window: int | str | None = None,
        name: str | None = None,
        stream_method: str | None = None,
        forget: bool = False,
        **settings: Any,
    ) -> None:
        options = {"window": _settings.span(window), "name": name, "method": stream_method, "forget": forget}
        self._watch = _retold.Watch(os.fspath(path), _settings.job(settings), _settings.options(options))

    def add(self, *, id: Any, text: str, time: Any = None, source: str | None = None, **fields: Any) -> Verdict:
        """Takes a story and says what it repeats."""
        story = {"id": id, "text": text, "time": time, "source": source} | fields
        return self.add_all([story])[0]

    def add_all(self, stories: Iterable[Mapping[str, Any] | tuple[Any, str]]) -> list[Verdict]:
        """Takes several stories, all or none; quicker than one by one."""
        return [Verdict(json.loads(told)) for told in self._watch.add(list(stories))]

    @property
    def seq(self) -> int:
        """Number of the last story."""
        return self._watch.seq

    def close(self) -> None:
        """Closes the stream; every story is durable already."""
        self._watch.close()

    def __len__(self) -> int:
        """Number of stories in the window."""
        return len(self._watch)

    def __bool__(self) -> bool:
        return True

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

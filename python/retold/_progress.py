"""Progress, through tqdm where it is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from retold._retold import UsageError

Listener = Callable[[str, int, int, int], None]


@contextmanager
def shown(progress: bool | Listener | None) -> Iterator[Listener | None]:
    """Gives a function that hears of the progress, or `None`.

    `None` shows a bar if standard error is a terminal and tqdm is there, `True` needs tqdm, `False`
    shows nothing, and a function is called with the name of the stage, what is done of it, its length
    (0 if it is not known) and the number of documents.
    """
    if progress is False or (progress is None and not sys.stderr.isatty()):
        yield None
        return
    if callable(progress):
        yield progress
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if progress:
            raise UsageError("progress=True needs the package tqdm") from None
        yield None
        return
    bar = Bar(tqdm)
    try:
        yield bar
    finally:
        bar.close()


class Bar:
    """One bar a stage."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._stage = ""
        self._bar: Any = None

    def __call__(self, stage: str, done: int, total: int, documents: int) -> None:
        if stage != self._stage:
            self.close()
            self._stage = stage
            self._bar = self._tqdm(desc=stage, total=total or None, unit_scale=True, leave=False)
        self._bar.total = total or None
        self._bar.n = done
        self._bar.set_postfix_str(f"{documents:,} documents", refresh=False)
        self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

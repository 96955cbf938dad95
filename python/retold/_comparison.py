"""Two documents side by side."""

from __future__ import annotations

import html
import json
import os
from typing import Any

from retold import _retold, _settings
from retold._answers import Credit, Passage


class Comparison:
    """How two documents relate; a notebook shows them side by side."""

    def __init__(self, told: dict[str, Any], page: str) -> None:
        #: How the first relates to the second: `exact`, `near-duplicate`, `contains`, `contained`,
        #: `partial`, or None.
        self.relation: str | None = told["relation"]
        self.resemblance: float = told["resemblance"]
        #: Share of the first that stands in the second.
        self.a_in_b: float = told["a_in_b"]
        #: Share of the second that stands in the first.
        self.b_in_a: float = told["b_in_a"]
        #: Share of the different words of the first that stand in the second, and the other way round.
        self.vocabulary: tuple[float, float] = (told["vocabulary"][0], told["vocabulary"][1])
        self.passages: list[Passage] = [Passage._of(passage) for passage in told["evidence"]]
        self.n_words: tuple[int, int] = (told["n_words"][0], told["n_words"][1])
        #: How the first admits to what it took from the second, and the other way round, with
        #: `quotes="mark"` or `"skip"`.
        self.credits: tuple[Credit, Credit] | None = None
        if told["credits"] is not None:
            self.credits = (Credit._of(told["credits"][0]), Credit._of(told["credits"][1]))
        #: Both side by side, as one HTML page that loads nothing.
        self.html: str = page

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" sandbox style="width:100%;height:32em;border:0"></iframe>'

    def __repr__(self) -> str:
        return (
            f"<retold.Comparison: {self.relation or 'not related'}, "
            f"a in b {self.a_in_b:.1%}, b in a {self.b_in_a:.1%}, {len(self.passages)} passages>"
        )


def one(document: Any) -> tuple[str, Any]:
    """A text, a dictionary, a pair of an id and a text, or a path object: one document."""
    if isinstance(document, os.PathLike):
        return "path", os.fspath(document)
    return "item", document


def compare(a: Any, b: Any, *, quotes: str = "count", **settings: Any) -> Comparison:
    """Compares two documents: texts, dictionaries with a text, or `pathlib.Path`s of files.

    With `quotes="mark"` it is told what either quotes and whether it names the other; with
    `quotes="skip"` quotations are left out.

    >>> import retold
    >>> note = "The harbour board will close the east quay for repairs from Monday until Friday."
    >>> both = retold.compare(note, f"Ships will have to wait. {note} Ferries are not affected at all.")
    >>> both
    <retold.Comparison: contained, a in b 100.0%, b in a 47.6%, 1 passages>
    >>> both.passages[0].b_text
    'The harbour board will close the east quay for repairs from Monday until Friday'
    """
    told, page = _retold.compare(one(a), one(b), _settings.job(settings), quotes)
    return Comparison(json.loads(told), page)

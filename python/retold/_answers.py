"""What questions are answered with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Passage:
    """A passage that two documents share. Places are bytes of the texts as UTF-8."""

    a: tuple[int, int]
    b: tuple[int, int]
    #: Words that agree, in order.
    words: int
    #: Words inside it without a partner.
    differ: int
    #: Words that agree but stand in another order; only with heavy edits are there any.
    moved: int = 0
    #: How both agree: `equal`, `edited`, `reordered` or `summarised`.
    agrees: str = "equal"
    #: The passage as it stands in each, where the texts are at hand.
    a_text: str | None = None
    b_text: str | None = None

    @classmethod
    def _of(cls, told: dict[str, Any]) -> Passage:
        return cls(
            a=tuple(told["a"]),
            b=tuple(told["b"]),
            words=told["words"],
            differ=told["differ"],
            moved=told.get("moved", 0),
            agrees=told["agrees"],
            a_text=told.get("a_text"),
            b_text=told.get("b_text"),
        )


@dataclass(frozen=True)
class Credit:
    """How a text admits to what it took from a document."""

    #: Whether it names the document's title, source or address outside of the passages.
    is_named: bool
    #: The passages that are quoted for the most part, by their numbers.
    quoted: tuple[int, ...]

    @classmethod
    def _of(cls, told: dict[str, Any]) -> Credit:
        return cls(told["is_named"], tuple(told["quoted"]))


@dataclass(frozen=True)
class Hit:
    """A document that is related to the one asked about."""

    id: str
    #: How the document asked about relates to it: `contained` if it stands in this one.
    relation: str
    resemblance: float
    #: Share of the document asked about that stands in this one.
    a_in_b: float
    #: Share of this one that stands in the document asked about.
    b_in_a: float
    #: The shares that hits are ranked by: `a_in_b` and `b_in_a`, or with heavy edits the shares of words in
    #: passages if these are larger.
    of_text: float
    of_document: float
    passages: tuple[Passage, ...] = field(repr=False)
    title: str | None = None
    time: str | None = None
    source: str | None = None
    #: Share of the question's keys that it has, rare ones counting more; only an index tells it.
    match_ratio: float | None = None
    #: How the text asked about admits to the passages, with `quotes="mark"` or `"skip"`.
    credit: Credit | None = None

    @classmethod
    def _of(cls, told: dict[str, Any]) -> Hit:
        return cls(
            id=told["id"],
            relation=told["relation"],
            resemblance=told["resemblance"],
            a_in_b=told["a_in_b"],
            b_in_a=told["b_in_a"],
            of_text=told["of_text"],
            of_document=told["of_document"],
            passages=tuple(Passage._of(passage) for passage in told["evidence"]),
            title=told.get("title"),
            time=told.get("time"),
            source=told.get("source"),
            match_ratio=told.get("match_ratio"),
            credit=Credit._of(told["credit"]) if "credit" in told else None,
        )


@dataclass(frozen=True)
class Origin:
    """A document that explains part of a question."""

    id: str
    #: Words of the question in it.
    n_words: int
    #: Words of the question that none of the origins before it explains.
    n_new: int
    #: Where these words stand in the question, in bytes.
    spans: tuple[tuple[int, int], ...] = field(repr=False)


@dataclass(frozen=True)
class Searched:
    """What was searched for an answer, and what was left out."""

    n_documents: int
    n_compared: int
    #: What a limit left out; 0 is nothing.
    n_cut: int


class Answer:
    """What was found for one text: a sequence of hits, the best first.

    >>> import retold
    >>> note = "The harbour board will close the east quay for repairs from Monday until Friday"
    >>> answer = retold.query(note, [("apples", "Apples are cheap this year."), ("quay", note + ", it said.")])
    >>> [(hit.id, hit.relation) for hit in answer]
    [('quay', 'near-duplicate')]
    >>> answer.sources()[0].n_words, answer.searched.n_documents
    (14, 2)
    """

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told
        self.id: str = told["id"]
        self.n_words: int = told["n_words"]
        #: Whether the text has too few words to be judged.
        self.is_too_short: bool = told["is_too_short"]
        #: Related documents, those included that are not listed.
        self.n_hits: int = told["n_hits"]
        self.hits: list[Hit] = [Hit._of(hit) for hit in told["hits"]]
        searched = told["searched"]
        self.searched = Searched(searched["n_documents"], searched["n_compared"], searched["n_cut"])
        #: Stretches of the text in quotation marks or block quotes, in bytes, if `quotes` was given.
        self.quotations: list[tuple[int, int]] | None = None
        if "quotations" in told:
            self.quotations = [(start, end) for start, end in told["quotations"]]
        #: Documents that were left out because the text names them (`quotes="skip"`).
        self.n_named: int = told.get("n_named", 0)
        #: How the answer came about, if it was asked for.
        self.explanation: dict[str, Any] | None = told.get("explanation")

    def sources(self) -> list[Origin]:
        """Returns the fewest documents that explain what can be explained of the text."""
        return [
            Origin(told["id"], told["n_words"], told["n_new"], tuple(map(tuple, told["spans"])))
            for told in self._told["attribution"]["sources"]
        ]

    def unfound(self) -> list[tuple[int, int]]:
        """Returns the stretches of the text, in bytes, that were found in no document."""
        return [(start, end) for start, end in self._told["attribution"]["unfound"]]

    def to_dict(self) -> dict[str, Any]:
        """Returns everything, as `retold query --json` has it."""
        return self._told

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __getitem__(self, place: int) -> Hit:
        return self.hits[place]

    def __repr__(self) -> str:
        return f"<retold.Answer to {self.id!r}: {self.n_hits} of {self.searched.n_documents} documents>"

"""What `find` and `dedup` return."""

from __future__ import annotations

import heapq
import json
from collections.abc import Mapping
from typing import Any

from retold import _input, _progress, _retold, _settings
from retold._retold import UsageError
from retold._tables import Kept, Table


class Found:
    """What `retold.find` found.

    >>> import retold
    >>> note = "The harbour board will close the east quay for repairs from Monday until Friday."
    >>> found = retold.find({"id": n, "text": note} for n in "abc")
    >>> found
    <retold.Found: 3 documents, 3 pairs, 1 clusters>
    >>> found.clusters[0]["members"]
    ['a', 'b', 'c']
    >>> [row["verdict"] for row in found.documents]
    ['representative', 'copy', 'copy']
    """

    def __init__(self, result: _retold.Result, source: _input.Input, settings: Mapping[str, Any]) -> None:
        self._result: _retold.Result | None = result
        self._source: _input.Input | None = source
        self._settings = dict(settings)
        self._tables: dict[str, Table] = {}
        #: The figures: numbers of documents, pairs, clusters and so on, as `retold find --json` has them.
        self.summary: dict[str, Any] = json.loads(result.summary())
        #: What was done, and how: settings, versions, limits that cut something, bad records.
        self.manifest: dict[str, Any] = json.loads(result.manifest())

    def _table(self, name: str) -> Table:
        if name not in self._tables:
            self._tables[name] = Table(getattr(self._result, name))
        return self._tables[name]

    @property
    def pairs(self) -> Table:
        """Related pairs: ids, relation, scores, and the passages that prove it."""
        return self._table("pairs")

    @property
    def clusters(self) -> Table:
        """Clusters of documents that tell the same."""
        return self._table("clusters")

    @property
    def documents(self) -> Table:
        """All documents, in the order of reading, and what was found about each."""
        return self._table("documents")

    def regroup(
        self,
        *,
        dedup: bool | None = None,
        threads: int | None = None,
        memory: int | str | None = None,
        scratch: Any = None,
        **settings: Any,
    ) -> Any:
        """Cuts the result at other thresholds, without a second run.

        All pairs must be there: `find(..., pairs="all")`. Settings are `containment`, `passage_words`,
        `shared`, `distinctive` (after `find(..., distinctive=0)`), `clusters`, `join`, `keep`, and with
        `dedup=True` also `cover` and `remove_contained`. Thresholds may be raised, not lowered.

        >>> import retold
        >>> note = "The harbour board will close the east quay for repairs from Monday until Friday"
        >>> found = retold.find([note, note + ", as was said."], pairs="all")
        >>> found.pairs["relation"], found.regroup(containment=0.9).pairs["relation"]
        (['near-duplicate'], ['contained'])
        """
        if self._result is None or self._source is None:
            raise UsageError("a result that was pickled cannot be cut anew")
        is_deciding = self._result.is_deciding if dedup is None else dedup
        with _progress.shown(False) as listener:
            result = self._result.regroup(
                _settings.options(settings), _settings.resources(threads, memory, scratch), is_deciding, listener
            )
        kind = Deduplicated if is_deciding else Found
        return kind(result, self._source, self._settings)

    def _tables_to_pickle(self) -> tuple[str, ...]:
        return ("pairs", "clusters", "documents")

    def __getstate__(self) -> dict[str, Any]:
        tables = {name: self._table(name) for name in self._tables_to_pickle()}
        return self.__dict__ | {"_result": None, "_source": None, "_tables": tables}

    def __repr__(self) -> str:
        told = self.summary
        return (
            f"<retold.{type(self).__name__}: {told['n_documents']} documents, "
            f"{told['n_pairs']} pairs, {told['n_clusters']} clusters>"
        )

    def _repr_html_(self) -> str:
        names = ("n_documents", "n_pairs", "n_clusters", "n_copies", "n_removed", "n_review", "n_bad", "seconds")
        rows = "".join(
            f"<tr><th>{name}</th><td>{self.summary[name]}</td></tr>" for name in names if self.summary[name] is not None
        )
        return f"<table>{rows}</table>"


class Deduplicated(Found):
    """What `retold.dedup` found and decided.

    >>> import retold
    >>> note = "The harbour board will close the east quay for repairs from Monday until Friday."
    >>> result = retold.dedup([note, "Something else that nobody has told before today.", note.lower()])
    >>> result.kept_rows
    [0, 1]
    >>> [(row["id"], row["covered_by"], row["relation"], row["covered"]) for row in result.removed]
    [('2', '0', 'exact', 1.0)]
    >>> result.kept[1]
    'Something else that nobody has told before today.'
    """

    def __init__(self, result: _retold.Result, source: _input.Input, settings: Mapping[str, Any]) -> None:
        super().__init__(result, source, settings)
        self._kept_rows: list[int] | None = None

    @property
    def removed(self) -> Table:
        """Documents that go, each with the kept one that covers it."""
        return self._table("removed")

    @property
    def review(self) -> Table:
        """Documents that are left to a person: they stay, but a much longer one holds them."""
        return self._table("review")

    @property
    def kept_rows(self) -> list[int]:
        """Numbers of the rows that stay, counted from 0: of a table, a list or a data set. Rows without
        a text are in neither list. Of files they are the records in each file."""
        if self._kept_rows is None:
            assert self._result is not None
            self._kept_rows = self._result.kept_rows
        return self._kept_rows

    @property
    def kept(self) -> Any:
        """What was handed over, without what is removed: of a list a list, of a data set the data set,
        of a table its rows and of files their documents, both as an Arrow stream that is read again
        when it is looked at. Of Parquet files of one schema these are the rows with all their columns."""
        if self._result is None or self._source is None:
            raise UsageError("a result that was pickled has no documents: use kept_rows")
        result, settings = self._result, _settings.job(self._settings)
        return _input.kept(self._source, lambda: self.kept_rows, lambda whole: Kept(result, whole, settings))

    def least_certain(self, n: int = 10) -> list[dict[str, Any]]:
        """Returns the decisions that are nearest to the border: documents, removed or left for review,
        whose covered share is nearest to `cover`."""
        cover = self.manifest["settings"]["cover"]
        decided = [
            (abs(share - cover), place, table)
            for table in (self.removed, self.review)
            for place, share in enumerate(table["covered"])
        ]
        nearest = heapq.nsmallest(n, decided, key=lambda decision: decision[:2])
        return [table[place] for _, place, table in nearest]

    def _tables_to_pickle(self) -> tuple[str, ...]:
        return (*super()._tables_to_pickle(), "removed", "review")

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_kept_rows": self.kept_rows}

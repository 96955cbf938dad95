"""Finds what was told again: copies, near-duplicates, containments and shared passages.

>>> import retold
>>> note = "The harbour board will close the east quay for repairs from Monday until Friday."
>>> article = f"Ships will have to wait. {note} Ferries are not affected by it at all."
>>> found = retold.find([("note", note), ("article", article)])
>>> found.pairs[0]["relation"]
'contained'

`find` and `dedup` look through a collection, `query` and `compare` at single texts, `Index` keeps a
collection on disk and `Watch` follows a stream. All are the same Rust code as the command `retold`, and
give the same results.
"""

from retold._answers import Answer, Credit, Hit, Origin, Passage, Searched
from retold._comparison import Comparison, compare
from retold._index import Index
from retold._lab import evaluate, generate, methods
from retold._results import Deduplicated, Found
from retold._retold import VERSION as __version__
from retold._retold import Error, InputError, InternalError, StoppedError, UsageError
from retold._searching import dedup, find, query
from retold._tables import ArrowStream, Table
from retold._watch import Verdict, Watch

__all__ = [
    "Answer",
    "ArrowStream",
    "Comparison",
    "Credit",
    "Deduplicated",
    "Error",
    "Found",
    "Hit",
    "Index",
    "InputError",
    "InternalError",
    "Origin",
    "Passage",
    "Searched",
    "StoppedError",
    "Table",
    "UsageError",
    "Verdict",
    "Watch",
    "__version__",
    "compare",
    "dedup",
    "evaluate",
    "find",
    "generate",
    "methods",
    "query",
]

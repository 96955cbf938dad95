"""What a text quotes, and the sources that it names."""

from __future__ import annotations

import pytest
from conftest import NOTE

import retold


def test_a_quotation_is_marked_or_left_out():
    draft, archive = f"She told us: “{NOTE}” And nothing else.", [("note", NOTE)]
    marked = retold.query(draft, archive, quotes="mark")
    assert marked.hits[0].credit == retold.Credit(is_named=False, quoted=(0,))
    [(start, end)] = marked.quotations
    assert draft.encode()[start:end].decode() == f"“{NOTE}”"
    assert retold.query(draft, archive).hits[0].credit is None
    assert len(retold.query(draft, archive, quotes="skip")) == 0


def test_a_named_source_is_left_out():
    archive = [{"id": "note", "source": "Harbour Wire", "text": NOTE}]
    skipped = retold.query(f"As told by Harbour Wire: {NOTE}", archive, quotes="skip")
    assert (len(skipped), skipped.n_named) == (0, 1)


def test_quotations_of_two_documents():
    told = retold.compare(NOTE, f"He said “{NOTE}” on Monday.", quotes="mark")
    assert told.credits[0].quoted == () and told.credits[1].quoted == (0,)
    assert retold.compare(NOTE, NOTE).credits is None
    with pytest.raises(retold.UsageError, match="mark"):
        retold.compare(NOTE, NOTE, quotes="sometimes")

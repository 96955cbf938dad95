"""Indexes and streams."""

from __future__ import annotations

import datetime
import signal

import pytest
from conftest import ARTICLE, NOTE, OTHER

import retold


@pytest.fixture
def index(texts, tmp_path):
    with retold.Index.create(tmp_path / "archive.idx") as index:
        stories = zip("abcd", texts, ["ap", "afp", "ap", "dpa"], strict=True)
        index.add({"id": id, "text": text, "source": source, "time": "2026-11-01"} for id, text, source in stories)
        yield index


def test_questions(index):
    answer = index.query(NOTE, top=2)
    assert (len(answer), answer.n_hits, answer.searched.n_documents) == (2, 3, 4)
    assert answer[0].relation == "exact" and answer[0].source == "ap"
    assert [hit.id for hit in index.query(NOTE, relations=["contained"])] == ["b"]
    assert [hit.id for hit in index.query(NOTE, where={"source": "dpa"})] == ["d"]
    assert len(index.query(NOTE, until=datetime.date(2026, 10, 1))) == 0
    assert {hit.id for hit in index.query(NOTE, without_ids=["a"])} == {"b", "d"}
    assert index.query(NOTE, explain=True).explanation["method"] == "anchor"
    answers = index.query([NOTE, OTHER, "short"])
    assert [len(answer) for answer in answers] == [3, 1, 0] and answers[2].is_too_short
    assert index.query({"body": NOTE}, text="body").n_hits == 3
    assert index.query(f"{NOTE} {OTHER}").sources()[0].n_words > 10


def test_what_it_holds(index):
    assert len(index) == 4 and "a" in index and "x" not in index
    assert index.get("b")["text"] == ARTICLE and index.get("x") is None
    assert index.methods == ["anchor"] and index.stats()["n_documents"] == 4
    assert repr(index).endswith("of 4 documents>")


def test_changes(index):
    before = index.commit
    assert index.add([("a", OTHER)])["n_replaced"] == 1
    assert index.commit > before and index.get("a")["text"] == OTHER
    assert index.remove(["a", "x"]) == 1 and index.remove("b", purge=True) == 1
    assert len(index) == 2
    index.merge()
    assert index.expire("2026-11-02") == 2 and len(index) == 0


def test_a_reader_sees_its_state_until_it_looks_again(index):
    reader = retold.Index.open(index.path)
    index.remove("a")
    assert len(reader) == 4
    reader.reload()
    assert len(reader) == 3
    reader.close()
    with pytest.raises(retold.UsageError, match="closed"):
        len(reader)
    assert repr(reader).endswith("closed>")


def test_there_is_one_writer(index):
    other = retold.Index.open(index.path)
    with pytest.raises(retold.UsageError):
        other.add([NOTE])
    index.close()
    assert other.add([("e", NOTE)])["n_added"] == 1
    other.close()


def test_errors_leave_it_usable(index):
    def stories():
        yield ("e", NOTE)
        raise KeyError("gone")

    with pytest.raises(KeyError):
        index.add(stories())
    with pytest.raises(retold.InputError):
        index.add([("f", NOTE), None], strict=True)
    assert index.add([("g", NOTE)])["n_added"] == 1 and index.query(NOTE).n_hits >= 4
    with pytest.raises(retold.UsageError, match="no setting `size`"):
        index.add([NOTE], size=3)
    with pytest.raises(retold.UsageError):
        retold.Index.open("not-there.idx")


def test_several_methods(texts, tmp_path):
    with retold.Index.create(tmp_path / "two.idx", methods=["anchor", "minhash"]) as index:
        index.add(texts)
        assert index.methods == ["anchor", "minhash"]
        assert index.query(NOTE, method="minhash")[0].relation == "exact"
        with pytest.raises(retold.UsageError, match="codet"):
            index.query(NOTE, method="codet")


def test_a_stream_goes_on_where_it_stopped(tmp_path):
    path = tmp_path / "wire.idx"
    with retold.Watch(path, window="7d") as watch:
        first = watch.add(id="a", text=NOTE, time=datetime.date(2026, 11, 1), source="ap")
        assert first.is_new and first.seq == 1 and first.first_source == "ap"
    with retold.Watch(path, window="7d") as watch:
        second = watch.add(id="b", text=NOTE.upper(), time="2026-11-02", source="afp", title="Quay")
        assert (second.is_new, second.copy_of, second.first_id, second.first_source) == (False, "a", "a", "ap")
        assert second.hits[0].relation == "exact" and len(watch) == 2
        later, other = watch.add_all(
            [{"id": "c", "text": NOTE, "time": "2026-12-24"}, {"id": "d", "text": OTHER, "time": "2026-12-24"}]
        )
        # It is far ahead of the clock, or else the window has moved on; either way it is told.
        assert later.seq == 3 and other.is_new
    with pytest.raises(retold.UsageError, match="closed"):
        watch.add(id="e", text=NOTE)
    with pytest.raises(retold.UsageError, match="span"):
        retold.Watch(path, window="soon")
    with pytest.raises(retold.UsageError, match="settings of the method"):
        retold.Watch(path, method="minhash")
    assert retold.Index.open(path).get("a")["source"] == "ap"


def test_an_interrupt_does_not_close_a_stream(tmp_path):
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with retold.Watch(tmp_path / "wire.idx") as watch:
            stories = [{"id": str(n), "text": f"{NOTE} {n} {OTHER} {n * n}"} for n in range(4_000)]
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            with pytest.raises(KeyboardInterrupt):
                watch.add_all(stories)
            assert watch.seq in (0, 4_000) and len(watch) == watch.seq
            assert watch.add(id="e", text="Nobody has told this before today, in no paper.").is_new
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_story_needs_an_id_and_a_text(tmp_path):
    with retold.Watch(tmp_path / "wire.idx") as watch:
        with pytest.raises(retold.UsageError, match="id"):
            watch.add(id=None, text=NOTE)
        with pytest.raises(retold.UsageError, match="string"):
            watch.add(id="a", text=None)
        assert watch.add(id="a", text=NOTE).is_new

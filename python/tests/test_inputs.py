"""Whatever documents come in, the same is found."""

from __future__ import annotations

import datetime

import pytest
from conftest import ARTICLE, NOTE, OTHER

import retold

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def relations(found: retold.Found) -> list[tuple[str, str, str]]:
    return sorted((pair["a"], pair["relation"], pair["b"]) for pair in found.pairs)


EXPECTED = [("0", "contained", "1"), ("0", "exact", "3"), ("1", "contains", "3")]
STRINGS = {
    "string": pyarrow.string(),
    "large_string": pyarrow.large_string(),
    "string_view": pyarrow.string_view(),
    "dictionary": pyarrow.dictionary(pyarrow.int8(), pyarrow.string()),
    "dictionary of large": pyarrow.dictionary(pyarrow.uint32(), pyarrow.large_string()),
}


@pytest.mark.parametrize("kind", STRINGS)
def test_strings_of_every_type(texts, kind):
    column = pyarrow.array(texts).cast(STRINGS[kind])
    assert relations(retold.find(pyarrow.table({"text": column}))) == EXPECTED
    # Several batches, sliced.
    table = pyarrow.table({"text": pyarrow.chunked_array([column, column])}).slice(0, 4)
    assert relations(retold.find(table)) == EXPECTED
    batches = pyarrow.RecordBatchReader.from_batches(table.schema, iter(table.to_batches(max_chunksize=1)))
    assert relations(retold.find(batches)) == EXPECTED


@pytest.mark.parametrize("kind", [pyarrow.int8(), pyarrow.uint64(), pyarrow.int32(), pyarrow.string()])
def test_ids_of_every_type(texts, kind):
    ids = pyarrow.array([10, 11, 12, 13]).cast(kind)
    found = retold.find(pyarrow.table({"key": ids, "body": texts}), text="body", id="key")
    assert relations(found)[0] == ("10", "contained", "11")
    assert found.documents["id"] == ["10", "11", "12", "13"]


def test_iterables(texts):
    assert relations(retold.find(texts)) == EXPECTED
    assert relations(retold.find(tuple(texts))) == EXPECTED
    assert relations(retold.find(text for text in texts)) == EXPECTED
    assert relations(retold.find(enumerate(texts))) == EXPECTED
    assert relations(retold.find({"text": text, "id": n} for n, text in enumerate(texts))) == EXPECTED
    many = [f"{n} {NOTE}" for n in range(1_000)]
    assert len(retold.find(many, text="text").documents) == 1_000


def test_frames(texts):
    polars = pytest.importorskip("polars")
    assert relations(retold.find(polars.DataFrame({"text": texts}))) == EXPECTED
    assert relations(retold.find(polars.Series(texts))) == EXPECTED
    pandas = pytest.importorskip("pandas")
    assert relations(retold.find(pandas.DataFrame({"text": texts}))) == EXPECTED
    with pytest.raises(retold.UsageError, match="collect"):
        retold.find(polars.LazyFrame({"text": texts}))


def test_paths(texts, tmp_path):
    for n, text in enumerate(texts):
        parquet.write_table(pyarrow.table({"id": [str(n)], "text": [text]}), tmp_path / f"{n}.parquet")
    assert relations(retold.find(str(tmp_path / "*.parquet"))) == EXPECTED
    assert relations(retold.find(tmp_path)) == EXPECTED
    assert relations(retold.find(sorted(tmp_path.iterdir()))) == EXPECTED
    with pytest.raises(retold.UsageError, match="no file fits"):
        retold.find(str(tmp_path / "*.csv"))
    with pytest.raises(retold.UsageError, match="not-there"):
        retold.find(tmp_path / "not-there")


def test_times_are_read_from_columns_and_objects(texts):
    day = datetime.datetime(2026, 11, 1, 12)
    times = [day, day - datetime.timedelta(days=1), day, day - datetime.timedelta(days=2)]
    for kind in ("s", "ms", "us", "ns"):
        table = pyarrow.table({"text": texts, "time": pyarrow.array(times).cast(pyarrow.timestamp(kind))})
        assert retold.dedup(table, keep="oldest").kept_rows == [1, 2, 3]
        assert retold.dedup(table, keep="oldest").documents["time"][0].startswith("2026-11-01 12:00:00")
    stories = [{"text": text, "time": time} for text, time in zip(texts, times, strict=True)]
    oldest = retold.dedup(stories, keep="oldest")
    assert oldest.kept_rows == [1, 2, 3] and oldest.documents["time"][0] == "2026-11-01T12:00:00"


def test_nulls_are_bad_records_and_rows_keep_their_numbers(texts):
    table = pyarrow.table({"text": [None, *texts, None]})
    result = retold.dedup(table)
    assert result.summary["n_bad"] == 2 and result.summary["n_documents"] == 4
    assert [bad["record"] for bad in result.manifest["bad_records"]] == [0, 5]
    assert result.documents["record"] == [1, 2, 3, 4]
    assert set(result.kept_rows) | {row["record"] for row in result.removed} == {1, 2, 3, 4}
    assert retold.dedup([None, *texts, None]).kept_rows == result.kept_rows
    with pytest.raises(retold.InputError) as raised:
        retold.find(table, strict=True)
    assert (raised.value.file, raised.value.record, raised.value.byte) == ("table", 0, None)


def test_what_is_no_text_is_refused_with_its_name(texts):
    with pytest.raises(retold.InputError, match="no column is named .*there are number"):
        retold.find(pyarrow.table({"number": [1, 2]}))
    with pytest.raises(retold.InputError, match="column `text` is Int64"):
        retold.find(pyarrow.table({"text": [1, 2]}))
    with pytest.raises(retold.UsageError, match="got int"):
        retold.find([1, 2])
    with pytest.raises(retold.UsageError, match="got int"):
        retold.find(7)
    with pytest.raises(retold.UsageError, match="bytes"):
        retold.find(b"text")
    with pytest.raises(retold.UsageError, match="dictionary"):
        retold.find({"a": "b"})
    with pytest.raises(retold.InputError, match="no documents") as raised:
        retold.find([])
    assert raised.value.file is None and raised.value.record is None
    halves = retold.find([*texts, "half a character: \ud800"])
    assert halves.summary["n_bad"] == 1
    numbers = retold.find([{"text": 7}, *[{"text": text} for text in texts]])
    assert numbers.manifest["bad_records"][0]["reason"] == "the text must be a string, got int"


def test_bytes_that_are_no_text_are_bad_records(texts):
    bad = pyarrow.StringArray.from_buffers(1, pyarrow.py_buffer(b"\0\0\0\0\2\0\0\0"), pyarrow.py_buffer(b"\xff\xfe"))
    table = pyarrow.concat_tables([pyarrow.table({"text": bad}), pyarrow.table({"text": texts})])
    found = retold.find(table)
    assert found.manifest["bad_records"][0]["reason"] == "the text is not UTF-8"
    assert found.summary["n_documents"] == 4


def test_a_limit_is_named(texts):
    found = retold.find(pyarrow.table({"text": texts}), max_document=100)
    assert found.summary["n_bad"] == 1 and "max_document" in found.manifest["bad_records"][0]["reason"]


def test_what_an_iterable_raises_comes_out():
    def stories():
        yield NOTE
        raise KeyError("the feed is gone")

    with pytest.raises(KeyError, match="the feed is gone"):
        retold.find(stories())


def test_a_stream_that_breaks_off_is_an_error(texts):
    table = pyarrow.table({"text": texts})

    def batches():
        yield from table.to_batches()
        raise OSError("the disk is gone")

    with pytest.raises(retold.InputError, match="the disk is gone") as raised:
        retold.find(pyarrow.RecordBatchReader.from_batches(table.schema, batches()))
    assert raised.value.record == 4


def test_a_column_that_was_named_has_to_be_there(texts):
    table = pyarrow.table({"text": texts, "key": pyarrow.array([[1]] * 4), "Url": list("abcd")})
    with pytest.raises(retold.InputError, match="no column is named link; there are text, key, Url"):
        retold.find(table, id="link")
    with pytest.raises(retold.InputError, match="column `key` of List"):
        retold.find(table, id="key")
    assert retold.find(table, id="url").documents["id"] == list("abcd")


def test_settings_that_do_not_exist_are_refused(texts):
    for settings, message in [
        ({"methods": "anchor"}, "there is no setting `methods`"),
        ({"method": "no-such"}, "no-such"),
        ({"set": {"k": 0}}, "k must be"),
        ({"keep": "tallest"}, "keep"),
        ({"memory": "much"}, "a size must be"),
        ({"text": 7}, "name of a column"),
    ]:
        with pytest.raises(retold.UsageError, match=message):
            retold.find(texts, **settings)


def test_what_is_kept(texts, tmp_path):
    table = pyarrow.table({"text": texts, "number": [1, 2, 3, 4]})
    result = retold.dedup(table)
    assert result.kept.to_arrow().column("number").to_pylist() == [row + 1 for row in result.kept_rows]
    polars = pytest.importorskip("polars")
    frame = retold.dedup(polars.DataFrame(table)).kept.to_polars()
    assert frame["number"].to_list() == [row + 1 for row in result.kept_rows]
    result.kept.to_parquet(f"{tmp_path}/again/")
    assert parquet.read_table(tmp_path / "again").num_rows == len(result.kept_rows)
    assert [NOTE, OTHER][1] in retold.dedup(texts).kept and ARTICLE in retold.dedup(texts).kept
    once = retold.dedup(text for text in texts)
    assert once.kept_rows == result.kept_rows
    with pytest.raises(retold.UsageError, match="only once"):
        _ = once.kept


def test_what_is_kept_of_files(news, tmp_path):
    result = retold.dedup(news)
    kept = result.kept.to_arrow()
    assert kept.num_rows == len(result.kept_rows) == 74 - len(result.removed)
    assert not set(zip(kept["file"].to_pylist(), kept["record"].to_pylist(), strict=True)) & {
        (row["file"], row["record"]) for row in result.removed
    }
    assert len(retold.dedup(kept).removed) == 0


def test_what_is_kept_of_parquet_files_has_all_columns(texts, tmp_path):
    paths = [str(tmp_path / name) for name in ("a.parquet", "b.parquet")]
    rows = pyarrow.table({"url": list("abcd"), "body": texts, "number": [1, 2, 3, 4], "tags": [["x"], [], None, ["y"]]})
    parquet.write_table(rows, paths[0], row_group_size=3)
    parquet.write_table(rows.slice(0, 2).append_column("more", pyarrow.array([1, 2])).select(rows.column_names), paths[1])
    result = retold.dedup(str(tmp_path / "*.parquet"), text="body", id="url")
    result.kept.to_parquet(f"{tmp_path}/clean/")
    clean = parquet.read_table(tmp_path / "clean")
    assert clean.schema.names == rows.schema.names and 0 < clean.num_rows == len(result.kept_rows) < 6
    gone = {(row["file"], row["record"]) for row in result.removed}
    stay = [row for path in paths for n, row in enumerate(parquet.read_table(path).to_pylist()) if (path, n) not in gone]
    assert clean.to_pylist() == stay
    parquet.write_table(rows.select(["url", "body"]), paths[1])
    other = retold.dedup(str(tmp_path / "*.parquet"), text="body", id="url").kept.to_arrow()
    assert "text" in other.column_names, "files of different columns come as documents"


def test_a_data_set_that_is_streamed_is_read_once(texts):
    class Streamed:
        """What is asked of `datasets.IterableDataset`."""

        def with_format(self, kind):
            assert kind == "arrow"
            return self

        def iter(self, batch_size):
            yield pyarrow.table({"text": texts})

    result = retold.dedup(Streamed())
    assert result.kept_rows == retold.dedup(texts).kept_rows
    with pytest.raises(retold.UsageError, match="only once"):
        _ = result.kept


def test_against(texts, tmp_path):
    result = retold.dedup([NOTE.lower(), OTHER], against=texts)
    assert result.kept_rows == [] and {row["covered_by"] for row in result.removed} <= {"0", "1", "2", "3"}
    found = retold.find([NOTE.lower(), OTHER], against=pyarrow.table({"text": texts}))
    assert len(found.pairs) >= 3
    with retold.Index.create(tmp_path / "archive.idx") as index:
        index.add(texts)
        assert len(retold.dedup([NOTE.lower()], against=index).removed) == 1
    assert len(retold.dedup([NOTE.lower()], against=tmp_path / "archive.idx").removed) == 1


def test_a_dataset(texts):
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_dict({"text": texts, "number": [0, 1, 2, 3]})
    assert relations(retold.find(dataset)) == EXPECTED
    # What is selected counts, not what lies below.
    chosen = dataset.select([3, 2, 0])
    result = retold.dedup(chosen)
    assert result.documents["id"] == ["0", "1", "2"] and result.kept_rows == [0, 1]
    assert result.kept["number"] == chosen.select(result.kept_rows)["number"]


def test_no_path_is_a_text(texts):
    with pytest.raises(retold.UsageError):
        retold.find(NOTE)


@pytest.mark.parametrize("threads", [-1, 1.5, "2", True])
def test_a_number_of_threads_is_a_whole_number(texts, threads):
    with pytest.raises(retold.UsageError, match="threads must be a whole number"):
        retold.find(texts, threads=threads)

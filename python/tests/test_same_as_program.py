"""Results are those of the command line, whatever the documents come in."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, lines, same

import retold


@pytest.fixture(autouse=True)
def _in_root(monkeypatch):
    # Names of files stand in the results.
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("method", ["anchor", "codet", "minhash", "sl-fp-sd", "simhash"])
def test_find(ran, method):
    found = retold.find("samples/news", method=method)
    folder = ran("find", "samples/news", "--method", method)
    assert same(found.pairs, folder / "pairs.jsonl") > 5
    assert same(found.clusters, folder / "clusters.jsonl") > 3
    assert same(found.documents, folder / "documents.jsonl") == 74


def test_settings(ran):
    found = retold.find(
        "samples/news", pairs="all", clusters="components", join="containment", keep="oldest",
        containment=0.8, set={"k": 4}, passages_per_pair=3,
    )
    folder = ran(
        "find", "samples/news", "--pairs", "all", "--clusters", "components", "--join", "containment",
        "--keep", "oldest", "--containment", "0.8", "--set", "k=4", "--passages-per-pair", "3",
    )
    assert same(found.pairs, folder / "pairs.jsonl") > 10
    assert same(found.clusters, folder / "clusters.jsonl") > 5
    assert found.summary["n_pairs"] == len(found.pairs)


def test_dedup(ran):
    result = retold.dedup("samples/news", cover=0.7, pairs="star")
    folder = ran("dedup", "samples/news", "--cover", "0.7", "--pairs", "star")
    assert same(result.removed, folder / "removed.jsonl") > 5
    same(result.review, folder / "review.jsonl")
    assert same(result.pairs, folder / "pairs.jsonl") > 10
    assert len(result.kept_rows) + len(result.removed) == 74
    only_decided = retold.dedup("samples/news", cover=0.7)
    assert len(only_decided.pairs) == 0
    assert (only_decided.kept_rows, list(only_decided.removed)) == (result.kept_rows, list(result.removed))


def test_regroup(ran):
    found = retold.find("samples/news", pairs="all").regroup(containment=0.9, clusters="components")
    folder = ran(
        "find", "samples/news", "--pairs", "all", "--containment", "0.9", "--clusters", "components", "--no-shared-text"
    )
    assert same(found.pairs, folder / "pairs.jsonl") > 5
    assert same(found.clusters, folder / "clusters.jsonl") == 3


def test_a_table_is_as_a_file_of_its_rows(ran, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    documents = retold.dedup("samples/news", cover=1.0, remove_contained=False).kept.to_arrow()
    table = documents.select(["id", "text", "time", "source"])
    file = tmp_path / "news.jsonl"
    with file.open("w") as out:
        for row in table.to_pylist():
            out.write(json.dumps({name: value for name, value in row.items() if value is not None}) + "\n")
    folder = ran("find", file)
    found = retold.find(pyarrow.table(table))
    assert same(found.pairs, folder / "pairs.jsonl") > 5
    assert same(found.clusters, folder / "clusters.jsonl") > 3
    for row, line in zip(found.documents, lines(folder / "documents.jsonl"), strict=True):
        assert (row["id"], row["verdict"], row["record"]) == (line["id"], line["verdict"], line["record"])


def test_query(program):
    draft = "samples/news/en/canal-telex.txt"
    asked = subprocess.run(
        [program, "query", draft, "--in", "samples/news", "--json"], check=True, capture_output=True, cwd=ROOT
    )
    [answer] = retold.query(Path(draft), "samples/news")
    assert answer.to_dict() == json.loads(asked.stdout)
    assert len(answer) > 1 and answer.sources()[0].n_words > 10


def test_output_is_the_folder_of_the_program(ran, tmp_path):
    result = retold.dedup("samples/news", output=tmp_path / "clean", pairs="all")
    folder = ran("dedup", "samples/news", "--pairs", "all")
    for name in ("pairs", "clusters", "documents", "removed", "review"):
        assert (tmp_path / "clean" / f"{name}.jsonl").read_bytes() == (folder / f"{name}.jsonl").read_bytes()
    kept = sorted(path.relative_to(folder) for path in (folder / "documents").rglob("*") if path.is_file())
    ours = tmp_path / "clean"
    assert kept == sorted(path.relative_to(ours) for path in (ours / "documents").rglob("*") if path.is_file())
    assert len(result.regroup(containment=0.9).clusters) < len(result.clusters)


def test_threads_and_memory_change_nothing():
    one = retold.find("samples/news", threads=1)
    two = retold.find("samples/news", threads=2, memory="300M")
    assert list(one.pairs) == list(two.pairs) and list(one.documents) == list(two.documents)

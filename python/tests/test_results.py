"""Tables, comparisons, the laboratory, and the documentation."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
import re
import sys

import pytest
from conftest import ARTICLE, NOTE, ROOT

import retold


def test_examples_in_docstrings():
    n_tried = 0
    for module in pkgutil.iter_modules(retold.__path__, "retold."):
        if not module.name.endswith(("._retold", ".spark")):  # Spark has tests of its own
            failed, tried = doctest.testmod(importlib.import_module(module.name))
            assert failed == 0
            n_tried += tried
    failed, tried = doctest.testmod(retold)
    assert failed == 0 and n_tried + tried > 30


@pytest.mark.parametrize("file", ["README.md", "GUIDE.md"])
def test_examples_in_documents(file, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = (ROOT / file).read_text(encoding="utf-8")
    if file == "GUIDE.md":
        text = text.split("## In Python\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert blocks
    names = {"tmp": str(tmp_path)}
    for block in blocks:
        exec(compile(block, file, "exec"), names)


def test_a_notebook_is_followed_from_beginning_to_end(monkeypatch, tmp_path):
    notebook = json.loads((ROOT / "examples" / "clean-a-corpus.ipynb").read_text(encoding="utf-8"))
    monkeypatch.chdir(ROOT / "examples")
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 5
    names = {"__name__": "__main__"}
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for number, cell in enumerate(cells):
        exec(compile(cell, f"cell {number}", "exec"), names)


def test_tables(texts):
    pairs = retold.find(texts).pairs
    assert pairs["a"] == [row["a"] for row in pairs] and pairs[-1] == list(pairs)[-1]
    with pytest.raises(IndexError):
        pairs[len(pairs)]
    with pytest.raises(retold.UsageError, match="no_such"):
        pairs["no_such"]
    assert "<th>relation</th>" in pairs._repr_html_() and "rows" in repr(pairs)
    pyarrow = pytest.importorskip("pyarrow")
    table = pairs.to_arrow()
    assert table.num_rows == len(pairs) and table.column_names == pairs.column_names
    assert pyarrow.schema(pairs) == table.schema
    assert table.to_pylist() == list(pairs)


def test_frames(texts):
    pytest.importorskip("pyarrow")
    found = retold.find(texts)
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(found.pairs)["relation"].to_list() == found.pairs["relation"]
    assert found.clusters.to_polars()["members"].to_list() == found.clusters["members"]
    pytest.importorskip("pandas")
    assert list(found.documents.to_pandas()["id"]) == found.documents["id"]


def test_least_certain():
    words = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
    long = " ".join(words)
    texts = [long, long + " sixteen", " ".join(words[:-4]) + " and so on and on"]
    result = retold.dedup(texts, cover=0.5, containment=0.3)
    decided = result.least_certain(5)
    borders = [abs(row["covered"] - 0.5) for row in decided]
    assert decided and borders == sorted(borders)
    assert len(result.least_certain(1)) == 1 and result.least_certain(1) == decided[:1]


def test_compare_side_by_side(tmp_path):
    both = retold.compare(NOTE, ARTICLE)
    assert (both.relation, both.a_in_b, both.n_words) == ("contained", 1.0, (14, 27))
    assert both.vocabulary[0] == 1.0 and both.vocabulary[1] < 1.0
    passage = both.passages[0]
    assert ARTICLE.encode()[slice(*passage.b)].decode() == passage.b_text
    assert both._repr_html_().startswith("<iframe srcdoc=") and "<script" not in both.html
    file = tmp_path / "article.txt"
    file.write_text(ARTICLE)
    assert retold.compare({"body": NOTE}, file, text="body").relation == "contained"
    assert retold.compare("a", "b").relation is None
    with pytest.raises(retold.UsageError):
        retold.compare(NOTE, None)


def test_a_collection_is_made_and_measured(news, tmp_path):
    plan = {"seed": 7, "variant": [{"copies": 1, "steps": [{"operation": "delete", "percent": 10}]}]}
    made = retold.generate(news / "en", plan, tmp_path / "made")
    assert made["n_made"] > 10 and made["n_pairs"] >= made["n_made"]
    file = tmp_path / "plan.toml"
    file.write_text('seed = 7\n[[variant]]\ncopies = 1\nsteps = [{ operation = "delete", percent = 10 }]\n')
    assert retold.generate(news / "en", file, tmp_path / "again")["n_made"] == made["n_made"]
    with pytest.raises(retold.UsageError):
        retold.generate(news / "en", {"variants": []}, tmp_path / "not")

    collection, truth = tmp_path / "made" / "collection.jsonl", tmp_path / "made" / "pairs.tsv"
    found = retold.find(collection, output=tmp_path / "found")
    measured, by_folder = (retold.evaluate(result, truth)["results"] for result in (found, tmp_path / "found"))
    assert measured[0] | {"found": ""} == by_folder[0] | {"found": ""}
    assert measured[0]["pairs"]["recall"]["value"] == 1.0


def test_exceptions_have_one_base():
    for error in (retold.UsageError, retold.InputError, retold.StoppedError, retold.InternalError):
        assert issubclass(error, retold.Error)
    assert retold.__version__.count(".") == 2 and sys.version_info >= (3, 11)

"""What tests share: sample texts, and the program that results are compared with."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

NOTE = "The harbour board will close the east quay for repairs from Monday until Friday."
ARTICLE = f"Ships will have to wait. {NOTE} Ferries are not affected by it at all."
OTHER = "Apple growers expect the largest harvest in eleven years, and prices that are low again."


@pytest.fixture
def texts() -> list[str]:
    return [NOTE, ARTICLE, OTHER, NOTE.upper()]


@pytest.fixture(scope="session")
def news() -> Path:
    return ROOT / "samples" / "news"


@pytest.fixture(scope="session")
def program() -> Path:
    """The command line, as `RETOLD` names it or as the tests of cargo built it."""
    path = Path(os.environ.get("RETOLD", ROOT / "target" / "debug" / "retold"))
    if not path.exists():
        pytest.skip(f"there is no program at {path}")
    return path


@pytest.fixture
def ran(program: Path, tmp_path: Path):
    """Runs a command of the program and returns a table of its result."""

    def run(*arguments: Any) -> Path:
        output = tmp_path / "by-program"
        command = [str(program), *map(str, arguments), "-o", str(output)]
        subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
        return output

    return run


def lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def rows(table: Any) -> list[dict[str, Any]]:
    """Rows of a table in the form of JSON Lines: without what is null, and passages as spans."""
    found = []
    for row in table:
        if "evidence" in row:
            row["evidence"] = [
                {
                    "a": [passage["a_start"], passage["a_end"]],
                    "b": [passage["b_start"], passage["b_end"]],
                    "words": passage["words"],
                    "differ": passage["differ"],
                    **({"moved": passage["moved"]} if passage["moved"] else {}),
                    "agrees": passage["agrees"],
                }
                for passage in row["evidence"]
            ]
        found.append({name: value for name, value in row.items() if value is not None})
    return found


# Columns that JSON Lines leave out where they are 0, false or empty.
LEFT_OUT: dict[str, Any] = {"evidence_cut": 0, "pairs_cut": False, "notes": [], "too_short": False}


def filled(line: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """A line with what JSON leaves out, as far as the row has such columns."""
    line = {name: value for name, value in LEFT_OUT.items() if name in row} | line
    if "clusters" in line:
        line["clusters"] = " ".join(map(str, line["clusters"]))
    return line


def same(table: Any, path: Path) -> int:
    """Checks that a table has the rows of a file; returns how many."""
    ours, theirs = rows(table), lines(path)
    assert len(ours) == len(theirs)
    for row, line in zip(ours, theirs, strict=True):
        assert row == filled(line, row)
    return len(ours)

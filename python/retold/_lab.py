"""The laboratory: methods, test collections, measures."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from retold import _input, _progress, _retold, _settings
from retold._results import Found


def methods() -> list[dict[str, Any]]:
    """Returns all methods: name, title, what they find, parameters with their defaults.

    >>> import retold
    >>> retold.methods()[0]["name"], "minhash" in [method["name"] for method in retold.methods()]
    ('anchor', True)
    """
    told: list[dict[str, Any]] = json.loads(_retold.methods())
    return told


def generate(
    paths: Any,
    plan: str | os.PathLike[str] | Mapping[str, Any],
    output: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: bool | _progress.Listener | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Makes a test collection of files, with planted copies and all that is known of them.

    `plan` is a TOML file, or the same as a dictionary; GUIDE.md says what it may hold. The folder `output`
    gets the collection, the pairs that are true of it, and a log of every change. Returns figures.
    """
    source = _input.taken(paths)
    if source.kind != "paths":
        raise _retold.UsageError("a test collection is made of files")
    by = (None, _settings.dumped(plan)) if isinstance(plan, Mapping) else (os.fspath(plan), None)
    with _progress.shown(progress) as listener:
        made = _retold.generate(
            source.value,
            by,
            os.fspath(output),
            overwrite,
            _settings.job(settings),
            _settings.resources(threads, memory, None),
            listener,
        )
    told: dict[str, Any] = json.loads(made)
    return told


def evaluate(
    found: Found | str | os.PathLike[str] | Sequence[Any],
    reference: str | os.PathLike[str],
    **settings: Any,
) -> dict[str, Any]:
    """Measures one result, or two beside each other, against a truth: precision, recall and so on.

    A result is what `find` returned, or a folder or list that the command line reads, too; the truth is
    a list of pairs, clusters, passages or judgements. Settings are `relations`, `labels`, `negative`,
    `ignored`, `min_score`, `documents`, `texts`, `output` and `overwrite`.
    """
    results: list[Any] = list(found) if isinstance(found, (list, tuple)) else [found]
    with tempfile.TemporaryDirectory(prefix="retold-") as folder:
        paths = []
        for number, result in enumerate(results):
            if isinstance(result, Found):
                paths.append(written(result, os.path.join(folder, f"result-{number}")))
            else:
                paths.append(os.fspath(result))
        told: dict[str, Any] = json.loads(_retold.evaluate(paths, os.fspath(reference), _settings.options(settings)))
    return told


def written(result: Found, folder: str) -> str:
    """Writes the tables of a result as `retold find` does."""
    os.mkdir(folder)
    for name in ("pairs", "clusters", "documents"):
        with open(os.path.join(folder, f"{name}.jsonl"), "w", encoding="utf-8") as file:
            for row in getattr(result, name):
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
                line = {column: value for column, value in row.items() if value is not None}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
    with open(os.path.join(folder, "manifest.json"), "w", encoding="utf-8") as file:
        json.dump(result.manifest, file)
    return folder

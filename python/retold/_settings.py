"""From keyword arguments to what the library takes: JSON with the names of the options."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from retold._retold import UsageError

# Columns or fields that hold the parts of a document.
FIELDS = ("text", "id", "title", "time", "source", "url", "language")
# Parameters of all methods, which have options of their own on the command line, too.
PARAMETERS = ("containment", "passage_words", "similarity")


def job(settings: Mapping[str, Any]) -> str:
    """Returns settings as a job: `keep_first` is the setting `keep-first`."""
    told: dict[str, Any] = {}
    parameters = dict(settings.get("set") or {})
    for name, value in settings.items():
        if value is None or name == "set":
            continue
        if name in FIELDS:
            told[f"{name}-field"] = names(name, value)
        elif name in PARAMETERS:
            parameters[name] = value
        else:
            told[name.replace("_", "-")] = plain(value)
    if parameters:
        told["set"] = {name.replace("-", "_"): plain(value) for name, value in parameters.items()}
    return dumped(told)


def names(setting: str, value: Any) -> list[str]:
    """Returns the name of a column, or several of which the first counts that is there."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value):
        return list(value)
    raise UsageError(f"{setting} must be the name of a column, or a list of names, got {value!r}")


def resources(threads: int | None, memory: int | str | None, scratch: Any) -> str:
    """Returns what the work is done with."""
    told: dict[str, Any] = {}
    if threads is not None:
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 0:
            raise UsageError(f"threads must be a whole number, and 0 stands for all, got {threads!r}")
        told["threads"] = threads
    if memory is not None:
        told["memory"] = size(memory)
    if scratch is not None:
        told["scratch"] = os.fspath(scratch)
    return dumped(told)


def options(settings: Mapping[str, Any]) -> str:
    """Returns settings that are not those of a job."""
    told = {name.replace("_", "-"): plain(value) for name, value in settings.items()}
    return dumped({name: value for name, value in told.items() if value is not None})


def plain(value: Any) -> Any:
    """Returns a value as JSON has it."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        return value.item()  # a number of NumPy
    return value


def dumped(told: Any) -> str:
    try:
        return json.dumps(told, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise UsageError(f"a setting must be a number, a text, a list or a dictionary: {error}") from None


def size(given: int | str) -> int:
    """Returns a number of bytes such as `4G`, `512M` or 1000; units are powers of 1024.

    >>> size("1.5G")
    1610612736
    """
    if isinstance(given, int):
        return given
    if not isinstance(given, str):
        raise UsageError(f"a size must be a number with K, M, G or T, such as 512M; got {type(given).__name__}")
    text = given.strip().lower().removesuffix("b").removesuffix("i")
    shift = {"k": 10, "m": 20, "g": 30, "t": 40}.get(text[-1:], 0)
    number = text[:-1].strip() if shift else text
    try:
        return int(number) << shift if number.isdigit() else int(float(number) * (1 << shift))
    except (ValueError, OverflowError):
        raise UsageError(f"a size must be a number with K, M, G or T, such as 512M; got {given!r}") from None


def span(given: int | str | None) -> int | None:
    """Returns a span of time such as `90m`, `36h` or `7d` in seconds.

    >>> span("7d")
    604800
    """
    if given is None or isinstance(given, int):
        return given
    if hasattr(given, "total_seconds"):
        return int(given.total_seconds())
    if not isinstance(given, str):
        raise UsageError(f"a span must be a number with s, m, h, d or w, such as 7d; got {type(given).__name__}")
    text = given.strip()
    unit = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}.get(text[-1:])
    if unit is None or not text[:-1].strip().isdigit():
        raise UsageError(f"a span must be a number with s, m, h, d or w, such as 7d; got {given!r}")
    return int(text[:-1]) * unit

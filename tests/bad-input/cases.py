"""Files that nobody wants to get, each with a name and what may become of it.

Every case writes into a folder of its own. `documents` and `bad` are what a reader should make of it where that is
certain; `read` is how many bytes it holds when nothing is compressed, by which its cost is judged. A case whose
`make` has a size is made small in the short form and large in the long one.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import random
import socket
import sqlite3
import struct
import tarfile
import threading
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import buckets
import quine

STORY = (
    "The harbour board will close the east quay for repairs from Monday until Friday, and ships will have to wait. "
    "Ferries are not affected by it at all, said the harbour master, who expects a busy week on the river. "
)


@dataclass
class Case:
    """A bad input."""

    name: str
    about: str
    make: Callable[[Path, bool], int | None]
    #: Settings of `find`, by their names in Python.
    settings: dict[str, Any] = field(default_factory=dict)
    #: Documents that must be read and bad records that must be told of; `None` where either will do.
    documents: int | None = None
    bad: int | None = None
    #: Something that goes on while the files are read.
    beside: Callable[[Path], Any] | None = None


CASES: list[Case] = []


def case(name: str, about: str, **more: Any) -> Callable[[Callable[[Path, bool], int | None]], None]:
    def add(make: Callable[[Path, bool], int | None]) -> None:
        CASES.append(Case(name, about, make, **more))

    return add


def write(folder: Path, name: str, content: bytes | str) -> None:
    content = content.encode() if isinstance(content, str) else content
    (folder / name).write_bytes(content)


def lines(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


# Bytes.


@case("B-01", "an empty file", documents=1)
def _(folder: Path, _: bool) -> None:
    write(folder, "empty.txt", b"")


@case("B-02", "files of one byte, all 256 of them")
def _(folder: Path, _: bool) -> None:
    for byte in range(256):
        write(folder, f"{byte:03}.txt", bytes([byte]))


@case("B-03", "nothing but white space")
def _(folder: Path, _: bool) -> None:
    write(folder, "blank.txt", " \t\n\r\v\f  　" * 10_000)


@case("B-04", "NUL at the start, behind 64 KiB, everywhere", documents=0, bad=3)
def _(folder: Path, _: bool) -> None:
    write(folder, "start.txt", b"\0" + STORY.encode())
    write(folder, "behind.txt", (STORY * 400).encode()[:65_536] + b"\0" + STORY.encode())
    write(folder, "only.txt", b"\0" * 100_000)


@case("B-05", "UTF-8 that is none, also across the borders of buffers")
def _(folder: Path, _: bool) -> None:
    wrong = [b"\x80", b"\xc0\xaf", b"\xe0\x80\xaf", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xe2\x82", b"\xff"]
    for i, bytes_ in enumerate(wrong):
        write(folder, f"alone-{i}.txt", STORY.encode() + bytes_ + STORY.encode())
    for border in (4096, 8192, 65_536, 1 << 20):
        for before in range(4):
            text = ("a" * (border - before)).encode() + b"\xe2\x82\xac" + STORY.encode()
            write(folder, f"border-{border}-{before}.txt", text)


@case("B-06", "UTF-8, 16 and 32 with and without marks, and wrong ones")
def _(folder: Path, _: bool) -> None:
    for name in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"):
        write(folder, f"{name}.txt", (STORY * 5).encode(name))
    write(folder, "wrong-mark.txt", b"\xff\xfe" + STORY.encode())
    write(folder, "cut-mark.txt", b"\xff\xfe\0")
    write(folder, "says-latin-1.html", f'<meta charset="iso-8859-1"><p>Müller {STORY}</p>'.encode())


@case("B-07", "one line of 1 GiB (short: 80 MiB)")
def _(folder: Path, long: bool) -> None:
    with (folder / "line.jsonl").open("wb") as out:
        out.write(b'{"id":"a","text":"')
        for _ in range((1024 if long else 80)):
            out.write(b"word " * ((1 << 20) // 5))
        out.write(b'"}\n')
        out.write(lines([{"id": "b", "text": STORY}]).encode())


@case("B-08", "a hundred million empty lines (short: ten million)")
def _(folder: Path, long: bool) -> None:
    with (folder / "lines.jsonl").open("wb") as out:
        for _ in range(100 if long else 10):
            out.write(b"\n" * 1_000_000)
        out.write(lines([{"id": "b", "text": STORY}]).encode())


@case("B-09", "every way to end a line, mixed", documents=1)
def _(folder: Path, _: bool) -> None:
    write(folder, "ends.txt", "".join(STORY + end for end in ("\r", "\n", "\r\n", "\x85", "\u2028", "\u2029")))


@case("B-10", "code points without meaning, a million marks on a letter, forms that are equal", documents=8)
def _(folder: Path, _: bool) -> None:
    rows = [
        {"id": "unassigned", "text": "͸\U0001fffe￾﷐" * 100 + STORY},
        {"id": "private", "text": "\U00100000" * 1000 + STORY},
        {"id": "marks", "text": "a" + "́" * 1_000_000 + " " + STORY},
        {"id": "nfc", "text": "é è ü " * 50 + STORY},
        {"id": "nfd", "text": "é è ü " * 50 + STORY},
        {"id": "grows", "text": "ﷺ" * 50_000},
        {"id": "ligatures", "text": "ﬀ ﬁ ﬂ ﬃ " * 50 + STORY},
        {"id": "tags", "text": "\U000e0041" * 10_000 + STORY},
    ]
    write(folder, "rows.jsonl", lines(rows))


@case("B-11", "text that turns its direction, characters without width, tags")
def _(folder: Path, _: bool) -> None:
    rows = [
        {"id": "plain", "text": STORY * 2},
        {"id": "zero-width", "text": "​".join(STORY * 2)},
        {"id": "bidi", "text": "‮".join((STORY * 2).split(" "))},
    ]
    write(folder, "rows.jsonl", lines(rows))


@case("B-12", "a word of a hundred million letters; ten million words of one (short: a tenth)")
def _(folder: Path, long: bool) -> None:
    n = 100_000_000 if long else 10_000_000
    write(folder, "word.txt", b"a" * min(n, 60 << 20))
    write(folder, "too-long.txt", b"a" * n)
    write(folder, "words.txt", b"a " * (n // 10))


@case("B-13", "a sentence without an end; nothing but ends of sentences", documents=2)
def _(folder: Path, _: bool) -> None:
    write(folder, "sentence.txt", "and so it goes on " * 100_000)
    write(folder, "dots.txt", "." * 1_000_000)


@case("B-14", "letters whose case depends on the language", documents=4)
def _(folder: Path, _: bool) -> None:
    rows = [
        {"id": "tr", "lang": "tr", "text": "IŞIK ılık İzmir iyi " * 40},
        {"id": "tr-lower", "lang": "tr", "text": "ışık ılık izmir iyi " * 40},
        {"id": "de", "lang": "de", "text": "STRASSE Straße straße " * 40},
        {"id": "el", "lang": "el", "text": "ΟΔΟΣ οδος οδοσ ὈΔΥΣΣΕΎΣ " * 40},
    ]
    write(folder, "rows.jsonl", lines(rows))


@case("B-15", "ids that are empty, long, paths, names of devices, twice")
def _(folder: Path, _: bool) -> None:
    ids = ["", "x" * (1 << 20), "../../x", "CON", "two\nlines", "same", "same", "\u001b[31m", None, 7]
    write(folder, "rows.jsonl", lines({"id": i, "text": f"{STORY} {n}"} for n, i in enumerate(ids)))


@case("B-16", "numbers that no number holds")
def _(folder: Path, _: bool) -> None:
    rows = [f'{{"id":"{i}","text":{json.dumps(STORY)},"time":{number}}}' for i, number in enumerate(
        ["1e309", "9223372036854775808", "-0", "NaN", "-1e309", "0.0000000000000000000000001", "99999999999999999999999"]
    )]
    write(folder, "rows.jsonl", "\n".join(rows) + "\n")


@case("B-17", "special files: sparse, a pipe, a device, a socket, a loop of links, no UTF-8", documents=1)
def _(folder: Path, _: bool) -> int:
    write(folder, "good.txt", STORY)
    with (folder / "sparse.txt").open("wb") as out:
        out.truncate(1 << 40)
    os.mkfifo(folder / "pipe.txt")
    (folder / "zero.txt").symlink_to("/dev/zero")
    (folder / "loop").symlink_to(folder)
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.getcwd()
        os.chdir(folder)
        listener.bind("socket.txt")
        os.chdir(here)
    return 1 << 20


@contextmanager
def changing(change: Callable[[], None]) -> Iterator[None]:
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            change()
            time.sleep(0.001)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    try:
        yield
    finally:
        over.set()
        worker.join()


def growing(folder: Path) -> Any:
    path = folder / "growing.jsonl"

    def grow() -> None:
        if path.stat().st_size < 64 << 20:
            with path.open("a") as out:
                out.write(lines({"id": f"later-{i}", "text": f"{STORY} {i}"} for i in range(50)))

    return changing(grow)


@case("B-17 grows", "a file that grows while it is read", beside=growing)
def _(folder: Path, _: bool) -> int:
    write(folder, "growing.jsonl", lines({"id": str(i), "text": f"{STORY} {i}"} for i in range(20_000)))
    return 64 << 20


def shrinking(folder: Path) -> Any:
    path = folder / "shrinking.jsonl"

    def shrink() -> None:
        os.truncate(path, path.stat().st_size * 9 // 10)

    return changing(shrink)


@case("B-17 shrinks", "a file that is cut while it is read", beside=shrinking)
def _(folder: Path, _: bool) -> int:
    write(folder, "shrinking.jsonl", lines({"id": str(i), "text": f"{STORY} {i}"} for i in range(50_000)))
    write(folder, "good.txt", STORY)
    return 32 << 20


# Records.


@case("B-J1", "JSON of a million levels", bad=1)
def _(folder: Path, _: bool) -> None:
    write(folder, "deep.jsonl", '{"id":"a","x":' + "[" * 1_000_000 + "]" * 1_000_000 + "}\n" + lines([{"text": STORY}]))


@case("B-J2", "JSON with keys that come twice")
def _(folder: Path, _: bool) -> None:
    write(folder, "twice.jsonl", '{"id":"a","id":"b","text":"x","text":' + json.dumps(STORY) + "}\n")


@case("B-J3", "a million escapes, half a character", documents=1, bad=1)
def _(folder: Path, _: bool) -> None:
    write(folder, "escapes.jsonl", '{"text":"' + "\\u0041 " * 1_000_000 + '"}\n{"text":"\\ud800 ' + "word " * 50 + '"}\n')


@case("B-J4", "a last record that breaks off", documents=1, bad=1)
def _(folder: Path, _: bool) -> None:
    write(folder, "cut.jsonl", lines([{"id": "a", "text": STORY}]) + '{"id":"b","text":"The harb')


@case("B-J5", "values of the wrong kind")
def _(folder: Path, _: bool) -> None:
    rows = ['{"text":5}', '{"text":null}', '{"text":["a"]}', "[]", "5", '"x"', "null", '{"text":{}}', "{}"]
    write(folder, "kinds.jsonl", "\n".join(rows) + "\n" + lines([{"text": STORY}]))


@case("B-J6", "a quote of CSV that is never closed")
def _(folder: Path, _: bool) -> None:
    write(folder, "open.csv", "id,text\na," + STORY.replace(",", "") + '\nb,"never closed ' + "word " * 200_000)


@case("B-J7", "Parquet that lies about its lengths", documents=0)
def _(folder: Path, _: bool) -> None:
    for i, length in enumerate((0, 7, 0x7FFFFFFF, 0xFFFFFFFF)):
        write(folder, f"{i}.parquet", b"PAR1" + b"\x15\x02\x19" * 100 + struct.pack("<I", length) + b"PAR1")


@case("B-J8", "WARC with a wrong length, members of gzip one after the other")
def _(folder: Path, _: bool) -> None:
    def record(text: str, length: int) -> bytes:
        head = f"WARC/1.0\r\nWARC-Type: conversion\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n"
        return head.encode() + text.encode() + b"\r\n\r\n"

    good = record(STORY, len(STORY))
    write(folder, "short.warc", good + record(STORY, 5) + good)
    write(folder, "long.warc", good + record(STORY, 1 << 40))
    write(folder, "negative.warc", good + record(STORY, -1))
    write(folder, "members.warc.gz", b"".join(gzip.compress(good) for _ in range(50)))


@case("B-J9", "SQLite with a page of garbage, cut short, with a name only, with several tables, with a journal")
def _(folder: Path, _: bool) -> None:
    def made(name: str, tables: int = 1) -> bytes:
        database = sqlite3.connect(folder / name)
        database.execute("PRAGMA page_size = 1024")
        for i in range(tables):
            database.execute(f"CREATE TABLE t{i}(id TEXT, text TEXT)")
            rows = [(f"{i}-{row}", f"{STORY} {row}") for row in range(100)]
            database.executemany(f"INSERT INTO t{i} VALUES (?, ?)", rows)
        database.commit()
        database.close()
        return (folder / name).read_bytes()

    made("two.db", tables=2)
    whole = made("whole.db")
    half = len(whole) // 2048 * 1024
    write(folder, "garbage.db", whole[:half] + b"\xff" * 1024 + whole[half + 1024 :])
    write(folder, "short.db", whole[: half + 10])
    write(folder, "pages.db", whole[:28] + b"\x7f\xff\xff\xff" + whole[32:])
    write(folder, "name.sqlite", "no database")
    write(folder, "log.db", whole)
    write(folder, "log.db-wal", b"\x37\x7f\x06\x82" + b"\0" * 4_000)


@case("B-X1", "XML whose entities multiply or come from elsewhere")
def _(folder: Path, _: bool) -> None:
    entities = '<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9)
    )
    write(folder, "laughs.xml", f"<?xml version='1.0'?><!DOCTYPE d [{entities}]><d><doc>&j;</doc></d>")
    write(folder, "quadratic.xml", f'<!DOCTYPE d [<!ENTITY a "{"x" * 100_000}">]><d>{"&a;" * 10_000}</d>')
    write(folder, "file.xml", '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]><d>&x;</d>')
    write(folder, "include.xml", '<d xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="/etc/hostname"/></d>')
    write(folder, "parameter.xml", '<!DOCTYPE d [<!ENTITY % p SYSTEM "http://127.0.0.1:1/x">%p;]><d>text</d>')


@case("B-X2", "XML of a million levels")
def _(folder: Path, _: bool) -> None:
    write(folder, "deep.xml", "<a>" * 1_000_000 + "</a>" * 1_000_000)


@case("B-X3", "an element with a million attributes, one that comes twice")
def _(folder: Path, _: bool) -> None:
    write(folder, "many.xml", "<d " + " ".join(f'a{i}="1"' for i in range(1_000_000)) + f">{STORY}</d>")
    write(folder, "twice.xml", f'<d a="1" a="2">{STORY}</d>')


# HTML.


def html(name: str, about: str, text: Callable[[], str], **more: Any) -> None:
    @case(name, about, **more)
    def _(folder: Path, _: bool) -> None:
        write(folder, "page.html", text())


for tag in ("div", "ul><li", "b", "table><tr><td"):
    html(
        f"B-H1 {tag.split('>')[0]}",
        f"a million open <{tag}>",
        lambda tag=tag: f"<html><body>{f'<{tag}>' * 1_000_000}{STORY}",
        documents=1,
    )
html("B-H2", "forty thousand <a>, <i> and </a>", lambda: "<a>" * 40_000 + "<i>" * 40_000 + "</a>" * 40_000 + STORY)


@case("B-H3", "comments, scripts, titles and sections that are never closed")
def _(folder: Path, _: bool) -> None:
    for name in ("<!--", "<script>", "<title>", "<![CDATA[", "<plaintext>", "<style>", "<textarea>", "<!DOCTYPE"):
        tail = "word " * 50_000
        write(folder, f"{name.strip('<!>[').lower() or 'comment'}.html", f"<html><body><p>{STORY}</p>{name}{tail}")


html("B-H4", "an attribute of 100 MiB (short: 20)", lambda: f'<html><body><p title="{"x" * (20 << 20)}">{STORY}</p>')
html(
    "B-H4 many",
    "a million attributes",
    lambda: "<html><body><p " + " ".join(f"a{i}=1" for i in range(1_000_000)) + f">{STORY}</p>",
    documents=1,
)
html(
    "B-H5",
    "cells that span more than there is",
    lambda: f'<table><tr><td colspan="9007199254740991" rowspan="9007199254740991">{STORY}</td></tr></table>',
    documents=1,
)
html("B-H6", "twelve thousand paths of SVG, none in the other", lambda: f"<svg>{'<path/>' * 12_000}</svg><p>{STORY}", documents=1)
html("B-H7", "templates and foreign content, one in the other", lambda: "<template><svg><math>" * 100_000 + STORY)
html(
    "B-H8",
    "an encoding that changes in the middle",
    lambda: f'<meta charset="utf-8"><p>{STORY}<meta charset="utf-16"><base href="x"><meta http-equiv="refresh">{STORY}',
    documents=1,
)
html("B-H9", "a million character references", lambda: "<p>" + "&#x41; &amp; &#x110000; &nosuch; " * 250_000 + STORY, documents=1)
html("B-H10", "frames, noscript, hidden text", lambda: f"<frameset><noframes>{STORY}</noframes></frameset><noscript>{STORY}")
html("B-H11", "nothing but menus", lambda: "<nav><ul>" + "<li><a href=x>Home</a></li>" * 5_000 + "</ul></nav>")


@case("B-H12", "random bytes that call themselves HTML", documents=0)
def _(folder: Path, _: bool) -> None:
    write(folder, "binary.html", random.Random(1).randbytes(1 << 20))


# Archives.


def zipped(members: Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


@case("B-A1", "archives in archives in archives, six levels of sixteen (42.zip)", documents=0)
def _(folder: Path, _: bool) -> int:
    inner = zipped([("0.txt", b"\0" * (4 << 20))])
    for _ in range(5):
        inner = zipped((f"{i}.zip", inner) for i in range(16))
    write(folder, "42.zip", inner)
    return 1 << 20


@case("B-A1 flat", "a thousand bytes for one", documents=0)
def _(folder: Path, _: bool) -> int:
    text = (b"word " * 200_000)[: 1 << 20]
    write(folder, "flat.zip", zipped([("a.txt", text * 60)]))
    with gzip.open(folder / "flat.txt.gz", "wb") as out:
        for _ in range(512):
            out.write(text)
    with lzma.open(folder / "flat.txt.xz", "wb") as out:
        for _ in range(512):
            out.write(text)
    return 64 << 20


@case("B-A2", "an archive that holds itself", documents=0)
def _(folder: Path, _: bool) -> None:
    write(folder, "itself.zip", quine.quine())


def stored(name: bytes, content: bytes) -> bytes:
    head = (0x04034B50, 20, 0, 0, 0, 0x21, zlib.crc32(content), len(content), len(content), len(name), 0)
    return struct.pack("<IHHHHHIIIHH", *head) + name + content


def listed(name: bytes, content: bytes, at: int) -> bytes:
    head = (0x02014B50, 20, 20, 0, 0, 0, 0x21, zlib.crc32(content), len(content), len(content), len(name))
    return struct.pack("<IHHHHHHIIIHHHHHII", *head, 0, 0, 0, 0, 0, at) + name


def ended(body: bytes, directory: bytes, n: int) -> bytes:
    return body + directory + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, n, n, len(directory), len(body), 0)


@case("B-A3", "a thousand members that are the same bytes")
def _(folder: Path, _: bool) -> None:
    content = (STORY * 4_000).encode()
    body = stored(b"a.txt", content)
    write(folder, "overlap.zip", ended(body, listed(b"a.txt", content, 0) * 1_000, 1_000))


@case("B-A4", "names that lead elsewhere", documents=6)
def _(folder: Path, _: bool) -> None:
    names = ["../up.txt", "/etc/passwd.txt", "C:\\x.txt", "..\\up.txt", "..././x.txt", "a\0b.txt"]
    body, directory = b"", b""
    for i, name in enumerate(names):
        content = f"{STORY} {i}".encode()
        directory += listed(name.encode(), content, len(body))
        body += stored(name.encode(), content)
    write(folder, "names.zip", ended(body, directory, len(names)))


@case("B-A5", "links and devices in an archive", documents=1)
def _(folder: Path, _: bool) -> None:
    with tarfile.open(folder / "links.tar", "w") as archive:
        for kind, name in ((tarfile.SYMTYPE, "link.txt"), (tarfile.LNKTYPE, "hard.txt"), (tarfile.CHRTYPE, "zero.txt"),
                           (tarfile.FIFOTYPE, "pipe.txt")):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
        member = tarfile.TarInfo("link.txt")
        member.size = len(STORY)
        archive.addfile(member, io.BytesIO(STORY.encode()))


@case("B-A6", "ten million members (short: a hundred thousand, of which ten thousand are allowed)",
      settings={"max_members": 10_000})
def _(folder: Path, long: bool) -> int:
    n = 10_000_000 if long else 100_000
    with (folder / "members.zip").open("wb") as out:
        body = 0
        for i in range(n):
            body += out.write(stored(b"%08d" % i, b""))
        directory = 0
        for i in range(n):
            directory += out.write(listed(b"%08d" % i, b"", min(i * 38, 0xFFFFFFFF)))
        at = body + directory
        out.write(struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, n, n, directory, body))
        out.write(struct.pack("<IIQI", 0x07064B50, 0, at, 1))
        out.write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0))
    return 1 << 20


@case("B-A7", "a directory that says other things than the members")
def _(folder: Path, _: bool) -> None:
    content = STORY.encode()
    body = stored(b"a.txt", content)
    write(folder, "name.zip", ended(body, listed(b"b.txt", content, 0), 1))
    write(folder, "size.zip", ended(body, listed(b"a.txt", content * 100, 0), 1))
    write(folder, "place.zip", ended(body, listed(b"a.txt", content, 17), 1))
    write(folder, "count.zip", ended(body, listed(b"a.txt", content, 0), 60_000))


@case("B-A8", "archives that break off, wrong sums, encrypted members, windows of gigabytes", documents=1)
def _(folder: Path, _: bool) -> None:
    write(folder, "good.txt", STORY)
    whole = zipped([("a.txt", (STORY * 100).encode())])
    write(folder, "cut.zip", whole[: len(whole) // 2])
    content = STORY.encode()
    wrong = bytearray(ended(stored(b"a.txt", content), listed(b"a.txt", content, 0), 1))
    wrong[40] ^= 1
    write(folder, "sum.zip", bytes(wrong))
    encrypted = bytearray(ended(stored(b"a.txt", content), listed(b"a.txt", content, 0), 1))
    encrypted[6] |= 1
    encrypted[len(stored(b"a.txt", content)) + 8] |= 1
    write(folder, "encrypted.zip", bytes(encrypted))
    # Magic, a descriptor without a single segment, and a window of 2^41 bytes and more.
    write(folder, "window.txt.zst", b"\x28\xb5\x2f\xfd\x00" + bytes([31 << 3 | 7]) + b"\x01\x00\x00")
    # A block header of xz with a dictionary of 4 GiB.
    stream = bytearray(lzma.compress(content, lzma.FORMAT_XZ))
    stream[16] = 40
    stream[20:24] = struct.pack("<I", zlib.crc32(bytes(stream[12:20])))
    write(folder, "window.txt.xz", bytes(stream))
    write(folder, "cut.txt.gz", gzip.compress((STORY * 1_000).encode())[:-20])


# What the records say.


def many(folder: Path, rows: Iterable[dict[str, Any]]) -> None:
    with (folder / "rows.jsonl").open("w") as out:
        for row in rows:
            out.write(json.dumps(row) + "\n")


def words(seed: int, n: int) -> str:
    draw = random.Random(seed)
    return " ".join(f"w{draw.randrange(1 << 30):x}" for _ in range(n))


@case("B-P1", "a hundred thousand copies of a document (short: ten thousand)")
def _(folder: Path, long: bool) -> None:
    many(folder, ({"id": str(i), "text": STORY * 3} for i in range(100_000 if long else 10_000)))


@case("B-P2", "a hundred thousand documents that share a footer of 200 words and nothing else (short: five thousand)")
def _(folder: Path, long: bool) -> None:
    footer = words(0, 200)
    many(folder, ({"id": str(i), "text": f"{words(i + 1, 150)} {footer}"} for i in range(100_000 if long else 5_000)))


@case("B-P3", "a hundred thousand poems of five words a line (short: two thousand)",
      settings={"method": "sentence-lengths"})
def _(folder: Path, long: bool) -> None:
    def poem(seed: int) -> str:
        drawn = words(seed, 100).split()
        return ".\n".join(" ".join(drawn[at : at + 5]) for at in range(0, 100, 5))

    many(folder, ({"id": str(i), "text": poem(i)} for i in range(100_000 if long else 2_000)))


for n_classes in (10, 20, 40):

    @case(f"B-P4 {n_classes}", f"{n_classes} documents of which each leaves out one of {n_classes} passages",
          settings={"clusters": "closed-sets", "min_common": "50%", "sets": "all", "no_shared_text": True})
    def _(folder: Path, _: bool, n: int = n_classes) -> int:
        passages = [words(i, 60) for i in range(n)]
        many(folder, ({"id": str(i), "text": "\n".join(p for j, p in enumerate(passages) if j != i)} for i in range(n)))
        # A hundred thousand sets may be listed.
        return 16 << 20


@case("B-P5", "a chain of ten thousand, each half of the one before (short: two thousand)")
def _(folder: Path, long: bool) -> None:
    n = 10_000 if long else 2_000
    many(folder, ({"id": str(i), "text": f"{words(i, 60)} {words(i + 1, 60)}"} for i in range(n)))


@case("B-P6", "a document that holds ten thousand others (short: two thousand)")
def _(folder: Path, long: bool) -> None:
    n = 10_000 if long else 2_000
    texts = [words(i, 60) for i in range(n)]
    many(folder, ({"id": str(i), "text": text} for i, text in enumerate([*texts, "\n".join(texts)])))


@case("B-P7", "a word a million times, twice", documents=2)
def _(folder: Path, _: bool) -> None:
    many(folder, ({"id": str(i), "text": "again " * (1_000_000 + i)} for i in range(2)))


@case("B-P8", "documents of fewer than three words", documents=3_000)
def _(folder: Path, _: bool) -> None:
    many(folder, ({"id": str(i), "text": words(i % 500, i % 3) or "x"} for i in range(3_000)))


for method in ("imatch", "cosine"):

    @case(f"B-P9 {method}", "words of which every one stands in all documents, so that none weighs anything",
          settings={"method": method}, documents=500)
    def _(folder: Path, _: bool) -> None:
        drawn = words(0, 80).split()

        def shuffled(seed: int) -> str:
            order = drawn.copy()
            random.Random(seed).shuffle(order)
            return " ".join(order)

        many(folder, ({"id": str(i), "text": shuffled(i)} for i in range(500)))


@case("B-P10", "documents that differ in numbers, in case, in punctuation only", documents=4)
def _(folder: Path, _: bool) -> None:
    texts = [STORY + "On 12 May 1 ship.", STORY + "On 13 May 2 ship.", STORY.upper() + "ON 12 MAY 1 SHIP", STORY + "On: 12, May; 1 ship!"]
    many(folder, ({"id": str(i), "text": text} for i, text in enumerate(texts)))


@case("B-P11", "ten thousand documents made to fall into one bucket of the public hash (short: two thousand)",
      settings={"method": "minhash"})
def _(folder: Path, long: bool) -> None:
    many(folder, buckets.documents(10_000 if long else 2_000))


@case("B-T1", "times of the year 9999, of 1970, none, unsorted, impossible", documents=7)
def _(folder: Path, _: bool) -> None:
    times = ["9999-12-31T23:59:59Z", "1970-01-01", None, "2026-11-18", "not a time", "0000-00-00", "-9999-01-01"]
    many(folder, ({"id": str(i), "text": f"{STORY} {i}", "time": at} for i, at in enumerate(times)))

"""The three ways in: the command line, the API of a server, the Python package."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Memory that each of them is given, and the longest that one case may take.
MEMORY = "512M"
MOST_SECONDS = 900


class Worse(Exception):
    """Something that no input may cause: a panic, a signal, an answer without a type."""


@dataclass
class Outcome:
    """What became of an input: numbers of documents and bad records, or a refusal with its reason."""

    documents: int
    bad: int
    refusal: str = ""
    #: Processor time and peak memory of a process of its own; the server has none.
    seconds: float | None = None
    peak_bytes: int | None = None

    def told(self) -> str:
        if self.refusal:
            return "refused"
        return f"{self.documents:,} read" + (f", {self.bad:,} refused" if self.bad else "")


def peak_of(pid: int) -> int:
    """Returns the most memory that a process has held so far, in bytes; 0 once it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")), 0)


def watched(command: list[str], environment: dict[str, str] | None = None) -> tuple[int, str, str, float, int]:
    """Runs a command; returns exit code, both outputs, processor seconds and peak bytes."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment)
        deadline = time.monotonic() + MOST_SECONDS
        peak = 0
        while True:
            # Not `ru_maxrss`, which begins with what this process held when it forked.
            peak = max(peak, peak_of(child.pid))
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                os.kill(child.pid, signal.SIGKILL)
                os.wait4(child.pid, 0)
                raise Worse(f"no end after {MOST_SECONDS} s")
            time.sleep(0.005)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        texts = [file.read().decode(errors="replace") for file in (out, err)]
    if child.returncode < 0:
        raise Worse(f"ended by {signal.Signals(-child.returncode).name}")
    if "panicked at" in texts[1]:
        raise Worse("panicked: " + texts[1].split("panicked at", 1)[1][:200])
    return child.returncode, texts[0], texts[1], usage.ru_utime + usage.ru_stime, peak


class CommandLine:
    name = "command line"

    def __init__(self, program: Path) -> None:
        self.program = program

    def find(self, folder: Path, settings: dict[str, Any]) -> Outcome:
        options = []
        for name, value in settings.items():
            options += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
        command = [str(self.program), "find", str(folder), "--json", "--memory", MEMORY, "--color", "never", *options]
        code, out, err, seconds, peak = watched(command)
        if code == 0:
            told = json.loads(out)
            return Outcome(told["n_documents"], told["n_bad"], "", seconds, peak)
        if code != 3:
            raise Worse(f"exit code {code}: {err[-300:]}")
        reasons = [line for line in err.splitlines() if line.startswith("error: ")]
        if not reasons:
            raise Worse(f"a refusal without a reason: {err[-300:]}")
        return Outcome(0, 0, reasons[-1], seconds, peak)

    def one_id_again_and_again(self, folder: Path, n: int, text: str) -> int:
        rows = folder / "rows.jsonl"
        rows.write_text("".join(json.dumps({"id": "same", "text": f"{text} {i}"}) + "\n" for i in range(n)))
        index = str(folder / "command.idx")
        for words in (["create", index], ["add", index, str(rows)], ["check", index]):
            code, _, err, _, _ = watched([str(self.program), "index", *words])
            if code:
                raise Worse(f"index {words[0]}: {err[-300:]}")
        _, out, _, _, _ = watched([str(self.program), "index", "stats", index, "--json"])
        return json.loads(out)["n_documents"]


class Api:
    name = "API"

    def __init__(self, program: Path, root: Path, data: Path) -> None:
        command = [str(program), "serve", "--data", str(data), "--root", str(root), "--listen", "127.0.0.1:0", "--json"]
        self.log = tempfile.TemporaryFile()
        self.server = subprocess.Popen(
            [*command, "--memory", MEMORY], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True
        )
        assert self.server.stdout
        told = ""
        while not told.strip().endswith("}"):
            line = self.server.stdout.readline()
            if not line:
                raise Worse("the server did not start")
            told += line
        self.url = json.loads(told)["listens"] + "/api/v1"

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"content-type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=MOST_SECONDS) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            if error.code >= 500:
                raise Worse(f"{error.code}: {text[:300]}") from error
            return {"refused": text}
        except OSError as error:
            raise Worse(f"the server does not answer: {error}") from error

    def find(self, folder: Path, settings: dict[str, Any]) -> Outcome:
        named = {name.replace("_", "-"): value for name, value in settings.items()}
        job = self.ask("POST", "/jobs", {"kind": "find", "input": {"path": str(folder)}, "settings": named | {"pairs": "star"}})
        if "refused" in job:
            return Outcome(0, 0, job["refused"])
        deadline = time.monotonic() + MOST_SECONDS
        while job["status"] in ("queued", "running"):
            if time.monotonic() > deadline:
                raise Worse(f"no end after {MOST_SECONDS} s")
            time.sleep(0.01)
            job = self.ask("GET", f"/jobs/{job['id']}")
        if self.server.poll() is not None:
            raise Worse("the server ended")
        if job["status"] == "done":
            counts = job["outcome"]["summary"]
            return Outcome(counts["documents"], counts["bad_records"])
        problem = job["problem"]
        if not problem:
            raise Worse(f"a refusal without a reason: {job}")
        said = json.dumps(problem)
        if "panic" in said:
            raise Worse(said[:300])
        return Outcome(0, 0, said)

    def one_id_again_and_again(self, folder: Path, n: int, text: str) -> int:
        self.ask("POST", "/collections", {"name": "again"})
        for i in range(n):
            self.ask("PUT", "/collections/again/documents/same", {"text": f"{text} {i}"})
            if i < n - 1:
                self.ask("DELETE", "/collections/again/documents/same")
        return self.ask("GET", "/collections/again/stats")["n_documents"]

    def close(self) -> None:
        self.server.terminate()
        self.server.wait(60)
        self.log.seek(0)
        said = self.log.read().decode(errors="replace")
        if "panicked at" in said:
            raise Worse("the server panicked: " + said.split("panicked at", 1)[1][:300])


FIND = """
import json, sys
from pathlib import Path
import retold
folder, memory, settings = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
try:
    told = retold.find([Path(folder)], memory=memory, progress=False, **settings).summary
    print(json.dumps({"documents": told["n_documents"], "bad": told["n_bad"]}))
except retold.InputError as error:
    print(json.dumps({"refused": str(error)}))
"""

AGAIN = """
import sys
import retold
path, n, text = sys.argv[1], int(sys.argv[2]), sys.argv[3]
index = retold.Index.create(path)
for i in range(n):
    index.add([("same", f"{text} {i}")])
    if i < n - 1:
        index.remove("same")
print(len(index))
"""


class Package:
    name = "Python"

    def __init__(self, python: str, folder: Path) -> None:
        self.python = python
        self.environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, script: str, *arguments: str) -> tuple[str, float, int]:
        code, out, err, seconds, peak = watched([self.python, "-c", script, *arguments], self.environment)
        if code:
            raise Worse(f"exit code {code}: {err[-300:]}")
        return out, seconds, peak

    def find(self, folder: Path, settings: dict[str, Any]) -> Outcome:
        out, seconds, peak = self.run(FIND, str(folder), MEMORY, json.dumps(settings))
        told = json.loads(out)
        if "refused" in told:
            return Outcome(0, 0, told["refused"], seconds, peak)
        return Outcome(told["documents"], told["bad"], "", seconds, peak)

    def one_id_again_and_again(self, folder: Path, n: int, text: str) -> int:
        out, _, _ = self.run(AGAIN, str(folder / "python.idx"), str(n), text)
        return int(out)


if __name__ == "__main__":
    sys.exit("run `check` instead")

"""Signals, forks, pickles: what other processes and threads do meanwhile."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ProcessPoolExecutor

import pytest
from conftest import NOTE, OTHER

import retold


def n_pairs(texts: list[str]) -> int:
    return len(retold.find(texts).pairs)


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_children_of_a_process_that_used_it(texts, way):
    here = n_pairs(texts)
    context = multiprocessing.get_context(way)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(n_pairs, [texts] * 4, timeout=120)) == [here] * 4
    assert n_pairs(texts) == here


def test_a_dataset_is_mapped_in_processes_after_a_call(texts):
    datasets = pytest.importorskip("datasets")
    dataset = datasets.Dataset.from_dict({"text": texts * 4})
    assert len(retold.dedup(dataset).kept_rows) > 0
    mapped = dataset.map(lambda row: {"n": n_pairs([row["text"], NOTE])}, num_proc=2)
    assert set(mapped["n"]) == {0, 1}


def test_results_and_answers_are_pickled(texts, tmp_path):
    pytest.importorskip("pyarrow")
    result = retold.dedup(texts)
    again = pickle.loads(pickle.dumps(result))
    assert isinstance(again, retold.Deduplicated)
    assert list(again.pairs) == list(result.pairs) and list(again.removed) == list(result.removed)
    assert again.kept_rows == result.kept_rows and again.summary == result.summary
    with pytest.raises(retold.UsageError, match="pickled"):
        again.regroup(containment=0.9)
    answer = retold.query(NOTE, texts)
    assert pickle.loads(pickle.dumps(answer)).to_dict() == answer.to_dict()


def test_an_exception_is_pickled_with_its_place():
    with pytest.raises(retold.InputError) as raised:
        retold.find([NOTE, None], strict=True)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (type(again), again.record, str(again)) == (retold.InputError, 1, str(raised.value))


def test_an_index_is_pickled_as_its_path_and_state(texts, tmp_path):
    with retold.Index.create(tmp_path / "archive.idx") as index:
        index.add(texts)
        pickled = pickle.dumps(index)
        assert pickle.loads(pickled).query(NOTE)[0].id == index.query(NOTE)[0].id
        index.add([("new", OTHER)])
        with pytest.raises(retold.UsageError, match="has changed"):
            pickle.loads(pickled)


WORK = """
    import os, sys, time
    import retold

    def stories():
        yield "x"
        print("begun", flush=True)
        while True:
            yield "word " * 50 + str(time.monotonic())

    try:
        retold.find(stories())
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


def test_an_interrupt_ends_the_work_quickly():
    """Within 200 ms of Ctrl-C, on a machine that is not busy; here with room for one that is."""
    worker = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WORK)], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    assert worker.stdout is not None
    assert worker.stdout.readline() == "begun\n"
    time.sleep(0.5)
    start = time.monotonic()
    worker.send_signal(signal.SIGINT)
    assert worker.stdout.readline() == "interrupted\n"
    took = time.monotonic() - start
    assert worker.wait(30) == 0
    assert took < 2.0, f"it took {took:.2f} s"
    print(f"interrupted within {took:.3f} s")


def test_no_signal_handler_is_touched(texts):
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    n_pairs(texts)
    assert before == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]


def test_other_threads_go_on_meanwhile():
    """Python's lock is free while documents are compared."""
    is_over = threading.Event()
    ticks = []

    def tick() -> None:
        while not is_over.wait(0.001):
            ticks.append(time.monotonic())

    ticking = threading.Thread(target=tick)
    ticking.start()
    start = time.monotonic()
    retold.find([f"{n} {NOTE} {OTHER * 20}" for n in range(2_000)])
    end = time.monotonic()
    is_over.set()
    ticking.join()
    assert sum(start < at < end for at in ticks) > 3


def test_two_calls_at_the_same_time(texts):
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(n_pairs(texts))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [n_pairs(texts)] * 4


def test_progress_is_told_and_may_stop_the_work():
    told = []
    texts = [f"{n} {NOTE} {OTHER * 30}" for n in range(3_000)]
    retold.find(texts, progress=lambda *standing: told.append(standing))
    assert told[-1][3] == 3_000 and all(isinstance(stage, str) for stage, *_ in told)

    class Enough(Exception):
        pass

    def stop(*_: object) -> None:
        raise Enough

    with pytest.raises(Enough):
        retold.find(texts, progress=stop)


def test_progress_through_tqdm(texts, capsys):
    pytest.importorskip("tqdm")
    retold.find(texts, progress=True)
    assert "documents" in capsys.readouterr().err

"""`Loader`: however a loop ends, its threads end with it."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import octavo  # noqa: E402
from octavo import errors  # noqa: E402
from octavo.torch import Loader  # noqa: E402
from tests.integrations.torch import interrupted_loops  # noqa: E402
from tests.integrations.torch.records import lists, loader_threads, number, write_rows  # noqa: E402
from tests.settling import collect_leftovers, comes_true  # noqa: E402

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.usefixtures("no_thread_is_left")


def slowly(record):
    time.sleep(0.001)
    return number(record)


def test_break_ends_the_threads(path):
    for _ in Loader(path, batch_size=2, decode=slowly, threads=3):
        assert len(loader_threads()) == 3
        break
    assert loader_threads() == []


def test_an_error_in_the_loop_ends_the_threads(path):
    def train():
        for batch in Loader(path, batch_size=2, decode=slowly, threads=3):
            raise ValueError(batch)

    with pytest.raises(ValueError, match="tensor"):
        train()
    assert loader_threads() == []


def test_a_loop_that_is_forgotten_ends_its_threads(path):
    batches = iter(Loader(path, batch_size=2, decode=slowly))
    next(batches)
    assert loader_threads()
    del batches
    assert loader_threads() == []


def test_a_loop_in_a_cycle_is_collected(path):
    class Job:
        def __init__(self):
            self.batches = iter(Loader(path, batch_size=2, decode=slowly))
            self.itself = self
            next(self.batches)

    Job()
    gc.collect()
    assert loader_threads() == []


def test_a_loop_may_be_collected_by_one_of_its_threads(path):
    """The collector comes around anywhere: the thread that it comes on cannot wait for itself."""
    is_at_it, is_forgotten = threading.Event(), threading.Event()
    collectors: list[str] = []
    mistakes: list[object] = []

    def collect(records):
        if is_at_it.is_set() and not collectors:
            collectors.append(threading.current_thread().name)
            is_forgotten.wait(60)
            gc.collect()
        return records

    class Job:
        def __init__(self):
            self.batches = iter(Loader(path, batch_size=2, collate_fn=collect, threads=2, prefetch=2))
            self.itself = self
            next(self.batches)
            is_at_it.set()
            next(self.batches)

    collect_leftovers()  # or those of other tests would be mistakes here
    previous, sys.unraisablehook = sys.unraisablehook, mistakes.append
    gc.disable()
    try:
        Job()
        assert comes_true(lambda: collectors != [])
        assert loader_threads()
        is_forgotten.set()
        assert comes_true(lambda: loader_threads() == [])
    finally:
        gc.enable()
        sys.unraisablehook = previous
    assert mistakes == []


def test_close_ends_all_loops(path):
    with Loader(path, batch_size=2, decode=slowly) as loader:
        loops = [iter(loader), iter(loader), iter(loader)]
        for batches in loops[:2]:
            next(batches)
        assert loader_threads()
    assert loader_threads() == []
    assert loader.reader.closed
    loader.close()
    for batches in loops:
        with pytest.raises(errors.ClosedError, match="the loader was closed"):
            next(batches)
    with pytest.raises(errors.ClosedError):
        iter(loader)


def test_close_leaves_a_reader_open_that_it_was_given(path):
    reader = octavo.open(path)
    with Loader(reader, batch_size=4) as loader:
        list(loader)
    assert not reader.closed


def test_close_wakes_whoever_waits(path):
    may_go_on = threading.Event()
    is_at_it = threading.Event()
    caught: list[BaseException] = []

    def wait(records):
        is_at_it.set()
        may_go_on.wait(60)
        return records

    loader = Loader(path, batch_size=2, collate_fn=wait, threads=1)
    batches = iter(loader)

    def use():
        try:
            list(batches)
        except errors.ClosedError as error:
            caught.append(error)

    user = threading.Thread(target=use)
    user.start()
    assert is_at_it.wait(60)
    closer = threading.Thread(target=loader.close)
    closer.start()
    assert comes_true(lambda: batches._is_closed)  # or the whole epoch might be over before
    may_go_on.set()
    closer.join(60)
    user.join(60)
    assert len(caught) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_its_own_threads(path):
    loader = Loader(path, batch_size=4, shuffle=False, decode=number)
    list(loader)
    batches, others = iter(loader), iter(loader)
    first = next(batches).tolist()
    next(others)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            rest = lists(batches)  # the loop that the parent has begun
            again = lists(Loader(path, batch_size=4, shuffle=False, decode=number))
            del batches
            gc.collect()
            loader.close()
            status = int([first, *rest] != again or loader_threads() != [])
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert [first, *lists(batches)] == [list(range(k, k + 4)) for k in range(0, 40, 4)]


@pytest.mark.skipif(sys.platform == "win32", reason="is about signals of Unix")
def test_ctrl_c_is_raised_while_a_batch_is_waited_for_and_the_loop_can_go_on(path):
    interrupted_loops.check("wait_for_a_batch", path)


PROGRAM = """
import sys, time, threading
import torch
from octavo.torch import Loader

def slow(records):
    time.sleep(0.01)
    return records

loader = Loader(sys.argv[1], batch_size=1, collate_fn=slow, threads=3)
batches = iter(loader)
next(batches)
{then}
"""


def start(path, then):
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(then=then), str(path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    ("then", "code"),
    [
        ("", 0),  # a loop that is still running at the end
        ("sys.exit(3)", 3),
        ("raise ValueError", 1),
        ("sys.other = batches; del sys", 0),  # held by a module to the last
    ],
)
def test_a_program_ends_whatever_runs(path, then, code):
    program = start(path, then)
    _, told = program.communicate(timeout=120)
    assert program.returncode == code, told
    assert told == "" or told.rstrip().endswith("ValueError")


@pytest.mark.skipif(sys.platform == "win32", reason="is about signals of Unix")
def test_ctrl_c_ends_a_program(tmp_path):
    path = write_rows(tmp_path / "many.ffr", 10_000)
    program = start(path, "print('go', flush=True)\nfor _ in batches: pass")
    assert program.stdout is not None
    assert program.stdout.readline() == "go\n"
    program.send_signal(signal.SIGINT)
    _, told = program.communicate(timeout=120)
    assert program.returncode == -signal.SIGINT
    assert told.rstrip().endswith("KeyboardInterrupt")
    assert "Exception ignored" not in told

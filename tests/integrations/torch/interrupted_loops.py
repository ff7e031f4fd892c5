"""A program: Ctrl-C in the middle of a loop over a `Loader`, at moments that do not depend on how busy the machine is.

It has a process to itself, because pytest ends where Ctrl-C is not caught.
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from unittest import mock

from octavo.integrations.torch import _crew
from octavo.torch import Loader
from tests.integrations.torch.records import lists, loader_threads, number

ROOT = Path(__file__).parents[3]


def send_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def wait_for_a_batch(path: str) -> None:
    """It comes out of the first batch, for which the loop is waiting: no batch is lost."""
    is_sent = threading.Event()

    def slow(record: bytes) -> int:
        if not is_sent.is_set():  # afterwards, whoever waits for these threads must not wait long
            time.sleep(0.05)
            if number(record) == 2:
                is_sent.set()
                send_ctrl_c()
        return number(record)

    batches = iter(Loader(path, batch_size=8, shuffle=False, decode=slow, threads=2))
    try:
        list(batches)
    except KeyboardInterrupt:
        assert loader_threads() == []
    else:
        raise AssertionError("the loop has not noticed Ctrl-C")
    assert list(itertools.chain(*lists(batches))) == list(range(40))


def wait_for_threads(path: str) -> None:
    """It comes after `break`, while the loop waits for threads that do not end: whoever goes on afterwards gets it."""
    may_go_on, is_left = threading.Event(), threading.Event()
    usual = _crew._send_home

    def send_home(*arguments: Any) -> None:
        is_left.set()
        usual(*arguments)

    def interrupt() -> None:
        is_left.wait()
        time.sleep(0.2)  # a moment earlier, or much later, it would be raised all the same
        send_ctrl_c()

    def make(samples: list[bytes]) -> list[bytes]:
        if number(samples[0]):  # all but the first batch
            may_go_on.wait()
        return samples

    threading.Thread(target=interrupt, daemon=True).start()
    with mock.patch.object(_crew, "_send_home", send_home):
        try:
            for _ in Loader(path, batch_size=1, shuffle=False, collate_fn=make, threads=3):
                break
            may_go_on.wait(60)
        except KeyboardInterrupt:
            assert is_left.is_set()
        else:
            raise AssertionError("Ctrl-C is lost")
    may_go_on.set()


PROGRAMS = {program.__name__: program for program in (wait_for_a_batch, wait_for_threads)}


def check(name: str, path: Path) -> None:
    """Run one of these in a process of its own."""
    command = [sys.executable, "-m", "tests.integrations.torch.interrupted_loops", name, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-4000:]


if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](sys.argv[2])

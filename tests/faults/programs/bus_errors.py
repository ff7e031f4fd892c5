"""Lost pages under octavo's handler, and faults that are none of octavo's business."""

from __future__ import annotations

import faulthandler
import mmap
import os
import signal
import threading
from collections.abc import Callable

import octavo
from octavo._open import IoMode
from octavo.errors import OctavoError
from tests.faults import samples
from tests.faults.programs.outcome import error_of, say

COUNT = 3000
CONTENT = samples.records(COUNT)

WAYS: dict[str, Callable[[octavo.Reader], object]] = {
    "single": lambda reader: reader[COUNT - 1],
    "batch": lambda reader: reader.read([3, COUNT - 1, 4]),
    "one buffer": lambda reader: reader.read_batch(range(COUNT - 500, COUNT)),
    "iteration": lambda reader: list(reader[COUNT - 500 :]),
    "whole": lambda reader: reader.read_all(),
}


def _warm(reader: octavo.Reader) -> None:
    for _ in range(6):
        assert reader.read([0, 1]) == CONTENT[:2]
    assert all(reader[number] == CONTENT[number] for number in range(70))


def _expect_error(reader: octavo.Reader, way: str) -> None:
    error_of(OctavoError, lambda: WAYS[way](reader))


def lose_a_page(path: str, io: IoMode, way: str, faulthandler_enabled: str) -> None:
    """Reads beyond the end of a truncated file."""
    if faulthandler_enabled == "before":
        faulthandler.enable()
    reader = octavo.open(path, io=io)
    _warm(reader)
    if faulthandler_enabled == "after":
        faulthandler.enable()
    os.truncate(path, samples.PAGE_BYTES)
    _expect_error(reader, way)


def lose_pages_in_turn(paths: list[str]) -> None:
    """Every mapping is guarded, not only the first or the last, and those of closed readers are no trouble."""
    readers = [octavo.open(path, io="mmap") for path in paths]
    del readers[::3]
    for reader in readers:
        _warm(reader)
        os.truncate(reader.paths[0], samples.PAGE_BYTES)
        _expect_error(reader, "single")


def fault_elsewhere(path: str, other: str, faulthandler_enabled: str, *, in_a_thread: bool) -> None:
    """Touches a page that a mapping of Python's own has lost. Nothing after that is reached."""
    if faulthandler_enabled == "before":
        faulthandler.enable()
    reader = octavo.open(path, io="mmap")
    _warm(reader)
    if faulthandler_enabled == "after":
        faulthandler.enable()
        reader.read([0])
    with open(other, "w+b") as file:
        file.write(bytes(4 * samples.PAGE_BYTES))
        file.flush()
        mapped = mmap.mmap(file.fileno(), 0)
        file.truncate(samples.PAGE_BYTES)
        if in_a_thread:
            thread = threading.Thread(target=lambda: mapped[3 * samples.PAGE_BYTES])
            thread.start()
            thread.join()
        else:
            mapped[3 * samples.PAGE_BYTES]
    say("survived")


def send_to_itself(path: str, faulthandler_enabled: str) -> None:
    """Sends itself the signal; nothing after that is reached."""
    if faulthandler_enabled == "before":
        faulthandler.enable()
    reader = octavo.open(path, io="mmap")
    _warm(reader)
    if faulthandler_enabled == "after":
        faulthandler.enable()
        reader.read([0])
    os.kill(os.getpid(), signal.SIGBUS)
    say("survived")


def send_to_a_handler(path: str, *, installed_first: bool) -> None:
    """A handler in Python gets the signals that are sent, before and after octavo has read."""
    seen: list[int] = []

    def handler(number: int, _frame: object) -> None:
        seen.append(number)

    if installed_first:
        signal.signal(signal.SIGBUS, handler)
    reader = octavo.open(path, io="mmap")
    _warm(reader)
    if not installed_first:
        signal.signal(signal.SIGBUS, handler)
    for sent in range(1, 4):
        reader.read([0])
        os.kill(os.getpid(), signal.SIGBUS)
        assert len(seen) == sent, f"{len(seen)} of {sent} signals arrived"


def send_while_ignored(path: str) -> None:
    """A process that ignores the signal goes on ignoring it."""
    signal.signal(signal.SIGBUS, signal.SIG_IGN)
    reader = octavo.open(path, io="mmap")
    for _ in range(3):
        _warm(reader)
        os.kill(os.getpid(), signal.SIGBUS)


def lose_a_page_after_a_sent_signal(path: str, way: str) -> None:
    """A signal that somebody sent, and a handler in Python took, does not take the guard away."""
    signal.signal(signal.SIGBUS, lambda *_: None)
    reader = octavo.open(path, io="mmap")
    _warm(reader)
    os.kill(os.getpid(), signal.SIGBUS)
    os.truncate(path, samples.PAGE_BYTES)
    _expect_error(reader, way)


def change_handlers_often(path: str) -> None:
    """The handler that was installed last gets the signal, however many came and went before."""
    seen: list[int] = []
    signal.signal(signal.SIGBUS, lambda number, _: seen.append(number))
    reader = octavo.open(path, io="mmap")
    for _ in range(20):
        handler = signal.signal(signal.SIGBUS, signal.SIG_DFL)
        reader.read([0])
        signal.signal(signal.SIGBUS, handler)
        reader.read([0])
    os.kill(os.getpid(), signal.SIGBUS)
    assert seen == [signal.SIGBUS]

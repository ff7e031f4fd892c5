"""Work that is cut short: by `break`, by Ctrl-C, by an exception."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable

import octavo
from octavo._open import IoMode
from octavo.errors import ChecksumError
from tests.faults import samples
from tests.faults.programs.outcome import error_of, say


def _calls(path: str) -> dict[str, Callable[[], object]]:
    return {
        "read_all": lambda: octavo.open(path).read_all(),
        "read": lambda: octavo.open(path).read(range(len(octavo.open(path)))),
        "verify": lambda: octavo.verify(path),
    }


def _single_call(path: str, call: str) -> Callable[[], object]:
    """The same without the opening: one call of native code."""
    if call == "verify":
        return lambda: octavo.verify(path)
    reader = octavo.open(path)
    numbers = range(len(reader))
    return reader.read_all if call == "read_all" else lambda: reader.read(numbers)


CALLS = tuple(_calls(""))


def interrupt(path: str, call: str) -> None:
    """One call, long enough to be interrupted in its middle, hears of it there and gives no result.

    Signals that nobody hears of until a call has ended are one by then, however many there were. So the first one does
    nothing, and it takes a second one to interrupt: then the call has listened while it worked.
    """
    work = _single_call(path, call)
    heard = 0

    def hear(*_: object) -> None:
        nonlocal heard
        heard += 1
        if heard == 2:
            raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, hear)  # a Ctrl-C that comes at a moment of our choice
    attempts = []
    for _ in range(20):  # on a machine that others use, the call may be quicker than it was
        began = time.monotonic()
        work()
        whole_s = time.monotonic() - began
        heard = 0
        result = None
        try:
            signal.setitimer(signal.ITIMER_REAL, whole_s * 0.2, whole_s * 0.05)
            result = work()
            signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            signal.setitimer(signal.ITIMER_REAL, 0)
            if result is None:
                return
        attempts.append((whole_s, heard))
    raise AssertionError(f"{call} goes on after Ctrl-C: {attempts}")


def work_forever(path: str, call: str) -> None:
    """Until Ctrl-C, which nobody catches."""
    work = _calls(path)[call]
    say("working")
    while True:
        work()


def scan_for_long(path: str) -> None:
    """A file that must be looked through to be opened, so many times over that it takes minutes."""
    say("working")
    octavo.open([path] * 50_000)


def index_forever(path: str) -> None:
    """An index beside a file, again and again."""
    say("working")
    while True:
        octavo.write_index(path)


def write_forever(path: str) -> None:
    """An endless iterable without a line of Python in it; only octavo itself can notice Ctrl-C."""
    with octavo.create(path) as writer:
        say("working")
        writer.write_many(itertools.repeat(b"record"))


def append_forever(path: str) -> None:
    """The same into a file that exists."""
    with octavo.append(path) as writer:
        say("working")
        writer.write_many(itertools.repeat(b"record"))


def recover_forever(path: str, target: str) -> None:
    """Saves the same file again and again, until Ctrl-C."""
    say("working")
    while True:
        octavo.recover(path, target, overwrite=True)


def look_through_a_hole(path: str, target: str, call: str) -> None:
    """A file so large that looking through it takes minutes; all of it but its beginning is a hole."""
    calls: dict[str, Callable[[], object]] = {
        "open": lambda: octavo.open(path),
        "verify": lambda: octavo.verify(path),
        "recover": lambda: octavo.recover(path, target),
    }
    say("working")
    calls[call]()


def read_on(path: str, count: int) -> None:
    """A reader that was interrupted again and again gives the right records all the same."""
    reader = octavo.open(path)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    interrupted = 0
    for delay_s in (0.0003, 0.001, 0.003, 0.01, 0.03) * 4:
        for work in (reader.read_all, lambda: _drain(reader), lambda: reader.read(range(count))):
            with contextlib.suppress(KeyboardInterrupt):  # it may come after the work, too
                signal.setitimer(signal.ITIMER_REAL, delay_s)
                try:
                    work()
                except KeyboardInterrupt:
                    interrupted += 1
                signal.setitimer(signal.ITIMER_REAL, 0)
    assert interrupted > 0
    assert reader.read_all() == samples.records(count), "wrong bytes"
    assert list(reader) == samples.records(count), "wrong bytes"


def break_out(path: str, io: IoMode) -> None:
    """Leaves loops early, in every state that an iterator can be left in, and then the process."""
    reader = octavo.open(path, io=io)
    for stop_after in (0, 1, 15, 16, 17, 1000):
        for number, _ in enumerate(reader):
            if number == stop_after:
                break
    abandoned = iter(reader)
    next(abandoned)
    reader.close()
    say("leaving")


class SlowFile:
    """A file whose every read takes a while, as over a network."""

    def __init__(self, path: str) -> None:
        self.name = path
        with open(path, "rb") as file:
            self._content = file.read()
        self.size = len(self._content)
        self.delay_s = 0.0

    def read_spans(self, spans: list[tuple[int, int]]) -> list[bytes]:
        time.sleep(self.delay_s)
        return [self._content[offset : offset + length] for offset, length in spans]


def interrupt_a_slow_source(path: str, call: str) -> None:
    """Ctrl-C while the pool waits for a source that is written in Python."""
    source = SlowFile(path)
    reader = octavo.open(source)
    source.delay_s = 0.05
    calls: dict[str, Callable[[], object]] = {"read_all": reader.read_all, "iteration": lambda: _drain(reader)}
    try:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        while True:
            calls[call]()
    except KeyboardInterrupt:
        say("interrupted")


def interrupt_the_scan_of_a_slow_source(path: str) -> None:
    """Ctrl-C while headers are read, each of which takes a while."""
    source = SlowFile(path)
    source.delay_s = 0.2
    try:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        while True:
            octavo.open(source)
    except KeyboardInterrupt:
        say("interrupted")


def _drain(reader: octavo.Reader) -> None:
    for _ in reader:
        pass


class DamagedFile(SlowFile):
    """One byte of the first record is not what it was; the index is whole."""

    def __init__(self, path: str, at: int) -> None:
        super().__init__(path)
        self._content = self._content[:at] + b"?" + self._content[at + 1 :]


class FailingFile(SlowFile):
    """Reads the index, and then nothing more."""

    failing = False

    def read_spans(self, spans: list[tuple[int, int]]) -> list[bytes]:
        if self.failing:
            raise ConnectionResetError("the other side has gone away")
        return super().read_spans(spans)


WAYS: dict[str, Callable[[octavo.Reader], object]] = {
    "read_all": lambda reader: reader.read_all(),
    "iteration": list,
    "batch": lambda reader: reader.read(range(1000)),
}


def read_a_damaged_source(path: str, at: int, way: str) -> None:
    """An error in one block, while others are still waiting for the interpreter."""
    reader = octavo.open(DamagedFile(path, at))
    assert error_of(ChecksumError, lambda: WAYS[way](reader)).record == 0


def read_a_failing_source(path: str, way: str) -> None:
    """What a source raises is what its reader raises."""
    source = FailingFile(path)
    reader = octavo.open(source)
    source.failing = True
    error_of(ConnectionResetError, lambda: WAYS[way](reader))


def leave_an_iteration_of_a_slow_source(path: str) -> None:
    """The blocks on their way need the interpreter to land; whoever drops the iterator must let them."""
    source = SlowFile(path)
    reader = octavo.open(source)
    source.delay_s = 0.02
    for _ in range(3):
        for _ in reader:
            break


def stop_writing(path: str, records: int) -> None:
    """The iterable raises; `with` cleans up."""

    def endless() -> Iterable[bytes]:
        yield from samples.records(records)
        raise LookupError("no more")

    def write() -> None:
        with octavo.create(path) as writer:
            writer.write_many(endless())

    error_of(LookupError, write)

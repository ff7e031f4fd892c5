"""What must not be, made on purpose: a measure that does not find it is worth nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from octavo.errors import OctavoError
from tests.faults.programs.bounded import MOST_MEMORY, Meter, demand, warmed


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def _use_memory() -> None:
    bytearray(MOST_MEMORY + (8 << 20))


def _raise(error: BaseException) -> None:
    raise error


def _loop() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0.05)  # instead of the deadline
    while True:
        pass


FLAWS: dict[str, Callable[[], None]] = {
    "a signal": _kill,
    "memory": _use_memory,
    "no memory": lambda: _raise(MemoryError()),
    "depth": lambda: _raise(RecursionError("too deep")),
    "another error": lambda: _raise(ValueError("embedded null byte")),
    "an error without a word": lambda: _raise(OctavoError("")),
    "a panic": lambda: _raise(OctavoError("thread 'main' panicked at src/lib.rs")),
    "silence": lambda: demand(what_holds=False, otherwise="nothing was found"),
    "a loop": _loop,
}


def err(folder: str, progress: str, flaw: str) -> None:
    """Measures an operation that does what it must not; or none."""
    warmed(folder)
    meter = Meter()
    with open(progress, "wb") as told:
        told.write(flaw.encode())
    meter.run(flaw, FLAWS.get(flaw, lambda: None))
    meter.tell(cases=1)

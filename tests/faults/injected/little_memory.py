"""The program that does everything with files that claim too much, in a process that has little memory left."""

from __future__ import annotations

import collections
import contextlib
import functools
import json
import os
import resource
import shutil
import warnings
from collections.abc import Callable, Iterator

import octavo
from octavo.errors import OctavoError, TornAppendWarning
from tests.faults.programs.outcome import say

LOOKED_THROUGH_BYTES = 1 << 30
"""Larger files are only opened: to look through them takes its time, and rightly so."""


def address_bytes() -> int:
    """What the process has now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def deeds(path: str, beside: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """All that can be done with a file; what is written goes beside it."""
    for io in ("auto", "pread", "direct"):
        yield f"read with {io}", functools.partial(read, path, io)
    if os.path.getsize(path) > LOOKED_THROUGH_BYTES:
        return
    suffix = os.path.splitext(path)[1]
    yield "verify", lambda: octavo.verify(path)
    yield "digest", lambda: octavo.digest(path)
    yield "recover", lambda: octavo.recover(path, f"{beside}/saved{suffix}", overwrite=True)
    yield "convert", lambda: octavo.convert(path, f"{beside}/converted.ffr", overwrite=True)
    yield "folder", lambda: octavo.Folder(path).close()
    grown = f"{beside}/grown{suffix}"
    yield "append", lambda: append(shutil.copy(path, grown))
    yield "trim", lambda: octavo.trim(shutil.copy(path, grown))
    yield "index", lambda: octavo.write_index(shutil.copy(path, grown))


def read(path: str, io: str) -> None:
    with octavo.open(path, io=io) as reader:  # type: ignore[arg-type]  # one of those above
        with contextlib.suppress(OctavoError, MemoryError):
            reader[-1]
        with contextlib.suppress(OctavoError, MemoryError):
            reader.read_batch([0, len(reader) // 2])
        reader.read_all()


def append(path: str) -> None:
    with octavo.append(path) as writer:
        writer.write(b"more")


def survive(folder: str, beside: str, sound: str, headroom_bytes: int) -> None:
    """Says how often what came out; an abort of the process says itself."""
    warnings.simplefilter("ignore", TornAppendWarning)
    for _, deed in deeds(sound, beside):  # threads have their stacks before it becomes narrow
        with contextlib.suppress(OctavoError):
            deed()
    limit = address_bytes() + headroom_bytes
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    outcomes: collections.Counter[str] = collections.Counter()
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        for deed_name, deed in deeds(path, beside):
            try:
                deed()
            except MemoryError:
                outcomes["no memory"] += 1
            except OctavoError as error:
                if "panic" in str(error).lower():
                    raise AssertionError(f"{deed_name} of {name}: {error!r}") from error
                outcomes["error"] += 1
            except BaseException as error:
                error.add_note(f"{deed_name} of {name}")
                raise
            else:
                outcomes["done"] += 1
        with octavo.open(sound) as reader:
            assert reader.read_all() == [b"sound"], f"after {name}"
    say(json.dumps(outcomes))

"""Counts what octavo keeps open."""

from __future__ import annotations

import contextlib
import functools
import os
import random
import resource
from collections.abc import Callable

import octavo
from octavo._open import IoMode
from octavo.errors import OctavoError
from tests.faults import page_cache, samples
from tests.faults.programs.outcome import error_of
from tests.settling import comes_true

LIMIT = 256


RINGS = 16
"""Rings that are kept for the next batch. How many there are depends on how many batches met."""


def _open_files() -> list[str]:
    found = []
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # the one that was open to list them
            found.append(os.readlink(f"/proc/self/fd/{number}"))
    return found


def _open_descriptors() -> int:
    """How many, without the rings."""
    files = _open_files()
    rings = files.count("anon_inode:[io_uring]")
    assert rings <= RINGS, "rings leak"
    return len(files) - rings


def _mappings_of(path: str) -> int:
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return sum(line.rstrip().removesuffix(" (deleted)").endswith(path) for line in maps)


def read_shards(folder: str, io: IoMode, *, cold: bool) -> None:
    """Batches across a thousand files, in a process that may not hold more than 256 descriptors at any moment."""
    records = samples.SHARD_RECORDS
    paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))

    def cool() -> None:
        if cold:
            page_cache.drop(*paths)

    cool()
    resource.setrlimit(resource.RLIMIT_NOFILE, (LIMIT, LIMIT))
    reader = octavo.open(folder, io=io)
    assert len(reader) == len(paths) * records

    def right(number: int) -> bytes:
        return samples.sized(number % records, samples.SHARD_RECORD_BYTES, seed=number // records)

    chosen = random.Random(2)
    for _ in range(2):
        cool()
        numbers = chosen.sample(range(len(reader)), 2000)
        assert reader.read(numbers) == [right(number) for number in numbers], "wrong bytes"
    cool()
    numbers = chosen.sample(range(len(reader)), 1500)
    assert reader.read_batch(numbers).to_list() == [right(number) for number in numbers], "wrong bytes"
    cool()
    for number, got in zip(range(0, len(reader), 7), reader[::7], strict=True):
        assert got == right(number), "wrong bytes"
    assert len(_open_files()) <= LIMIT


def close_reader(path: str, io: IoMode) -> None:
    """Closing gives the file back, although the object lives on."""
    reader = octavo.open(path, io=io)
    assert reader.read(range(len(reader))) == samples.records(len(reader))
    reader.close()
    assert reader.closed
    assert path not in _open_files(), "still open"


def _settle(work: Callable[[], None]) -> int:
    """What the pools need is opened by the first few calls, and is no leak."""
    for _ in range(3):
        work()
    return _open_descriptors()


def open_and_close(path: str, io: IoMode) -> None:
    """Two hundred readers, one after the other."""

    def work() -> None:
        with octavo.open(path, io=io) as reader:
            reader.read([0, 1])
            assert reader[0] == samples.record(0)
            next(iter(reader))

    before = _settle(work)
    for _ in range(200):
        work()
    del work
    # What a scan that nobody follows any more has begun to read ahead is given back a moment later.
    assert comes_true(lambda: _open_descriptors() <= before), "descriptors leak"
    assert comes_true(lambda: _mappings_of(path) == 0), "mappings leak"


def fail_to_open(paths: list[str], io: IoMode) -> None:
    """Files that cannot be opened, each in turn, and beside a good one."""
    good, *bad = paths

    def read(location: str | list[str]) -> None:
        octavo.open(location, io=io).read_all()

    def work() -> None:
        for path in bad:
            error_of(OctavoError, functools.partial(read, path))
            error_of(OctavoError, functools.partial(read, [good, path]))

    before = _settle(work)
    for _ in range(50):
        work()
    assert comes_true(lambda: _open_descriptors() <= before), "descriptors leak"
    assert comes_true(lambda: sum(_mappings_of(path) for path in paths) == 0), "mappings leak"


def fail_to_write(folder: str) -> None:
    """Writers that are given up or fail, and files that are written."""

    def work() -> None:
        path = os.path.join(folder, "out.ffr")
        octavo.create(path).abort()
        with octavo.create(path) as writer:
            writer.write(b"record")
            writer.flush()
        with contextlib.suppress(OctavoError):
            octavo.create(os.path.join(folder, "no such folder", "out.ffr"))
        with contextlib.suppress(OctavoError):
            octavo.create(folder, format="ffrecord")
        with octavo.create(path), contextlib.suppress(OctavoError):
            octavo.create(path)

    before = _settle(work)
    for _ in range(20):
        work()
    assert comes_true(lambda: _open_descriptors() <= before), "descriptors leak"

"""Counts what a read costs: faults on pages that are not in memory, and bytes that system calls carry."""

from __future__ import annotations

import errno
import json
import random
import resource
from collections.abc import Callable

import octavo
from octavo._open import IoMode
from tests.faults import page_cache, samples
from tests.faults.programs import sandbox
from tests.faults.programs.outcome import say

COUNT = 4000
RECORD_BYTES = 8192


def right(number: int) -> bytes:
    return samples.sized(number, RECORD_BYTES)


def _numbers(count: int = 512, seed: int = 4) -> list[int]:
    return random.Random(seed).sample(range(COUNT), count)


def _batch(reader: octavo.Reader) -> int:
    numbers = _numbers()
    assert reader.read(numbers) == [right(number) for number in numbers], "wrong bytes"
    return len(numbers)


def _one_buffer(reader: octavo.Reader) -> int:
    numbers = _numbers()
    assert reader.read_batch(numbers).to_list() == [right(number) for number in numbers], "wrong bytes"
    return len(numbers)


def _into(reader: octavo.Reader) -> int:
    numbers = _numbers()
    out = bytearray(RECORD_BYTES * len(numbers))
    reader.read_into(numbers, out)
    assert out == b"".join(right(number) for number in numbers), "wrong bytes"
    return len(numbers)


def _single(reader: octavo.Reader) -> int:
    numbers = _numbers(200)
    assert [reader[number] for number in numbers] == [right(number) for number in numbers], "wrong bytes"
    return len(numbers)


def _iteration(reader: octavo.Reader) -> int:
    for number, got in enumerate(reader):
        assert got == right(number), "wrong bytes"
    return COUNT


def _whole(reader: octavo.Reader) -> int:
    for number, got in enumerate(reader.read_all()):
        assert got == right(number), "wrong bytes"
    return COUNT


WAYS: dict[str, Callable[[octavo.Reader], int]] = {
    "batch": _batch,
    "one buffer": _one_buffer,
    "into": _into,
    "single": _single,
    "iteration": _iteration,
    "whole": _whole,
}


def _major_faults() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_majflt


def carried() -> dict[str, int]:
    try:
        with open("/proc/self/io", encoding="ascii") as lines:
            return {name: int(value) for name, value in (line.split(":") for line in lines)}
    except OSError:
        sandbox.give_up("the system does not count what a process reads")
        raise


def measure(path: str, io: IoMode, way: str, *, warm: bool) -> None:
    """What one request costs. A warm one comes after others like it."""
    reader = octavo.open(path, io=io)
    if warm:
        for _ in range(6):
            _whole(reader)
    faults, before = _major_faults(), carried()
    records = WAYS[way](reader)
    after = carried()
    costs = {
        "records": records,
        "major_faults": _major_faults() - faults,
        "bytes_by_calls": after["rchar"] - before["rchar"],
        "bytes_from_device": after["read_bytes"] - before["read_bytes"],
    }
    say(json.dumps(costs))


def measure_after_warm_ones(path: str) -> None:
    """The first half of the file is in memory and has been read for a while, the second half is not."""
    reader = octavo.open(path)
    half = COUNT // 2
    page_cache.load(path, 12 + 12 * COUNT + half * RECORD_BYTES)
    for seed in range(20):
        numbers = random.Random(seed).sample(range(half), 200)
        assert reader.read(numbers) == [right(number) for number in numbers], "wrong bytes"
    faults = _major_faults()
    for seed in range(5):
        numbers = random.Random(seed).sample(range(half + 1, COUNT), 200)
        assert reader.read(numbers) == [right(number) for number in numbers], "wrong bytes"
    say(_major_faults() - faults)


def count_pages(path: str, io: IoMode, way: str) -> None:
    """How many pages of the file a request leaves in the page cache."""
    WAYS[way](octavo.open(path, io=io))
    say(page_cache.resident_pages(path))


def read_without_a_ring(path: str, io: IoMode, code: str, *, used_before: bool) -> None:
    """The system calls of the kernel's ring fail; reading works all the same."""
    reader = octavo.open(path, io=io)
    if used_before:
        _batch(reader)
    calls = (sandbox.IO_URING_SETUP, sandbox.IO_URING_ENTER, sandbox.IO_URING_REGISTER)
    sandbox.forbid(*calls, code=getattr(errno, code))
    for way in WAYS.values():
        page_cache.drop(path)
        way(octavo.open(path, io=io))
        way(reader)

"""How much memory reading takes, from the inside. Records are distinct in their first bytes and easy to compress."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import octavo
from octavo._open import IoMode
from octavo.errors import OctavoError
from tests.faults.programs import sandbox

RECORD_BYTES = 16 << 10
GROUP_SIZE = 256
COUNT = 25_000
CHUNK_BYTES = RECORD_BYTES * GROUP_SIZE
TOTAL_BYTES = RECORD_BYTES * COUNT
# A scan has a few blocks on their way, however many threads there are; other work has some for each thread.
SCAN_BYTES = 160 << 20
WORK_BYTES = SCAN_BYTES + 4 * CHUNK_BYTES * (os.cpu_count() or 1)


def record(number: int) -> bytes:
    return number.to_bytes(8, "little") * (RECORD_BYTES // 8)


def write(path: str | Path, **options: Any) -> None:
    """400 MB of records."""
    with octavo.create(path, **options) as writer:
        writer.write_many(map(record, range(COUNT)))


def _status(name: str) -> int:
    """A size that the system keeps of this process, in bytes."""
    try:
        with open("/proc/self/status", encoding="ascii") as lines:
            return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name + ":"))
    except (OSError, StopIteration):
        sandbox.give_up(f"the system does not say {name} of a process")
        raise


def _check_peak(before: int, most: int) -> None:
    used = _status("VmHWM") - before
    assert used < most, f"{used >> 20} MB used, {most >> 20} MB allowed"


def scan(path: str, io: IoMode) -> None:
    """From the first record to the last: never more than what is on its way."""
    reader = octavo.open(path, io=io)
    before = _status("VmRSS")
    for number, found in enumerate(reader):
        assert found == record(number), f"wrong bytes of record {number}"
    _check_peak(before, SCAN_BYTES)


def scan_backwards(path: str) -> None:
    reader = octavo.open(path)
    before = _status("VmRSS")
    for number, found in zip(range(COUNT - 1, -1, -1), reversed(reader), strict=True):
        assert found == record(number), f"wrong bytes of record {number}"
    _check_peak(before, SCAN_BYTES)


def verify(path: str) -> None:
    before = _status("VmRSS")
    assert octavo.verify(path).ok
    _check_peak(before, WORK_BYTES)


def recover(path: str) -> None:
    before = _status("VmRSS")
    stem, suffix = os.path.splitext(path)
    target = f"{stem}.recovered{suffix}"
    report = octavo.recover(path, target, overwrite=True)
    assert (report.record_count, report.ok) == (COUNT, True)
    os.unlink(target)
    _check_peak(before, WORK_BYTES)


def fill_the_cache(path: str, io: IoMode, cache_bytes: int) -> None:
    """Single records of all chunks: what stays is what the cache may hold."""
    reader = octavo.open(path, io=io, cache_bytes=cache_bytes)
    before = _status("RssAnon")
    chosen = random.Random(5)
    numbers = [first + chosen.randrange(GROUP_SIZE // 2) for first in range(0, COUNT - GROUP_SIZE, GROUP_SIZE)] * 3
    chosen.shuffle(numbers)
    most = 0
    for number in numbers:
        assert reader[number] == record(number), f"wrong bytes of record {number}"
        most = max(most, _status("RssAnon") - before)
    allowed = cache_bytes + 3 * CHUNK_BYTES + (16 << 20)
    assert most < allowed, f"{most >> 20} MB used, {allowed >> 20} MB allowed"
    # What is there is used: a cache that holds nothing would stay within every bound.
    assert most > min(cache_bytes, TOTAL_BYTES) // 2, f"{most >> 20} MB used of {cache_bytes >> 20} MB"


def lose_the_file_behind_the_cache(path: str, io: IoMode) -> None:
    """Records of a chunk that is in the cache need no file; without a cache they do."""
    cached = octavo.open(path, io=io, cache_bytes="64MB")
    uncached = octavo.open(path, io=io, cache_bytes=0)
    assert cached[0] == uncached[0] == record(0)
    os.truncate(path, 0)
    for reader in (cached, uncached):
        try:
            found = reader[1]
        except OctavoError:
            continue
        assert reader is cached, "read out of an empty file"
        assert found == record(1), "wrong bytes"

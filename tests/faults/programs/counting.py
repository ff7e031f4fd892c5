"""What it costs to count and to partition a large file without an index: system calls that read, and pages."""

from __future__ import annotations

import json
from collections.abc import Callable

import octavo
from octavo._open import IoMode
from tests.faults import page_cache, samples
from tests.faults.programs.outcome import say
from tests.faults.programs.temperature import carried

CALLS: tuple[Callable[[octavo.Reader], object], ...] = (
    len,
    lambda reader: reader.info,
    lambda reader: reader.partitions(64),
    lambda reader: reader.partitions(max_records=len(reader) // 100),
)


def measure(path: str, io: IoMode, records: int) -> None:
    """Opens the file, asks it one thing after the other, and says what was read for that."""
    page_cache.drop(path)
    before = carried()
    reader = octavo.open(path, io=io)
    for call in CALLS:
        call(reader)
    after = carried()
    assert len(reader) == records, f"{len(reader)} records"
    reader.close()
    costs = {
        "bytes_by_calls": after["rchar"] - before["rchar"],
        "bytes_from_device": after["read_bytes"] - before["read_bytes"],
        "bytes_in_memory": page_cache.resident_pages(path) * samples.PAGE_BYTES,
    }
    say(json.dumps(costs))


def read_tasks(path: str, chunk_records: int) -> None:
    """Tasks begin where chunks do; one of them reads its own chunks and no others."""
    reader = octavo.open(path)
    partitions = reader.partitions(max_records=3 * chunk_records)
    assert [len(one) for one in partitions] == [3 * chunk_records] * (len(reader) // chunk_records // 3)
    assert all(one.start % chunk_records == 0 for one in partitions)
    before = carried()
    found = partitions[-1].open().read_range(0, chunk_records)
    assert found == [b""] * chunk_records, "wrong bytes"
    say(json.dumps({"bytes_by_calls": carried()["rchar"] - before["rchar"]}))

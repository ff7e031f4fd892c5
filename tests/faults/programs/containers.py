"""What containers that are not record files take of memory, from the inside."""

from __future__ import annotations

import random

from octavo._convert import _foreign
from octavo._convert._source import Block
from octavo.errors import OctavoError
from tests.faults.programs import memory

LARGE_BYTES = 50_000_000
LARGE_COUNT = 5
# A record as it is stored and as it is read; of base64 a third more; pages of pyarrow are unzipped in one piece.
LARGE_ALLOWED = {
    "jsonl": 4 * LARGE_BYTES,
    "tar": 4 * LARGE_BYTES,
    "folder": 3 * LARGE_BYTES,
    "parquet": 9 * LARGE_BYTES,
}
SMALL_COUNT = 300_000
SMALL_ALLOWED = {"jsonl": 48 << 20, "tar": 48 << 20, "parquet": 128 << 20}


def _large(number: int) -> bytes:
    noise = random.Random(number).randbytes(1000)
    return noise * (LARGE_BYTES // len(noise))


def _small(number: int) -> bytes:
    return b"record number %d, with a text that is a little longer" % number


def pass_large(kind: str, path: str) -> None:
    """Large records go in and out, one at a time."""
    _import_libraries(kind)
    before = memory._status("VmRSS")
    sink = _foreign.open_sink(kind, path)
    for number in range(LARGE_COUNT):
        sink.write(Block([_large(number)]))
    sink.close()
    count = 0
    for block in _foreign.open_source(kind, [path]).blocks():
        for record in block.records:
            assert record == _large(count)
            count += 1
            del record
        del block
    assert count == LARGE_COUNT
    memory._check_peak(before, LARGE_ALLOWED[kind])


def pass_small(kind: str, path: str) -> None:
    """Many small records go in and out, a block at a time, and in parts."""
    _import_libraries(kind)
    before = memory._status("VmRSS")
    sink = _foreign.open_sink(kind, path)
    for start in range(0, SMALL_COUNT, 4000):
        sink.write(Block([_small(number) for number in range(start, start + 4000)]))
    sink.close()
    source = _foreign.open_source(kind, [path])
    assert source.count() == SMALL_COUNT
    for first in (0, SMALL_COUNT // 2):
        number = first
        for block in source.blocks(first):
            for record in block.records:
                assert record == _small(number)
                number += 1
        assert number == SMALL_COUNT
    memory._check_peak(before, SMALL_ALLOWED[kind])


def refuse(kind: str, path: str, reason: str, most_bytes: int) -> None:
    """A file that is refused, and takes little memory until then."""
    before = memory._status("VmRSS")
    try:
        for _ in _foreign.open_source(kind, [path]).blocks():
            pass
        told = "it was read"
    except OctavoError as error:
        told = str(error)
    assert reason in told, told
    memory._check_peak(before, most_bytes)


def _import_libraries(kind: str) -> None:
    """They are not what is measured."""
    if kind == "parquet":
        import pyarrow.parquet  # noqa: F401

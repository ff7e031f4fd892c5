"""Sweeps over FFRecord: a header, two tables, and the blocks that an unfinished write leaves."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from tests.faults.lies.edges import Case, Field, swept
from tests.naive import ffrecord as naive

RECORDS = [b"first", b"", b"third record", b"the last one"]
SPOOL_MAGIC = b"octavo\0S"


def _fields() -> list[Field]:
    count = len(RECORDS)
    checksums = [Field(f"checksum {number}", 12 + 4 * number, 4) for number in range(count)]
    offsets = [Field(f"offset {number}", 12 + 4 * count + 8 * number) for number in range(count)]
    return [Field("metadata checksum", 0, 4), Field("count", 4), *checksums, *offsets]


def _mended(content: bytes, field: Field) -> bytes:
    """The checksum is right for as many entries as there claim to be, if there are as many."""
    if field.place == 0:
        return content
    claimed = int.from_bytes(content[4:12], "little")
    end = 12 + 12 * (claimed if 12 + 12 * claimed <= len(content) else len(RECORDS))
    return struct.pack("<I", zlib.crc32(content[4:end])) + content[4:]


def _unchecked(content: bytes, _: Field) -> bytes:
    return bytes(4) + content[4:]


def _tables() -> Iterator[Case]:
    """Offsets that overlap, go back and stand still, under a checksum and without one."""
    sound = naive.encode(RECORDS)
    head, end = 12 + 12 * len(RECORDS), len(sound)
    checksums = sound[12 : 12 + 4 * len(RECORDS)]
    rows = {
        "all records at one place": [head] * 4,
        "all records at the end": [end] * 4,
        "all records at the header": [0] * 4,
        "offsets backwards": [end - 1, head + 9, head + 5, head],
        "offsets back and forth": [head, end, head, end],
        "records that overlap": [head, head + 9, head + 5, head + 2],
        "records in the tables": [12, 16, 20, 24],
    }
    for name, row in rows.items():
        for legacy in (False, True):
            header = naive.with_header(checksums, struct.pack("<4q", *row), legacy=legacy)
            yield f"{name}, {'legacy' if legacy else 'checked'}", header + sound[head:]


def ffrecord() -> Iterator[Case]:
    """Every number of a file under a checksum."""
    sound = naive.encode(RECORDS)
    yield "the truth", sound
    yield from swept(sound, _fields(), _mended, 12 + 12 * len(RECORDS))
    yield from _tables()


def legacy_ffrecord() -> Iterator[Case]:
    """The same without one: its reader has nothing but sense."""
    sound = naive.encode(RECORDS, legacy=True)
    yield "the truth", sound
    yield from swept(sound, _fields()[1:], _unchecked, 12 + 12 * len(RECORDS))


def spool_block(records: list[bytes]) -> bytes:
    """A block of an unfinished write, by `docs/spec/partial.md`."""
    tables = struct.pack(f"<{len(records)}Q", *map(len, records))
    tables += struct.pack(f"<{len(records)}I", *map(zlib.crc32, records))
    return SPOOL_MAGIC + struct.pack("<QII", len(records), zlib.crc32(tables), 0) + tables + b"".join(records)


def spool() -> Iterator[Case]:
    """A block that lies between two that do not; both tables are under a checksum that is right."""
    before, lying = spool_block([b"before"]), spool_block(RECORDS)
    at, count = len(before), len(RECORDS)
    sound = before + lying + spool_block([b"after"])
    lengths = [Field(f"length {number}", at + 24 + 8 * number) for number in range(count)]
    checksums = [Field(f"checksum {number}", at + 24 + 8 * count + 4 * number, 4) for number in range(count)]
    fields = [Field("count", at + 8), Field("tables", at + 16, 4), Field("zero", at + 20, 4), *lengths, *checksums]

    def mended(content: bytes, field: Field) -> bytes:
        if field.name == "tables":
            return content
        claimed = int.from_bytes(content[at + 8 : at + 16], "little")
        tables = content[at + 24 : at + 24 + 12 * (claimed if claimed < len(content) else count)]
        return content[: at + 16] + struct.pack("<I", zlib.crc32(tables)) + content[at + 20 :]

    yield "the truth", sound
    yield from swept(sound, fields, mended, at, at + len(lying))

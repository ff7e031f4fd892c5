"""What a killed writer leaves in `NAME.partial`, read by the letter of `docs/spec/partial.md`."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

MAGIC = b"octavo\x00S"


def records(content: bytes) -> Iterator[bytes]:
    """All records of whole blocks, and those of the last block that are there."""
    at = 0
    while content[at : at + 8] == MAGIC and at + 24 <= len(content):
        count, checksum, zero = struct.unpack_from("<QII", content, at + 8)
        tables = content[at + 24 : at + 24 + 12 * count]
        if zero != 0 or len(tables) < 12 * count or zlib.crc32(tables) != checksum:
            return
        at += 24 + 12 * count
        lengths = struct.unpack_from(f"<{count}Q", tables)
        checksums = struct.unpack_from(f"<{count}I", tables, 8 * count)
        for length, expected in zip(lengths, checksums, strict=True):
            record = content[at : at + length]
            if len(record) < length or zlib.crc32(record) != expected:
                return
            yield record
            at += length

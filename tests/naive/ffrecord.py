"""FFRecord by the letter of `docs/spec/ffrecord.md`: the twin that octavo's reader and writer are held to.

It is slow, shares no code with octavo and does nothing clever. `encode` gives the bytes of a file, `NaiveFile` reads
one. A file that must be refused raises `Refused`; a record that must not be handed out raises `Unreadable`.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

FIXED_BYTES = 12


class Refused(Exception):  # noqa: N818 - a verdict, not an error of the twin
    """The file must not be opened."""


class Unreadable(Exception):  # noqa: N818 - as above
    """The record must not be handed out."""


def encode(records: Sequence[bytes], *, legacy: bool = False, gap: bytes = b"") -> bytes:
    """The file that holds `records`: a legacy one has no metadata checksum; a gap stands before the first record."""
    offset = FIXED_BYTES + 12 * len(records) + len(gap)
    checksums, offsets = [], []
    for record in records:
        checksums.append(struct.pack("<I", zlib.crc32(record)))
        offsets.append(struct.pack("<q", offset))
        offset += len(record)
    return with_header(b"".join(checksums), b"".join(offsets), legacy=legacy) + gap + b"".join(records)


def with_header(checksums: bytes, offsets: bytes, *, legacy: bool = False) -> bytes:
    """A header around two tables, whatever they hold, with the metadata checksum that fits them."""
    covered = struct.pack("<q", len(checksums) // 4) + checksums + offsets
    return struct.pack("<I", 0 if legacy else zlib.crc32(covered)) + covered


class NaiveFile:
    """A file's records, one at a time."""

    def __init__(self, content: bytes, *, check_data: bool = True) -> None:
        self.content = content
        self.check_data = check_data
        if len(content) < FIXED_BYTES:
            raise Refused("too short for a header")
        self.meta_checksum: int
        self.count: int
        self.meta_checksum, self.count = struct.unpack_from("<Iq", content)
        if self.count < 0:
            raise Refused("a negative number of records")
        self.header_bytes = FIXED_BYTES + 12 * self.count
        if self.header_bytes > len(content):
            raise Refused("too short for its index")
        if self.count == 0 and len(content) > FIXED_BYTES:
            raise Refused("its writer did not finish it")
        self.checksums = struct.unpack_from(f"<{self.count}I", content, FIXED_BYTES)
        self.offsets = struct.unpack_from(f"<{self.count}q", content, FIXED_BYTES + 4 * self.count)
        if self.meta_checksum != 0:
            self._check_index()

    def _check_index(self) -> None:
        if self.check_data and zlib.crc32(self.content[4 : self.header_bytes]) != self.meta_checksum:
            raise Refused("the metadata checksum is wrong")
        at_least = self.header_bytes
        for offset in self.offsets:
            if offset < at_least:
                raise Refused("an offset goes back")
            at_least = offset

    def __len__(self) -> int:
        return self.count

    def read(self, number: int) -> bytes:
        """Record `number`, which is below the length."""
        start = self.offsets[number]
        is_last = number == self.count - 1
        end = len(self.content) if is_last else self.offsets[number + 1]
        if not self.header_bytes <= start <= end <= len(self.content):
            raise Unreadable(f"record {number} is not inside the file")
        record = self.content[start:end]
        if self.check_data and zlib.crc32(record) != self.checksums[number]:
            raise Unreadable(f"record {number} has a wrong checksum")
        return record

    def readable(self) -> dict[int, bytes]:
        """Every record that can be handed out, by number."""
        found = {}
        for number in range(self.count):
            try:
                found[number] = self.read(number)
            except Unreadable:
                continue
        return found

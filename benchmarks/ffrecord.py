"""FFRecord files written and read with numpy and zlib, from the layout alone.

octavo is not used, so that it is never measured on its own output and never checked against its own answers.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

Int64s = npt.NDArray[np.int64]

BUFFER_BYTES = 8 << 20


def write(path: Path, count: int, records: Iterable[bytes]) -> None:
    """Writes as many records as announced: the index, which needs the number, lies before them."""
    header_bytes = 12 + 12 * count
    checksums, ends = np.empty(count, dtype="<u4"), np.empty(count, dtype="<i8")
    with path.open("wb", buffering=BUFFER_BYTES) as file:
        end = file.seek(header_bytes)
        for number, record in enumerate(records):
            end += file.write(record)
            checksums[number], ends[number] = zlib.crc32(record), end
        offsets = np.concatenate(([header_bytes], ends[:-1])).astype("<i8")
        index = struct.pack("<q", count) + checksums.tobytes() + offsets.tobytes()
        file.seek(0)
        file.write(struct.pack("<I", zlib.crc32(index)) + index)


def read_index(path: Path) -> tuple[Int64s, Int64s, npt.NDArray[np.uint32]]:
    """Offsets, lengths and checksums of all records."""
    with path.open("rb") as file:
        (count,) = struct.unpack("<4xq", file.read(12))
        checksums = np.frombuffer(file.read(4 * count), dtype="<u4")
        offsets = np.frombuffer(file.read(8 * count), dtype="<i8")
    lengths = np.diff(offsets, append=path.stat().st_size)
    return offsets.astype(np.int64), lengths.astype(np.int64), checksums.astype(np.uint32)


def read_some(path: Path, records: list[int]) -> list[bytes]:
    """Some records, their checksums verified: what every engine must answer."""
    offsets, lengths, checksums = read_index(path)
    with path.open("rb") as file:
        found = [os.pread(file.fileno(), int(lengths[r]), int(offsets[r])) for r in records]
    for record, content in zip(records, found, strict=True):
        if zlib.crc32(content) != checksums[record]:
            raise ValueError(f"{path}: record {record}: checksum is wrong")
    return found


def iter_records(path: Path) -> Iterator[bytes]:
    """All records in order."""
    offsets, lengths, _ = read_index(path)
    with path.open("rb") as file:
        file.seek(int(offsets[0]))
        yield from map(file.read, lengths.tolist())


def check_index(path: Path) -> None:
    """Raises when the metadata checksum is wrong."""
    with path.open("rb") as file:
        stored, count = struct.unpack("<Iq", file.read(12))
        file.seek(4)
        if zlib.crc32(file.read(8 + 12 * count)) != stored:
            raise ValueError(f"{path}: metadata checksum is wrong")

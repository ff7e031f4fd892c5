"""FFRecord files written and read with numpy and zlib, from the layout alone.

octavo is not used, so that it is never measured on its own output and never checked against its own answers.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

Int64s = npt.NDArray[np.int64]

BLOCK_BYTES = 64 << 20


def write(path: Path, count: int, record_bytes: int, seed: int) -> None:
    """Writes random records of one size; random, so that nothing below can compress or merge them."""
    header_bytes = 12 + 12 * count
    rng = np.random.default_rng(seed)
    checksums = np.empty(count, dtype="<u4")
    with path.open("wb") as file:
        file.seek(header_bytes)
        step = max(BLOCK_BYTES // record_bytes, 1)
        for start in range(0, count, step):
            block = rng.bytes(min(step, count - start) * record_bytes)
            view = memoryview(block)
            cuts = range(0, len(block), record_bytes)
            checksums[start : start + len(cuts)] = [zlib.crc32(view[at : at + record_bytes]) for at in cuts]
            file.write(block)
        offsets = header_bytes + record_bytes * np.arange(count, dtype="<i8")
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

"""The index at the beginning of one file, as arrays: what octavo's reader keeps to itself.

Every call reads the file again, so that what is returned belongs to the caller and outlives the reader.
"""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING

import numpy as np

from octavo.compat.ffrecord._errors import damaged_metadata

if TYPE_CHECKING:
    import numpy.typing as npt

_HEADER_BYTES = 12  # the checksum of the metadata (4) and the number of records (8)


def offsets_of(path: str) -> npt.NDArray[np.int64]:
    """Where each record begins, and the size of the file."""
    metadata, file_bytes = _read(path)
    count = _count(metadata)
    offsets = np.empty(count + 1, np.int64)
    offsets[:count] = np.frombuffer(metadata, "<i8", count, _HEADER_BYTES + 4 * count)
    offsets[count] = file_bytes
    return offsets


def checksums_of(path: str) -> npt.NDArray[np.uint32]:
    """The checksum of each record."""
    metadata, _ = _read(path)
    return np.frombuffer(metadata, "<u4", _count(metadata), _HEADER_BYTES).astype(np.uint32)


def validate(path: str, name: str) -> None:
    """Compare the metadata with its checksum; the files of the first releases have none, which is 0."""
    metadata, _ = _read(path)
    stored = int.from_bytes(metadata[:4], "little")
    actual = zlib.crc32(memoryview(metadata)[4:])
    if stored not in {0, actual}:
        raise damaged_metadata(name, f"{path}: the index has checksum {actual:#010x}, expected {stored:#010x}")


def _read(path: str) -> tuple[bytes, int]:
    """Header and index, and the size of the file."""
    with open(path, "rb") as file:
        file_bytes = os.fstat(file.fileno()).st_size
        header = file.read(_HEADER_BYTES)
        index_bytes = 12 * _count(header)  # a checksum (4) and an offset (8) for each record
        if len(header) < _HEADER_BYTES or not 0 <= index_bytes <= file_bytes - _HEADER_BYTES:
            message = f"{path}: the index does not fit into the {file_bytes} bytes of the file"
            raise RuntimeError(message)
        return header + file.read(index_bytes), file_bytes


def _count(metadata: bytes) -> int:
    return int.from_bytes(metadata[4:_HEADER_BYTES], "little", signed=True)

"""The index at the beginning of one file, as arrays: what octavo's reader keeps to itself."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from octavo.compat.ffrecord._errors import damaged_metadata

if TYPE_CHECKING:
    import numpy.typing as npt

_HEADER_BYTES = 12  # the checksum of the metadata (4) and the number of records (8)


class Index(NamedTuple):
    """What a file says of its records."""

    offsets: npt.NDArray[np.int64]
    """Where each begins, and the size of the file."""
    checksums: npt.NDArray[np.uint32]

    @classmethod
    def parse(cls, metadata: bytes, file_bytes: int) -> Index:
        """The arrays, which share no memory with `metadata`."""
        count = (len(metadata) - _HEADER_BYTES) // 12
        checksums = np.frombuffer(metadata, "<u4", count, _HEADER_BYTES).astype(np.uint32)
        offsets = np.empty(count + 1, np.int64)
        offsets[:count] = np.frombuffer(metadata, "<i8", count, _HEADER_BYTES + 4 * count)
        offsets[count] = file_bytes
        return cls(offsets, checksums)


def metadata_bytes(count: int) -> int:
    """The size of header and index of a file of `count` records: a checksum (4) and an offset (8) for each."""
    return _HEADER_BYTES + 12 * count


def check_count(metadata: bytes, count: int, name: str) -> None:
    """Refuse what is not the beginning of a file of `count` records, which the file was when it was opened."""
    found = int.from_bytes(metadata[4:_HEADER_BYTES], "little", signed=True)
    if len(metadata) != metadata_bytes(count) or found != count:
        raise damaged_metadata(name, f"the file had {count} records when it was opened, and now says {found}")


def validate(metadata: bytes, name: str) -> None:
    """Compare the metadata with its checksum; the files of the first releases have none, which is 0."""
    stored = int.from_bytes(metadata[:4], "little")
    actual = zlib.crc32(memoryview(metadata)[4:])
    if stored not in {0, actual}:
        raise damaged_metadata(name, f"the index has checksum {actual:#010x}, expected {stored:#010x}")

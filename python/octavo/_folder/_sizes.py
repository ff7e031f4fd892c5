"""How large records are, as far as an index tells it."""

from __future__ import annotations

import array
import functools
import sys

from octavo._reader import Reader

# docs/spec/ffrecord.md: checksum and number of records, then a checksum and an offset for each of them.
_FIXED_BYTES = 12
_CHECKSUM_BYTES = 4
_OFFSET_BYTES = 8


class Sizes:
    """Sizes of the records of an FFRecord file, whose index is read when it is first needed."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._is_told = reader._format == "ffrecord"  # noqa: SLF001 - part of the package

    def of(self, record: int) -> int | None:
        """Bytes of a record; None where only reading it tells."""
        if not self._is_told or record + 1 >= len(self._offsets):  # the last record ends with the file
            return None
        size = self._offsets[record + 1] - self._offsets[record]
        return size if size >= 0 else None  # whose checksum was not looked at may say anything

    @functools.cached_property
    def _offsets(self) -> array.array[int]:
        count = len(self._reader)
        begin = _FIXED_BYTES + _CHECKSUM_BYTES * count
        end = begin + _OFFSET_BYTES * count
        head = self._reader._head(0, end)  # noqa: SLF001 - part of the package
        offsets = array.array("q", head[begin:] if len(head) == end else b"")
        if sys.byteorder == "big":
            offsets.byteswap()
        return offsets

"""Records one after the other: of a chunk, of a range, of a file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import IO, Any, Self

from octavo.compat.recordio._errors import as_corruption
from octavo.compat.recordio._text import Text
from octavo.compat.recordio.recordio.chunk import Chunk
from octavo.compat.recordio.recordio.file_index import FileIndex
from octavo.errors import FormatError


class Cursor:
    """The way of 2018 to go through records: `while cursor.has_next(): cursor.next()`. A for loop does, too."""

    def __init__(self, records: Iterator[Any], count: int, where: str) -> None:
        self._upcoming = records
        self._left = count
        self._where = where

    def has_next(self) -> bool:
        """Whether a record is left."""
        return self._left > 0

    def next(self) -> Any:
        """The next record."""
        if not self._left:
            message = f"no more any records in the {self._where}."
            raise RuntimeError(message)
        self._left -= 1
        return next(self._upcoming)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        if not self._left:
            raise StopIteration
        return self.next()


class Reader(Cursor):
    """The records of the one chunk that begins at a byte of a file."""

    def __init__(self, in_file: IO[bytes], offset: int) -> None:
        self._chunk = Chunk.parse(in_file, offset)
        count = self._chunk.total_count()
        super().__init__(map(self._chunk.get, range(count)), count, "chunk")

    def get(self, index: int) -> Text:
        """The record of that number in the chunk."""
        return self._chunk.get(index)

    def total_count(self) -> int:
        """How many records the chunk has."""
        return self._chunk.total_count()


class RangeReader:
    """The records from `start` up to `end`, as bytes."""

    def __init__(self, in_file: Any, file_index: FileIndex, start: int = 0, end: int | None = None) -> None:
        total = file_index.total_records()
        stop = total if end is None else math.ceil(min(end, total))
        self._upcoming: Iterator[bytes] = iter(())
        if 0 <= start < stop:
            is_open = in_file is file_index._read_by_name  # noqa: SLF001 - of this package
            records = file_index._records  # noqa: SLF001
            self._upcoming = iter(records[start:stop]) if is_open else _by_chunk(in_file, file_index, start, stop)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        try:
            return next(self._upcoming)
        except FormatError as error:
            raise as_corruption(error) from error


def _by_chunk(in_file: IO[bytes], file_index: FileIndex, start: int, stop: int) -> Iterator[bytes]:
    """Read through the object, when a record is asked for and not before: its owner may be using it, too."""
    number, skipped = file_index.locate_record(start)
    left = stop - start
    while left:
        chunk = Chunk.parse(in_file, file_index.chunk_offset(number))
        found = chunk._records[skipped : skipped + left]  # noqa: SLF001 - of this package
        yield from found
        left -= len(found)
        number, skipped = number + 1, 0

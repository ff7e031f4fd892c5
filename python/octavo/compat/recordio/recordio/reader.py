"""Records one after the other: of a chunk, of a range, of a file."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import IO, Any, Self

from octavo.compat.recordio._errors import as_corruption
from octavo.compat.recordio._files import AnyPath, opened
from octavo.compat.recordio._text import kind_of_record
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
    """The records of the one chunk that begins at a byte of a file: text and bytes alike, or bytes without encoding."""

    def __init__(self, in_file: IO[bytes] | AnyPath, offset: int, *, encoding: str | None = "utf-8") -> None:
        self._kind = kind_of_record(encoding)
        with opened(in_file) as file:
            self._chunk = Chunk.parse(file, offset)
        count = self._chunk.total_count()
        super().__init__(map(self._kind, self._chunk._records), count, "chunk")  # noqa: SLF001 - of this package

    def get(self, index: int) -> Any:
        """The record of that number in the chunk."""
        return self._kind(self._chunk.get(index))

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
            records = file_index._records  # noqa: SLF001 - of this package
            is_open = in_file == file_index._read_by_name  # noqa: SLF001
            through_file = map(_by_chunk(in_file, file_index), range(start, stop))
            self._upcoming = iter(records[start:stop]) if is_open else through_file

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        try:
            return next(self._upcoming)
        except FormatError as error:
            raise as_corruption(error) from error


def _by_chunk(in_file: IO[bytes], file_index: FileIndex) -> Callable[[int], bytes]:
    """Read through the object, when a record is asked for and not before: its owner may be using it, too."""

    @functools.lru_cache(maxsize=1)
    def chunk(number: int) -> Chunk:
        return Chunk.parse(in_file, file_index.chunk_offset(number))

    def record(index: int) -> bytes:
        number, place = file_index.locate_record(index)
        return chunk(number).get(place)

    return record

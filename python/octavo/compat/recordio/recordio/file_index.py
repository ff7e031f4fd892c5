"""Where the chunks of a file are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Self

from octavo import _core
from octavo.compat.recordio._files import AnyPath, open_records, opened, position_kept, source_of
from octavo.compat.recordio.recordio.global_variables import header_size


class _ChunkData:
    """Where a chunk is, and how many records it has."""

    def __init__(self, offset: int, len: int, num_record: int) -> None:  # noqa: A002 - the original's name
        self.offset = offset
        self.len = len
        self.num_record = num_record

    def __str__(self) -> str:
        return f"offset: {self.offset} len: {self.len} num_record: {self.num_record}"


class FileIndex:
    """Chunks by number, and records by chunk.

    Where a header is damaged, nothing behind it can be found. What is there counts as one more chunk of one record that
    cannot be read: so all before it can be, and nobody takes it for the end of the file.
    """

    def __init__(self, in_file: IO[bytes] | AnyPath) -> None:
        with opened(in_file) as file, position_kept(file):
            source = source_of(file)
            records = open_records(source)
            # octavo has the file open by itself, as far as it has a name: then records can be read without the object.
            # What is written through that is seen there only after a flush.
            is_read_by_name = isinstance(source, str) and not file.writable()
        self._read_by_name = in_file if is_read_by_name else None
        self._take(records)

    @classmethod
    def _of(cls, records: _core.Reader) -> Self:
        """The index of a file that is open already."""
        index = cls.__new__(cls)
        index._read_by_name = None  # noqa: SLF001 - its own
        index._take(records)  # noqa: SLF001
        return index

    def _take(self, records: _core.Reader) -> None:
        self._records = records
        self._total_records = len(records)
        self._whole_chunks = records._chunk_count  # noqa: SLF001 - part of the package
        last = self._total_records - 1
        is_broken = last >= 0 and records._chunk_of(last)[0] == self._whole_chunks  # noqa: SLF001
        self._total_chunks = self._whole_chunks + is_broken

    def __getitem__(self, chunk_index: int) -> _ChunkData:
        number = chunk_index if chunk_index >= 0 else chunk_index + self._total_chunks
        if not 0 <= number < self._total_chunks:
            message = f"list index out of range: there is no chunk {chunk_index}, only {self._total_chunks} of them"
            raise IndexError(message)
        if number < self._whole_chunks:
            offset, size, _, count = self._records._chunk(number)  # noqa: SLF001
            return _ChunkData(offset, size - header_size, count)
        return self._broken()

    def __len__(self) -> int:
        return self._total_chunks

    def __bool__(self) -> bool:
        return True  # also without a chunk, as ever

    def __iter__(self) -> Iterator[_ChunkData]:
        return map(self.__getitem__, range(self._total_chunks))

    def _broken(self) -> _ChunkData:
        offset = 0
        if self._whole_chunks:
            before, size, _, _ = self._records._chunk(self._whole_chunks - 1)  # noqa: SLF001
            offset = before + size
        return _ChunkData(offset, max(self._records._total_bytes - offset - header_size, 0), 1)  # noqa: SLF001

    def locate_record(self, index: int) -> tuple[int, int]:
        """The chunk of a record and its place there; (-1, -1) if there is no such record."""
        try:
            return self._records._chunk_of(index)  # noqa: SLF001
        except (IndexError, OverflowError):
            return -1, -1

    def chunk_offset(self, chunk_index: int) -> int:
        """The byte at which a chunk begins."""
        return self[chunk_index].offset

    def chunk_len(self, chunk_index: int) -> int:
        """Bytes of a chunk behind its header."""
        return self[chunk_index].len

    def chunk_records(self, chunk_index: int) -> int:
        """How many records a chunk has."""
        return self[chunk_index].num_record

    def total_records(self) -> int:
        """How many records the file has."""
        return self._total_records

    def total_chunks(self) -> int:
        """How many chunks the file has."""
        return self._total_chunks

"""`File`: all records of a file by number, or a file to be written."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any, SupportsIndex

from octavo import _core, _reader
from octavo._closing import Closing
from octavo.compat.recordio._errors import as_corruption, raise_as_open_does
from octavo.compat.recordio._files import AnyPath, absolute, open_records
from octavo.compat.recordio._in_place import InPlaceWriter
from octavo.compat.recordio._text import as_record, kind_of_record
from octavo.compat.recordio.recordio.chunk import CODECS, GZIP_LEVEL
from octavo.compat.recordio.recordio.file_index import FileIndex
from octavo.compat.recordio.recordio.header import Compressor
from octavo.compat.recordio.recordio.reader import Cursor, RangeReader
from octavo.compat.recordio.recordio.writer import Writer
from octavo.errors import FormatError, StorageError

__all__ = ["Compressor", "File", "FileIndex", "RangeReader", "Writer"]  # the names that the original has here

_MOST_CHUNK_BYTES = 2**32 - 1  # what a header can say


class File(_core.Front, Closing):
    """A RecordIO file, open for reading or for writing.

    `get`, iteration and `get_reader` give bytes, or what `decoder` makes of them; `iterator` gives text.
    """

    def __init__(
        self,
        file_path: AnyPath,
        mode: str,
        *,
        max_chunk_size: float = 1024,
        compressor: Compressor | None = Compressor.snappy,
        encoder: Callable[[Any], Any] | None = None,
        decoder: Callable[[bytes], Any] | None = None,
    ) -> None:
        self._path = absolute(file_path)
        self._encoder = encoder
        self._decoder = decoder
        self._records: _reader.Reader | None = None
        self._writer: InPlaceWriter | None = None
        if mode in ("r", "read"):
            self._open(file_path)
        elif mode in ("w", "write"):
            self._create(file_path, max_chunk_size, Compressor.snappy if compressor is None else compressor)
        else:
            message = "mode value should be 'read' or 'write'"
            hint = "; octavo.append(path) adds to a file" if mode in ("a", "append") else ""
            raise ValueError(message + hint)

    def _open(self, given: AnyPath) -> None:
        try:
            self._records = open_records(self._path, stacklevel=4)
        except StorageError as error:
            raise_as_open_does(error, given)
        self._index = FileIndex._of(self._records)  # noqa: SLF001 - of this package
        # Single reads go straight to it, past this class, unless there is something to be done with them here.
        self._face(self._records if self._decoder is None else None)

    def _create(self, given: AnyPath, max_chunk_size: float, compressor: Compressor) -> None:
        if compressor not in CODECS:
            message = "invalid compressor"
            raise ValueError(message)
        options: dict[str, Any] = {"codec": CODECS[compressor], "dialect": "paddle-python"}
        if compressor is Compressor.gzip:
            options["level"] = GZIP_LEVEL
        if max_chunk_size >= 0:
            options["max_chunk_bytes"] = math.floor(min(max_chunk_size, _MOST_CHUNK_BYTES))
        else:
            options["group_size"] = 1
        try:
            self._writer = InPlaceWriter(self._path, **options)
        except StorageError as error:
            raise_as_open_does(error, given)

    get = _core.Front._record  # noqa: SLF001 - made for this

    def _missed(self, index: SupportsIndex) -> Any:
        """What `get` does for all that is not simply a record that can be read."""
        records = self._readable()
        number = operator.index(index)
        if not 0 <= number < self._index.total_records():
            message = f"there is no record {number}, only {self._index.total_records()} of them"
            raise IndexError(message)
        try:
            record = records[number]
        except FormatError as error:
            raise as_corruption(error) from error
        return record if self._decoder is None else self._decoder(record)

    def get_reader(self, start: int = 0, end: int | None = None) -> Iterator[Any]:
        """The records from `start` up to `end`, one after the other."""
        self._readable()
        records = RangeReader(None, self._index, start, end)
        return records if self._decoder is None else map(self._decoder, records)

    def __iter__(self) -> Iterator[Any]:
        return self.get_reader()

    def iterator(self, *, encoding: str | None = "utf-8") -> Cursor:
        """All records, with `has_next()` and `next()`; they are text and bytes alike, or bytes without encoding."""
        records, kind = self.get_reader(), kind_of_record(encoding)
        return Cursor(map(kind, records) if self._decoder is None else records, self.count(), "file")

    def __getitem__(self, key: SupportsIndex | slice) -> Any:
        """As of a list, with slices and with numbers from the end: `get` has neither."""
        count = self.count()
        if isinstance(key, slice):
            return [self.get(number) for number in range(*key.indices(count))]
        number = operator.index(key)
        return self.get(number + count if -count <= number < 0 else number)

    def __len__(self) -> int:
        return self.count()

    def __bool__(self) -> bool:
        return True  # also without a record, as ever

    def count(self) -> int:
        """How many records the file has."""
        self._readable()
        return self._index.total_records()

    def get_index(self) -> FileIndex:
        """Where the chunks are."""
        self._readable()
        return self._index

    def write(self, record: Any) -> None:
        """Add a record: bytes, or text, which is stored as UTF-8; or whatever `encoder` makes one of these of."""
        if self._writer is None:
            message = "Should be under write mode"
            raise RuntimeError(message)
        if self._encoder is not None:
            record = self._encoder(record)
        self._writer.write(as_record(record))

    def close(self) -> None:
        """Close the file; one that was written has all its records now."""
        if self._writer is not None:
            self._writer.close()
        if self._records is not None:
            self._records.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """A file that is read is opened again wherever it is sent."""
        if self._records is None:
            message = f"{self._path}: a file that is being written cannot be pickled"
            raise TypeError(message)
        state = {name: value for name, value in vars(self).items() if name not in {"_records", "_index"}}
        return unopened, (type(self),), state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._open(self._path)

    def _readable(self) -> _reader.Reader:
        if self._records is None:
            message = "Should be under read mode"
            raise RuntimeError(message)
        return self._records


def unopened(kind: type[_core.Front]) -> _core.Front:
    """An object whose state is yet to come: what is unpickled opens its file when it knows which."""
    return kind.__new__(kind)

"""`File`: all records of a file by number, or a file to be written."""

from __future__ import annotations

import math
import operator
import os
import warnings
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self, SupportsIndex

from octavo import _core
from octavo._reader import Reader
from octavo._writer import Writer
from octavo.compat.recordio._errors import as_corruption, raise_as_open_does
from octavo.compat.recordio._files import open_records
from octavo.compat.recordio._text import Text
from octavo.compat.recordio.recordio.chunk import CODECS, GZIP_LEVEL
from octavo.compat.recordio.recordio.file_index import FileIndex
from octavo.compat.recordio.recordio.header import Compressor
from octavo.compat.recordio.recordio.reader import Cursor, RangeReader
from octavo.errors import FormatError, StorageError

_MOST_CHUNK_BYTES = 2**32 - 1  # what a header can say


class File(_core.Front):
    """A RecordIO file, open for reading or for writing.

    `get`, iteration and `get_reader` give bytes, or what `decoder` makes of them; `iterator` gives text.
    """

    def __init__(
        self,
        file_path: str | bytes | os.PathLike[str],
        mode: str,
        *,
        max_chunk_size: float = 1024,
        compressor: Compressor = Compressor.snappy,
        encoder: Callable[[Any], Any] | None = None,
        decoder: Callable[[bytes], Any] | None = None,
    ) -> None:
        self._path = os.path.abspath(os.fsdecode(file_path))
        self._encoder = encoder
        self._decoder = decoder
        self._records: Reader | None = None
        self._writer: Writer | None = None
        if mode in ("r", "read"):
            self._open()
        elif mode in ("w", "write"):
            self._create(max_chunk_size, compressor)
        else:
            message = "mode value should be 'read' or 'write'"
            hint = "; octavo.append(path) adds to a file" if mode in ("a", "append") else ""
            raise ValueError(message + hint)

    def _open(self) -> None:
        try:
            self._records = open_records(self._path, stacklevel=4)
        except StorageError as error:
            raise_as_open_does(error)
        self._index = FileIndex._of(self._records)  # noqa: SLF001 - of this package
        # Single reads go straight to it, past this class, unless there is something to be done with them here.
        self._face(self._records if self._decoder is None else None)

    def _create(self, max_chunk_size: float, compressor: Compressor) -> None:
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
            self._writer = Writer(self._path, format="recordio", in_place=True, **options)
        except StorageError as error:
            raise_as_open_does(error)

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

    def iterator(self) -> Cursor:
        """All records, with `has_next()` and `next()`; they are text and bytes alike."""
        records = self.get_reader()
        return Cursor(map(Text, records) if self._decoder is None else records, self.count(), "file")

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
        self._writer.write(record.encode() if isinstance(record, str) else record)

    def close(self) -> None:
        """Close the file; one that was written has all its records now."""
        if self._writer is not None:
            self._writer.close()
        if self._records is not None:
            self._records.close()

    def __del__(self) -> None:
        """Write what a forgotten `close()` would have written, and say so."""
        writer = getattr(self, "_writer", None)  # none, if the constructor raised
        if writer is not None and not writer.closed:
            writer.close()  # first, for the warning may be an error
            message = f"{self._path}: a recordio.File was never closed"
            warnings.warn(message, ResourceWarning, source=self, stacklevel=1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """A file that is read is opened again wherever it is sent."""
        if self._records is None:
            message = f"{self._path}: a file that is being written cannot be pickled"
            raise TypeError(message)
        state = {name: value for name, value in vars(self).items() if name not in {"_records", "_index"}}
        return unopened, (type(self),), state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._open()

    def _readable(self) -> Reader:
        if self._records is None:
            message = "Should be under read mode"
            raise RuntimeError(message)
        return self._records


def unopened(kind: type[_core.Front]) -> _core.Front:
    """An object whose state is yet to come: what is unpickled opens its file when it knows which."""
    return kind.__new__(kind)

"""The binding of the Go library (wangkuiyi): `Writer(path)`, `Index`, `Scanner`.

Damage is an error here; the original takes it for the end of the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from octavo._closing import Closing
from octavo._reader import Reader
from octavo._recipe import recipe
from octavo.compat.recordio._files import AnyPath, absolute, open_records
from octavo.compat.recordio._in_place import InPlaceWriter
from octavo.errors import ClosedError, FormatError, StorageError

_CHUNK_BYTES = 32 << 20


class PathWriter(Closing):
    """Creates a file of the dialect that Go reads."""

    def __init__(self, path: AnyPath) -> None:
        path = os.fsdecode(path)
        options = recipe("recordio", {"dialect": "go", "codec": "snappy", "max_chunk_bytes": _CHUNK_BYTES})
        try:
            self._writer = InPlaceWriter(absolute(path), **options)
        except StorageError as error:
            message = f"Failed to create recordio file: {path} ({error})"
            raise RuntimeError(message) from error

    def write(self, record: Any) -> None:
        """Add a record, which is bytes and nothing else."""
        if not isinstance(record, bytes):
            message = f"record is not a bytes type, got: {type(record)}"
            raise ValueError(message)  # noqa: TRY004 - what the original raises
        self._writer.write(record)

    def flush(self) -> None:
        """End the open chunk."""
        self._writer.flush()

    def close(self) -> None:
        """Write what is left, and close the file."""
        self._writer.close()


class Index(Closing):
    """How many records a file has; made once, it serves any number of scanners."""

    def __init__(self, path: AnyPath) -> None:
        path = os.fsdecode(path)
        self._path = absolute(path)
        try:
            self._records: Reader | None = open_records(self._path)
        except (RuntimeError, StorageError) as error:
            message = f"Failed to read index from recordio file: {path} ({error})"
            raise RuntimeError(message) from error

    def num_records(self) -> int:
        """How many records there are."""
        return len(self._opened())

    def close(self) -> None:
        """Let go of the file; scanners that have been given the index go on."""
        self._records = None

    def _records_of(self, path: str) -> Reader:
        where = absolute(path)
        return self._opened() if where == self._path else open_records(where, stacklevel=4)

    def _opened(self) -> Reader:
        if self._records is None:
            message = "the index is closed"
            raise ClosedError(message)
        return self._records


class Scanner(Closing):
    """The records from number `start` on, `len` of them, or all if that is negative."""

    def __init__(
        self,
        path: AnyPath,
        start: int = 0,
        len: int = -1,  # noqa: A002 - the original's name
        index: Index | None = None,
    ) -> None:
        path = os.fsdecode(path)
        try:
            records = open_records(absolute(path)) if index is None else index._records_of(path)  # noqa: SLF001
        except (RuntimeError, StorageError) as error:
            message = f"Failed to create scanner for recordio file: {path} ({error})"
            raise RuntimeError(message) from error
        start = max(start, 0)
        self._records: Iterator[bytes] | None = iter(records[start:] if len < 0 else records[start : start + len])

    def record(self) -> bytes | None:
        """The next record, or None at the end."""
        if self._records is None:
            message = "the scanner is closed"
            raise ClosedError(message)
        try:
            return next(self._records, None)
        except FormatError as error:
            message = f"Failed to read record: {error}"
            raise RuntimeError(message) from error

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.record, None)

    def close(self) -> None:
        """Let go of the file; other scanners of the same index go on."""
        self._records = None

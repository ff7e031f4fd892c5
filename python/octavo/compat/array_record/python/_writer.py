"""`ArrayRecordWriter`: octavo's writer with the original's manners."""

from __future__ import annotations

import os
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from octavo._options import ArrayRecordWriterOptions
from octavo._recipe import recipe
from octavo._writer import Writer
from octavo.compat.array_record.python import _status
from octavo.compat.array_record.python._arguments import as_text
from octavo.errors import ClosedError, OctavoError, OptionError, RecordTypeError

if TYPE_CHECKING:
    from typing_extensions import Buffer


class ArrayRecordWriter:
    """Writes records into a file that has its name from the first byte on, and is whole once `close` returns.

    Args:
        path: The file; one that is there is replaced.
        options: A text such as `group_size:1,zstd:3`.
        kwargs: Accepted and ignored.
    """

    __module__ = "octavo.compat.array_record.python.array_record_module"

    def __init__(self, path: str | bytes | os.PathLike[str], options: str | bytes = "", **kwargs: Any) -> None:
        del kwargs
        self._path = as_text(path, "path")
        self._writer: Writer | None = None
        self._failure: str | None = None
        self._is_open = True
        text = as_text(options, "options")
        try:
            ArrayRecordWriterOptions.parse(text, strict=True)
            arguments = recipe("array_record", {"options": text})
        except OptionError as error:
            raise ValueError(str(error)) from error
        try:
            self._writer = Writer(self._path, format="array_record", in_place=True, **arguments)
        except OctavoError as error:
            self._failure = _status.of_creating(error, self._path)

    def ok(self) -> bool:
        """Whether records can be written: not once it has failed or was closed."""
        return self._writer is not None

    def is_open(self) -> bool:
        """Whether it has not been closed."""
        return self._is_open

    def write(self, record: Buffer, /) -> None:
        """Add a record: bytes, or anything else whose bytes lie one after the other."""
        writer = self._writer
        if writer is None:
            raise RuntimeError(self._failure or _status.CLOSED)
        try:
            writer.write(record)
        except RecordTypeError:
            raise
        except OctavoError as error:
            raise self._fail(error) from error

    def close(self) -> None:
        """Write what is pending and finish the file; RuntimeError if it is not whole, each time."""
        self._is_open = False
        writer, self._writer = self._writer, None
        if writer is not None:
            try:
                writer.close()
            except OctavoError as error:
                raise self._fail(error) from error
        elif self._failure is not None:
            raise RuntimeError(self._failure)

    def _fail(self, error: OctavoError) -> RuntimeError:
        if not isinstance(error, ClosedError):  # which another thread has done
            self._failure = self._failure or _status.of_writing(error, self._path)
            self._give_up()
        return RuntimeError(self._failure or _status.CLOSED)

    def _give_up(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.abort()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish the file; after an exception leave it unfinished, so that nobody takes it for whole."""
        if kind is None:
            self.close()
        else:
            self._is_open = False
            self._give_up()

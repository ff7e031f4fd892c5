"""`ArrayRecordWriter`: octavo's writer with the original's manners."""

from __future__ import annotations

import os
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from octavo._options import ArrayRecordWriterOptions
from octavo._recipe import recipe
from octavo._target import target_of
from octavo._writer import Writer
from octavo.compat.array_record.python import _status
from octavo.compat.array_record.python._arguments import NOT_GIVEN, as_text
from octavo.errors import ClosedError, OctavoError, OptionError, RecordTypeError

if TYPE_CHECKING:
    from typing_extensions import Buffer


class ArrayRecordWriter:
    """Writes records into a file that has its name from the first byte on, and is whole once `close` returns.

    Args:
        path: The file, a path or a URL; one that is there is replaced. An object of an object store is there once
            `close` returns.
        options: A text such as `group_size:1,zstd:3`.
        kwargs: Accepted and ignored.
    """

    __module__ = "octavo.compat.array_record.python.array_record_module"

    def __init__(
        self,
        path: str | bytes | os.PathLike[str] = NOT_GIVEN,
        options: str | bytes = "",
        **kwargs: Any,
    ) -> None:
        del kwargs
        self.__path = as_text(path, "path")
        self.__writer: Writer | None = None
        self.__failure: str | None = None
        self.__is_open = True
        text = as_text(options, "options")
        try:
            ArrayRecordWriterOptions.parse(text, strict=True)
            arguments = recipe("array_record", {"options": text})
        except OptionError as error:
            raise ValueError(str(error)) from error
        try:
            target = target_of(self.__path, "a file to write")
            if target.is_local:
                self.__writer = Writer(self.__path, format="array_record", in_place=True, **arguments)
            else:
                sink = target.sink(overwrite=True)
                self.__writer = Writer(target.name, target=target.object, format="array_record", sink=sink, **arguments)
        except OctavoError as error:
            self.__failure = _status.of_creating(error, self.__path)

    def ok(self) -> bool:
        """Whether records can be written: not once it has failed or was closed."""
        return self.__writer is not None

    def is_open(self) -> bool:
        """Whether it has not been closed."""
        return self.__is_open

    def write(self, record: Buffer, /) -> None:
        """Add a record: bytes, or anything else whose bytes lie one after the other."""
        writer = self.__writer
        if writer is None:
            raise RuntimeError(self.__failure or _status.CLOSED)
        try:
            writer.write(record)
        except RecordTypeError as error:
            raise TypeError(f"write(): incompatible function arguments: {error}") from error
        except OctavoError as error:
            raise self.__fail(error) from error

    def close(self) -> None:
        """Write what is pending and finish the file; RuntimeError if it is not whole, each time."""
        self.__is_open = False
        writer, self.__writer = self.__writer, None
        if writer is not None:
            try:
                writer.close()
            except OctavoError as error:
                raise self.__fail(error) from error
            except BaseException:
                writer.abort()
                self.__failure = f"Object closed before the file was finished; writing {self.__path}"
                raise
        elif self.__failure is not None:
            raise RuntimeError(self.__failure)

    def __fail(self, error: OctavoError) -> RuntimeError:
        if not isinstance(error, ClosedError):  # which another thread has done
            self.__failure = self.__failure or _status.of_writing(error, self.__path)
            self.__give_up()
        return RuntimeError(self.__failure or _status.CLOSED)

    def __give_up(self) -> None:
        writer, self.__writer = self.__writer, None
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
            self.__is_open = False
            self.__give_up()

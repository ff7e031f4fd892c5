"""Every error octavo raises, as one tree.

    OctavoError
    ├── FormatError (ValueError)             the bytes are not what their format says
    │   ├── UnknownFormatError               no known format fits
    │   ├── DamagedFileError                 a header or an index contradicts itself or the file
    │   ├── UnfinishedFileError              the writer died before it finished the file
    │   ├── TruncatedError (EOFError)        a record reaches beyond the end of the file
    │   └── ChecksumError                    bytes are there, but not the ones that were written
    ├── RecordIndexError (IndexError)        no record has that number
    ├── RecordSizeError (ValueError)         a record does not fit where it was to go
    ├── RecordTypeError (TypeError)          what was given is not a record, a record number or a location
    ├── OptionError (ValueError)             an option has a value that cannot be
    ├── UnsupportedError (NotImplementedError)  this format cannot do that; the message says what can
    ├── ClosedError (ValueError)             the reader or writer was closed
    └── StorageError (OSError)               the system refused
        ├── NotFoundError (FileNotFoundError)
        │   └── PathNotFoundError (KeyError) a packed folder has nothing of that kind at that path
        ├── PermissionDeniedError (PermissionError)
        ├── AlreadyExistsError (FileExistsError)
        └── SourceChangedError               the file was truncated, replaced or rewritten under its reader

    TornAppendWarning (UserWarning)          a file ends in the middle of an append, or was cut off
    SidecarWarning (UserWarning)             a file was written, but not the index beside it
    InterruptedWriteWarning (UserWarning)    a file was begun anew; what an interrupted writer had flushed was kept
    UnclosedWriterWarning (UserWarning)      a writer was never closed, and what was not flushed is lost
    SkippedFilesWarning (UserWarning)        a folder has record files whose names do not say so, which were left out
    MissingShardsWarning (UserWarning)       a folder or a pattern lacks shards of which the names of others tell

Each error says where as well as what: `path`, `record`, `offset`, `expected` and `actual` are set where they are
known and None where they are not. Errors survive pickling, so they cross process borders whole.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "AlreadyExistsError",
    "ChecksumError",
    "ClosedError",
    "DamagedFileError",
    "FormatError",
    "InterruptedWriteWarning",
    "MissingShardsWarning",
    "NotFoundError",
    "OctavoError",
    "OptionError",
    "PathNotFoundError",
    "PermissionDeniedError",
    "RecordIndexError",
    "RecordSizeError",
    "RecordTypeError",
    "SidecarWarning",
    "SkippedFilesWarning",
    "SourceChangedError",
    "StorageError",
    "TornAppendWarning",
    "TruncatedError",
    "UnclosedWriterWarning",
    "UnfinishedFileError",
    "UnknownFormatError",
    "UnsupportedError",
]


class OctavoError(Exception):
    """Base of every error octavo raises.

    The message has all of it in words; the attributes have it for programs, each None where it says nothing.
    """

    path: str | None
    """The file that it is about."""
    record: int | None
    """The record, numbered as in the reader's files together."""
    offset: int | None
    """Where in the file."""
    expected: int | None
    """What should be there: a checksum, a size."""
    actual: int | None
    """What is there instead."""

    def __init__(
        self,
        message: str = "",
        *,
        path: str | None = None,
        record: int | None = None,
        offset: int | None = None,
        expected: int | None = None,
        actual: int | None = None,
    ) -> None:
        super().__init__(message)
        self.path = path
        self.record = record
        self.offset = offset
        self.expected = expected
        self.actual = actual

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""

    def _where(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("path", "record", "offset", "expected", "actual")}

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), str(self), self._where())


def _rebuild(kind: type[OctavoError], message: str, where: dict[str, Any]) -> OctavoError:
    return kind(message, **where)


class FormatError(OctavoError, ValueError):
    """The bytes are not what their format says."""


class UnknownFormatError(FormatError):
    """No known format fits these bytes."""


class DamagedFileError(FormatError):
    """A header or an index contradicts itself or the file."""


class UnfinishedFileError(FormatError):
    """The writer died before it finished the file."""


class TruncatedError(FormatError, EOFError):
    """A record reaches beyond the end of the file."""


class ChecksumError(FormatError):
    """Bytes are there, but not the ones that were written."""


class RecordIndexError(OctavoError, IndexError):
    """No record has that number."""


class RecordSizeError(OctavoError, ValueError):
    """A record does not fit where it was to go."""


class RecordTypeError(OctavoError, TypeError):
    """What was given is not a record, a record number or a location."""


class OptionError(OctavoError, ValueError):
    """An option has a value that cannot be."""


class UnsupportedError(OctavoError, NotImplementedError):
    """This format cannot do that; the message says what can."""


class ClosedError(OctavoError, ValueError):
    """The reader or writer was closed."""


class StorageError(OctavoError, OSError):
    """The system refused; `errno` says why where the system said so."""

    def __init__(self, message: str = "", *, errno: int | None = None, **where: Any) -> None:
        super().__init__(message, **where)
        self.errno = errno
        self.filename = where.get("path")

    def _where(self) -> dict[str, Any]:
        return {**super()._where(), "errno": self.errno}


class NotFoundError(StorageError, FileNotFoundError):
    """Nothing is at that location."""


class PathNotFoundError(NotFoundError, KeyError):
    """A packed folder has nothing of that kind at that path."""


class PermissionDeniedError(StorageError, PermissionError):
    """The system does not let this process read or write there."""


class AlreadyExistsError(StorageError, FileExistsError):
    """Something is at that location already, and was not to be overwritten."""


class SourceChangedError(StorageError):
    """The file was truncated, replaced or rewritten while a reader had it open."""


class TornAppendWarning(UserWarning):
    """A file ends with an interrupted append, or was cut off: it was opened without what is not whole."""


class InterruptedWriteWarning(UserWarning):
    """A file was begun anew. What an interrupted writer of it had flushed was kept under another name."""


class SidecarWarning(UserWarning):
    """A file was written, but the index beside it could not be."""


class UnclosedWriterWarning(UserWarning):
    """A writer was neither closed nor aborted: what it was given is not in a file, or not in a whole one."""


class SkippedFilesWarning(UserWarning):
    """A folder was read without some files in it that are record files by their content, but not by their names."""


class MissingShardsWarning(UserWarning):
    """A folder or a pattern was read without shards that the names of the others say there must be."""


def of_os_error(error: OSError, message: str, path: str) -> StorageError:
    """The error of this tree for one of the system's."""
    kinds = ((FileNotFoundError, NotFoundError), (PermissionError, PermissionDeniedError))
    kind = next((ours for theirs, ours in kinds if isinstance(error, theirs)), StorageError)
    return kind(message, path=path, errno=error.errno)

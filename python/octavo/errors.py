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

    TornAppendWarning (UserWarning)          a file ends with an interrupted append, which was left out
    SidecarWarning (UserWarning)             a file was written, but not the index beside it

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
    "NotFoundError",
    "OctavoError",
    "OptionError",
    "PathNotFoundError",
    "PermissionDeniedError",
    "RecordIndexError",
    "RecordSizeError",
    "RecordTypeError",
    "SidecarWarning",
    "SourceChangedError",
    "StorageError",
    "TornAppendWarning",
    "TruncatedError",
    "UnfinishedFileError",
    "UnknownFormatError",
    "UnsupportedError",
]


class OctavoError(Exception):
    """Base of every error octavo raises."""

    path: str | None
    record: int | None
    offset: int | None
    expected: int | None
    actual: int | None

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
    """A file ends with an interrupted append: it was opened as it was before."""


class SidecarWarning(UserWarning):
    """A file was written, but the index beside it could not be."""


def of_os_error(error: OSError, message: str, path: str) -> StorageError:
    """The error of this tree for one of the system's."""
    kinds = ((FileNotFoundError, NotFoundError), (PermissionError, PermissionDeniedError))
    kind = next((ours for theirs, ours in kinds if isinstance(error, theirs)), StorageError)
    return kind(message, path=path, errno=error.errno)

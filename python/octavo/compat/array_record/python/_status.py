"""What the original says when something fails: the texts of its statuses, for octavo's errors.

The first line is the original's, as far as octavo knows what stands there; where octavo knows more, its own words
follow on the next line.
"""

from __future__ import annotations

import errno
import os

from octavo.compat.array_record.python import _last_block
from octavo.errors import (
    ChecksumError,
    ClosedError,
    NotFoundError,
    OctavoError,
    RecordIndexError,
    RecordTypeError,
    StorageError,
)

CLOSED = "Object closed"
WRONG_KEY = "Record key should be in [0, num_records)"

_LEAST_BYTES = 65536
_TOO_SHORT = "ArrayRecord file should be at least 64KB big"

# What octavo's message mentions, and what the original was about to read there.
_PARTS = {
    "the footer": "RiegeliFooterMetadata",
    "the postscript": "RiegeliPostscript",
    "no footer": "RiegeliPostscript",
    "not a record file": "RiegeliPostscript",
}

_UNKNOWN_VERSION = "Unrecognized version number"
_NO_GROUP_SIZE = "record_group_size cannot be zero"
_WITHOUT_PART = (_UNKNOWN_VERSION, _NO_GROUP_SIZE, "Invalid postscript")


def of_reading(error: OctavoError, path: str) -> str:
    """Why the file that the user called `path` cannot be read."""
    if isinstance(error, StorageError):
        return _refusal(error, path)
    if _is_too_short(error.path or path):
        return _TOO_SHORT
    message = str(error).removesuffix("; if you know better, pass format=")
    part = next((part for mentioned, part in _PARTS.items() if mentioned in message), None)
    told = _last_block.damage(error.path or path) if _has_no_postscript(part, error) else _damage(error)
    if part is not None and told not in _WITHOUT_PART:
        told = f"{told}; Failed to read {part}"
    return f"{told}\n{message}"


def raised_by_source(error: OctavoError) -> Exception:
    """What the original's data source raises."""
    if isinstance(error, RecordIndexError):
        return ValueError(WRONG_KEY)
    if isinstance(error, RecordTypeError):
        return TypeError(str(error))
    if isinstance(error, ClosedError):
        return RuntimeError(CLOSED)
    return RuntimeError(of_reading(error, error.path or ""))


def of_creating(error: OctavoError, path: str) -> str:
    """Why no file can be written there."""
    return f"open() failed: {_reason(error)}; opening {path}; Failed to create the file header"


def of_writing(error: OctavoError, path: str) -> str:
    """Why the file does not take more records."""
    return f"write() failed: {_reason(error)}; writing {path}"


def _refusal(error: StorageError, path: str) -> str:
    if error.errno == errno.EISDIR:
        return f"read() failed: {_reason(error)}; reading {path}"
    if error.errno is not None or not path:
        return f"open() failed: {_reason(error)}; opening {path}"
    if isinstance(error, NotFoundError):  # octavo has looked for more than one file, and says for which
        return f"open() failed: {_reason(error)}; opening {path}\n{error}"
    return f"read() failed: {error}"


def _reason(error: OctavoError) -> str:
    if isinstance(error, NotFoundError):
        return os.strerror(errno.ENOENT)
    if isinstance(error, StorageError) and error.errno is not None:
        return os.strerror(error.errno)
    return str(error)


def _has_no_postscript(part: str | None, error: OctavoError) -> bool:
    return part == "RiegeliPostscript" and not isinstance(error, ChecksumError)


def _damage(error: OctavoError) -> str:
    known = _last_block.CORRUPTED
    message = str(error)
    if isinstance(error, ChecksumError) and error.expected is not None and error.actual is not None:
        what = "header" if "header hash" in message else "data"
        hashes = f"(computed 0x{error.actual:016x}, stored 0x{error.expected:016x})"
        return f"{known}: chunk {what} hash mismatch {hashes}, chunk at {error.offset}"
    if "block header" in message:
        return f"{known}: block header hash mismatch, block at {error.offset}"
    if "it has version" in message or "does not say its version" in message:
        return _UNKNOWN_VERSION
    if "chunk 0 has no records" in message:
        return _NO_GROUP_SIZE
    return known


def _is_too_short(path: str) -> bool:
    try:
        return os.path.getsize(path) < _LEAST_BYTES
    except OSError:
        return False

"""octavo's errors as what the originals raised."""

from __future__ import annotations

import os
from typing import NoReturn

from octavo.errors import ChecksumError, FormatError, StorageError, UnknownFormatError


class CorruptionError(RuntimeError, ValueError):
    """Records that cannot be had.

    The originals raise a RuntimeError where a checksum is wrong and a ValueError where a header is; which of the two is
    damaged is nothing that a caller should have to know.
    """


def as_corruption(error: FormatError) -> CorruptionError:
    """What ElasticDL's readers raise for damage: their words first, then octavo's."""
    if isinstance(error, ChecksumError):
        theirs = wrong_checksum(error)
    elif _is_about_magic(error):
        theirs = wrong_magic(error.offset or 0)
    else:
        theirs = f"possible file corruption. Offset: {error.offset or 0}"
    return CorruptionError(f"{theirs}; {error}")


def _is_about_magic(error: FormatError) -> bool:
    # A file with the right number that is no RecordIO all the same "begins like one".
    said = str(error)
    return "begins like one" not in said if isinstance(error, UnknownFormatError) else "magic number" in said


def wrong_checksum(error: ChecksumError) -> str:
    """What a payload that is not the one that was written is reported as."""
    return f"checksum check failed for raw checksum {error.expected} and new checksum {error.actual}"


def wrong_magic(offset: int) -> str:
    """What a header without the magic number is reported as."""
    return f"Wrong magic number in header, possible file corruption. Offset: {offset}"


def raise_as_open_does(error: StorageError, path: str | bytes | os.PathLike[str]) -> NoReturn:
    """Raise what the built-in `open` raises for the same reason, with the path as it was given."""
    if error.errno is None:
        raise error
    raise OSError(error.errno, os.strerror(error.errno), os.fspath(path)) from error

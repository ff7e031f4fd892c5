"""Opening files as the original understands names: one name, one file, except where there is no such file."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

import octavo
from octavo._location import absolute, expand
from octavo._options import ArrayRecordReaderOptions
from octavo.compat.array_record.python import _status
from octavo.errors import OctavoError, StorageError
from octavo.storage import StoredObject


def files_named(name: str) -> list[str]:
    """The file of that name; or, if there is none, those that it means as a pattern or a sharded name (`train@4`)."""
    if os.path.lexists(name):
        return [name]
    try:
        files = [file.name if isinstance(file, StoredObject) else str(file) for file in expand(name)]
    except OctavoError as error:
        raise RuntimeError(_status.of_reading(error, name)) from error
    return files if files != [absolute(name)] else [name]


def stamps(names: Sequence[str]) -> list[tuple[int, int, int] | None]:
    """What tells a file from one that has taken its place since."""
    return [_stamp(name) for name in names]


def _stamp(name: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(name)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def open_files(names: Sequence[str], options: ArrayRecordReaderOptions) -> octavo.Reader:
    """All these files as one reader; RuntimeError with the original's text if one cannot be opened."""
    is_offloaded = options.index_storage_option == "offloaded"
    try:
        for name in names:
            if os.path.isdir(name):  # to octavo, that is all files in it
                message = f"{name}: cannot open: {os.strerror(errno.EISDIR)}"
                raise StorageError(message, path=name, errno=errno.EISDIR)
        # Not `octavo.open`, which warns about bytes behind the end of a file; the original has no such warning.
        return octavo.Reader(expand(list(names)), format="array_record", offload_index=is_offloaded)
    except OctavoError as error:
        as_given = next((name for name in names if absolute(name) == error.path), error.path or "")
        raise RuntimeError(_status.of_reading(error, as_given)) from error

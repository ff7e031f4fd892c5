"""Files that somebody else has opened, as something octavo reads from."""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from collections.abc import Iterator
from typing import IO, Any

from octavo._reader import Reader
from octavo.compat.recordio._errors import as_corruption
from octavo.errors import FormatError, TornAppendWarning
from octavo.storage import FileObject, SpanSource

AnyPath = str | bytes | os.PathLike[str]
PATHS = (str, bytes, os.PathLike)

_BUFFERED = (io.BufferedReader, io.BufferedRandom)
_MOST_AT_ONCE = 16 << 20


def absolute(path: AnyPath) -> str:
    """A path that stays right when the working folder changes."""
    return os.path.abspath(os.fsdecode(path))


def opened(file: IO[bytes] | AnyPath) -> contextlib.AbstractContextManager[IO[bytes]]:
    """A file that somebody else has opened, as it is, or one that is open for this block."""
    return open(file, "rb") if isinstance(file, PATHS) else contextlib.nullcontext(file)


def open_records(source: str | SpanSource, *, stacklevel: int = 3) -> Reader:
    """The records of one file. Those in front of a torn end can be had; the warning names who has opened it."""
    try:
        records = Reader([source], format="recordio")
    except FormatError as error:
        raise as_corruption(error) from error
    for path, offset, torn_bytes in records._torn:  # noqa: SLF001 - part of the package
        message = (
            f"{path}: the last {torn_bytes} bytes, from byte {offset} on, are an interrupted append, or the file was "
            "cut off; they were left out, and records may be missing; copy it again if it is a copy; octavo.trim cuts "
            "them off"
        )
        warnings.warn(message, TornAppendWarning, stacklevel=stacklevel)
    return records


def source_of(file: Any) -> str | SpanSource:
    """Where the bytes of an open file are: under its name, if that is still the file, or else in the object."""
    raw = file.raw if type(file) in _BUFFERED else file
    # Exactly these: others have a name and a descriptor, too, but of a file whose bytes are not theirs (gzip, for one).
    if type(raw) is io.FileIO and isinstance(raw.name, str | bytes):
        if file.writable():
            file.flush()
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(raw.name), os.fstat(raw.fileno())):
                return absolute(raw.name)
    return FileObject(file)


@contextlib.contextmanager
def position_kept(file: IO[bytes]) -> Iterator[None]:
    """Leave a file where it was: its owner may be about to go on there."""
    position = file.tell()
    try:
        yield
    finally:
        file.seek(position)


def size_of(file: IO[bytes]) -> int:
    """How many bytes a file has; moves to its end."""
    return file.seek(0, io.SEEK_END)


def read_at(file: IO[bytes], offset: int, size: int) -> bytes:
    """The bytes from `offset` on, fewer than `size` only where the file ends."""
    file.seek(offset)
    pieces = []
    # A damaged header may ask for more than there is, and must not be given memory for it.
    while size and (piece := file.read(min(size, _MOST_AT_ONCE))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)

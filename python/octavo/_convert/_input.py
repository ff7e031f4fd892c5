"""The bytes of files and streams, as containers that are not record files are read: one after the other, unzipped.

What is compressed by gzip is told by its first bytes, not by its name.
"""

from __future__ import annotations

import io
import os
import stat
import zlib
from collections.abc import Sequence
from typing import IO, Any, TypeAlias

from octavo._closing import Closing
from octavo.errors import (
    DamagedFileError,
    OctavoError,
    RecordSizeError,
    RecordTypeError,
    StorageError,
    TruncatedError,
    UnsupportedError,
    of_os_error,
)
from octavo.storage import StoredObject
from octavo.storage._reader_file import open_stored

Given: TypeAlias = Sequence[str | StoredObject] | IO[bytes]

MOST_RECORD_BYTES = 2**31 - 1
"""Records of other containers have to fit into this; so a line or a member cannot ask for all memory."""

_GZIP = b"\x1f\x8b"
_PIECE_BYTES = 1 << 20
_TRUSTED_BYTES = 64 << 20  # memory that is reserved because a file says so; for more its bytes must come first


class Inputs:
    """Files and objects that are read one after the other, or one stream."""

    def __init__(self, inputs: Given) -> None:
        self._files = list(inputs) if isinstance(inputs, Sequence) else []
        self._stream = None if isinstance(inputs, Sequence) else _binary(inputs)
        self._read: set[int] = set()
        if isinstance(inputs, Sequence):
            self.names = [file if isinstance(file, str) else file.name for file in inputs]
            self._sizes = [_size_of(file) if isinstance(file, str) else file.size for file in inputs]
        else:
            self.names = [str(getattr(inputs, "name", f"<{type(inputs).__name__}>"))]
            self._sizes = [None]
        sizes = [size for size in self._sizes if size is not None]
        self.total_bytes = sum(sizes) if len(sizes) == len(self._sizes) else None
        self._start = _start_of(self._stream)

    def open(self, number: int, offset: int = 0) -> Opened:
        """The file or stream of this number, from an offset of its unzipped bytes on."""
        self._check_again(number)
        before = sum(size or 0 for size in self._sizes[:number])
        opened = Opened(self._file(number), self.names[number], before, self._sizes[number])
        opened.skip(offset)
        return opened

    def _check_again(self, number: int) -> None:
        """What comes through a pipe comes once."""
        can_be_read_again = self._start is not None if self._stream else self._sizes[number] is not None
        if number in self._read and not can_be_read_again:
            raise UnsupportedError(
                f"{self.names[number]}: a stream can be read only once; put it into a file first",
                path=self.names[number],
            )
        self._read.add(number)

    def _file(self, number: int) -> IO[bytes] | _Borrowed:
        path = self.names[number]
        try:
            if self._stream is None:
                file = self._files[number]
                return open(path, "rb", buffering=0) if isinstance(file, str) else open_stored(file)
            if self._start is not None:
                self._stream.seek(self._start)
        except OSError as error:
            raise of_os_error(error, f"{path}: cannot open: {error.strerror or error}", path) from error
        return _Borrowed(self._stream)


class Opened(Closing):
    """One of them, open."""

    def __init__(self, file: Any, name: str, before: int, size: int | None) -> None:
        self.name = name
        self._before = before
        self._raw = _Raw(file, name)
        plain: io.BufferedReader[Any] = io.BufferedReader(self._raw, _PIECE_BYTES)
        self.file = plain
        self._size = size  # of the bytes that are read; None where only reading tells
        if plain.peek(len(_GZIP)).startswith(_GZIP):
            self.file = io.BufferedReader(_Inflated(plain, name), _PIECE_BYTES)
            self._size = None

    @property
    def position(self) -> int:
        """Bytes that were read of all inputs so far, as they are stored."""
        return self._before + self._raw.position

    def skip(self, count: int) -> None:
        """Go on so many bytes further; the next read shows whether there were so many."""
        if self._size is not None and count > _PIECE_BYTES:
            self.file.seek(count, io.SEEK_CUR)
            return
        while count and (piece := self.file.read(min(count, _PIECE_BYTES))):
            count -= len(piece)

    def exactly(self, count: int) -> bytes:
        """So many bytes, or a TruncatedError."""
        if count <= _TRUSTED_BYTES or (self._size is not None and count <= self._size):
            data = self.file.read(count)
        else:
            pieces, missing = [], count
            while missing and (piece := self.file.read(min(missing, _TRUSTED_BYTES))):
                pieces.append(piece)
                missing -= len(piece)
            data = b"".join(pieces)
        if len(data) != count:
            raise TruncatedError(f"{self.name}: the file ends {count - len(data)} bytes too early", path=self.name)
        return data

    def close(self) -> None:
        """Let go of the file."""
        self.file.close()
        self._raw.close()


def check_size(size: int, what: str, path: str, *, most: int | None = None) -> None:
    """Refuse what is too large for a record."""
    most = MOST_RECORD_BYTES if most is None else most
    if size > most:
        message = f"{path}: {what} has {size} bytes; a record of this container has at most {most}"
        raise RecordSizeError(message, path=path, expected=most, actual=size)


class _Borrowed:
    """A stream of somebody else, which stays open."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.read = stream.read

    def close(self) -> None:
        pass


class _Raw(io.RawIOBase):
    """Counts bytes, and tells what the system refuses."""

    def __init__(self, file: Any, name: str) -> None:
        self._file = file
        self._name = name
        self._readinto = getattr(file, "readinto", None)
        self.position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return not isinstance(self._file, _Borrowed) and bool(self._file.seekable())

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self.position = int(self._file.seek(offset, whence))
        return self.position

    def tell(self) -> int:
        return self.position

    def readinto(self, buffer: Any, /) -> int:
        """At least as much as tells whether it is gzip, if there is so much."""
        count, view = 0, memoryview(buffer)
        while count < min(len(_GZIP), len(view)) and (more := self._some(view[count:])):
            count += more
        self.position += count
        return count

    def _some(self, view: memoryview) -> int:
        try:
            if self._readinto is not None:
                count = self._readinto(view)
            else:
                data = self._file.read(min(len(view), _PIECE_BYTES))
                count = None if data is None else len(data)
                view[: count or 0] = data or b""
        except OctavoError:
            raise
        except OSError as error:
            raise of_os_error(error, f"{self._name}: cannot read: {error.strerror or error}", self._name) from error
        if count is None:
            raise StorageError(f"{self._name}: cannot read: the stream does not wait for its bytes", path=self._name)
        return int(count)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._file.close()


class _Inflated(io.RawIOBase):
    """What is in a gzip file, with its errors told as ours."""

    def __init__(self, file: io.BufferedReader[Any], name: str) -> None:
        import gzip  # noqa: PLC0415 - not everybody's need

        self._damaged = (gzip.BadGzipFile, zlib.error)
        self._gzip = gzip.GzipFile(fileobj=file, mode="rb")
        self._name = name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        try:
            return self._gzip.readinto(buffer)
        except EOFError as error:
            raise TruncatedError(f"{self._name}: the gzip stream is cut off", path=self._name) from error
        except self._damaged as error:
            raise DamagedFileError(f"{self._name}: the gzip stream is damaged: {error}", path=self._name) from error


def _binary(stream: Any) -> IO[bytes]:
    if not hasattr(stream, "read") or isinstance(stream, io.TextIOBase):
        raise RecordTypeError(f"inputs are paths or a binary stream, not {type(stream).__name__}")
    found: IO[bytes] = stream
    return found


def _start_of(stream: IO[bytes] | None) -> int | None:
    """Where a stream stands that can be wound back."""
    seekable = getattr(stream, "seekable", None)
    return stream.tell() if stream is not None and seekable is not None and seekable() else None


def _size_of(path: str) -> int | None:
    """None of what has no size: a pipe under a name."""
    try:
        status = os.stat(path)
    except OSError as error:
        raise of_os_error(error, f"{path}: cannot open: {error.strerror}", path) from error
    return status.st_size if stat.S_ISREG(status.st_mode) else None

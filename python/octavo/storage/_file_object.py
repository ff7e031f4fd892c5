"""Binary file objects as sources: anything with `read` and `seek`."""

from __future__ import annotations

import io
import os
import threading
from typing import Any, NoReturn, Protocol

from octavo.errors import RecordTypeError, StorageError, UnsupportedError


class ReadableFile(Protocol):
    """The part of a binary file object that is needed."""

    def read(self, size: int = -1, /) -> bytes:
        """Read up to `size` bytes."""
        ...

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Move to `offset`."""
        ...


def name_of(file: object) -> str:
    """What to call a file object; some have a number for a name, or none."""
    name = getattr(file, "name", None)
    return os.fsdecode(name) if isinstance(name, str | bytes | os.PathLike) else f"<{type(file).__name__}>"


def is_text(file: object) -> bool:
    """Whether a file object gives or takes text."""
    return isinstance(file, io.TextIOBase) or getattr(file, "encoding", None) is not None


class FileObject:
    """A file object as a source of spans.

    A file object has one position, so its readers take turns. The object stays the caller's: it is not closed.
    """

    def __init__(self, file: ReadableFile) -> None:
        self._file = file
        self._turn = threading.Lock()
        self.name = name_of(file)
        if is_text(file):
            message = f"{self.name}: the file is open as text; open it with mode 'rb'"
            raise RecordTypeError(message)
        self.size = self._end()

    def _end(self) -> int:
        end: Any = self._file.seek(0, io.SEEK_END)
        if end is None and hasattr(self._file, "tell"):  # some say it only when asked
            end = self._file.tell()
        if not isinstance(end, int) or end < 0:
            message = f"{self.name}: cannot open: the file object says that it ends at {end!r}"
            raise StorageError(message, path=self.name)
        return end

    def read_spans(self, spans: list[tuple[int, int]]) -> list[bytes]:
        """The bytes of each (offset, length)."""
        with self._turn:
            return [self._read(offset, length) for offset, length in spans]

    def __reduce__(self) -> NoReturn:
        """Say why not: the other process has no such file object."""
        message = f"{self.name}: a reader of a file object cannot be pickled; open the file by its path"
        raise UnsupportedError(message)

    def _read(self, offset: int, length: int) -> bytes:
        self._file.seek(offset)
        pieces: list[bytes] = []
        missing = length
        while missing:
            piece = self._file.read(missing)
            if not piece:
                break  # the core reports how many bytes are missing
            pieces.append(piece)
            missing -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

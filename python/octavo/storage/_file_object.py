"""Binary file objects as sources: anything with `read` and `seek`."""

from __future__ import annotations

import io
import threading
from typing import NoReturn, Protocol

from octavo.errors import RecordTypeError, UnsupportedError


class ReadableFile(Protocol):
    """The part of a binary file object that is needed."""

    def read(self, size: int = -1, /) -> bytes:
        """Read up to `size` bytes."""
        ...

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Move to `offset`."""
        ...


class FileObject:
    """A file object as a source of spans.

    A file object has one position, so its readers take turns. The object stays the caller's: it is not closed.
    """

    def __init__(self, file: ReadableFile) -> None:
        self._file = file
        self._turn = threading.Lock()
        self.name = str(getattr(file, "name", f"<{type(file).__name__}>"))
        if isinstance(file, io.TextIOBase):
            message = f"{self.name}: the file is open as text; open it with mode 'rb'"
            raise RecordTypeError(message)
        self.size = file.seek(0, io.SEEK_END)

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

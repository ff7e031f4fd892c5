"""Objects as binary files that can be read and wound back, for containers that want a file."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from octavo.errors import ClosedError

if TYPE_CHECKING:
    from octavo.storage._stored import StoredObject

_LEAST_AHEAD = 256 << 10
_MOST_AHEAD = 32 << 20  # which the store is asked for in parts, side by side


def open_stored(one: StoredObject) -> io.BufferedReader[Any]:
    """The content of an object as a file; the object must not change while it is open."""
    return io.BufferedReader(_StoredFile(one), _LEAST_AHEAD)


class _StoredFile(io.RawIOBase):
    """Reads ahead, the further the longer nobody has jumped: little for a header, few requests for a whole object."""

    def __init__(self, one: StoredObject) -> None:
        self._object = one
        self._position = 0
        self._ahead = _LEAST_AHEAD
        self._start = 0
        self._window = memoryview(b"")
        self.name = one.name

    def readable(self) -> bool:
        """As files say it."""
        return True

    def seekable(self) -> bool:
        """As files say it."""
        return True

    def tell(self) -> int:
        """Where it is."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go elsewhere; nothing is read for that."""
        before = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._object.size}[whence]
        if before + offset < 0:
            message = f"{self.name}: there is nothing before the first byte"
            raise ValueError(message)
        self._position = before + offset
        return self._position

    def readinto(self, buffer: Any, /) -> int:
        """Some bytes, of which those that were read ahead come first."""
        if self.closed:
            message = f"{self.name}: the file is closed"
            raise ClosedError(message, path=self.name)
        view = memoryview(buffer).cast("B")
        inside = self._position - self._start
        if not 0 <= inside < len(self._window):
            self._fetch(len(view))
            inside = 0
        found = self._window[inside : inside + len(view)]
        view[: len(found)] = found
        self._position += len(found)
        return len(found)

    def close(self) -> None:
        """Let go of what was read ahead."""
        self._window = memoryview(b"")
        super().close()

    def _fetch(self, wanted: int) -> None:
        goes_on = self._position == self._start + len(self._window) and len(self._window) > 0
        self._ahead = min(2 * self._ahead, _MOST_AHEAD) if goes_on else _LEAST_AHEAD
        self._window = memoryview(b"")  # not both at once
        self._start = self._position
        count = min(max(wanted, self._ahead), self._object.size - self._position)
        if count > 0:
            (content,) = self._object.read_spans([(self._position, count)])
            self._window = memoryview(content).cast("B")

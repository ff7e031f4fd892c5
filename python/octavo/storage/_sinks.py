"""Where a writer's bytes go, if not into a local file."""

from __future__ import annotations

import errno
import io
import os
from typing import TYPE_CHECKING, Any, Protocol

from octavo.errors import (
    AlreadyExistsError,
    NotFoundError,
    RecordTypeError,
    SourceChangedError,
    StorageError,
    UnsupportedError,
)
from octavo.storage import _at_exit, _client
from octavo.storage._file_object import is_text, name_of

if TYPE_CHECKING:
    from octavo.storage._remote import Status
    from octavo.storage._stored import StoredObject


_NOT_FOR_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EROFS)
"""What pipes, sockets and devices say."""


class WritableFile(Protocol):
    """The part of a binary file object that is needed for writing."""

    def write(self, content: bytes, /) -> int | None:
        """Write some of these bytes, and say how many."""
        ...


class Sink(Protocol):
    """What the native writer calls."""

    name: str

    def append(self, content: bytes) -> None:
        """Add bytes at the end."""
        ...

    def sync(self) -> None:
        """Bring everything so far to safety."""
        ...

    def commit(self) -> None:
        """All bytes were there."""
        ...

    def abort(self) -> None:
        """No further bytes will come, and what came is worth nothing."""
        ...


class Upload:
    """An object that becomes visible when it is whole. Its parts are sent while it is written."""

    def __init__(self, target: StoredObject, *, overwrite: bool, replaces: Status | None = None) -> None:
        """Start an object; it takes the place of none, of any, or only of the one that `replaces` tells."""
        self._target = target
        self._overwrite = overwrite
        self._replaces = replaces
        self.name = target.name
        target.refuse_writing()
        self._check_place()
        self._number: str | None = _client.call("begin_upload", target.place)

    def append(self, content: bytes) -> None:
        """Add bytes; waits while too many are on their way."""
        _client.call("append_upload", self._number, content)

    def sync(self) -> None:
        """Say why not."""
        message = f"{self.name}: an object appears whole when its writer is closed; nothing of it is safe before that"
        raise UnsupportedError(message, path=self.name)

    def commit(self) -> None:
        """Make the object visible."""
        self._check_place()  # writing may take hours
        _client.call("finish_upload", self._number)
        self._number = None

    def abort(self) -> None:
        """Leave nothing behind."""
        number, self._number = self._number, None
        if number is not None:
            _client.call("abort_upload", number)

    def _check_place(self) -> None:
        if self._overwrite and self._replaces is None:
            return
        try:
            found: Status | None = _client.call("stat", self._target.place)
        except NotFoundError:
            found = None
        if self._replaces is not None and (found is None or found[:2] != self._replaces[:2]):
            message = f"{self.name}: the object was replaced while records were appended to it; nothing was written"
            raise SourceChangedError(message, path=self.name)
        if not self._overwrite and found is not None:
            message = f"{self.name}: cannot create: there is such an object already"
            raise AlreadyExistsError(message, path=self.name)


class FileTarget:
    """A file object that is written to. It stays its owner's: it is not closed, and not cleared if the writer fails."""

    def __init__(self, file: WritableFile) -> None:
        _at_exit.register()
        self._file: Any = file
        self.name = name_of(file)

    def append(self, content: bytes) -> None:
        """Write all of it, in however many steps."""
        rest = memoryview(content)
        while rest:
            written = self._file.write(rest if len(rest) < len(content) else content)
            if written is None and not isinstance(self._file, io.RawIOBase):  # who counts nothing takes everything
                return
            if not isinstance(written, int) or not 0 < written <= len(rest):
                message = f"{self.name}: cannot write: the file object took {written!r} of {len(rest)} bytes"
                raise StorageError(message, path=self.name)
            rest = rest[written:]

    def sync(self) -> None:
        """Flush it, and have the system write it down if it is a file of the system's."""
        self.commit()
        try:
            descriptor = self._file.fileno()
        except (AttributeError, OSError):  # it lives in memory, or who knows where
            return
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in _NOT_FOR_SYNC:
                raise

    def commit(self) -> None:
        """Flush it, if it can be."""
        if hasattr(self._file, "flush"):
            self._file.flush()

    def abort(self) -> None:
        """Leave it as it is."""


def refuse_text(file: object) -> None:
    """Raise if a file object takes text."""
    if is_text(file):
        message = f"{name_of(file)}: the file is open as text; open it with mode 'wb'"
        raise RecordTypeError(message)

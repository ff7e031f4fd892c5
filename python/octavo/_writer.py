"""`octavo.Writer`: records into one file that appears when it is whole."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

from octavo import _core
from octavo._index_file import write_index_of
from octavo._side_files import PARTIAL
from octavo.errors import (
    NotFoundError,
    OctavoError,
    SidecarWarning,
    StorageError,
    UnclosedWriterWarning,
    UnsupportedError,
)
from octavo.storage import _client

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from octavo.storage import StoredObject


class Writer(_core.Writer):
    """Writes records. Writers come from `octavo.create`.

    Use it in a `with` block: the file is published at its end, and not at all if the block raises. What `flush()` has
    made safe stays in `NAME.partial` then.
    """

    __slots__ = ("_flushed_count", "_is_late", "_loss", "_process", "_side_file", "_target", "sidecar")

    sidecar: bool
    """Whether an index is written beside the file."""
    _target: StoredObject | None
    """The object that is written, if it is in an object store."""
    _process: int
    _side_file: str | None
    """Where the records are until the file is published, if it is a file that appears whole."""
    _flushed_count: int
    _is_late: str
    """What is not there before the end, if nothing is."""
    _loss: str
    """What it means that the writer was never closed."""

    def __new__(cls, path: str, *, target: StoredObject | None = None, **options: Any) -> Self:
        """Start a file, as `octavo.create` has checked it."""
        try:
            writer = super().__new__(cls, path, **options)
        except NotFoundError as error:
            folder = os.path.dirname(os.path.abspath(path))
            if target is None and not os.path.lexists(folder):
                error.args = (f"{path}: cannot create: the folder {folder} does not exist",)
            raise
        writer.sidecar = False
        writer._target = target
        writer._process = os.getpid()
        is_in_place = options.get("append") or options.get("in_place")
        writer._side_file = None if is_in_place or options.get("sink") is not None else writer.path + PARTIAL
        writer._flushed_count = 0
        writer._is_late = _late(options, is_stored=target is not None)
        writer._loss = _loss(options, is_stored=target is not None)
        return writer

    def close(self) -> None:
        """Finish the file and make it visible under its name.

        If this raises, nothing is there under that name, with one exception: a folder that cannot be synced is an error
        too, and then the file is there and whole, but may be gone after a crash of the machine. What `flush()` has made
        safe stays in `NAME.partial`: `octavo.recover` saves it.
        """
        was_open = not self.closed
        try:
            self._commit()
        except StorageError as error:
            self._note_what_stays(error)
            raise
        if self.sidecar and was_open:
            self._write_index()

    def flush(self) -> None:
        """Return when everything written so far survives a crash of the machine.

        Raises:
            UnsupportedError: All of it is written when the writer is closed: an object in a store, or an FFRecord file
                that a file object gets.
        """
        if self._is_late:  # before anything is written that only a flushed file has
            message = f"{self.path}: {self._is_late} when its writer is closed; nothing is safe before that"
            raise UnsupportedError(message, path=self.path)
        try:
            super().flush()
        except StorageError as error:
            self._note_what_stays(error)
            raise
        self._flushed_count = self.record_count

    def _note_what_stays(self, error: BaseException) -> None:
        note = f"What was flushed is in {self._side_file}: octavo.recover saves it."
        if self._flushed_stays() and note not in getattr(error, "__notes__", ()):
            error.add_note(note)

    def _flushed_stays(self) -> bool:
        return self._flushed_count > 0 and self._side_file is not None and os.path.exists(self._side_file)

    def _file(self) -> str | StoredObject:
        """What was written."""
        return self.path if self._target is None else self._target.anew()

    def _write_index(self) -> None:
        try:
            write_index_of(self._file(), self.format)
        except OctavoError as error:  # the file is what was asked for, and it is there
            message = f"{self.path}: the file is whole, but its index could not be written: {error}"
            warnings.warn(message, SidecarWarning, stacklevel=3)

    def abort(self) -> None:
        """Give up: leave nothing behind, not even what was flushed."""
        self._abort()

    def __enter__(self) -> Self:
        """Return the writer itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Publish the file. If the block raised, remove what was written of it, but for what was flushed."""
        if error is None:
            self.close()
        elif not self.closed:
            self._abandon()
            self._note_what_stays(error)

    def __del__(self) -> None:
        """Warn about a writer that was neither closed nor aborted: its file does not exist, or is not whole."""
        process = getattr(self, "_process", None)  # none if Ctrl-C came while it was made
        if process is None:
            self.abort()
            return
        # What a forked child has is a copy: the file is its parent's business.
        if not self.closed and process == os.getpid():
            _client.elsewhere(self._abandon)  # first, for the warning may be an error
            stays = self._flushed_stays()
            count = self.record_count - self._flushed_count * stays
            message = f"{self.path}: the writer was never closed: {self._loss.format(count=count)}"
            if stays:
                message += f". What was flushed is in {self._side_file}: octavo.recover saves it"
            # No ResourceWarning: Python hides those, and this is about lost records.
            warnings.warn(message, UnclosedWriterWarning, source=self, stacklevel=1)

    def __repr__(self) -> str:
        """Say what is written."""
        state = "closed" if self.closed else "open"
        return f"<octavo.Writer of {self.path}, {self.record_count} records, {state}>"


def _late(options: dict[str, Any], *, is_stored: bool) -> str:
    if is_stored:
        return "an object appears whole"
    if options.get("sink") is not None and options["format"] == "ffrecord":
        return "an FFRecord file begins with its index: a file object gets it"
    return ""


def _loss(options: dict[str, Any], *, is_stored: bool) -> str:
    remedy = "use it in a 'with' block, or call close()"
    if options.get("append"):
        return f"what was written since the last flush() is not in the file; {remedy}"
    if options.get("in_place"):
        return f"the file is unfinished, and octavo.recover saves what has reached it; {remedy}"
    if options.get("sink") is not None and not is_stored:
        return f"what has reached the file object is not whole; {remedy}"
    return f"no file was written, and {{count}} records are lost; {remedy}"

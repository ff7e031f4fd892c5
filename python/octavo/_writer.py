"""`octavo.Writer`: records into one file that appears when it is whole."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

from octavo import _core
from octavo.errors import OctavoError, SidecarWarning

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self


class Writer(_core.Writer):
    """Writes records. Writers come from `octavo.create`.

    Use it in a `with` block: the file is published at its end, and not at all if the block raises.
    """

    __slots__ = ("_process", "sidecar")

    sidecar: bool
    """Whether an index is written beside the file."""
    _process: int

    def __new__(cls, path: str, **options: Any) -> Self:
        """Start a file, as `octavo.create` has checked it."""
        writer = super().__new__(cls, path, **options)
        writer.sidecar = False
        writer._process = os.getpid()
        return writer

    def close(self) -> None:
        """Finish the file and make it visible under its name.

        If this raises, nothing is there, with one exception: a folder that cannot be synced is an error too, and then
        the file is there and whole, but may be gone after a crash of the machine.
        """
        was_open = not self.closed
        self._commit()
        if self.sidecar and was_open:
            self._write_index()

    def _write_index(self) -> None:
        try:
            _core.write_index(self.path, format=self.format)
        except OctavoError as error:  # the file is what was asked for, and it is there
            message = f"{self.path}: the file is whole, but its index could not be written: {error}"
            warnings.warn(message, SidecarWarning, stacklevel=3)

    def abort(self) -> None:
        """Give up: leave nothing behind."""
        self._abort()

    def __enter__(self) -> Self:
        """Return the writer itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Publish the file, or remove what was written of it if the block raised."""
        if kind is None:
            self.close()
        else:
            self.abort()

    def __del__(self) -> None:
        """Warn about a writer that was neither closed nor aborted: its file does not exist, or is not whole."""
        process = getattr(self, "_process", None)  # none if Ctrl-C came while it was made
        if process is None:
            self.abort()
            return
        # What a forked child has is a copy: the file is its parent's business.
        if not self.closed and process == os.getpid():
            self.abort()  # first, for the warning may be an error
            message = f"a writer of {self.path} was never closed: records are missing in the file"
            warnings.warn(message, ResourceWarning, source=self, stacklevel=1)

    def __repr__(self) -> str:
        """Say what is written."""
        state = "closed" if self.closed else "open"
        return f"<octavo.Writer of {self.path}, {self.record_count} records, {state}>"

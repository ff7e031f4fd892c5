"""One ArrayRecord file on any file system of Beam. Needs Beam."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import weakref
from typing import TYPE_CHECKING

from apache_beam.io.filesystem import CompressionTypes
from apache_beam.io.filesystems import FileSystems

from octavo.compat.array_record.python.array_record_module import ArrayRecordWriter

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

MIME_TYPE = "application/octet-stream"
_COPY_BYTES = 8 << 20


def is_local(path: str) -> bool:
    """Whether a path is one of this machine, which files can be written to in place."""
    return FileSystems.get_scheme(path) is None


class ShardFile:
    """Writes records into `path`, by way of a temporary file in the folder `staging` unless that is None.

    What was written disappears if anything fails, or if the file is never closed because something else did.
    """

    def __init__(self, path: str, options: str, *, staging: str | None) -> None:
        self._path = path
        self._is_staged = staging is not None
        with contextlib.ExitStack() as undo:
            if staging is None:
                self._written_path = path
                undo.callback(_remove, path)
            else:
                os.makedirs(staging, exist_ok=True)
                folder = undo.enter_context(tempfile.TemporaryDirectory(dir=staging, prefix="octavo-"))
                self._written_path = os.path.join(folder, "shard.array_record")
            self._writer = ArrayRecordWriter(self._written_path, options)
            undo.callback(_close, self._writer)  # comes before the removal: not every system removes open files
            self._undo = undo.pop_all()
        weakref.finalize(self, self._undo.close)

    def write(self, record: bytes) -> None:
        """Add a record."""
        try:
            self._writer.write(record)
        except BaseException:
            self.discard()
            raise

    def close(self) -> None:
        """Finish the file, and send it to where it belongs if it is not there yet."""
        try:
            self._writer.close()
            if self._is_staged:
                _send(self._written_path, self._path)
        except BaseException:
            self.discard()
            raise
        if self._is_staged:
            self.discard()
        else:
            self._undo.pop_all()

    def discard(self) -> None:
        """Remove what was written on this machine."""
        self._undo.close()

    def __enter__(self) -> Self:
        """Return the file itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file, or discard it if the block raised."""
        if kind is None:
            self.close()
        else:
            self.discard()


def _send(written_path: str, path: str) -> None:
    if is_local(path):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(written_path, "rb") as source:
        target = FileSystems.create(path, MIME_TYPE, CompressionTypes.UNCOMPRESSED)
        try:
            with target:
                shutil.copyfileobj(source, target, _COPY_BYTES)
        except BaseException:
            with contextlib.suppress(Exception):  # the first error is the one to tell
                FileSystems.delete([path])
            raise


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.remove(path)


def _close(writer: ArrayRecordWriter) -> None:
    with contextlib.suppress(RuntimeError):  # what it complains of has been told, and its file goes away
        writer.close()

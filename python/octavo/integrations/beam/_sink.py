"""Record files as Beam's `FileBasedSink`: names, shards and the final renaming are Beam's, the files are ours.

Every bundle writes a file of its own in a temporary folder, and only files of bundles that have succeeded are renamed:
so a bundle may be tried as often as it takes.
"""

from __future__ import annotations

import contextlib
import os
import uuid
import weakref
from typing import Any

from apache_beam.io.filebasedsink import FileBasedSink
from apache_beam.io.filesystem import CompressionTypes
from apache_beam.io.filesystems import FileSystems

import octavo
from octavo._open import Format
from octavo._writer import Writer
from octavo.integrations.beam._coders import leaves_bytes
from octavo.integrations.beam._files import MIME_TYPE, is_local, meant_here


class RecordSink(FileBasedSink):  # type: ignore[misc]  # Beam is taken as Any
    """Writes elements into files of one format.

    Args:
        file_path_prefix: As for `FileBasedSink`, and so are the others.
        format: The format.
        options: What `octavo.create` gets besides; checked before.
    """

    def __init__(self, file_path_prefix: Any, *, format: Format, options: dict[str, Any], **named: Any) -> None:
        if isinstance(file_path_prefix, str):
            file_path_prefix = meant_here(file_path_prefix)
        super().__init__(file_path_prefix, mime_type=MIME_TYPE, **named)
        self._format = format
        self._options = options

    def initialize_write(self) -> str:
        """Name the folder for files of bundles; the first of them makes it, so that trying this again leaves none."""
        return self.temporary_folder(uuid.uuid4().hex)

    def open(self, temp_path: str) -> ShardFile:
        """Begin the file of a bundle."""
        with contextlib.suppress(OSError):  # it is there; if it cannot be made, the file says so
            FileSystems.mkdirs(FileSystems.split(temp_path)[0])
        return ShardFile(temp_path, self._format, self._options)

    def encode(self, element: Any) -> Any:
        """The record of an element."""
        # Any buffer is a record, but Beam's coder for bytes would refuse it.
        return element if leaves_bytes(self.coder) else self.coder.encode(element)

    def write_record(self, file_handle: ShardFile, value: Any) -> None:
        """Add an element to the file of its bundle."""
        file_handle.write(self.encode(value))

    def write_encoded_record(self, file_handle: ShardFile, encoded_value: bytes) -> None:
        """Add a record to the file of its bundle."""
        file_handle.write(encoded_value)

    def final_name(self, shard: int, count: int) -> str:
        """What one of `count` files is called in the end."""
        return str(self._get_final_name(shard, count))

    def temporary_folder(self, run: str) -> str:
        """The folder for files of a run that has a name, beside the files."""
        prefix = self.file_path_prefix.get()
        # Beam takes a local `folder/` for a file of that name, but files will be in it.
        folder, name = os.path.split(prefix) if is_local(prefix) else FileSystems.split(prefix)
        return str(FileSystems.join(folder, f"beam-temp-{name}-{run}"))

    def close(self, file_handle: ShardFile | None) -> None:
        """Finish the file of a bundle."""
        if file_handle is not None:
            file_handle.close()


class ShardFile:
    """One record file on any file system of Beam; what was written disappears unless it is closed.

    A bundle that fails does not tell its sink. So whatever is not closed is given up when it is no longer used.
    """

    def __init__(self, path: str, format: Format, options: dict[str, Any]) -> None:
        with contextlib.ExitStack() as undo:
            self._file: Any = None
            target: Any = path
            if not is_local(path):
                undo.callback(_delete, path)
                target = self._file = FileSystems.create(path, MIME_TYPE, CompressionTypes.UNCOMPRESSED)
                undo.callback(_close, self._file)
            self._writer: Writer = octavo.create(target, format=format, **options)
            undo.callback(self._writer.abort)
            self._undo = undo.pop_all()
        weakref.finalize(self, self._undo.close)

    def write(self, record: Any) -> None:
        """Add a record."""
        try:
            self._writer.write(record)
        except BaseException:
            self.discard()
            raise

    def close(self) -> None:
        """Finish the file."""
        try:
            self._writer.close()
            if self._file is not None:
                self._file.close()
        except BaseException:
            self.discard()
            raise
        self._undo.pop_all()

    def discard(self) -> None:
        """Leave nothing behind."""
        self._undo.close()


def _close(file: Any) -> None:
    with contextlib.suppress(Exception):  # its content goes away, and the error that led here is the one to tell
        file.close()


def _delete(path: str) -> None:
    with contextlib.suppress(Exception):
        FileSystems.delete([path])

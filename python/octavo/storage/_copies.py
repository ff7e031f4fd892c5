"""Copies of objects on this machine, for what reads or changes all of one."""

from __future__ import annotations

import os
import shutil
import tempfile
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any

from octavo.storage._file_object import FileObject

if TYPE_CHECKING:
    from typing import Self

    from octavo.storage._stored import StoredObject

PIECE_BYTES = 16 << 20


def copy_of(one: StoredObject) -> str:
    """The path of a copy of an object, in a temporary folder of its own."""
    folder = tempfile.mkdtemp(prefix="octavo-")
    path = os.path.join(folder, one.key.rpartition("/")[2] or "object")
    try:
        with open(path, "wb") as file:
            copy_into(one, file)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return path


def copy_into(one: StoredObject, file: IO[bytes]) -> None:
    """Append the content of an object to a file."""
    for offset in range(0, one.size, PIECE_BYTES):
        (piece,) = one.read_spans([(offset, min(PIECE_BYTES, one.size - offset))])
        file.write(piece)


class Downloaded(FileObject):
    """An object as a source whose bytes are on this machine. It goes by the object's name."""

    def __init__(self, one: StoredObject) -> None:
        self._copy: Any = tempfile.TemporaryFile(prefix="octavo-")  # noqa: SIM115 - closed on exit
        try:
            copy_into(one, self._copy)
        except BaseException:
            self._copy.close()
            raise
        super().__init__(self._copy)
        self.name = one.name

    def __enter__(self) -> Self:
        """Return the source itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the copy."""
        self._copy.close()

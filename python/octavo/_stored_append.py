"""Appending to an object: its content comes here, grows here, and goes back whole.

Objects never change; one is replaced by another. So appending costs as much as writing all of it again, and nobody sees
anything in between.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from typing import TYPE_CHECKING, Any

from octavo._side_files import INDEX
from octavo._writer import Writer
from octavo.errors import SourceChangedError
from octavo.storage._copies import PIECE_BYTES, copy_of
from octavo.storage._sinks import Upload
from octavo.storage._stored import StoredObject

if TYPE_CHECKING:
    from typing import Self


class StoredWriter(Writer):
    """Adds records to an object. What `flush` and `close` have acknowledged is in the store."""

    __slots__ = ("_local", "_object")

    _object: StoredObject
    _local: str

    def __new__(cls, target: StoredObject, local: str, **options: Any) -> Self:
        """Go on with a copy of `target` that is at `local`, in a folder of its own."""
        writer = super().__new__(cls, local, append=True, **options)
        writer._object = target
        writer._local = local
        return writer

    @classmethod
    def of(cls, target: StoredObject, **options: Any) -> Self:
        """Go on with an object."""
        target.refuse_writing()
        local = copy_of(target)
        try:
            writer = cls(target, local, **options)
            writer.sidecar = target.beside(INDEX).is_there()  # it would be out of date
        except BaseException:
            shutil.rmtree(os.path.dirname(local), ignore_errors=True)
            raise
        return writer

    @property
    def path(self) -> str:
        """The object's name."""
        return self._object.name

    def flush(self) -> None:
        """Replace the object by one with everything written so far."""
        super().flush()
        self._send()

    def close(self) -> None:
        """Replace the object by one with everything written."""
        if self.closed:
            return
        try:
            self._commit()
            self._send()
            if self.sidecar:
                self._write_index()
        finally:
            self._clean()

    def abort(self) -> None:
        """Leave the object as the last `flush` left it, or as it was."""
        super().abort()
        self._clean()

    def _abandon(self) -> None:
        """The same: what `flush` has acknowledged is in the store, and not here."""
        super()._abandon()
        self._clean()

    def _file(self) -> StoredObject:
        return self._object.anew()

    def _send(self) -> None:
        before = self._object.status
        if self.record_count == 0 and os.path.getsize(self._local) == before.size:
            return
        upload = Upload(self._object, overwrite=True, replaces=before)
        try:
            with open(self._local, "rb") as file:
                while piece := file.read(PIECE_BYTES):
                    upload.append(piece)
            upload.commit()
        except BaseException:
            with contextlib.suppress(Exception):  # which would hide why
                upload.abort()
            raise
        self._object = self._object.anew()
        if self._object.size != os.path.getsize(self._local):  # and its status is what the next one is compared with
            message = f"{self.path}: the object was replaced as soon as records had been appended to it"
            raise SourceChangedError(message, path=self.path)

    def _clean(self) -> None:
        shutil.rmtree(os.path.dirname(self._local), ignore_errors=True)

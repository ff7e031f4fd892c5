"""An object as the output of a container."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from octavo._convert._publish import Appended
from octavo.errors import ClosedError, StorageError
from octavo.storage._sinks import Upload

if TYPE_CHECKING:
    from octavo.storage import StoredObject


class NewObject(Appended):
    """An object that is uploaded while it is written, and appears when it is committed."""

    def __init__(self, target: StoredObject, *, overwrite: bool) -> None:
        super().__init__()
        self._upload: Upload | None = None
        self._process = os.getpid()
        self.name = target.name
        self._upload = Upload(target, overwrite=overwrite)

    def write(self, data: Any, /) -> int:
        """Add bytes, all of them."""
        if self._upload is None or self._process != os.getpid():
            raise ClosedError(f"{self.name}: the object is not open for writing", path=self.name)
        content = bytes(data)
        self._upload.append(content)
        self._position += len(content)
        return len(content)

    def commit(self) -> None:
        """Under its name, at once; and closed."""
        if self._upload is not None:
            self._upload.commit()
        self.close()

    def close(self) -> None:
        """Let go; what was not committed is thrown away. A forked child throws nothing away."""
        if not self.closed:
            super().close()
            upload, self._upload = self._upload, None
            if upload is not None and self._process == os.getpid():
                with contextlib.suppress(StorageError):  # a store that cannot be reached keeps what nobody sees
                    upload.abort()

    def __del__(self) -> None:
        """Ask nobody: this may run on the very thread that would have to answer."""

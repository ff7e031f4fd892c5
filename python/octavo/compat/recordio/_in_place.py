"""Files that are written under their names, as the originals write them."""

from __future__ import annotations

import os
import warnings
from typing import Any, Self

from octavo._writer import Writer
from octavo.errors import OctavoError


class InPlaceWriter(Writer):
    """Writes from the start under the final name, and finishes what nobody has closed."""

    def __new__(cls, path: str, **options: Any) -> Self:
        """Create the file, or empty the one that is there."""
        return super().__new__(cls, path, format="recordio", in_place=True, **options)

    def __del__(self) -> None:
        """Write what a forgotten `close()` would have written, and say so."""
        # Of a file that was open before a fork, the parent writes the end.
        if self.closed or self._process != os.getpid():
            return
        message = f"{self.path}: a RecordIO file was never closed"
        try:
            self.close()  # first, for the warning may be an error
        except OctavoError as error:  # the disk is full, or another writer has begun the file anew
            message = f"{message}, and now it cannot be: {error}"
        warnings.warn(message, ResourceWarning, source=self, stacklevel=1)

"""PaddlePaddle's binding of the Go library, older than the one in `_go`: `writer(path)` and `reader(pattern)`."""

from __future__ import annotations

import os
from typing import Any

import octavo
from octavo.compat.recordio._go import PathWriter, Scanner
from octavo.compat.recordio._text import as_record
from octavo.errors import FormatError, StorageError


class writer(PathWriter):
    """Creates a file of the dialect that Go reads, from bytes or text."""

    def write(self, record: Any) -> None:
        """Add a record; text is stored as UTF-8."""
        super().write(as_record(record))


class reader(Scanner):
    """The records of all files that a pattern matches, in the order of their names."""

    def __init__(self, pattern: str | os.PathLike[str]) -> None:
        try:
            self._records = iter(octavo.open(pattern, format="recordio"))
        except (FormatError, StorageError) as error:
            message = f"Failed to create reader for recordio files: {pattern} ({error})"
            raise RuntimeError(message) from error

    def read(self) -> bytes | None:
        """The next record, or None at the end."""
        return self.record()

"""What everything here with a file has in common."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class Closing:
    """Something that is closed at the end of a `with` block."""

    def close(self) -> None:
        """Let go of the file."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

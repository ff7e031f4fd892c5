"""The protocol by which anything can serve as a source of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Buffer


@runtime_checkable
class SpanSource(Protocol):
    """Something that is read by spans, all spans of a batch in one call."""

    @property
    def name(self) -> str:
        """What to call it in messages."""
        ...

    @property
    def size(self) -> int:
        """Its size in bytes."""
        ...

    def read_spans(self, spans: list[tuple[int, int]]) -> Sequence[Buffer]:
        """The bytes of each (offset, length), in order."""
        ...

"""What conversion reads from and writes to, besides record files: containers that are not octavo's own.

A source gives blocks of records in order, a sink takes them. Both are opened once and used by one thread. A sink's file
appears under its name when it is whole; given up, it leaves nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Protocol, runtime_checkable

BLOCK_BYTES = 4 << 20
"""A block ends behind the record that makes it this large, so that memory is bounded by the largest record."""
BLOCK_RECORDS = 4096


@dataclasses.dataclass(frozen=True, slots=True)
class Block:
    """Records that follow one another."""

    records: list[bytes]
    names: list[str] | None = None
    """Where records are files: their paths inside the container, with slashes."""
    position: int | None = None
    """Bytes of the source that are read so far, for progress."""


class Source(Protocol):
    """A container that is read from its beginning to its end."""

    record_count: int | None
    """How many records; None where only reading tells."""
    total_bytes: int | None
    """Size of the container; None where nobody knows."""

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[Block]:
        """Records `start` to `stop`, in order."""

    def count(self) -> int:
        """How many records, whatever it takes to find out."""

    def close(self) -> None:
        """Let go of the files."""


@runtime_checkable
class FolderLike(Protocol):
    """A source that is many files."""

    def stamp(self) -> str:
        """What it is recognised by: another one if any file in it was written to, came or went."""


class Sink(Protocol):
    """A container that is written from its beginning to its end."""

    def write(self, block: Block) -> None:
        """Add records."""

    def close(self) -> None:
        """Finish: the container appears, whole and durable."""

    def abort(self) -> None:
        """Give up: nothing is left."""

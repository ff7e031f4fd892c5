"""The contents of many files, read in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from octavo._reader import Reader

_BLOCK_FILES = 4096
_BLOCK_BYTES = 4 << 20  # a block has at least one file, however large


def contents(reader: Reader, files: Sequence[tuple[str, int]]) -> Iterator[tuple[str, memoryview]]:
    """The content of each of these files (path and record), in this order; one block of them is in memory."""
    at = 0
    while at < len(files):
        records = [record for _, record in files[at : at + _BLOCK_FILES]]
        block = reader._read_first(records, _BLOCK_BYTES)  # noqa: SLF001 - part of the package
        for content in block:
            yield files[at][0], content
            at += 1

"""Records that come one by one, put together to blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from octavo._convert._source import BLOCK_BYTES, BLOCK_RECORDS, Block


def in_blocks(records: Iterable[bytes], position: Callable[[], int | None]) -> Iterator[Block]:
    """Blocks that end behind the record that makes them large enough."""
    gathered: list[bytes] = []
    size = 0
    for record in records:
        gathered.append(record)
        size += len(record)
        del record  # or it would stay in memory until the next one is there
        if size >= BLOCK_BYTES or len(gathered) == BLOCK_RECORDS:
            yield Block(gathered, None, position())
            gathered, size = [], 0
    if gathered:
        yield Block(gathered, None, position())


def in_named_blocks(files: Iterable[tuple[str, bytes]], position: Callable[[], int | None]) -> Iterator[Block]:
    """The same for records with names."""
    names: list[str] = []

    def records() -> Iterator[bytes]:
        for name, record in files:
            names.append(name)
            yield record

    for block in in_blocks(records(), position):
        yield Block(block.records, names[: len(block.records)], block.position)
        names.clear()

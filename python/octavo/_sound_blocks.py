"""Records in blocks, as far as they are sound."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from octavo._core import Batch
from octavo.errors import FormatError


def sound_blocks(count: int, most_records: int, read: Callable[[int, int], Batch]) -> Iterator[Batch]:
    """Records 0 to `count` in blocks. Where one is damaged, all before it come first, and then the error.

    Args:
        count: How many records.
        most_records: The most records of a block.
        read: Reads a block: from which position on, at most how many records.
    """
    at = 0
    while at < count:
        try:
            batch = read(at, most_records)
        except FormatError:
            if most_records == 1:
                raise
            most_records //= 2
            continue
        at += len(batch)
        yield batch

"""Records in the order of a seed, in bounded memory.

Where any record can be read by itself, batches are read in the new order straight from the source. Where records share
chunks, that would decode every chunk again and again. Then they are spread over files first, each of which fits into
memory, by their new positions: two passes over the records, whatever the size of the data set.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from octavo import _core
from octavo._closing import Closing
from octavo._convert._any_input import AnyInput, RecordInput
from octavo._convert._publish import refusals
from octavo._convert._source import BLOCK_BYTES, BLOCK_RECORDS, Block
from octavo._open import create
from octavo._open import open as open_records
from octavo.errors import StorageError
from octavo.shuffle import Permutation

if TYPE_CHECKING:
    from octavo._reader import Reader

_OURS = re.compile(r"(all|\d{3})\.tfrecord(\.partial)?")
_PART_BYTES = 256 << 20
_MOST_PARTS = 128  # each has a block of a megabyte in memory while it is written
# Where nobody knows what records weigh, compressed files are taken for this many times as large.
_COMPRESSION = 4


class ShuffledInput(Closing):
    """The records of another input, in the order of `Permutation(count, seed=seed)`."""

    def __init__(self, source: AnyInput, seed: int, folder: str) -> None:
        self._folder = folder
        self._stack = contextlib.ExitStack()
        try:
            _check_ours(self._folder)
            _remove(self._folder)  # of a conversion that was killed
            self._stack.callback(_remove, self._folder)
            self._reader = self._readable(source)
            self.record_count = len(self._reader)
            self._order = Permutation(self.record_count, seed=seed)
            self._parts = self._spread(seed) if _shares_chunks(self._reader) else []
        except BaseException:
            self._stack.close()
            raise
        self._ranks: tuple[int, list[int]] = (-1, [])

    def blocks(self, start: int, stop: int | None) -> Iterator[Block]:
        """Records at these positions of the new order."""
        stop = self.record_count if stop is None else stop
        while start < stop:
            most = min(stop - start, BLOCK_RECORDS)
            batch = self._first(start, most)
            start += len(batch)
            yield Block(batch.to_list())

    def close(self) -> None:
        """Remove what was spread out."""
        self._stack.close()

    def _first(self, start: int, most: int) -> _core.Batch:
        """At least one record from position `start` on."""
        if not self._parts:
            return self._reader._read_first(self._order[start : start + most], BLOCK_BYTES)  # noqa: SLF001
        number = start * len(self._parts) // self.record_count
        first, end = self._part_start(number), self._part_start(number + 1)
        if self._ranks[0] != number:
            self._ranks = (number, _ranks(self._order[first:end].tolist()))
        wanted = self._ranks[1][start - first : min(start - first + most, end - first)]
        return self._parts[number]._read_first(wanted, BLOCK_BYTES)  # noqa: SLF001

    def _part_start(self, number: int) -> int:
        return -(-number * self.record_count // len(self._parts))

    def _readable(self, source: AnyInput) -> Reader:
        """A container that is read from its beginning to its end becomes a file with an index first."""
        if isinstance(source, RecordInput):
            return source.reader
        self._make_folder()
        path = os.path.join(self._folder, "all.tfrecord")
        with create(path) as writer:
            for block in source.blocks(0, None):
                writer.write_many(block.records)
        source.check_unchanged()
        return self._stack.enter_context(open_records(path))

    def _spread(self, seed: int) -> list[Reader]:
        info = self._reader.info
        weight = info.decoded_bytes or info.encoded_bytes * _COMPRESSION
        count = min(-(-weight // _PART_BYTES), _MOST_PARTS, self.record_count)
        if count <= 1:
            return []  # all of it fits into the cache of decoded chunks, or nearly
        self._make_folder()
        paths = [os.path.join(self._folder, f"{number:03d}.tfrecord") for number in range(count)]
        with contextlib.ExitStack() as writers:
            _core.scatter(self._reader, seed, [writers.enter_context(create(path)) for path in paths])
        return [self._stack.enter_context(open_records(path)) for path in paths]

    def _make_folder(self) -> None:
        with refusals(self._folder, "make the folder"):
            os.mkdir(self._folder)


def _check_ours(folder: str) -> None:
    """What is removed must be what such a conversion has made."""
    if not os.path.lexists(folder):
        return
    is_folder = os.path.isdir(folder) and not os.path.islink(folder)
    if not is_folder or not all(map(_OURS.fullmatch, os.listdir(folder))):
        message = f"{folder}: a folder of this name is needed for a while; move what is there away"
        raise StorageError(message, path=folder)


def _remove(folder: str) -> None:
    import shutil  # noqa: PLC0415 - takes long to import, for those who shuffle nothing

    shutil.rmtree(folder, ignore_errors=True)


def _shares_chunks(reader: Reader) -> bool:
    info = reader.info
    if info.format == "ffrecord" or (info.format == "tfrecord" and info.codec == "none"):
        return False
    return info.group_size != 1


def _ranks(numbers: list[int]) -> list[int]:
    """For each number its place among all of them in ascending order: where it is in a file that kept their order."""
    ranks = [0] * len(numbers)
    for rank, at in enumerate(sorted(range(len(numbers)), key=numbers.__getitem__)):
        ranks[at] = rank
    return ranks

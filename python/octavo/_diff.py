"""`octavo.diff`: do two data sets hold the same records, whatever they are stored in?"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from octavo import _core
from octavo._arguments import Progress, at_least_one, check_progress
from octavo._convert._any_input import RecordInput
from octavo._convert._open_any import open_input
from octavo._reader import Reader

if TYPE_CHECKING:
    from octavo._location import Location


_EXCERPT_BYTES = 32
_BYTES_BEFORE = 8  # of an excerpt, so that the first difference is seen in its surroundings
_STEPS = 200  # how often progress is told
_LONGEST_STEP = 1 << 14


@dataclasses.dataclass(frozen=True)
class Difference:
    """A number under which both data sets have a record, and not the same one."""

    record: int
    """The number."""
    sizes: tuple[int, int]
    """How large the two records are."""
    offset: int
    """The first byte in which they differ, or the end of the shorter one."""
    excerpts: tuple[bytes, bytes]
    """A few bytes of each, from `excerpt_offset` on."""
    excerpt_offset: int
    """A little before `offset`."""


@dataclasses.dataclass(frozen=True)
class DiffReport:
    """What `octavo.diff` found."""

    record_counts: tuple[int, int]
    """Records of the first and of the second data set."""
    different_count: int
    """Numbers under which both have a record, and not the same one."""
    differences: tuple[Difference, ...]
    """The first of them, in order."""
    reordered: bool
    """Whether both hold the same records, but in different orders."""

    @property
    def same(self) -> bool:
        """Whether both hold the same records in the same order."""
        return not self.different_count and self.record_counts[0] == self.record_counts[1]


def diff(
    a: Location | Reader, b: Location | Reader, *, limit: int = 10, progress: Progress | None = None
) -> DiffReport:
    """Compare two data sets record by record.

    Formats, codecs, and how records are spread over files do not matter. Memory is bounded: of each data set a few
    blocks are read ahead.

    Args:
        a: A data set; see `octavo.open`. Folders, tar files, JSON lines and Parquet files are taken as
            `octavo.convert` takes them. A reader is taken as it is, and stays open.
        b: The other one.
        limit: How many differences to describe. All are counted.
        progress: Called now and then with the number of records done and the number of all records, as far as that is
            known.

    Raises:
        FormatError: A record of one of them is damaged; the error says which.
    """
    limit = at_least_one("limit", limit)
    check_progress(progress)
    with contextlib.ExitStack() as opened:
        sides = _side(a, opened), _side(b, opened)
        comparison = _Comparison(sides, limit)
        comparison.run(progress)
    return comparison.report()


class _Side(NamedTuple):
    """Records in order, and how many there are; None where only reading tells."""

    records: Iterable[bytes]
    record_count: int | None


def _side(location: Location | Reader, opened: contextlib.ExitStack) -> _Side:
    if isinstance(location, Reader):
        return _Side(location, len(location))
    source = open_input(location, option=None)
    opened.enter_context(source)
    if isinstance(source, RecordInput):
        return _Side(source.reader, len(source.reader))
    return _Side(chain.from_iterable(block.records for block in source.blocks(0, None)), source.record_count)


class _Comparison:
    """What is known so far."""

    def __init__(self, sides: tuple[_Side, _Side], limit: int) -> None:
        self._sides = sides
        self._limit = limit
        self._done = 0
        self._missing = [0, 0]
        self._different_count = 0
        self._differences: list[Difference] = []
        # Only what differs is hashed: everything else is in both, whatever the order.
        self._digests = (_core.Digest(), _core.Digest())
        counts = [side.record_count for side in sides]
        self._may_be_reordered = None in counts or counts[0] == counts[1]

    def run(self, progress: Progress | None) -> None:
        """Read both sides to their ends."""
        known = [side.record_count for side in self._sides if side.record_count is not None]
        step = max(1, min(_LONGEST_STEP, max(known, default=_LONGEST_STEP) // _STEPS))
        done = 0
        for one, other in zip_longest(*(side.records for side in self._sides)):
            if one != other:
                self._note(done, one, other)
            done += 1
            if progress is not None and not done % step:
                progress(done, max([done, *known]))
        self._done = done
        if progress is not None:
            progress(done, done)

    def _note(self, record: int, one: bytes | None, other: bytes | None) -> None:
        for side, own in enumerate((one, other)):
            if own is None:
                self._missing[side] += 1
            elif self._may_be_reordered:
                self._digests[side].update((own,))
        if one is None or other is None:
            return
        self._different_count += 1
        if len(self._differences) < self._limit:
            self._differences.append(_difference(record, one, other))

    def report(self) -> DiffReport:
        """The outcome."""
        counts = self._done - self._missing[0], self._done - self._missing[1]
        is_same_set = self._may_be_reordered and self._digests[0].unordered == self._digests[1].unordered
        reordered = self._different_count > 0 and counts[0] == counts[1] and is_same_set
        return DiffReport(counts, self._different_count, tuple(self._differences), reordered)


def _difference(record: int, one: bytes, other: bytes) -> Difference:
    offset = _first_difference(one, other)
    start = max(0, offset - _BYTES_BEFORE)
    end = start + _EXCERPT_BYTES
    return Difference(record, (len(one), len(other)), offset, (one[start:end], other[start:end]), start)


def _first_difference(one: bytes, other: bytes) -> int:
    """By halves: the comparison of two slices costs next to nothing, that of two bytes a turn of the loop."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high) // 2
        if one[low : middle + 1] == other[low : middle + 1]:
            low = middle + 1
        else:
            high = middle
    return low

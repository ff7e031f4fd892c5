"""How large records are: of a sample, or of all.

A sample costs the same for any number of records and files: so many records, evenly spread, and no more bytes than a
limit, but for the record that goes beyond it. What is kept of sizes is three digits: a table of some thousand entries
at most.
"""

from __future__ import annotations

import contextlib
import dataclasses
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise

from octavo import _core
from octavo._arguments import Progress
from octavo._reader import Reader
from octavo._sound_blocks import sound_blocks
from octavo.errors import FormatError

_SAMPLED_RECORDS = 1000
_SAMPLED_BYTES = 32 << 20
_SAMPLED_FILES = 16  # of one reader: the index of each is read whole
_NEIGHBOURS = 8  # records that are taken together where they are decoded together
_BLOCK_RECORDS, _BLOCK_BYTES = 1 << 16, 4 << 20
_ACCESS_BYTES = 1 << 20  # between places where the decompression of a TFRecord file can begin, about
_MOST_BINS = 10
_GOLDEN = 0.618033988749895  # its multiples are as far from any pattern as those of a number can be


@dataclasses.dataclass(frozen=True)
class Bin:
    """Records of at least `start` bytes and less than `stop`."""

    start: int
    stop: int
    record_count: int


@dataclasses.dataclass(frozen=True)
class Sizes:
    """How large some or all records are."""

    record_count: int
    """Records that were measured."""
    total_count: int
    """Records that there are."""
    record_bytes: int
    """Of those that were measured."""
    smallest: int | None
    """None if none was measured."""
    largest: int | None
    """The same."""
    bins: tuple[Bin, ...]
    """From the smallest to the largest without a gap, empty ones included."""
    problem: FormatError | None
    """The first damage that was met. Of a sample the damaged records are left out; measuring all ends there."""

    @property
    def mean(self) -> float | None:
        """Bytes a record; None if none was measured."""
        return self.record_bytes / self.record_count if self.record_count else None


def sample_sizes(readers: Sequence[Reader], total_count: int, most_load_bytes: int | None = None) -> Sizes:
    """Sizes of records that are evenly spread over some readers.

    Args:
        readers: What they are read from.
        total_count: How many records all have.
        most_load_bytes: Leave out records that take more memory to be read, unless their sizes are known.
    """
    stretches = [stretch for reader in readers for stretch in _stretches(reader) if stretch.count]
    edges = [0, *accumulate(stretch.count for stretch in stretches)]
    neighbours = 1
    if edges[-1] > _SAMPLED_RECORDS and any(stretch.chunk_count for stretch in stretches):
        neighbours = _NEIGHBOURS
    positions = _spread(edges[-1], neighbours)
    measured = _Measured(most_load_bytes)
    done = spent = 0
    for stop in (4, 32, len(positions)):  # each time as many as can be paid, by what those before have cost
        affordable = done + (_SAMPLED_BYTES - spent) * done // max(spent, 1) if done else stop
        places: dict[int, list[int]] = {}
        for position in sorted(positions[done : min(stop, affordable)]):
            at = bisect_right(edges, position) - 1
            places.setdefault(at, []).append(position - edges[at])
            done += 1
        for at, found in places.items():
            if spent < _SAMPLED_BYTES:
                spent += measured.read_at(stretches[at], found, neighbours, _SAMPLED_BYTES - spent)
    return measured.sizes(total_count)


def all_sizes(readers: Iterable[Reader], total_count: int, progress: Progress | None = None) -> Sizes:
    """Sizes of all records up to the first that is damaged; it takes reading them."""
    measured = _Measured()
    try:
        for batch in _batches(readers):
            measured.add(batch)
            if progress is not None:
                progress(measured.record_count, total_count)
    except FormatError as error:
        measured.problem = error
    return measured.sizes(total_count)


def _batches(readers: Iterable[Reader]) -> Iterator[_core.Batch]:
    for reader in readers:
        read = partial(reader._read_block, most_bytes=_BLOCK_BYTES)  # noqa: SLF001 - part of the package
        yield from sound_blocks(len(reader), _BLOCK_RECORDS, read)


@dataclasses.dataclass(frozen=True)
class _Stretch:
    """Records of a reader that follow one another."""

    reader: Reader
    start: int
    count: int
    chunk_count: int
    """Chunks behind them where many records share one, or else 0: a chunk is read for any of its records."""
    chunk_bytes: int


def _stretches(reader: Reader) -> list[_Stretch]:
    """All records, or those of some of the files if there are many."""
    info = reader.info
    chunks = info.chunk_count
    if info.format == "tfrecord" and info.codec != "none":
        chunks = info.total_bytes // _ACCESS_BYTES + 1
    if chunks * _NEIGHBOURS > info.record_count:
        chunks = 0  # hardly any record is decoded for another's sake
    starts = reader._file_starts  # noqa: SLF001 - part of the package
    files = len(starts) - 1
    some = min(files, _SAMPLED_FILES)
    chosen = [files * at // some for at in range(some)]
    chunk_bytes = info.encoded_bytes // max(1, chunks)
    return [_Stretch(reader, starts[file], starts[file + 1] - starts[file], chunks, chunk_bytes) for file in chosen]


def _spread(total: int, neighbours: int) -> list[int]:
    """Evenly spread positions, in an order in which the first of them are evenly spread, too.

    Each has a stretch of its own and lies somewhere in it, always the same: what recurs in the records must not recur
    in the sample.
    """
    count = min(total, _SAMPLED_RECORDS // neighbours)
    room = total // max(count, 1) - neighbours + 1
    order = sorted(range(count), key=lambda at: int(f"{at:016b}"[::-1], 2))
    return [at * total // count + int(at * _GOLDEN % 1 * room) for at in order]


class _Measured:
    """What is known so far."""

    def __init__(self, most_load_bytes: int | None = None) -> None:
        self._most_load_bytes = most_load_bytes
        self.record_count = 0
        self.record_bytes = 0
        self.problem: FormatError | None = None
        self._counts: Counter[int] = Counter()  # by size, of which three digits are kept
        self._extremes: list[int] = []

    def add(self, batch: _core.Batch) -> None:
        self._add_lengths(list(map(len, batch)))

    def _add_lengths(self, sizes: list[int]) -> None:
        lengths = Counter(sizes)
        self.record_count += len(sizes)
        self.record_bytes += sum(sizes)
        seen = [*self._extremes, *lengths]
        self._extremes = [min(seen), max(seen)] if seen else []
        for length, count in lengths.items():
            self._counts[_three_digits(length)] += count

    def read_at(self, stretch: _Stretch, places: list[int], neighbours: int, most_bytes: int) -> int:
        """Measure the records at some places, as far as so many bytes go; gives how many it took."""
        near = (place + at for place in places for at in range(neighbours))
        numbers = self._readable(stretch.reader, [stretch.start + at for at in near if at < stretch.count])
        if not numbers:
            return 0
        before = self.record_bytes
        try:
            self.add(stretch.reader._read_first(numbers, most_bytes))  # noqa: SLF001 - part of the package
        except FormatError as error:
            self.problem = self.problem or error
            self._add_one_by_one(stretch.reader, numbers)
        return max(self.record_bytes - before, min(len(places), stretch.chunk_count) * stretch.chunk_bytes)

    def _readable(self, reader: Reader, numbers: list[int]) -> list[int]:
        """Those that are small enough; of the others, sizes that are known are added."""
        if self._most_load_bytes is None:
            return numbers
        readable = []
        for number, load in zip(numbers, reader._loads(numbers), strict=True):  # noqa: SLF001 - part of the package
            if load is None or load[1] <= self._most_load_bytes:
                readable.append(number)
            elif load[0] is not None:
                self._add_lengths([load[0]])
        return readable

    def _add_one_by_one(self, reader: Reader, numbers: list[int]) -> None:
        for number in numbers:
            with contextlib.suppress(FormatError):
                self.add(reader._read_first([number], 1))  # noqa: SLF001 - part of the package

    def sizes(self, total_count: int) -> Sizes:
        smallest, largest = self._extremes or (None, None)
        bins = _bins(self._counts) if self._counts else ()
        return Sizes(self.record_count, total_count, self.record_bytes, smallest, largest, bins, self.problem)


def _three_digits(size: int) -> int:
    step: int = 10 ** max(0, len(str(size)) - 3)
    return size // step * step


def _bins(counts: Mapping[int, int]) -> tuple[Bin, ...]:
    edges = _edges(min(counts), max(counts))
    found = [0] * (len(edges) - 1)
    for size, count in counts.items():
        found[bisect_right(edges, size) - 1] += count
    return tuple(Bin(start, stop, count) for (start, stop), count in zip(pairwise(edges), found, strict=True))


def _edges(smallest: int, largest: int) -> list[int]:
    """Round numbers from below the smallest size to above the largest, few enough to be read, and of three digits.

    Steps are equal where sizes are of one kind, and grow where they are not: 1, 2, 5, 10, or powers of ten.
    """
    if largest < 10 * max(smallest, 1):
        finest = max(0, len(str(largest)) - 3)
        steps = (digit * 10**power for power in range(finest, finest + 4) for digit in (1, 2, 5))
        step = next(step for step in steps if largest // step - smallest // step < _MOST_BINS)
        return [at * step for at in range(smallest // step, largest // step + 2)]
    growing = [0, *(digit * 10**power for power in range(20) for digit in (1, 2, 5))]
    tens = [0, *(10**power for power in range(20))]
    few = bisect_right(growing, largest) - bisect_right(growing, smallest) < _MOST_BINS
    edges = growing if few else tens
    return edges[bisect_right(edges, smallest) - 1 : bisect_right(edges, largest) + 1]

"""Files that end where a crash ended them: every byte of an interrupted append, and of an unfinished file.

An append leaves the file whole after every flush. Cut anywhere behind that, it opens as it was then and says so.
"""

from __future__ import annotations

import bisect
import dataclasses
import itertools
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.faults import samples
from tests.naive.riegeli import BLOCK, chunks_in

GROUPED = pytest.mark.parametrize("group_size", [1, 7, 256])
CODECS = pytest.mark.parametrize("codec", ["zstd", "none"])
# Records of the file before it grows: none, a lone short group, whole groups, whole groups and a short one.
BASES: dict[str, Callable[[int], int]] = {
    "nothing": lambda _: 0,
    "short group": lambda group_size: max(1, group_size // 2),
    "whole groups": lambda group_size: 2 * group_size,
    "whole groups and a short one": lambda group_size: 2 * group_size + group_size // 3 + 1,
}
BASED = pytest.mark.parametrize("base", BASES)
PORTIONS = (1, 2, 30)


@dataclasses.dataclass(frozen=True)
class Grown:
    """The bytes of a file that grew, and how many records it had when it had so many bytes."""

    content: bytes
    records: list[bytes]
    sizes: list[int]
    counts: list[int]

    def whole_at(self, size: int) -> tuple[int, int]:
        """How many bytes and records the file has that is whole in the first `size` bytes."""
        state = bisect.bisect_right(self.sizes, size) - 1
        return self.sizes[state], self.counts[state]

    def telling_sizes(self, first: int, *, around: int, stride: int) -> list[int]:
        """Sizes near everything that begins or ends, and some in between."""
        edges = {*self.sizes, *range(0, len(self.content), BLOCK), *(begin for begin, _ in chunks_in(self.content))}
        near = {edge + distance for edge in edges for distance in range(-around, around + 1)}
        between = range(first, len(self.content) + 1)
        return sorted(near.intersection(between).union(between[::stride]))


def grow(writer: octavo.Writer, path: Path, base: list[bytes], total: list[bytes]) -> Grown:
    """Writes the rest of `total` in portions; `path` is where the bytes are while they are being written."""
    sizes, counts = [path.stat().st_size], [len(base)]
    rest = iter(total[len(base) :])
    for portion in PORTIONS:
        counts.append(counts[-1] + writer.write_many(itertools.islice(rest, portion)))
        writer.flush()
        sizes.append(path.stat().st_size)
    return Grown(path.read_bytes(), total, sizes, counts)


def grow_by_appending(path: Path, base: str, group_size: int, codec: str) -> Grown:
    old = samples.records(BASES[base](group_size))
    with octavo.create(path, group_size=group_size, codec=codec) as writer:
        writer.write_many(old)
    with octavo.append(path) as writer:
        grown = grow(writer, path, old, samples.records(len(old) + sum(PORTIONS)))
    # Closing may write the short group at the end once more.
    content = path.read_bytes()
    return Grown(content, grown.records, [*grown.sizes, len(content)], [*grown.counts, len(grown.records)])


@pytest.fixture
def grown(quick_path: Path, base: str, group_size: int, codec: str) -> Grown:
    return grow_by_appending(quick_path / "grown.array_record", base, group_size, codec)


def open_torn(location: bytes | Path) -> tuple[octavo.Reader, list[type[Warning]]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # of what other tests have left
        return octavo.open(location, format="array_record"), [one.category for one in caught]


@BASED
@CODECS
@GROUPED
def test_append_cut_anywhere_opens_as_it_was_after_the_last_flush(grown: Grown):
    for size in grown.telling_sizes(grown.sizes[0], around=26, stride=1999):
        whole_bytes, count = grown.whole_at(size)
        reader, warned = open_torn(grown.content[:size])
        assert reader.read_all() == grown.records[:count], f"cut at {size}"
        assert reader.info.torn_bytes == size - whole_bytes, f"cut at {size}"
        assert warned == [errors.TornAppendWarning] * (size > whole_bytes), f"cut at {size}"


@BASED
@CODECS
@GROUPED
def test_append_goes_on_wherever_the_last_one_was_cut(quick_path: Path, grown: Grown):
    path = quick_path / "torn.array_record"
    for size in grown.telling_sizes(grown.sizes[0], around=1, stride=BLOCK // 2):
        path.write_bytes(grown.content[:size])
        with octavo.append(path) as writer:
            writer.write(b"more")
        reader, warned = open_torn(path)
        expected = [*grown.records[: grown.whole_at(size)[1]], b"more"]
        assert (reader.read_all(), warned) == (expected, []), f"cut at {size}"


def recovered(path: Path, content: bytes) -> tuple[octavo.RecoverReport, list[bytes]]:
    """What is saved of these bytes."""
    path.write_bytes(content)
    target = path.with_name("recovered.array_record")
    report = octavo.recover(path, target, overwrite=True)
    records = octavo.open(target).read_all()
    assert report.record_count == len(records)
    return report, records


@BASED
@CODECS
@GROUPED
def test_recovery_of_a_cut_append_saves_at_least_what_opens(quick_path: Path, grown: Grown):
    for size in grown.telling_sizes(grown.sizes[0], around=1, stride=BLOCK // 3):
        _, records = recovered(quick_path / "torn.array_record", grown.content[:size])
        assert len(records) >= grown.whole_at(size)[1], f"cut at {size}"
        assert records == grown.records[: len(records)], f"cut at {size}"


def is_part(found: list[bytes], of: list[bytes]) -> bool:
    """Whether these are some of the records in their order, none of them twice."""
    rest = iter(of)
    return all(record in rest for record in found)


@BASED
@CODECS
@pytest.mark.parametrize("group_size", [7, 256])
@pytest.mark.parametrize("place", [9, 41], ids=["in the header", "in the data"])
def test_damaged_chunk_of_a_file_that_grew_brings_no_record_twice(quick_path: Path, grown: Grown, place: int):
    for begin, chunk in chunks_in(grown.content):
        if begin == 0 or chunk.kind == b"p":
            continue
        damaged = bytearray(grown.content)
        damaged[begin + place + 24 * (begin % BLOCK == 0)] ^= 1
        report, records = recovered(quick_path / "damaged.array_record", bytes(damaged))
        where = f"{chunk.kind!r} with {chunk.num_records} records at {begin}"
        assert is_part(records, grown.records), where
        if report.lost_count is not None:
            assert len(records) + report.lost_count == len(grown.records), where
        try:
            opened = open_torn(bytes(damaged))[0].read_all()
        except errors.FormatError:
            continue
        assert len(records) >= len(opened), where


@BASED
@pytest.mark.parametrize("group_size", [1, 7])
@pytest.mark.parametrize("place", [9, 41], ids=["in the header", "in the data"])
def test_damage_in_a_cut_append_costs_nothing_that_was_there_before(
    quick_path: Path, base: str, group_size: int, place: int
):
    path = quick_path / "torn.array_record"
    records = samples.records(BASES[base](group_size) + 40)
    old = records[:-40]
    with octavo.create(path, group_size=group_size, codec="none") as writer:
        writer.write_many(old)
    size = path.stat().st_size
    with octavo.append(path) as writer:
        writer.write_many(records[len(old) :])
    *new, footer, _ = [begin for begin, chunk in chunks_in(path.read_bytes()) if begin >= size and chunk.kind == b"r"]
    for begin in new:
        torn = bytearray(path.read_bytes()[:footer])
        torn[begin + place + 24 * (begin % BLOCK == 0)] ^= 1
        _, found = recovered(quick_path / "damaged.array_record", bytes(torn))
        assert found[: len(old)] == old, f"chunk at {begin}"
        assert is_part(found, records), f"chunk at {begin}"


@BASED
def test_append_that_is_given_up_leaves_what_was_flushed(quick_path: Path, base: str):
    path = quick_path / "grown.array_record"
    old = samples.records(BASES[base](7))
    with octavo.create(path, group_size=7) as writer:
        writer.write_many(old)
    writer = octavo.append(path)
    writer.write(b"flushed")
    writer.flush()
    writer.write(b"not flushed")
    writer.abort()
    reader, warned = open_torn(path)
    assert (reader.read_all(), warned) == ([*old, b"flushed"], [])


def test_torn_file_among_others_is_named_in_the_warning(quick_path: Path):
    grown = grow_by_appending(quick_path / "0.array_record", "short group", 7, "none")
    (quick_path / "1.array_record").write_bytes(grown.content[: grown.sizes[1] + 100])
    with pytest.warns(errors.TornAppendWarning, match=r"1\.array_record: the last 100 bytes") as caught:
        reader = octavo.open(quick_path)
    assert len(caught) == 1
    assert reader.read_all() == grown.records + grown.records[: grown.counts[1]]


def test_torn_bytes_are_damage_to_verify(quick_path: Path):
    grown = grow_by_appending(quick_path / "torn.array_record", "short group", 7, "none")
    (quick_path / "torn.array_record").write_bytes(grown.content[:-1])
    report = octavo.verify(quick_path / "torn.array_record")
    assert report.record_count == grown.whole_at(len(grown.content) - 1)[1]
    assert [damage.record for damage in report.damage] == [None]


# Plain files have no end that could be missed: one that is cut between chunks is a whole one.


@CODECS
def test_plain_file_cut_anywhere_gives_a_part_or_an_error(quick_path: Path, codec: str):
    path = quick_path / "plain.riegeli"
    with octavo.create(path, codec=codec, group_size=3) as writer:
        writer.write_many(samples.records(7))
    with octavo.append(path) as writer:
        grown = grow(writer, path, samples.records(7), samples.records(7 + sum(PORTIONS)))
    for size in grown.telling_sizes(64, around=30, stride=200):
        path.write_bytes(grown.content[:size])
        try:
            opened = octavo.open(path).read_all()
        except errors.FormatError:
            assert size not in grown.sizes, f"cut at {size}"
            opened = []
        assert opened == grown.records[: len(opened)], f"cut at {size}"
        target = quick_path / "recovered.riegeli"
        report = octavo.recover(path, target, overwrite=True)
        saved = octavo.open(target).read_all()
        assert report.record_count == len(saved), f"cut at {size}"
        assert saved == grown.records[: len(saved)], f"cut at {size}"
        flushed = max((count for edge, count in zip(grown.sizes, grown.counts, strict=True) if edge <= size), default=0)
        assert len(saved) >= max(flushed, len(opened)), f"cut at {size}"


# Files that were never finished.


@pytest.fixture
def unfinished(quick_path: Path, group_size: int, codec: str) -> Iterator[Grown]:
    writer = octavo.create(quick_path / "new.array_record", group_size=group_size, codec=codec)
    yield grow(writer, quick_path / "new.array_record.partial", [], samples.records(sum(PORTIONS)))
    writer.abort()


@CODECS
@GROUPED
def test_unfinished_file_cut_anywhere_is_recovered_up_to_the_last_flush(quick_path: Path, unfinished: Grown):
    path = quick_path / "cut.array_record.partial"
    for size in unfinished.telling_sizes(1, around=2, stride=991):
        _, records = recovered(path, unfinished.content[:size])
        assert len(records) >= unfinished.whole_at(size)[1], f"cut at {size}"
        assert records == unfinished.records[: len(records)], f"cut at {size}"


@GROUPED
def test_unfinished_file_is_no_file_to_open(quick_path: Path, group_size: int):
    writer = octavo.create(quick_path / "new.array_record", group_size=group_size)
    writer.write_many(samples.records(20))
    writer.flush()
    with pytest.raises(errors.UnfinishedFileError, match="recover"):
        octavo.open(quick_path / "new.array_record.partial", format="array_record")
    writer.abort()


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("suffix", [".array_record", ".riegeli", ".ffr"])
def test_recovery_under_the_name_that_was_to_be_never_costs_the_side_file(quick_path: Path, suffix: str, overwrite):
    """The writer of `NAME` wants a side file of the very name that the dead one's has."""
    path, partial = quick_path / f"new{suffix}", quick_path / f"new{suffix}.partial"
    writer = octavo.create(path)
    writer.write_many(samples.records(20))
    writer.flush()
    left = partial.read_bytes()
    writer.abort()
    partial.write_bytes(left)
    try:
        octavo.recover(partial, path, overwrite=overwrite)
    except errors.OctavoError:
        assert partial.read_bytes() == left
        assert not path.exists()
    else:
        assert octavo.open(path).read_all() == samples.records(20)


def test_empty_side_file_holds_nothing_to_recover(quick_path: Path):
    source, target = quick_path / "new.array_record.partial", quick_path / "out.array_record"
    source.touch()
    try:
        report = octavo.recover(source, target)
    except errors.FormatError:
        assert not target.exists()
    else:
        assert (report.record_count, report.ok) == (0, False)
        assert octavo.open(target).read_all() == []

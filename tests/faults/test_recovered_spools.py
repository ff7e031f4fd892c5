"""What a killed writer of FFRecord leaves in `NAME.partial` becomes a file by `octavo.recover`."""

from __future__ import annotations

import itertools
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.faults import isolation, samples, spool
from tests.faults.programs import lied_to, writing
from tests.faults.test_killed_writers import kill_a_writer, published_in
from tests.naive import ffrecord as naive

PORTIONS = (1, 40, 3)
KILLS = 12


def block(records: list[bytes]) -> bytes:
    """A block by the letter of `docs/spec/partial.md`."""
    tables = struct.pack(f"<{len(records)}Q", *map(len, records))
    tables += struct.pack(f"<{len(records)}I", *map(zlib.crc32, records))
    return spool.MAGIC + struct.pack("<QII", len(records), zlib.crc32(tables), 0) + tables + b"".join(records)


def recovered(path: Path, content: bytes) -> tuple[octavo.RecoverReport, list[bytes]]:
    path.write_bytes(content)
    target = path.with_name("recovered.ffr")
    report = octavo.recover(path, target, overwrite=True)
    found = octavo.open(target)
    assert found.info.format == "ffrecord"
    assert target.read_bytes() == naive.encode(found.read_all())
    assert report.record_count == len(found)
    return report, found.read_all()


@pytest.fixture
def flushed(quick_path: Path) -> Iterator[tuple[bytes, list[int]]]:
    """The side file of a writer at work, and its size after each flush."""
    writer = octavo.create(quick_path / "out.ffr")
    partial = quick_path / "out.ffr.partial"
    rest, sizes = iter(samples.records(sum(PORTIONS))), [0]
    for portion in PORTIONS:
        writer.write_many(itertools.islice(rest, portion))
        writer.flush()
        sizes.append(partial.stat().st_size)
    yield partial.read_bytes(), sizes
    writer.abort()


def test_side_file_is_recovered(quick_path: Path, flushed: tuple[bytes, list[int]]):
    report, records = recovered(quick_path / "dead.ffr.partial", flushed[0])
    assert records == samples.records(sum(PORTIONS))
    (lost,) = report.lost
    assert (lost.offset, lost.record, lost.record_count) == (len(flushed[0]), len(records), None)
    assert "interrupted" in lost.reason


def test_side_file_is_known_by_its_content_under_any_name(quick_path: Path, flushed: tuple[bytes, list[int]]):
    report, records = recovered(quick_path / "left-behind", flushed[0])
    assert "interrupted" in report.lost[0].reason
    assert records == samples.records(sum(PORTIONS))


def test_side_file_cut_anywhere_is_recovered_up_to_the_cut(quick_path: Path, flushed: tuple[bytes, list[int]]):
    content, sizes = flushed
    counts = [0, *itertools.accumulate(PORTIONS)]
    near = {edge + distance for edge in sizes for distance in range(-30, 31)}
    beyond_magic = range(len(spool.MAGIC), len(content))
    for size in sorted(near.intersection(beyond_magic).union(beyond_magic[::97])):
        report, records = recovered(quick_path / "cut.ffr.partial", content[:size])
        least = max(count for edge, count in zip(sizes, counts, strict=True) if edge <= size)
        assert len(records) >= least, f"cut at {size}"
        assert records == samples.records(len(records)), f"cut at {size}"
        assert records == list(spool.records(content[:size])), f"cut at {size}"
        if size not in sizes:
            assert report.lost, f"cut at {size}"


def test_damaged_record_in_a_side_file_costs_itself_alone(quick_path: Path):
    records = [b"first", b"second", b"third"]
    content = block(records[:2]) + block(records[2:])
    at = content.index(b"second")
    report, saved = recovered(quick_path / "damaged.ffr.partial", content[:at] + b"S" + content[at + 1 :])
    assert saved == [b"first", b"third"]
    assert (report.lost_count, report.ok) == (None, False)
    assert [(lost.offset, lost.end, lost.record, lost.record_count) for lost in report.lost] == [
        (at, at + len(b"second"), 1, 1),
        (len(content), len(content), 3, None),
    ]


@pytest.mark.parametrize("byte", [8, 15, 16, 24, 31, 32], ids=lambda byte: f"byte {byte}")
@pytest.mark.parametrize("damaged", range(4))
def test_damaged_head_in_a_side_file_costs_its_block_alone(quick_path: Path, damaged: int, byte: int):
    blocks = [block([b"%d.%d" % (number, record) for record in range(3)]) for number in range(4)]
    content = bytearray(b"".join(blocks))
    begin = sum(map(len, blocks[:damaged]))
    content[begin + byte] ^= 1
    report, saved = recovered(quick_path / "damaged.ffr.partial", bytes(content))
    assert saved == [b"%d.%d" % (number, record) for number in range(4) if number != damaged for record in range(3)]
    assert (report.lost_count, report.ok) == (None, False)
    lost = report.lost[0]
    assert (lost.offset, lost.end) == (begin, begin + len(blocks[damaged]))
    assert ("the writer ended" in lost.reason, "another one follows" in lost.reason) == (damaged == 3, damaged < 3)


def test_damaged_first_bytes_of_a_block_behind_others_cost_it_alone(quick_path: Path):
    first, second, third = (block([name]) for name in (b"first", b"second", b"third"))
    report, saved = recovered(quick_path / "damaged.ffr.partial", first + b"O" + second[1:] + third)
    assert saved == [b"first", b"third"]
    assert report.lost[0].offset == len(first)


def test_a_record_that_begins_like_a_block_is_none(quick_path: Path):
    like_blocks = [spool.MAGIC, spool.MAGIC + struct.pack("<QII", 1, 7, 0) + bytes(40)]
    content = bytearray(block(like_blocks) + block([b"behind"]))
    content[9] ^= 1
    _, saved = recovered(quick_path / "damaged.ffr.partial", bytes(content))
    assert saved == [b"behind"]


def test_a_block_far_behind_a_damaged_one_is_found(quick_path: Path):
    # Its first bytes stand on both sides of every place where a search may take a breath.
    for distance in range(4040, 4080):
        content = bytearray(block([bytes(distance)]) + block([b"behind"]))
        content[9] ^= 1
        _, saved = recovered(quick_path / "damaged.ffr.partial", bytes(content))
        assert saved == [b"behind"], distance


def test_blocks_that_are_not_there_are_not_searched_for_ever(quick_path: Path):
    # Each head claims tables that reach nearly to the end.
    count = 150_000
    lies = b"".join(
        block([]) + spool.MAGIC + struct.pack("<QII", max(1, 4 * (count - number) - 8), 1, 0) for number in range(count)
    )
    path = quick_path / "liar.ffr.partial"
    path.write_bytes(lies + block([b"behind"]))
    isolation.check(lied_to.recover_from_no_end_of_heads, path=path, behind=b"behind".hex())


@pytest.mark.parametrize(
    "lie",
    [
        spool.MAGIC + struct.pack("<QII", 1 << 60, 0, 0),
        spool.MAGIC + struct.pack("<QII", (1 << 64) - 1, 0, 0) + bytes(100),
        spool.MAGIC
        + struct.pack("<QII", 1, zlib.crc32(struct.pack("<QI", 1 << 62, 0)), 0)
        + struct.pack("<QI", 1 << 62, 0),
        spool.MAGIC
        + struct.pack("<QII", 2, zlib.crc32(struct.pack("<2Q2I", (1 << 64) - 1, 5, 0, 0)), 0)
        + struct.pack("<2Q2I", (1 << 64) - 1, 5, 0, 0)
        + b"bytes",
        spool.MAGIC,
        spool.MAGIC + b"\0",
    ],
    ids=["2^60 records", "2^64-1 records", "a record of 2^62 bytes", "lengths that go round", "magic alone", "short"],
)
def test_side_file_that_lies_is_recovered_up_to_the_lie(quick_path: Path, lie: bytes):
    report, saved = recovered(quick_path / "liar.ffr.partial", block([b"first"]) + lie)
    assert saved == [b"first"]
    assert not report.ok


def test_recovery_does_not_replace_a_file_unasked(quick_path: Path):
    (quick_path / "dead.ffr.partial").write_bytes(block([b"record"]))
    (quick_path / "out.ffr").write_bytes(b"of somebody else")
    with pytest.raises(errors.AlreadyExistsError):
        octavo.recover(quick_path / "dead.ffr.partial", quick_path / "out.ffr")
    assert (quick_path / "out.ffr").read_bytes() == b"of somebody else"
    assert sorted(path.name for path in quick_path.iterdir()) == ["dead.ffr.partial", "out.ffr"]


def test_killed_writers_records_are_recovered(tmp_path: Path):
    for kill in range(KILLS):
        path = tmp_path / f"{kill}.ffr"
        what, number, portions = kill_a_writer(path, 1000 * kill, 0.003 * kill)
        partial = Path(f"{path}.partial")
        if what == "published" or published_in(path, range(number, number + 1)) or not partial.exists():
            continue
        written = [record for portion in writing.generation(number) for record in portion]
        flushed = list(itertools.chain.from_iterable(itertools.islice(writing.generation(number), portions)))
        _, records = recovered(tmp_path / "copy.ffr.partial", partial.read_bytes())
        assert len(records) >= len(flushed), f"kill {kill}"
        assert records == written[: len(records)], f"kill {kill}"

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
from tests.faults import samples, spool
from tests.faults.programs import writing
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


def test_damaged_table_in_a_side_file_costs_what_is_behind_it(quick_path: Path):
    content = bytearray(block([b"first"]) + block([b"second"]) + block([b"third"]))
    at = len(block([b"first"]))
    content[at + 24] ^= 1
    report, saved = recovered(quick_path / "damaged.ffr.partial", bytes(content))
    assert saved[:1] == [b"first"]
    assert b"second" not in saved
    assert (report.lost_count, report.ok) == (None, False)
    assert report.lost[0].offset == at


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

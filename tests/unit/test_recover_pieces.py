"""Recovering files of chunks: what is saved once, what is told as lost, and what is not believed."""

from __future__ import annotations

import dataclasses
import zlib
from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.naive.array_record import postscript_record
from tests.naive.protobuf import varint
from tests.naive.riegeli import Container, simple_chunk

RECORDS = [b"%04d" % number * 25 for number in range(64)]


def recovered(path: Path, content: bytes) -> tuple[octavo.RecoverReport, list[bytes]]:
    path.write_bytes(content)
    target = path.with_name(f"saved{path.suffix}")
    report = octavo.recover(path, target)
    return report, octavo.open(target).read_all()


class TestJournals:
    """A flush puts the records of a group that is not full yet into padding; the whole group repeats them."""

    MAGIC = b"octavo\0J"
    HEADER = 40

    @pytest.fixture
    def flushed(self, tmp_path: Path) -> bytearray:
        path = tmp_path / "flushed.array_record"
        with octavo.create(path, codec="none", group_size=len(RECORDS)) as writer:
            for begin in (0, 20, 40):
                writer.write_many(RECORDS[begin : begin + 20])
                writer.flush()
            writer.write_many(RECORDS[60:])
        return bytearray(path.read_bytes())

    def places(self, content: bytearray) -> list[int]:
        """Where journals begin."""
        first = content.index(self.MAGIC)
        second = content.index(self.MAGIC, first + 1)
        return [place - self.HEADER for place in (first, second, content.index(self.MAGIC, second + 1))]

    @pytest.mark.parametrize("damaged_bytes", [HEADER, HEADER + len(MAGIC), 2 * HEADER + len(MAGIC), 500])
    @pytest.mark.parametrize("number", [0, 1, 2])
    @pytest.mark.parametrize("cut", [0, 60_000])
    def test_a_group_that_is_there_is_saved_once(self, flushed, number, damaged_bytes, cut, tmp_path):
        begin = self.places(flushed)[number]
        flushed[begin : begin + damaged_bytes] = bytes(damaged_bytes)
        _, saved = recovered(tmp_path / "damaged.array_record", bytes(flushed[: len(flushed) - cut]))
        assert saved == RECORDS

    @pytest.mark.parametrize("number", [1, 2])
    def test_a_journal_whose_header_is_damaged_is_saved_where_nothing_repeats_it(self, flushed, number, tmp_path):
        begin, behind = [*self.places(flushed), len(flushed)][number : number + 2]
        if number == 2:
            behind = flushed.index(RECORDS[59], begin) + len(RECORDS[59])
        flushed[begin : begin + self.HEADER] = bytes(self.HEADER)
        report, saved = recovered(tmp_path / "damaged.array_record", bytes(flushed[:behind]))
        assert saved == RECORDS[: 20 * (number + 1)]
        assert report.lost_count is None


def test_records_in_a_chunk_of_an_unknown_kind_are_told_as_lost(tmp_path):
    container = Container()
    for name in (b"a", b"b", b"c"):
        chunk = simple_chunk([name * number for number in range(10)])
        container.append(dataclasses.replace(chunk, kind=b"x") if name == b"b" else chunk)
    report, saved = recovered(tmp_path / "unknown.riegeli", bytes(container.content))
    assert len(saved) == 20
    assert (report.ok, report.lost_count, report.lost[0].record) == (False, 10, 10)


def test_what_an_index_lists_more_than_once_is_not_saved_more_than_once(tmp_path):
    count, chunk = 50, simple_chunk([bytes(5000)])
    chunks = [chunk]
    for _ in range(count - 1):
        chunk = simple_chunk([chunk.header + chunk.data])  # each record is the chunk before it
        chunks.append(chunk)
    container = Container()
    place = container.append(chunks[-1])
    entries = []
    for chunk in reversed(chunks):
        entries.append((place, chunk.decoded_size))
        place += len(chunk.header) + len(chunk.data) - chunk.decoded_size
    container.pad_to_block()
    metadata = b"\x08\x01\x10" + varint(count) + b"\x18" + varint(count)
    listed = [b"\x08" + varint(place) + b"\x10" + varint(size) + b"\x18\x01" for place, size in entries]
    footer = container.append(simple_chunk([b"\x0a" + varint(len(metadata)) + metadata, *listed]))
    container.pad_to_block()
    container.append(simple_chunk([postscript_record(footer)] * 3))
    container.pad_to_block()
    report, saved = recovered(tmp_path / "nested.array_record", bytes(container.content))
    assert saved == [bytes(5000)]
    assert {lost.reason for lost in report.lost} == {"it reaches into the next one"}
    with pytest.raises(errors.DamagedFileError, match="reaches into the next one"):
        octavo.open(tmp_path / "nested.array_record")[0]


@pytest.mark.parametrize("record_bytes", [0, 1, 3, 100])
def test_a_damaged_hash_of_a_header_costs_nothing_where_the_index_and_the_data_hold(tmp_path, record_bytes):
    records = [bytes([number % 251]) * record_bytes for number in range(30_000)]
    path = tmp_path / "whole.array_record"
    with octavo.create(path, codec="none", group_size=10_000) as writer:
        writer.write_many(records)
    content = bytearray(path.read_bytes())
    content[64] ^= 1
    report, saved = recovered(tmp_path / "damaged.array_record", bytes(content))
    assert saved == records
    assert report.ok


class TestTheBeginning:
    @pytest.fixture(params=["array_record", "riegeli"])
    def path(self, request, tmp_path: Path) -> Path:
        path = tmp_path / f"whole.{request.param}"
        with octavo.create(path, codec="none", group_size=100) as writer:
            writer.write_many(b"%06d" % number for number in range(20_000))
        return path

    @pytest.mark.parametrize("missing_bytes", [1, 8, 63, 64])
    def test_where_it_is_missing_the_first_chunk_is_not(self, path, missing_bytes):
        content = path.read_bytes()[missing_bytes:]
        report, saved = recovered(path.with_stem("damaged"), content)
        assert saved == octavo.open(path).read_all()
        assert report.lost_count is None
        assert report.lost[0].offset == 0
        assert report.lost[0].end == 64 - missing_bytes

    @pytest.mark.parametrize("place", [0, 30, 63])
    def test_damage_in_the_signature_costs_nothing(self, path, place):
        content = bytearray(path.read_bytes())
        content[place] ^= 1
        report, saved = recovered(path.with_stem("damaged"), bytes(content))
        assert saved == octavo.open(path).read_all()
        assert report.ok


class TestGroups:
    """A group is in memory while it is written."""

    LARGE = bytes(8 << 20)

    @pytest.mark.parametrize("first_count", [1000, 4096])
    def test_of_large_records_behind_many_small_ones_few_make_a_group(self, tmp_path, first_count):
        path = tmp_path / "bomb.riegeli"
        with octavo.create(path, format="riegeli", codec="zstd") as writer:
            writer.write_many([b""] * first_count)
            writer.flush()
            writer.write_many([self.LARGE] * 16)
        report, saved = recovered(path.with_suffix(".array_record"), path.read_bytes())
        assert saved == [b""] * first_count + [self.LARGE] * 16
        assert report.lost_count is None  # a file without its end
        info = octavo.open(tmp_path / "saved.array_record").info
        assert info.group_size is not None
        assert info.group_size <= 8
        assert info.writer_options is not None
        assert f"group_size:{info.group_size}," in info.writer_options

    def test_they_are_as_they_were_where_they_fit(self, tmp_path):
        path = tmp_path / "whole.array_record"
        with octavo.create(path, group_size=4096) as writer:
            writer.write_many(b"%d" % number * 100 for number in range(20_000))
            writer.write(bytes(1 << 20))
        _, saved = recovered(tmp_path / "cut.array_record", path.read_bytes()[:-70_000])
        assert octavo.open(tmp_path / "saved.array_record").info.group_size == 4096
        assert saved == octavo.open(path).read_all()[: len(saved)]


class TestCutFooters:
    """A footer has a record for each chunk, and one more; none of them is the user's."""

    def cut(self, path: Path, records: int, group_size: int) -> bytes:
        with octavo.create(path, codec="none", group_size=group_size) as writer:
            writer.write_many(b"%04d" % number * 250 for number in range(records))
        content = path.read_bytes()
        footer = content.rindex(b"%04d" % (records - 1) * 250) + 1000
        return content[: footer + 40 + 20]  # its header and some of its data

    @pytest.mark.parametrize(("records", "group_size"), [(300, 1), (300, 16)])
    def test_one_with_more_records_than_a_group_costs_none(self, tmp_path, records, group_size):
        content = self.cut(tmp_path / "whole.array_record", records, group_size)
        report, saved = recovered(tmp_path / "cut.array_record", content)
        assert len(saved) == records
        footer, rest = report.lost
        assert (footer.record_count, rest.record_count) == (0, None)
        assert footer.reason.startswith("the footer: ")

    def test_one_that_could_be_a_group_is_not_counted(self, tmp_path):
        content = self.cut(tmp_path / "whole.array_record", 300, 100)
        report, saved = recovered(tmp_path / "cut.array_record", content)
        assert len(saved) == 300
        assert report.lost_count is None
        assert report.lost[0].reason.startswith("the footer, or records: ")

    def test_records_at_the_end_that_are_cut_are_told_as_lost(self, tmp_path):
        path = tmp_path / "whole.array_record"
        with octavo.create(path, codec="none", group_size=16) as writer:
            writer.write_many(b"%04d" % number * 250 for number in range(160))
        content = path.read_bytes()
        report, saved = recovered(tmp_path / "cut.array_record", content[: content.index(b"0150" * 250)])
        assert len(saved) == 144
        assert report.lost[0].record_count == 16


def test_records_behind_what_looks_like_a_compressed_stream_are_saved(tmp_path):
    path = tmp_path / "whole.tfrecord"
    records = [b"%d" % number + zlib.compress(b"pixels" * number) for number in range(200)]
    with octavo.create(path) as writer:
        writer.write_many(records)
    content = path.read_bytes()
    begin = content.index(records[30]) + 2  # behind the number
    assert zlib.decompressobj().decompress(content[begin:]) == b"pixels" * 30
    cut = tmp_path / "cut.tfrecord"
    report, saved = recovered(cut, content[begin:])
    assert saved == records[31:]
    assert report.lost_count is None
    assert len(octavo.open(cut)) == 1  # what cannot be counted stands as one
    assert octavo.verify(cut).damage[0].offset == 0


def test_a_compressed_stream_whose_first_record_is_damaged_is_still_one(tmp_path):
    records = [b"record %d" % number for number in range(200)]
    plain = tmp_path / "plain.tfrecord"
    with octavo.create(plain) as writer:
        writer.write_many(records)
    damaged = bytearray(plain.read_bytes())
    damaged[0] ^= 1
    for level in (0, 6):  # with and without records that can be seen from outside
        _, saved = recovered(tmp_path / f"level-{level}.tfrecord", zlib.compress(bytes(damaged), level))
        assert saved == records[1:]
        (tmp_path / "saved.tfrecord").unlink()

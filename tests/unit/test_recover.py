"""`octavo.recover`: a whole file from what is intact in a damaged one, and an account of the rest."""

from __future__ import annotations

import dataclasses
import os
import pickle
import shutil
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import octavo
from octavo import errors
from octavo.storage import InStore
from tests.naive import ffrecord as naive
from tests.naive.riegeli import CHUNK_HEADER
from tests.unit.damage import damage_chunks, flipped, index_chunks, pieces, record_chunks
from tests.unit.layouts import FFRECORD, GROUPED, RECORDIO, RIEGELI, TFRECORD, Layout
from tests.unit.places import PathOnly, without_privileges

RECORDS = [f"record {number}".encode() for number in range(50)]


@pytest.fixture
def source(layout: Layout, tmp_path: Path) -> Path:
    """A whole file of each format."""
    return layout.write(tmp_path / "source", RECORDS)


@pytest.fixture
def target(layout: Layout, tmp_path: Path) -> Path:
    """Where the file will be: a folder of its own, so that everything left behind is seen."""
    (tmp_path / "target").mkdir()
    return tmp_path / "target" / f"target{layout.suffix}"


def names_beside(path: Path) -> list[str]:
    return sorted(os.listdir(path.parent))


def recover(source: Path, target: Path, **options: Any) -> tuple[octavo.RecoverReport, list[bytes]]:
    """The report, and what was saved; the target is verified."""
    before = source.read_bytes()
    report = octavo.recover(source, target, **options)
    assert source.read_bytes() == before, "the source is only read"
    assert octavo.verify(target).ok
    saved = octavo.open(target).read_all()
    assert report.record_count == len(saved)
    return report, saved


def in_chunks_but(lost: int, size: int) -> list[bytes]:
    """The records without those of one chunk."""
    return [record for number, record in enumerate(RECORDS) if number // size != lost]


class TestWholeFiles:
    def test_everything_is_saved_and_nothing_is_lost(self, source, target):
        report, saved = recover(source, target)
        assert saved == RECORDS
        assert report == octavo.RecoverReport(50, ())
        assert (report.ok, report.lost_count) == (True, 0)
        assert names_beside(target) == [target.name]

    def test_a_file_without_records_is_saved(self, layout, tmp_path, target):
        assert recover(layout.write(tmp_path / "empty", []), target) == (octavo.RecoverReport(0, ()), [])

    @pytest.mark.parametrize("kind", [str, Path, PathOnly])
    def test_paths_may_be_of_every_kind(self, source, target, kind):
        octavo.recover(kind(source), kind(target))
        assert octavo.open(target).read_all() == RECORDS

    @pytest.mark.usefixtures("working_folder")
    def test_paths_may_be_relative(self, source, target):
        octavo.recover(source.name, Path("target") / target.name)
        assert octavo.open(target).read_all() == RECORDS

    @pytest.mark.parametrize(
        "options",
        [
            {"group_size": 7, "codec": "brotli:9"},
            {"group_size": 3, "codec": "none", "transpose": True},
            {"codec": "snappy"},
        ],
        ids=str,
    )
    def test_the_options_of_the_file_are_kept(self, tmp_path, options):
        source, target = tmp_path / "source.array_record", tmp_path / "target.array_record"
        with octavo.create(source, **options) as writer:
            writer.write_many(RECORDS)
        octavo.recover(source, target)
        assert target.read_bytes() == source.read_bytes()

    def test_a_source_without_a_telling_name_can_be_named(self, layout, source, target):
        plain = source.rename(source.with_suffix(""))
        assert recover(plain, target, format=layout.format)[1] == RECORDS

    def test_a_target_without_a_telling_name_is_of_the_sources_format(self, layout, source, target):
        plain = target.with_suffix("")
        octavo.recover(source, plain)
        assert octavo.open(plain, format=layout.format).read_all() == RECORDS


class TestDamagedChunks:
    @pytest.mark.parametrize("number", [0, 3, -1])
    def test_a_damaged_chunk_is_lost_alone(self, chunked, number, tmp_path):
        content = chunked.encode(RECORDS)
        places = record_chunks(chunked, content)
        piece = pieces(chunked, content)[number]
        source = tmp_path / f"damaged{chunked.suffix}"
        source.write_bytes(damage_chunks(chunked, content, number))
        report, saved = recover(source, tmp_path / f"target{chunked.suffix}")
        number %= len(places)
        assert saved == RECORDS[: piece.records.start] + RECORDS[piece.records.stop :]
        (lost,) = report.lost
        assert lost.offset == piece.offset
        assert lost.end == places[number + 1] if number + 1 < len(places) else lost.end > lost.offset
        assert lost.record_count == len(piece.records)
        assert lost.reason.startswith(("data hash", "checksum"))
        assert (report.ok, report.lost_count) == (False, lost.record_count)

    def test_every_lost_range_is_told_in_the_order_of_the_file(self, chunked, tmp_path):
        content = chunked.encode(RECORDS)
        places = record_chunks(chunked, content)
        source = tmp_path / f"damaged{chunked.suffix}"
        source.write_bytes(damage_chunks(chunked, content, 6, 1, 4))
        report, _ = recover(source, tmp_path / f"target{chunked.suffix}")
        assert [lost.offset for lost in report.lost] == [places[1], places[4], places[6]]
        assert report.lost_count == len(RECORDS) - report.record_count

    def test_a_damaged_header_of_a_chunk_that_the_footer_knows_is_counted(self, tmp_path):
        content = GROUPED.encode(RECORDS)
        source = tmp_path / "damaged.array_record"
        source.write_bytes(flipped(content, record_chunks(GROUPED, content)[2] + 9))
        report, saved = recover(source, tmp_path / "target.array_record")
        assert saved == in_chunks_but(2, 7)
        assert [lost.record_count for lost in report.lost] == [7]

    def test_a_damaged_header_that_nothing_else_tells_of_cannot_be_counted(self, tmp_path):
        content = RIEGELI.encode(RECORDS)
        places = record_chunks(RIEGELI, content)
        source = tmp_path / "damaged.riegeli"
        source.write_bytes(flipped(content, places[2] + 9))
        report, saved = recover(source, tmp_path / "target.riegeli")
        assert saved == in_chunks_but(2, 5)
        assert [(lost.offset, lost.end, lost.record_count) for lost in report.lost] == [(places[2], places[3], None)]
        assert (report.ok, report.lost_count) == (False, None)

    @pytest.mark.parametrize("which", [0, 1], ids=["footer", "postscript"])
    def test_a_damaged_index_costs_no_record(self, which, tmp_path):
        content = GROUPED.encode(RECORDS)
        source = tmp_path / "damaged.array_record"
        source.write_bytes(flipped(content, index_chunks(content)[which] + CHUNK_HEADER + 30))
        with pytest.raises(errors.FormatError, match=r"octavo\.recover"):
            octavo.open(source)
        report, saved = recover(source, tmp_path / "target.array_record")
        assert saved == RECORDS
        assert (report.ok, report.lost_count) == (True, 0)

    @pytest.mark.parametrize("cut", [0, CHUNK_HEADER // 2, CHUNK_HEADER + 9])
    def test_a_message_that_could_describe_a_file_without_records_is_a_record(self, cut, tmp_path):
        message = b"\x0a\2\x08\1"  # a footer's first record with its version, and nothing else
        content = GROUPED.encode([message])
        source = tmp_path / "cut.array_record"
        source.write_bytes(content[: index_chunks(content)[0] + cut])
        assert recover(source, tmp_path / "target.array_record")[1] == [message]

    @pytest.mark.parametrize(
        "layout", [GROUPED, RIEGELI, RECORDIO, TFRECORD], ids=["grouped", "riegeli", "recordio", "tfrecord"]
    )
    @pytest.mark.parametrize("size", [100, 300, 400])
    def test_of_a_truncated_file_the_whole_chunks_are_saved(self, layout, size, tmp_path, target):
        source = tmp_path / f"cut{layout.suffix}"
        source.write_bytes(layout.encode(RECORDS)[:size])
        report, saved = recover(source, target)
        assert saved == RECORDS[: len(saved)]
        assert len(saved) < len(RECORDS)
        assert not report.ok

    @pytest.mark.parametrize("size", [1, 63, 64, 65, 300])
    def test_what_followed_a_truncated_file_is_not_known(self, size, tmp_path):
        source = tmp_path / "cut.array_record"
        source.write_bytes(GROUPED.encode(RECORDS)[:size])
        report, _ = recover(source, tmp_path / "target.array_record")
        assert (report.ok, report.lost_count) == (False, None)


class TestUnfinishedFiles:
    @pytest.fixture
    def left_behind(self, layout: Layout, tmp_path: Path) -> Path:
        """What a killed writer leaves, whose flush had returned."""
        path = tmp_path / f"killed{layout.suffix}"
        writer = octavo.create(path, **dict(layout.options))
        writer.write_many(RECORDS)
        writer.flush()
        kept = shutil.copy(f"{path}.partial", tmp_path / f"left{layout.suffix}.partial")
        writer.abort()
        return Path(kept)

    def test_everything_that_was_flushed_is_saved(self, left_behind, target):
        assert recover(left_behind, target)[1] == RECORDS

    def test_the_target_may_be_the_file_that_was_to_be(self, left_behind):
        target = left_behind.with_suffix("")
        octavo.recover(left_behind, target)
        assert octavo.open(target).read_all() == RECORDS
        assert names_beside(target) == [target.name, left_behind.name]

    def test_records_of_ffrecord_are_judged_one_by_one(self, tmp_path):
        writer = octavo.create(tmp_path / "killed.ffr")
        writer.write_many(RECORDS)
        writer.flush()
        content = (tmp_path / "killed.ffr.partial").read_bytes()
        writer.abort()
        (tmp_path / "left.ffr.partial").write_bytes(flipped(content, content.index(b"record 17")))
        report, saved = recover(tmp_path / "left.ffr.partial", tmp_path / "target.ffr")
        assert saved == RECORDS[:17] + RECORDS[18:]
        assert [(one.offset, one.record, one.record_count) for one in report.lost] == [
            (content.index(b"record 17"), 17, 1),
            (len(content), len(RECORDS), None),
        ]

    def test_the_end_that_a_crash_cut_off_ffrecord_is_lost(self, tmp_path):
        writer = octavo.create(tmp_path / "killed.ffr")
        writer.write_many(RECORDS)
        writer.flush()
        content = (tmp_path / "killed.ffr.partial").read_bytes()
        writer.abort()
        (tmp_path / "left.ffr.partial").write_bytes(content[:-1])
        report, saved = recover(tmp_path / "left.ffr.partial", tmp_path / "target.ffr")
        assert saved == RECORDS[:-1]
        assert not report.ok


class TestDamagedRecords:
    def test_a_damaged_record_of_ffrecord_is_lost_alone(self, tmp_path):
        content = naive.encode(RECORDS)
        (tmp_path / "damaged.ffr").write_bytes(flipped(content, content.index(b"record 17")))
        report, saved = recover(tmp_path / "damaged.ffr", tmp_path / "target.ffr")
        assert saved == RECORDS[:17] + RECORDS[18:]
        place = content.index(b"record 17")
        assert [(one.offset, one.end, one.record_count) for one in report.lost] == [(place, place + 9, 1)]
        assert "checksum" in report.lost[0].reason

    def test_ffrecord_without_its_header_cannot_be_recovered(self, tmp_path):
        (tmp_path / "damaged.ffr").write_bytes(naive.encode(RECORDS)[:11])
        with pytest.raises(errors.TruncatedError):
            octavo.recover(tmp_path / "damaged.ffr", tmp_path / "target.ffr")
        assert names_beside(tmp_path / "target.ffr") == ["damaged.ffr"]

    @pytest.mark.parametrize(
        ("at", "lost"),
        [
            pytest.param(0, [], id="checksum of the index"),
            pytest.param(12 + 4 * 17, [17], id="checksum of a record"),
            pytest.param(12 + 4 * len(RECORDS) + 8 * 17, [16, 17], id="place of a record"),
            pytest.param(12 + 4 * len(RECORDS) + 8 * 17 + 7, [16, 17], id="impossible place of a record"),
        ],
    )
    def test_a_damaged_index_of_ffrecord_costs_what_its_damaged_entries_place(self, tmp_path, at, lost):
        (tmp_path / "damaged.ffr").write_bytes(flipped(naive.encode(RECORDS), at))
        report, saved = recover(tmp_path / "damaged.ffr", tmp_path / "target.ffr")
        assert saved == [record for number, record in enumerate(RECORDS) if number not in lost]
        assert "the index" in report.lost[0].reason
        assert [(one.record, one.record_count) for one in report.lost if one.record_count] == [(one, 1) for one in lost]
        assert (report.lost_count, report.ok) == (len(lost), not lost)

    def test_the_lost_end_of_ffrecord_is_told_once(self, tmp_path):
        content = naive.encode(RECORDS)
        cut = content.index(b"record 17") + 4
        (tmp_path / "cut.ffr").write_bytes(content[:cut])
        report, saved = recover(tmp_path / "cut.ffr", tmp_path / "target.ffr")
        assert saved == RECORDS[:17]
        (lost,) = report.lost
        assert (lost.offset, lost.end) == (cut - 4, cut)
        assert (lost.record, lost.record_count) == (17, len(RECORDS) - 17)


class TestDamagedCountsOfFFRecord:
    """Its record count is all that says where the rest of the index is; the first offset tells it as well."""

    def saved_of(self, content: bytes, folder: Path) -> tuple[octavo.RecoverReport, list[bytes]]:
        (folder / "damaged.ffr").write_bytes(content)
        return recover(folder / "damaged.ffr", folder / "target.ffr")

    def told_of(self, claimed: int, count: int) -> octavo.LostRange:
        return octavo.LostRange(4, 12, 0, f"the record count: the header says {claimed}, the first offset {count}")

    def with_count(self, content: bytes, count: int) -> bytes:
        return content[:4] + struct.pack("<q", count) + content[12:]

    @pytest.mark.parametrize("legacy", [False, True], ids=["checked", "legacy"])
    @pytest.mark.parametrize("records", [RECORDS, RECORDS[:1], RECORDS[:2]], ids=["many", "one", "two"])
    @pytest.mark.parametrize("at", range(4, 12))
    def test_no_byte_of_it_costs_a_record(self, tmp_path, at, records, legacy):
        content = flipped(naive.encode(records, legacy=legacy), at)
        report, saved = self.saved_of(content, tmp_path)
        assert saved == records
        assert report.ok
        (claimed,) = struct.unpack_from("<q", content, 4)
        assert report.lost == (self.told_of(claimed, len(records)),)

    @pytest.mark.parametrize("legacy", [False, True], ids=["checked", "legacy"])
    @pytest.mark.parametrize("size", [9, 24], ids=["records of 9 bytes", "records of 24 bytes"])
    @pytest.mark.parametrize("count", [0, 1, 2, 47, 48, 49, 51, 52, 53, 54, 98, -1, -50, 2**62, -(2**63)])
    def test_no_claim_costs_a_record(self, tmp_path, count, size, legacy):
        # With 24 bytes in each record a count that is too large by an even number has a first offset that fits, too.
        records = [record.ljust(size, b"-") for record in RECORDS]
        content = self.with_count(naive.encode(records, legacy=legacy), count)
        report, saved = self.saved_of(content, tmp_path)
        assert saved == records
        assert report.lost == (self.told_of(count, 50),)

    @pytest.mark.parametrize("count", [0, 49, 52, -1, 2**62])
    def test_a_damaged_record_is_lost_alone(self, tmp_path, count):
        content = naive.encode(RECORDS)
        place = content.index(b"record 17")
        report, saved = self.saved_of(self.with_count(flipped(content, place), count), tmp_path)
        assert saved == RECORDS[:17] + RECORDS[18:]
        assert report.lost[0] == self.told_of(count, 50)
        assert [(one.offset, one.record, one.record_count) for one in report.lost[1:]] == [(place, 17, 1)]

    @pytest.mark.parametrize("count", [0, 49, 52, -1, 2**62])
    @pytest.mark.parametrize(
        ("at", "lost"),
        [
            pytest.param(0, [], id="checksum of the index"),
            pytest.param(12 + 4 * 17, [17], id="checksum of a record"),
            pytest.param(12 + 4 * 50 + 8 * 17 + 7, [16, 17], id="place of a record"),
            pytest.param(12 + 4 * 50 + 8 * 49 + 7, [48, 49], id="place of the last record"),
        ],
    )
    def test_other_damage_of_the_index_costs_what_it_costs_by_itself(self, tmp_path, count, at, lost):
        report, saved = self.saved_of(self.with_count(flipped(naive.encode(RECORDS), at), count), tmp_path)
        assert saved == [record for number, record in enumerate(RECORDS) if number not in lost]
        assert [(one.offset, one.end) for one in report.lost if not one.record_count] == [(0, 12 + 12 * 50), (4, 12)]
        assert (report.lost_count, report.ok) == (len(lost), not lost)

    def test_the_records_before_a_cut_are_saved(self, tmp_path):
        content = naive.encode(RECORDS)
        report, saved = self.saved_of(self.with_count(content[: content.index(b"record 17") + 4], -1), tmp_path)
        assert saved == RECORDS[:17]
        assert [(one.record, one.record_count) for one in report.lost] == [(None, 0), (17, 33)]

    @pytest.mark.parametrize("size", [9, 24], ids=["records of 9 bytes", "records of 24 bytes"])
    def test_a_count_is_kept_where_the_first_offset_is_what_is_damaged(self, tmp_path, size):
        records = [record.ljust(size, b"-") for record in RECORDS]
        report, saved = self.saved_of(flipped(naive.encode(records), 12 + 4 * 50), tmp_path)
        assert saved == records[1:]
        assert [one.record_count for one in report.lost] == [0, 1]

    @pytest.mark.parametrize("legacy", [False, True], ids=["checked", "legacy"])
    def test_a_gap_before_the_records_is_no_damage(self, tmp_path, legacy):
        report, saved = self.saved_of(naive.encode(RECORDS, legacy=legacy, gap=b"gap."), tmp_path)
        assert (saved, report.lost) == (RECORDS, ())

    def test_nothing_is_written_where_nothing_tells_the_count(self, tmp_path):
        content = naive.encode(RECORDS)
        (tmp_path / "damaged.ffr").write_bytes(bytes(12 + 12 * 50) + content[12 + 12 * 50 :])
        with pytest.raises(errors.UnfinishedFileError) as caught:
            octavo.recover(tmp_path / "damaged.ffr", tmp_path / "target.ffr")
        assert "recover" not in str(caught.value)
        assert names_beside(tmp_path / "target.ffr") == ["damaged.ffr"]


class TestTargets:
    def test_a_file_that_exists_is_kept(self, source, target):
        target.write_bytes(b"older")
        with pytest.raises(errors.AlreadyExistsError) as caught:
            octavo.recover(source, target)
        assert caught.value.path == str(target)
        assert target.read_bytes() == b"older"
        assert names_beside(target) == [target.name]

    def test_a_file_that_exists_is_replaced_on_demand(self, source, target):
        target.write_bytes(b"older")
        assert recover(source, target, overwrite=True)[1] == RECORDS
        assert names_beside(target) == [target.name]

    @pytest.mark.parametrize("overwrite", [True, False])
    def test_the_source_is_no_target(self, source, overwrite):
        before = source.read_bytes()
        with pytest.raises(errors.OptionError, match="the target is the source itself") as caught:
            octavo.recover(source, source, overwrite=overwrite)
        assert caught.value.path == str(source)
        assert source.read_bytes() == before

    def test_a_link_to_the_source_is_the_source(self, source, target):
        target.symlink_to(source)
        with pytest.raises(errors.OptionError, match="the target is the source itself"):
            octavo.recover(source, target, overwrite=True)
        assert octavo.open(source).read_all() == RECORDS

    @pytest.mark.parametrize("ending", [".recovering", ".assembling"])
    def test_what_is_written_beside_the_target_is_not_the_source(self, source, target, ending, layout):
        damaged = target.with_name(target.name + ending)
        shutil.copy(source, damaged)
        with pytest.raises(errors.OptionError, match="would be written over"):
            octavo.recover(damaged, target, format=layout.format)
        assert names_beside(target) == [damaged.name]
        assert damaged.read_bytes() == source.read_bytes()

    def test_a_target_of_another_format_is_refused(self, layout, source, target):
        other = target.with_suffix(".riegeli" if layout.format == "ffrecord" else ".ffr")
        with pytest.raises(errors.OptionError, match=f"what is recovered is {layout.format}"):
            octavo.recover(source, other)
        assert names_beside(target) == []

    def test_a_folder_that_is_not_there_is_not_found(self, source, target):
        with pytest.raises(errors.NotFoundError):
            octavo.recover(source, target.parent / "missing" / target.name)


class TestSources:
    def test_what_is_not_there_is_not_found_and_nothing_is_left(self, source, target):
        missing = source.with_stem("missing")
        with pytest.raises(errors.NotFoundError) as caught:
            octavo.recover(missing, target)
        assert caught.value.path == str(missing)
        assert names_beside(target) == []

    def test_a_folder_is_refused(self, source, target):
        with pytest.raises(errors.StorageError):
            octavo.recover(source.parent, target)
        assert names_beside(target) == []

    def test_what_may_not_be_read_is_denied(self, source, target):
        source.chmod(0)
        with without_privileges(), pytest.raises(errors.PermissionDeniedError):
            octavo.recover(source, target)

    @pytest.mark.parametrize("layout", [FFRECORD, GROUPED, RIEGELI], ids=["ffrecord", "array_record", "riegeli"])
    def test_an_empty_file_is_none_to_recover(self, layout, tmp_path, target):
        empty = tmp_path / f"empty{layout.suffix}"
        empty.touch()
        with pytest.raises(errors.FormatError, match=r"empty|0 bytes"):
            octavo.recover(empty, target)
        assert names_beside(target) == []

    @pytest.mark.parametrize("options", [{"overwrite": 3}, {"format": 3}], ids=str)
    def test_arguments_of_a_wrong_type_are_octavos_type_errors(self, source, target, options):
        with pytest.raises(errors.RecordTypeError):
            octavo.recover(source, target, **options)
        assert names_beside(target) == []

    @pytest.mark.parametrize("wrong", [None, 3, b"path", ["path"]])
    def test_what_is_no_path_is_a_type_error(self, source, target, wrong):
        with pytest.raises(errors.RecordTypeError):
            octavo.recover(wrong, target)
        with pytest.raises(errors.RecordTypeError):
            octavo.recover(source, wrong)

    def test_an_unknown_format_is_an_option_error(self, source, target):
        with pytest.raises(errors.OptionError):
            octavo.recover(source, target, format="nonsense")  # type: ignore[arg-type]


class TestSourcesWithoutASuffix:
    @pytest.mark.parametrize("layout", [RECORDIO, RIEGELI, TFRECORD], ids=lambda layout: layout.format)
    def test_where_the_beginning_is_destroyed_the_target_tells_the_format(self, layout, source, target):
        nameless = source.with_suffix("")
        nameless.write_bytes(flipped(source.read_bytes(), 1))
        report = octavo.recover(nameless, target)
        assert report.format == layout.format
        assert octavo.recover(nameless, target, format=layout.format, overwrite=True) == report

    @pytest.mark.parametrize("layout", [FFRECORD, GROUPED, RECORDIO, TFRECORD], ids=lambda layout: layout.format)
    def test_a_whole_file_is_told_by_its_content(self, source, target, layout):
        nameless = source.rename(source.with_suffix(""))
        report, records = recover(nameless, target)
        assert (report.ok, report.format, records) == (True, layout.format, RECORDS)

    def test_a_source_that_nothing_tells_is_refused_with_the_remedy(self, tmp_path):
        (tmp_path / "noise").write_bytes(bytes(1000))
        with pytest.raises(errors.UnknownFormatError, match=r"noise: nothing tells .*: pass format='tfrecord'"):
            octavo.recover(tmp_path / "noise", tmp_path / "target")
        assert names_beside(tmp_path / "target") == ["noise"]

    def test_what_an_unfinished_ffrecord_file_holds_tells_it(self, tmp_path):
        writer = octavo.create(tmp_path / "left", format="ffrecord")
        writer.write_many(RECORDS)
        writer.flush()
        shutil.copy(tmp_path / "left.partial", tmp_path / "other.partial")
        writer.abort()
        report = octavo.recover(tmp_path / "other.partial", tmp_path / "other")
        assert (report.format, report.record_count) == ("ffrecord", len(RECORDS))

    def test_objects_are_told_in_the_same_way(self, tmp_path):
        obstore = pytest.importorskip("obstore", reason="'make test EXTRAS=all' installs it")
        store = obstore.store.MemoryStore()
        obstore.put(store, "noise", bytes(1000))
        assert octavo.recover(InStore(store, "noise"), tmp_path / "target.tfrecord").format == "tfrecord"
        obstore.put(store, "whole", naive.encode(RECORDS))
        assert octavo.recover(InStore(store, "whole"), tmp_path / "target").format == "ffrecord"


class TestProgress:
    def test_progress_counts_bytes_up_to_all(self, source, target):
        seen: list[tuple[int, int]] = []
        octavo.recover(source, target, progress=lambda done, total: seen.append((done, total)))
        size = source.stat().st_size
        assert {total for _, total in seen} == {size}
        assert all(0 <= done <= size for done, _ in seen)
        assert seen[-1] == (size, size)

    @pytest.mark.parametrize("calls", [1, 2])
    def test_an_error_of_progress_ends_the_work_and_leaves_nothing(self, source, target, calls):
        seen = []

        def stop(done: int, total: int) -> None:
            seen.append((done, total))
            if len(seen) == calls:
                raise LookupError("raised by the caller's own code")

        with pytest.raises(LookupError, match="own code"):
            octavo.recover(source, target, progress=stop)
        assert len(seen) == calls
        assert names_beside(target) == []

    def test_an_error_of_progress_keeps_the_file_that_was_to_be_replaced(self, source, target):
        def stop(_done: int, _total: int) -> None:
            raise KeyboardInterrupt

        target.write_bytes(b"older")
        with pytest.raises(KeyboardInterrupt):
            octavo.recover(source, target, overwrite=True, progress=stop)
        assert target.read_bytes() == b"older"
        assert names_beside(target) == [target.name]


class TestReports:
    LOST = octavo.LostRange(offset=64, end=100, record_count=3, reason="damaged")
    UNKNOWN = octavo.LostRange(offset=100, end=200, record_count=None, reason="damaged")
    EMPTY = octavo.LostRange(offset=200, end=300, record_count=0, reason="the footer: damaged")

    @pytest.mark.parametrize(
        ("lost", "count", "ok"),
        [
            ((), 0, True),
            ((LOST,), 3, False),
            ((LOST, LOST), 6, False),
            ((LOST, UNKNOWN), None, False),
            ((UNKNOWN,), None, False),
            ((EMPTY,), 0, True),
        ],
    )
    def test_what_is_lost_is_summed_up_as_far_as_it_is_known(self, lost, count, ok):
        report = octavo.RecoverReport(10, lost)
        assert (report.lost_count, report.ok) == (count, ok)

    def test_reports_cannot_be_changed(self):
        report = octavo.RecoverReport(10, (self.LOST,))
        with pytest.raises(dataclasses.FrozenInstanceError):
            report.record_count = 5  # type: ignore[misc]
        with pytest.raises(dataclasses.FrozenInstanceError):
            report.lost[0].offset = 5  # type: ignore[misc]

    def test_reports_survive_pickling(self, source, target):
        report = octavo.recover(source, target)
        assert pickle.loads(pickle.dumps(report)) == report

    def test_counts_are_plain_integers(self, source, target):
        report = octavo.recover(source, target)
        assert type(report.record_count) is int
        assert not isinstance(report.record_count, np.integer)


def test_ffrecord_is_the_naive_file(tmp_path):
    source = FFRECORD.write(tmp_path / "source", RECORDS)
    octavo.recover(source, tmp_path / "target.ffr")
    assert (tmp_path / "target.ffr").read_bytes() == naive.encode(RECORDS)

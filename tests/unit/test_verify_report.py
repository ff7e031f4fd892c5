"""What `octavo.verify` reports besides damage, and how files that cannot be opened are judged."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import octavo
from octavo import errors
from octavo._verify import examine
from tests.unit.damage import flipped, pieces
from tests.unit.layouts import FFRECORD, GROUPED, RECORDIO, TFRECORD, Layout

RECORDS = [f"record {number}".encode() for number in range(100)]


def damaged_ffrecord(path: Path, *numbers: int) -> Path:
    content = FFRECORD.encode(RECORDS)
    for number in numbers:
        content = flipped(content, content.index(RECORDS[number]))
    path.write_bytes(content)
    return path


def test_files_and_their_bytes_are_counted(layout, tmp_path):
    paths = [layout.write(tmp_path / name, RECORDS) for name in "abc"]
    report = octavo.verify(paths)
    assert (report.file_count, report.total_bytes) == (3, sum(path.stat().st_size for path in paths))


def test_reports_that_found_the_same_are_equal():
    assert octavo.VerifyReport(3, (), file_count=1) == octavo.VerifyReport(3, (), file_count=2, total_bytes=9)


def test_damaged_records_are_counted(tmp_path):
    assert octavo.verify(damaged_ffrecord(tmp_path / "a.ffr", 3, 5)).damaged_count == 2
    assert octavo.VerifyReport(3, ()).damaged_count == 0


def test_records_have_a_number_in_their_file_as_well(tmp_path):
    paths = [damaged_ffrecord(tmp_path / "a.ffr", 3), damaged_ffrecord(tmp_path / "b.ffr", 5)]
    found = octavo.verify(paths).damage
    assert [(one.record, one.record_in_file) for one in found] == [(3, 3), (105, 5)]


def test_files_of_several_formats_are_numbered_together(tmp_path):
    paths = [GROUPED.write(tmp_path / "a", RECORDS), damaged_ffrecord(tmp_path / "b.ffr", 5)]
    seen: list[tuple[int, int]] = []
    report = octavo.verify(paths, progress=lambda done, total: seen.append((done, total)))
    assert [(one.record, one.record_in_file) for one in report.damage] == [(105, 5)]
    assert (report.record_count, report.file_count) == (200, 2)
    assert seen == [(100, 200), (200, 200)]


def test_damage_that_reaches_to_the_end_says_so(tmp_path):
    content = TFRECORD.encode(RECORDS)
    path = tmp_path / "damaged.tfrecord"
    place = pieces(TFRECORD, content)[40]
    path.write_bytes(flipped(content, place.offset))
    assert [(one.record, one.to_the_end) for one in octavo.verify(path).damage] == [(40, True)]
    path.write_bytes(flipped(content, place.data))
    assert [(one.record, one.to_the_end) for one in octavo.verify(path).damage] == [(40, False)]


def test_a_file_that_cannot_be_read_costs_as_many_records_as_it_claims(tmp_path):
    FFRECORD.write(tmp_path / "a", RECORDS)
    (tmp_path / "b.ffr").write_bytes(flipped(FFRECORD.encode(RECORDS), 0))
    assert [(one.record, one.record_count) for one in octavo.verify(tmp_path).damage] == [(None, 100)]


def test_an_unfinished_write_is_damage_in_every_format(layout, tmp_path):
    path = tmp_path / f"killed{layout.suffix}"
    writer = octavo.create(path, **dict(layout.options))
    writer.write_many(RECORDS)
    writer.flush()
    left = shutil.copy(f"{path}.partial", tmp_path / f"left{layout.suffix}.partial")
    writer.abort()
    report = octavo.verify(left)
    assert not report.ok
    assert all(one.path == str(left) for one in report.damage)


def test_a_name_that_is_no_text_is_kept(tmp_path):
    path = os.path.join(os.fsdecode(tmp_path), os.fsdecode(b"\xff.array_record"))
    try:
        Path(path).touch()
    except OSError:
        pytest.skip("names have to be text here")
    assert [one.path for one in octavo.verify(path).damage] == [path]


class TestExamine:
    def test_what_is_refused_is_no_part_of_the_report(self, tmp_path):
        good, missing = FFRECORD.write(tmp_path / "a", RECORDS), str(tmp_path / "missing.ffr")
        refused: list[errors.OctavoError] = []

        def refuse(error: errors.OctavoError) -> bool:
            refused.append(error)
            return True

        report = examine([str(good), missing], None, None, refuse)
        assert (report.record_count, report.file_count, report.ok) == (100, 1, True)
        assert [(type(error), error.path) for error in refused] == [(errors.NotFoundError, missing)]

    def test_what_is_not_refused_is_damage(self, tmp_path):
        good, missing = FFRECORD.write(tmp_path / "a", RECORDS), str(tmp_path / "missing.ffr")
        report = examine([str(good), missing], None, None, lambda _error: False)
        assert [(one.path, one.record, one.record_count) for one in report.damage] == [(missing, None, 0)]
        assert report.file_count == 2

    def test_a_wrong_option_is_nobodys_damage(self):
        with pytest.raises(errors.OptionError):
            examine([FFRECORD.encode(RECORDS)], "nonsense", None, lambda _error: True)  # type: ignore[arg-type]


@pytest.mark.parametrize("layout", [RECORDIO, GROUPED], ids=["recordio", "array_record"])
def test_a_report_of_recovering_says_what_the_file_was_taken_for(layout: Layout, tmp_path: Path):
    path = layout.write(tmp_path / "source", RECORDS)
    report = octavo.recover(path, tmp_path / f"target{layout.suffix}")
    assert report.format == layout.format
    assert report == octavo.RecoverReport(100, ())

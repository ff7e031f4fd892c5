"""`octavo.diff`: two data sets are compared by their records, and by nothing else."""

from __future__ import annotations

import dataclasses
import pickle
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import octavo
from octavo import errors
from octavo._diff import Difference, DiffReport, diff
from tests.unit.damage import flipped
from tests.unit.layouts import FFRECORD, GROUPED, LAYOUTS, LONE, RECORDIO, TFRECORD, Layout

RECORDS = [f"record {number}".encode() for number in range(100)]


def reader_of(records: list[bytes], layout: Layout = FFRECORD) -> octavo.Reader:
    return layout.open(records)


@pytest.fixture(params=LAYOUTS.values(), ids=list(LAYOUTS))
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The records in each format."""
    layout: Layout = request.param
    return layout.write(tmp_path / "other", RECORDS)


class TestTheSame:
    def test_the_format_does_not_matter(self, other, tmp_path):
        report = diff(LONE.write(tmp_path / "one", RECORDS), other)
        assert report == DiffReport((100, 100), 0, (), reordered=False)
        assert report.same

    def test_nor_does_the_number_of_files(self, other, tmp_path):
        for number in range(7):
            part = RECORDS[number * 15 : number * 15 + 15]
            TFRECORD.write(tmp_path / "parts" / f"{number}", part)
        assert diff(tmp_path / "parts", other).same

    def test_nothing_is_the_same_as_nothing(self, tmp_path):
        report = diff(FFRECORD.write(tmp_path / "a", []), RECORDIO.write(tmp_path / "b", []))
        assert report.same
        assert report.record_counts == (0, 0)

    def test_empty_records_count(self, tmp_path):
        records = [b"", b"", b"x", b""]
        assert diff(FFRECORD.write(tmp_path / "a", records), GROUPED.write(tmp_path / "b", records)).same
        assert diff(reader_of(records), reader_of(records[1:])).record_counts == (4, 3)

    def test_lines_of_json_are_records_too(self, tmp_path):
        records = [b'{"number": %d}' % number for number in range(100)]
        (tmp_path / "lines.jsonl").write_bytes(b"".join(record + b"\n" for record in records))
        assert diff(GROUPED.write(tmp_path / "a", records), tmp_path / "lines.jsonl").same
        assert diff(tmp_path / "lines.jsonl", reader_of(RECORDS)).different_count == 100

    def test_a_folder_of_files_has_records_too(self, tmp_path):
        (tmp_path / "folder").mkdir()
        for number, record in enumerate(RECORDS):
            (tmp_path / "folder" / f"{number:03d}.bin").write_bytes(record)
        assert diff(tmp_path / "folder", FFRECORD.write(tmp_path / "a", RECORDS)).same

    def test_readers_are_compared_as_they_are_and_stay_open(self):
        reader = reader_of(RECORDS)
        assert diff(reader[10:20], reader_of(RECORDS[10:20])).same
        assert reader[0] == RECORDS[0]


class TestDifferent:
    def test_a_changed_record_is_found_and_described(self, other, tmp_path):
        changed = [*RECORDS[:34], b"record of another kind", *RECORDS[35:]]
        report = diff(FFRECORD.write(tmp_path / "a", changed), other)
        assert report == DiffReport(
            (100, 100),
            1,
            (Difference(34, (22, 9), 7, (b"record of another kind", b"record 34"), 0),),
            reordered=False,
        )
        assert not report.same

    def test_all_differences_are_counted_and_the_first_are_described(self):
        changed = [record.upper() if number % 3 == 0 else record for number, record in enumerate(RECORDS)]
        report = diff(reader_of(RECORDS), reader_of(changed, GROUPED), limit=4)
        assert report.different_count == 34
        assert [one.record for one in report.differences] == [0, 3, 6, 9]

    def test_records_at_the_end_of_one_are_no_difference_before(self):
        assert diff(reader_of(RECORDS), reader_of(RECORDS[:60])) == DiffReport((100, 60), 0, (), reordered=False)
        assert diff(reader_of(RECORDS[:60]), reader_of(RECORDS)) == DiffReport((60, 100), 0, (), reordered=False)
        assert not diff(reader_of(RECORDS), reader_of(RECORDS[:60])).same

    def test_a_record_more_at_the_beginning_moves_all_others(self):
        report = diff(reader_of(RECORDS), reader_of([b"new", *RECORDS]))
        assert (report.record_counts, report.different_count, report.reordered) == ((100, 101), 100, False)

    def test_boundaries_between_records_count(self):
        report = diff(reader_of([b"ab", b"c"]), reader_of([b"a", b"bc"]))
        assert (report.same, report.different_count, report.reordered) == (False, 2, False)

    def test_the_same_records_in_another_order_are_told_as_that(self):
        shuffled = random.Random(7).sample(RECORDS, len(RECORDS))
        report = diff(reader_of(RECORDS), reader_of(shuffled, GROUPED))
        assert (report.same, report.reordered) == (False, True)

    def test_how_often_a_record_is_there_counts_where_the_order_does_not(self):
        assert diff(reader_of([b"a", b"b", b"b"]), reader_of([b"b", b"b", b"a"])).reordered
        assert not diff(reader_of([b"a", b"a", b"b"]), reader_of([b"b", b"b", b"a"])).reordered

    def test_an_order_is_compared_where_nobody_knows_the_number_before(self, tmp_path):
        (tmp_path / "lines.jsonl").write_bytes(b'{"a": 1}\n{"a": 2}\n')
        (tmp_path / "other.jsonl").write_bytes(b'{"a": 2}\n{"a": 1}\n')
        assert diff(tmp_path / "lines.jsonl", tmp_path / "other.jsonl").reordered

    @pytest.mark.parametrize(
        ("one", "other", "offset"),
        [
            (b"", b"x", 0),
            (b"x", b"", 0),
            (b"abc", b"abd", 2),
            (b"abc", b"abcd", 3),
            (b"a" * 1000, b"a" * 999 + b"b", 999),
        ],
    )
    def test_the_first_different_byte_may_be_anywhere(self, one, other, offset):
        (difference,) = diff(reader_of([one]), reader_of([other])).differences
        assert difference.offset == offset
        assert difference.sizes == (len(one), len(other))
        start = difference.excerpt_offset
        assert max(0, offset - 8) == start
        assert difference.excerpts == (one[start : start + 32], other[start : start + 32])

    def test_large_records_differ_in_their_last_byte(self):
        large = bytes(8 << 20)
        (difference,) = diff(reader_of([large + b"a"]), reader_of([large + b"b"])).differences
        assert (difference.offset, difference.excerpts) == (8 << 20, (bytes(8) + b"a", bytes(8) + b"b"))

    @given(st.lists(st.binary(max_size=3), max_size=12), st.lists(st.binary(max_size=3), max_size=12))
    def test_it_is_what_a_naive_comparison_says(self, one, other):
        report = diff(reader_of(one), reader_of(other), limit=100)
        wrong = [at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right]
        assert report.record_counts == (len(one), len(other))
        assert [difference.record for difference in report.differences] == wrong
        assert report.different_count == len(wrong)
        assert report.same == (one == other)
        assert report.reordered == (one != other and sorted(one) == sorted(other))


class TestFailures:
    def test_damage_is_an_error_that_names_the_file(self, tmp_path):
        content = FFRECORD.encode(RECORDS)
        damaged = tmp_path / "damaged.ffr"
        damaged.write_bytes(flipped(content, len(content) - 1))
        for pair in ((damaged, TFRECORD.write(tmp_path / "b", RECORDS)), (reader_of(RECORDS), damaged)):
            with pytest.raises(errors.ChecksumError) as caught:
                diff(*pair)
            assert (caught.value.path, caught.value.record) == (str(damaged), 99)

    def test_what_is_not_there_is_not_found(self, tmp_path):
        with pytest.raises(errors.NotFoundError):
            diff(reader_of(RECORDS), tmp_path / "missing.ffr")

    @pytest.mark.parametrize("limit", [0, -1, "3", 1.5, True, None])
    def test_a_limit_is_a_positive_number(self, limit):
        with pytest.raises(errors.OptionError):
            diff(reader_of([]), reader_of([]), limit=limit)

    def test_progress_is_a_function(self):
        with pytest.raises(errors.RecordTypeError):
            diff(reader_of([]), reader_of([]), progress=3)  # type: ignore[arg-type]


class TestProgress:
    def test_progress_counts_up_to_the_longer_one(self):
        seen: list[tuple[int, int]] = []
        diff(reader_of(RECORDS), reader_of(RECORDS[:30]), progress=lambda done, total: seen.append((done, total)))
        assert [done for done, _ in seen] == sorted(done for done, _ in seen)
        assert {total for _, total in seen} == {100}
        assert seen[-1] == (100, 100)

    def test_progress_without_records_ends(self):
        seen: list[tuple[int, int]] = []
        diff(reader_of([]), reader_of([]), progress=lambda done, total: seen.append((done, total)))
        assert seen == [(0, 0)]

    def test_progress_where_nobody_knows_the_number_before(self, tmp_path):
        seen: list[tuple[int, int]] = []
        lines = tmp_path / "lines.jsonl"
        lines.write_bytes(b'{"a": 1}\n' * 300)
        assert diff(lines, lines, progress=lambda done, total: seen.append((done, total))).same
        assert seen[-1] == (300, 300)

    def test_an_error_of_progress_ends_the_work_and_comes_through(self):
        def stop(_done: int, _total: int) -> None:
            raise LookupError("raised by the caller's own code")

        with pytest.raises(LookupError, match="own code"):
            diff(reader_of(RECORDS), reader_of(RECORDS), progress=stop)


def test_reports_cannot_be_changed_and_survive_pickling():
    report = diff(reader_of(RECORDS), reader_of(RECORDS[::-1]))
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.reordered = False  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(report)) == report

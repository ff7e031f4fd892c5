"""What every reader must do, whatever its format and wherever its bytes are: the suite that backends inherit.

A subclass says how records become a reader, and gets every test here.
"""

from __future__ import annotations

import itertools
import operator
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import octavo
from octavo import errors

# Sizes on both sides of what small records can meet: none, one, odd ones, more than a page, runs of equal ones.
SIZES = (0, 1, 0, 0, 7, 7, 7, 7, 7, 7, 7, 7, 100, 5000, 3, *range(40), 4096, 0, 70_000, 1, 0)
RECORDS = [bytes((number * 7 + place) % 251 for place in range(size)) for number, size in enumerate(SIZES)]
EVEN_RECORDS = [bytes([number, 255 - number]) * 8 for number in range(100)]


class ReaderSuite:
    """Inherit, and override `open_records`."""

    def open_records(self, records: Sequence[bytes], folder: Path) -> octavo.Reader:
        """A reader of exactly these records."""
        raise NotImplementedError

    @pytest.fixture
    def reader(self, tmp_path: Path) -> octavo.Reader:
        return self.open_records(RECORDS, tmp_path)

    def test_length_is_the_number_of_records(self, reader):
        assert len(reader) == len(RECORDS)

    def test_every_record_is_found_by_its_number(self, reader):
        assert [reader[number] for number in range(len(RECORDS))] == RECORDS

    def test_every_record_is_found_from_the_end(self, reader):
        assert [reader[-number] for number in range(1, len(RECORDS) + 1)] == RECORDS[::-1]

    def test_records_are_exactly_bytes(self, reader):
        assert {type(record) for record in reader} == {bytes}

    @pytest.mark.parametrize("beyond", [0, 1, 10**9, 2**63 - 1 - len(RECORDS), 2**64, 2**200])
    def test_numbers_past_the_end_are_index_errors(self, reader, beyond):
        with pytest.raises(errors.RecordIndexError):
            reader[len(RECORDS) + beyond]

    @pytest.mark.parametrize("beyond", [1, 2, 10**9, 2**63 - len(RECORDS), 2**64, 2**200])
    def test_numbers_before_the_start_are_index_errors(self, reader, beyond):
        with pytest.raises(errors.RecordIndexError):
            reader[-len(RECORDS) - beyond]

    def test_read_all_gives_every_record_in_order(self, reader):
        assert reader.read_all() == RECORDS

    def test_iteration_gives_every_record_in_order(self, reader):
        assert list(reader) == RECORDS

    def test_two_iterations_do_not_disturb_each_other(self, reader):
        assert list(zip(reader, reader, strict=True)) == list(zip(RECORDS, RECORDS, strict=True))

    def test_an_iteration_may_be_left_early_and_begun_again(self, reader):
        assert list(itertools.islice(reader, 3)) == RECORDS[:3]
        assert list(reader) == RECORDS

    def test_reversed_gives_every_record_from_the_end(self, reader):
        assert list(reversed(reader)) == RECORDS[::-1]

    def test_read_follows_the_order_of_the_request(self, reader):
        order = [9, 4, len(RECORDS) - 1, 0, 13]
        assert reader.read(order) == [RECORDS[number] for number in order]

    def test_read_gives_duplicates_as_often_as_asked(self, reader):
        assert reader.read([4, 4, 0, 4]) == [RECORDS[4], RECORDS[4], RECORDS[0], RECORDS[4]]

    def test_read_of_nothing_is_an_empty_list(self, reader):
        assert reader.read([]) == []

    def test_read_of_every_record_many_times_over(self, reader):
        order = list(range(len(RECORDS))) * 50
        assert reader.read(order) == RECORDS * 50

    def test_read_takes_arrays(self, reader):
        order = np.array([3, -1, 12])
        assert reader.read(order) == [RECORDS[3], RECORDS[-1], RECORDS[12]]

    def test_read_refuses_the_whole_batch_for_one_bad_number(self, reader):
        with pytest.raises(errors.RecordIndexError):
            reader.read([0, 1, len(RECORDS)])

    def test_brackets_with_a_list_are_read(self, reader):
        assert reader[[5, 2]] == [RECORDS[5], RECORDS[2]]

    def test_read_range_is_pythons_range(self, reader):
        assert reader.read_range(3, 20) == RECORDS[3:20]

    def test_read_batch_holds_the_records_in_order(self, reader):
        order = [12, 0, 13, 13, -1]
        assert reader.read_batch(order).to_list() == [RECORDS[number] for number in order]

    def test_read_into_fills_records_of_one_size(self, tmp_path):
        reader = self.open_records(EVEN_RECORDS, tmp_path)
        out = np.zeros((3, 16), dtype=np.uint8)
        reader.read_into([99, 0, 50], out)
        assert [row.tobytes() for row in out] == [EVEN_RECORDS[99], EVEN_RECORDS[0], EVEN_RECORDS[50]]

    def test_records_of_one_size_are_found_by_their_numbers(self, tmp_path):
        reader = self.open_records(EVEN_RECORDS, tmp_path)
        assert [reader[number] for number in range(100)] == EVEN_RECORDS

    @pytest.mark.parametrize("key", [slice(3, 20), slice(None, None, 7), slice(None, None, -1), slice(40, 3, -5)])
    def test_a_slice_is_a_reader_of_the_same_records(self, reader, key):
        part = reader[key]
        assert isinstance(part, octavo.Reader)
        assert part.read_all() == list(part) == [part[number] for number in range(len(part))] == RECORDS[key]

    def test_a_slice_of_a_slice_counts_from_the_slice(self, reader):
        assert reader[5:40:2][-3::-4].read_all() == RECORDS[5:40:2][-3::-4]

    def test_membership_compares_bytes(self, reader):
        assert RECORDS[13] in reader
        assert b"not there" not in reader

    def test_index_finds_the_first_of_equal_records(self, reader):
        assert reader.index(b"") == RECORDS.index(b"")

    def test_count_counts_equal_records(self, reader):
        assert reader.count(b"") == RECORDS.count(b"")

    def test_length_hint_counts_down(self, reader):
        records = iter(reader)
        for left in range(len(RECORDS), 0, -1):
            assert operator.length_hint(records) == left
            next(records)
        assert operator.length_hint(records) == 0

    def test_no_records_is_an_empty_reader(self, tmp_path):
        reader = self.open_records([], tmp_path)
        assert len(reader) == 0
        assert reader.read_all() == list(reader) == list(reversed(reader)) == reader.read([]) == []

    def test_an_empty_reader_has_no_first_record(self, tmp_path):
        with pytest.raises(errors.RecordIndexError):
            self.open_records([], tmp_path)[0]

    def test_only_empty_records_are_as_many_as_were_written(self, tmp_path):
        assert self.open_records([b""] * 9, tmp_path).read_all() == [b""] * 9

    def test_info_counts_the_records(self, reader):
        assert reader.info.record_count == len(RECORDS)

    def test_threads_share_a_reader(self, reader):
        found: list[bool] = []

        def read_often() -> None:
            found.extend(reader[number] == record for number, record in enumerate(RECORDS))
            found.append(reader.read_all() == RECORDS)

        threads = [threading.Thread(target=read_often) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [True] * (4 * (len(RECORDS) + 1))

    def test_a_closed_reader_gives_nothing(self, reader):
        reader.close()
        with pytest.raises(errors.ClosedError):
            reader.read_all()

    def test_leaving_the_with_block_closes(self, reader):
        with reader:
            assert not reader.closed
        assert reader.closed

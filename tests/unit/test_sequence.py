"""A reader is a sequence of bytes, as far as a thing that cannot change can be."""

from __future__ import annotations

import bisect
import operator
import random
from collections.abc import Collection, Mapping, MutableSequence, Reversible, Sequence

import pytest

import octavo
from octavo import errors
from tests.unit.layouts import Layout

RECORDS = [b"b", b"", b"a", b"b", b"c" * 5000, b"b"]


@pytest.fixture
def reader(stored: Layout) -> octavo.Reader:
    return stored.open(RECORDS)


@pytest.mark.parametrize("kind", [Sequence, Collection, Reversible])
def test_a_reader_is_a_sequence(reader, kind):
    assert isinstance(reader, kind)


@pytest.mark.parametrize("kind", [MutableSequence, Mapping])
def test_a_reader_is_not_what_it_is_not(reader, kind):
    assert not isinstance(reader, kind)


def test_a_reader_with_records_is_true_and_one_without_is_false(layout):
    assert layout.open(RECORDS)
    assert not layout.open([])


def test_records_cannot_be_replaced(reader):
    with pytest.raises(TypeError):
        reader[0] = b"x"


def test_records_cannot_be_deleted(reader):
    with pytest.raises(TypeError):
        del reader[0]


@pytest.mark.parametrize("record", [b"b", bytearray(b"b"), memoryview(b"b")])
def test_membership_compares_any_bytes(reader, record):
    assert record in reader


@pytest.mark.parametrize("stranger", ["b", 98, None, b"bb", [b"b"]])
def test_what_is_no_record_is_not_a_member(reader, stranger):
    assert stranger not in reader


@pytest.mark.parametrize("bounds", [(), (0,), (1,), (3,), (-1,), (-3, -1), (0, 1), (1, 4), (4, 100), (-100, 2)])
def test_index_looks_where_a_list_would(reader, bounds):
    assert reader.index(b"b", *bounds) == RECORDS.index(b"b", *bounds)


def test_index_without_an_end_looks_to_the_end(reader):
    assert reader.index(b"b", 4, None) == 5


@pytest.mark.parametrize("bounds", [(4, 5), (6,), (1, 3), (3, 3)])
def test_index_of_what_is_not_there_is_a_value_error(reader, bounds):
    with pytest.raises(ValueError, match="no record has these bytes"):
        reader.index(b"b", *bounds)


@pytest.mark.parametrize("record", [b"b", b"", b"a", b"nothing"])
def test_count_counts_as_a_list_does(reader, record):
    assert reader.count(record) == RECORDS.count(record)


def test_unpacking_takes_records_in_order(reader):
    first, *rest = reader
    assert [first, *rest] == RECORDS


def test_sorting_a_reader_sorts_its_records(reader):
    assert sorted(reader) == sorted(RECORDS)


def test_bisection_works_on_sorted_records(layout):
    reader = layout.open(sorted(RECORDS))
    assert bisect.bisect_left(reader, b"b") == bisect.bisect_left(sorted(RECORDS), b"b")


def test_random_choice_works_on_a_reader(reader):
    assert random.choice(reader) in RECORDS


def test_random_sample_works_on_a_reader(reader):
    assert sorted(random.sample(reader, 6)) == sorted(RECORDS)


def test_item_getters_work_on_a_reader(reader):
    assert operator.itemgetter(2, 0)(reader) == (RECORDS[2], RECORDS[0])


def test_readers_are_compared_by_identity(reader, stored):
    assert reader == reader  # noqa: PLR0124 - that is the subject
    assert reader != stored.open(RECORDS)
    assert reader != RECORDS


def test_readers_can_be_keys(reader):
    assert {reader: 1}[reader] == 1


def test_readers_take_no_new_attributes(reader):
    with pytest.raises(AttributeError):
        reader.note = "mine"


def test_repr_names_the_file_and_the_number_of_records(write_file):
    path = write_file(RECORDS)
    assert repr(octavo.open(path)) == f"<octavo.Reader of 6 records in {path}>"


def test_repr_of_several_files_counts_them(write_file):
    paths = [write_file(RECORDS, "a.ffr"), write_file(RECORDS, "b.ffr")]
    assert repr(octavo.open(paths)) == "<octavo.Reader of 12 records in 2 files>"


def test_repr_of_a_slice_counts_its_records(write_file):
    path = write_file(RECORDS)
    assert repr(octavo.open(path)[::2]) == f"<octavo.Reader of 3 records in {path}>"


def test_repr_of_a_closed_reader_says_so(reader):
    reader.close()
    assert repr(reader) == "<octavo.Reader, closed>"


def test_a_reader_is_made_by_open_and_needs_its_inputs():
    with pytest.raises(TypeError):
        octavo.Reader()  # type: ignore[call-arg]


def test_a_sequence_of_a_damaged_file_still_has_its_length(write_file):
    path = write_file(RECORDS)
    path.write_bytes(path.read_bytes()[:-1])
    reader = octavo.open(path)
    assert len(reader) == 6
    with pytest.raises(errors.ChecksumError):
        reader[-1]

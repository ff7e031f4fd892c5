"""Slices are readers, and mean what they mean for a list."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import octavo
from octavo import errors
from tests.conformance.backends import Spans
from tests.unit.layouts import Layout

RECORDS = [bytes([number]) * number for number in range(50)]
BOUNDS = (None, *range(-6, 7))
STEPS = (None, -5, -3, -2, -1, 1, 2, 3, 5)


@pytest.fixture
def reader(stored: Layout) -> octavo.Reader:
    return stored.open(RECORDS)


def records_of(layout: Layout, count: int) -> tuple[list[bytes], octavo.Reader]:
    records = [bytes([number]) for number in range(count)]
    return records, layout.open(records)


@pytest.mark.parametrize("count", range(6))
def test_every_slice_of_few_records_is_the_slice_of_a_list(stored, count):
    records, reader = records_of(stored, count)
    for start, stop, step in itertools.product(BOUNDS, BOUNDS, STEPS):
        key = slice(start, stop, step)
        assert reader[key].read_all() == records[key], key


@pytest.mark.parametrize("count", range(5))
def test_every_slice_of_every_slice_of_few_records_is_that_of_a_list(stored, count):
    records, reader = records_of(stored, count)
    bounds = (None, -count - 1, -2, -1, 0, 1, 2, count, count + 1)
    keys = [slice(*key) for key in itertools.product(bounds, bounds, (None, -2, -1, 2, 3))]
    # A slice can only be empty, or a run of records: few differ.
    firsts = {tuple(records[key]): key for key in keys}
    for first, second in itertools.product(firsts.values(), keys):
        assert reader[first][second].read_all() == records[first][second], (first, second)


def test_three_slices_deep_still_counts_right(layout):
    records, reader = records_of(layout, 200)
    assert reader[5:190:3][::-2][2:20].read_all() == records[5:190:3][::-2][2:20]


@pytest.mark.parametrize("key", [slice(np.int8(3), np.uint64(40), np.int16(2)), slice(-np.int64(3), None)])
def test_bounds_may_be_any_integers(reader, key):
    assert reader[key].read_all() == RECORDS[key]


@pytest.mark.parametrize("key", [slice(0, 2**80), slice(-(2**80), 2**80), slice(2**80, -(2**80), -1)])
def test_bounds_may_lie_far_outside(reader, key):
    assert reader[key].read_all() == RECORDS[key]


def test_a_step_of_zero_is_a_value_error(reader):
    with pytest.raises(ValueError, match="zero"):
        reader[::0]


def test_bounds_that_are_no_integers_are_type_errors(reader):
    with pytest.raises(TypeError):
        reader["a":]


def test_slicing_reads_nothing(layout):
    source = Spans(layout.encode(RECORDS))
    reader = octavo.open(source, **layout.hint)
    before = source.calls
    for part in (reader[3:40], reader[::-1], reader[5:40:2][3:7], reader[:0]):
        assert len(part) <= len(reader)
    assert source.calls == before


@pytest.mark.parametrize("key", [slice(5, 40, 3), slice(None, None, -1), slice(10, 5)])
def test_a_slice_reads_in_every_way(reader, key):
    part, expected = reader[key], RECORDS[key]
    assert len(part) == len(expected)
    assert list(part) == expected
    assert list(reversed(part)) == expected[::-1]
    assert part.read(range(len(part))) == expected
    assert part.read_batch(range(len(part))).to_list() == expected
    assert part.read_range(0, len(part)) == expected


def test_numbers_count_from_the_slice(reader):
    part = reader[10:20]
    assert (part[0], part[-1], part[[1, -2]]) == (RECORDS[10], RECORDS[19], [RECORDS[11], RECORDS[18]])


@pytest.mark.parametrize("number", [10, -11])
def test_a_slice_ends_where_it_ends(reader, number):
    with pytest.raises(errors.RecordIndexError):
        reader[10:20][number]


def test_membership_index_and_count_look_at_the_slice_alone(layout):
    part = layout.open([b"a", b"b", b"a", b"c"])[1:3]
    assert b"a" in part
    assert b"c" not in part
    assert part.index(b"a") == 1
    assert part.count(b"a") == 1


def test_a_slice_of_a_subclass_is_of_that_subclass(layout, tmp_path):
    class Special(octavo.Reader):
        pass

    special = Special([str(layout.write(tmp_path / "records", RECORDS))])
    assert type(special[3:5]) is Special
    assert special[3:5].read_all() == RECORDS[3:5]


def test_an_error_of_a_slice_names_the_record_of_the_whole(write_file):
    path = write_file(RECORDS)
    damaged = bytearray(path.read_bytes())
    damaged[-1] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(errors.ChecksumError) as caught:
        octavo.open(path)[40:][9]
    assert caught.value.record == 49

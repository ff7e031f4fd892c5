"""`Batch`: many records in one buffer with offsets."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import octavo
from octavo import errors
from tests.unit.layouts import Layout

RECORDS = [b"abc", b"", b"edf", b"a longer record" * 1000, b""]


@pytest.fixture
def reader(stored: Layout) -> octavo.Reader:
    return stored.open(RECORDS)


@pytest.fixture
def batch(reader: octavo.Reader) -> octavo.Batch:
    return reader.read_batch([2, 0, 1, 3, 2])


EXPECTED = [RECORDS[2], RECORDS[0], RECORDS[1], RECORDS[3], RECORDS[2]]


def test_length_is_the_number_of_records_asked_for(batch):
    assert len(batch) == 5


def test_each_record_is_a_read_only_view(batch):
    views = [batch[number] for number in range(5)]
    assert [bytes(view) for view in views] == EXPECTED
    assert {(type(view), view.readonly, view.format, view.ndim) for view in views} == {(memoryview, True, "B", 1)}


def test_negative_numbers_count_from_the_end(batch):
    assert [bytes(batch[-number]) for number in range(1, 6)] == EXPECTED[::-1]


@pytest.mark.parametrize("number", [5, -6, 2**70])
def test_numbers_outside_are_index_errors(batch, number):
    with pytest.raises(errors.RecordIndexError):
        batch[number]


@pytest.mark.parametrize("key", [1.0, "1", None, slice(0, 1), [0]])
def test_records_of_a_batch_are_chosen_by_one_number(batch, key):
    with pytest.raises(errors.RecordTypeError):
        batch[key]


@pytest.mark.parametrize("number", [np.int8(1), np.uint64(1), True])
def test_any_integer_chooses_a_record(batch, number):
    assert batch[number] == EXPECTED[1]


def test_iteration_gives_the_views_in_order(batch):
    assert [bytes(view) for view in batch] == EXPECTED


def test_data_is_all_records_back_to_back(batch):
    assert isinstance(batch.data, memoryview)
    assert batch.data == b"".join(EXPECTED)


def test_data_cannot_be_written(batch):
    assert batch.data.readonly
    with pytest.raises(TypeError):
        batch.data[0] = 1


def test_a_batch_is_itself_a_buffer(batch):
    assert bytes(batch) == b"".join(EXPECTED)
    assert np.frombuffer(batch, dtype=np.uint8).tobytes() == b"".join(EXPECTED)


def test_a_batch_is_no_writable_buffer(batch):
    with pytest.raises(TypeError):
        memoryview(batch)[0] = 1


def test_offsets_say_where_each_record_begins_and_the_last_ends(batch):
    assert batch.offsets.tolist() == [0, 3, 6, 6, 15006, 15009]


def test_offsets_are_a_read_only_array_of_int64(batch):
    assert type(batch.offsets) is np.ndarray
    assert batch.offsets.dtype == np.int64
    assert not batch.offsets.flags.writeable


def test_nbytes_is_the_size_of_all_records(batch):
    assert batch.nbytes == sum(map(len, EXPECTED))


def test_to_list_gives_bytes(batch):
    assert batch.to_list() == EXPECTED
    assert {type(record) for record in batch.to_list()} == {bytes}


def test_repr_counts_records_and_bytes(batch):
    assert repr(batch) == "<octavo.Batch of 5 records, 15009 bytes>"


def test_no_records_are_an_empty_batch(reader):
    batch = reader.read_batch([])
    assert (len(batch), batch.nbytes, bytes(batch.data), batch.to_list(), list(batch)) == (0, 0, b"", [], [])
    assert batch.offsets.tolist() == [0]


def test_empty_records_are_as_many_as_were_asked_for(reader):
    batch = reader.read_batch([1, 4, 1])
    assert (len(batch), batch.nbytes, batch.to_list()) == (3, 0, [b"", b"", b""])
    assert batch.offsets.tolist() == [0, 0, 0, 0]


def test_views_outlive_their_batch_and_their_reader(stored):
    batch = stored.open(RECORDS).read_batch([3, 0])
    view, data, offsets = batch[0], batch.data, batch.offsets
    del batch
    gc.collect()
    assert view == RECORDS[3]
    assert data == RECORDS[3] + RECORDS[0]
    assert offsets.tolist() == [0, 15000, 15003]


def test_a_batch_outlives_the_closing_of_its_reader(reader):
    batch = reader.read_batch([3, 0])
    reader.close()
    assert batch.to_list() == [RECORDS[3], RECORDS[0]]


def test_a_batch_does_not_see_later_changes_of_the_bytes_it_came_from(layout):
    content = bytearray(layout.encode(RECORDS))
    batch = octavo.open(content, **layout.hint).read_batch([0])
    content[:] = bytes(len(content))
    assert batch.to_list() == [b"abc"]


def test_a_slice_gives_batches_of_its_own_records(reader):
    assert reader[2:].read_batch([0, 1]).to_list() == RECORDS[2:4]


def test_a_batch_of_a_hundred_thousand_records(reader):
    numbers = np.random.default_rng(0).integers(0, 3, 100_000)
    batch = reader.read_batch(numbers)
    lengths = np.array([3, 0, 3])[numbers]
    assert np.array_equal(batch.offsets, np.concatenate([[0], np.cumsum(lengths)]))
    assert batch.data == b"".join(RECORDS[number] for number in numbers)


def test_a_batch_is_not_made_by_hand():
    with pytest.raises(TypeError):
        octavo.Batch()

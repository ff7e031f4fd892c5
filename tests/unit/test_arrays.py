"""`Reader.read_array` and `read_arrays`: records as NumPy arrays that belong to whoever asked."""

from __future__ import annotations

import gc
import pickle

import numpy as np
import pytest

import octavo
from octavo import errors
from tests.unit.layouts import FFRECORD, Layout

RECORDS = [b"abc", b"", b"edf", b"a longer record" * 1000, b"\0" * 5]


def as_bytes(arrays):
    return [array.tobytes() for array in arrays]


def test_arrays_hold_the_bytes_of_the_records(layout: Layout):
    reader = layout.open(RECORDS)
    assert as_bytes(reader.read_arrays([3, 0, 1, 3, -1])) == [RECORDS[3], b"abc", b"", RECORDS[3], RECORDS[4]]
    assert as_bytes(reader.read_array(number) for number in range(5)) == RECORDS
    assert reader.read_array(-2).tobytes() == RECORDS[3]


def test_arrays_are_writable_one_dimensional_bytes_that_own_their_memory(stored: Layout):
    reader = stored.open(RECORDS)
    for array in [*reader.read_arrays(range(5)), reader.read_array(0), reader.read_array(1)]:
        assert (array.dtype.name, array.ndim) == ("uint8", 1)
        assert type(array) is np.ndarray
        assert array.flags.owndata
        assert array.flags.writeable
        assert array.flags.c_contiguous


def test_what_is_written_into_an_array_is_seen_nowhere_else(stored: Layout):
    reader = stored.open(RECORDS)
    first, second = reader.read_arrays([3, 3])
    first[:] = 0
    assert second.tobytes() == reader[3] == reader.read_array(3).tobytes() == RECORDS[3]


def test_arrays_outlive_their_reader(stored: Layout):
    reader = stored.open(RECORDS)
    arrays = [*reader.read_arrays([3, 0]), reader.read_array(4)]
    reader.close()
    del reader
    gc.collect()
    assert as_bytes(arrays) == [RECORDS[3], b"abc", RECORDS[4]]


def test_requests_of_many_blocks_come_back_in_order(tmp_path):
    records = [number.to_bytes(4, "little") * (number % 50) for number in range(20_000)]
    reader = octavo.open(FFRECORD.write(tmp_path / "many", records))
    wanted = np.random.default_rng(1).permutation(20_000)
    assert as_bytes(reader.read_arrays(wanted)) == [records[number] for number in wanted]


def test_records_beyond_one_batch_of_bytes_are_read(tmp_path):
    records = [bytes([number]) * (30 << 20) for number in range(3)]
    reader = octavo.open(FFRECORD.write(tmp_path / "large", records))
    assert [array[:: 1 << 20].tobytes() for array in reader.read_arrays([2, 0, 1])] == [
        bytes([number]) * 30 for number in (2, 0, 1)
    ]


def test_no_records_give_an_empty_list(stored: Layout):
    assert stored.open(RECORDS).read_arrays([]) == []


@pytest.mark.parametrize("number", [5, -6, 2**70])
def test_numbers_out_of_range_are_refused(stored: Layout, number):
    reader = stored.open(RECORDS)
    with pytest.raises(errors.RecordIndexError):
        reader.read_array(number)
    with pytest.raises(errors.RecordIndexError):
        reader.read_arrays([0, number])


@pytest.mark.parametrize("number", [1.0, "1", None, [1]])
def test_what_is_no_number_is_refused(number):
    with pytest.raises(errors.RecordTypeError):
        FFRECORD.open(RECORDS).read_array(number)


def test_damage_is_an_error(stored: Layout):
    encoded = bytearray(stored.encode([b"a record that is long enough to be hit" * 50]))
    encoded[150 if stored.format == "array_record" else len(encoded) // 2] ^= 0xFF
    with pytest.raises(errors.FormatError):
        octavo.open(bytes(encoded), **stored.hint).read_array(0)


def test_a_closed_reader_gives_no_arrays():
    reader = FFRECORD.open(RECORDS)
    reader.close()
    with pytest.raises(errors.ClosedError):
        reader.read_array(0)
    with pytest.raises(errors.ClosedError):
        reader.read_arrays([0])


def test_arrays_of_slices_are_numbered_by_the_slice():
    view = FFRECORD.open(RECORDS)[1::2]
    assert as_bytes(view.read_arrays([0, 1])) == [RECORDS[1], RECORDS[3]]
    assert view.read_array(1).tobytes() == RECORDS[3]


def test_arrays_are_what_pickles_and_views_take():
    reader = FFRECORD.open([pickle.dumps({"label": 7}), np.arange(4, dtype=np.float32).tobytes()])
    assert pickle.loads(reader.read_array(0).data) == {"label": 7}
    assert reader.read_array(1).view(np.float32).tolist() == [0, 1, 2, 3]

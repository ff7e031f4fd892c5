"""A batch as an Arrow array, shared and not copied."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest

import octavo
from tests.unit.layouts import Layout

pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'octavo[arrow]'")

RECORDS = [b"abc", b"", b"\xff\x00\xfe", b"a longer record" * 1000, b""]


@pytest.fixture
def batch_of(stored: Layout) -> Callable[..., octavo.Batch]:
    return lambda *numbers: stored.open(RECORDS).read_batch(numbers)


def test_a_batch_is_an_array_of_large_binary(batch_of):
    array = pyarrow.array(batch_of(0, 1, 2))
    assert array.type == pyarrow.large_binary()


def test_the_array_holds_the_records_in_order(batch_of):
    assert pyarrow.array(batch_of(3, 0, 1, 0)).to_pylist() == [RECORDS[3], RECORDS[0], RECORDS[1], RECORDS[0]]


def test_the_array_equals_one_made_from_a_list(batch_of):
    assert pyarrow.array(batch_of(0, 1, 2, 3, 4)) == pyarrow.array(RECORDS, type=pyarrow.large_binary())


def test_the_array_is_valid_and_has_no_nulls(batch_of):
    array = pyarrow.array(batch_of(0, 1, 2, 3, 4))
    array.validate(full=True)
    assert array.null_count == 0


def test_the_array_shares_the_batches_memory(batch_of):
    batch = batch_of(0, 1, 2)
    shared = pyarrow.array(batch).buffers()[2]
    assert shared.address == pyarrow.py_buffer(batch).address


def test_the_array_outlives_the_batch(batch_of):
    array = pyarrow.array(batch_of(3, 0))
    gc.collect()
    assert array.to_pylist() == [RECORDS[3], RECORDS[0]]


def test_a_slice_of_the_array_outlives_the_array(batch_of):
    part = pyarrow.array(batch_of(3, 0, 2)).slice(1, 2)
    gc.collect()
    assert part.to_pylist() == [RECORDS[0], RECORDS[2]]


def test_an_empty_batch_is_an_empty_array(batch_of):
    array = pyarrow.array(batch_of())
    array.validate(full=True)
    assert (len(array), array.type) == (0, pyarrow.large_binary())


def test_empty_records_are_empty_and_not_null(batch_of):
    array = pyarrow.array(batch_of(1, 4))
    array.validate(full=True)
    assert array.to_pylist() == [b"", b""]


def test_the_array_can_be_cast_to_another_binary_type(batch_of):
    assert pyarrow.array(batch_of(0, 1)).cast(pyarrow.binary()).to_pylist() == [b"abc", b""]


def test_a_batch_is_a_column_of_a_table(batch_of):
    table = pyarrow.table({"record": pyarrow.array(batch_of(0, 2))})
    assert table["record"].to_pylist() == [RECORDS[0], RECORDS[2]]


def test_exports_that_nobody_takes_are_released(batch_of):
    batch = batch_of(3)
    for _ in range(1000):
        batch.__arrow_c_array__()
    gc.collect()
    assert batch.to_list() == [RECORDS[3]]


def test_one_batch_can_be_exported_many_times(batch_of):
    batch = batch_of(0, 2)
    arrays = [pyarrow.array(batch) for _ in range(10)]
    assert {tuple(array.to_pylist()) for array in arrays} == {(RECORDS[0], RECORDS[2])}


def test_a_wish_for_another_type_may_be_passed_over(batch_of):
    schema, _ = pyarrow.array([b""]).__arrow_c_array__()
    assert len(batch_of(0).__arrow_c_array__(schema)) == 2

"""`read_into`: records of one size straight into memory of the caller's."""

from __future__ import annotations

import array
import mmap

import numpy as np
import pytest

import octavo
from octavo import errors
from tests.conformance.backends import IO_MODES
from tests.naive import ffrecord as naive
from tests.unit.layouts import Layout

ROWS = np.arange(100 * 24, dtype=np.int32).reshape(100, 2, 3, 4)
RECORDS = [row.tobytes() for row in ROWS]
PICK = [7, 99, 0, 7, -1]


@pytest.fixture
def reader(stored: Layout) -> octavo.Reader:
    return stored.open(RECORDS)


@pytest.mark.parametrize("shape", [(5, 2, 3, 4), (5, 24), (120,), (10, 12), (1, 5, 24)])
def test_arrays_of_every_shape_of_the_right_size_are_filled(reader, shape):
    out = np.zeros(shape, dtype=np.int32)
    reader.read_into(PICK, out)
    assert np.array_equal(out.reshape(5, 2, 3, 4), ROWS[PICK])


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float32, np.float64, np.complex64, "S8", "M8[s]", ">i4"])
def test_arrays_of_every_element_type_are_filled(reader, kind):
    out = np.zeros(5 * 96 // np.dtype(kind).itemsize, dtype=kind)
    reader.read_into(PICK, out)
    assert out.tobytes() == ROWS[PICK].tobytes()


@pytest.mark.parametrize(
    "make", [bytearray, lambda size: memoryview(bytearray(size)), lambda size: mmap.mmap(-1, size)]
)
def test_buffers_of_every_kind_are_filled(reader, make):
    out = make(5 * 96)
    reader.read_into(PICK, out)
    assert bytes(out[:]) == ROWS[PICK].tobytes()


@pytest.mark.parametrize("code", "bBhHiIlLqQfd")
def test_arrays_of_the_standard_library_are_filled(reader, code):
    out = array.array(code, bytes(5 * 96))
    reader.read_into(PICK, out)
    assert out.tobytes() == ROWS[PICK].tobytes()


def test_a_part_of_a_larger_array_is_filled_and_nothing_else(reader):
    out = np.zeros((7, 24), dtype=np.int32)
    reader.read_into(PICK, out[1:6])
    assert np.array_equal(out[1:6].reshape(5, 2, 3, 4), ROWS[PICK])
    assert not out[0].any()
    assert not out[6].any()


def test_nothing_is_returned(reader):
    assert reader.read_into([0], bytearray(96)) is None


@pytest.mark.parametrize("mode", IO_MODES)
def test_every_way_of_reading_fills_a_large_array(layout, tmp_path, mode):
    reader = octavo.open(layout.write(tmp_path / "records", RECORDS), io=mode)
    numbers = np.random.default_rng(3).integers(0, 100, 20_000)
    out = np.zeros((20_000, 2, 3, 4), dtype=np.int32)
    reader.read_into(numbers, out)
    assert np.array_equal(out, ROWS[numbers])


def test_numbers_may_be_a_range_or_a_generator(reader):
    out = np.zeros((100, 24), dtype=np.int32)
    reader.read_into(range(100), out)
    assert np.array_equal(out, ROWS.reshape(100, 24))
    out[:] = 0
    reader.read_into((number for number in range(100)), out)
    assert np.array_equal(out, ROWS.reshape(100, 24))


def test_a_slice_counts_from_the_slice(reader):
    out = np.zeros((2, 24), dtype=np.int32)
    reader[50:].read_into([0, 1], out)
    assert np.array_equal(out, ROWS[50:52].reshape(2, 24))


@pytest.mark.parametrize("out", [bytes(96), memoryview(bytes(96)), memoryview(bytearray(96)).toreadonly()])
def test_read_only_buffers_are_type_errors(reader, out):
    with pytest.raises(errors.RecordTypeError, match="writable"):
        reader.read_into([0], out)


def test_read_only_arrays_are_type_errors(reader):
    out = np.zeros(96, dtype=np.uint8)
    out.flags.writeable = False
    with pytest.raises(errors.RecordTypeError):
        reader.read_into([0], out)


@pytest.mark.parametrize(
    "out",
    [np.zeros(192, dtype=np.uint8)[::2], np.zeros((24, 5), dtype=np.int32).T, memoryview(bytearray(192))[::2]],
)
def test_buffers_that_are_not_contiguous_are_type_errors(reader, out):
    with pytest.raises(errors.RecordTypeError):
        reader.read_into([0], out)


@pytest.mark.parametrize("out", ["x" * 96, None, 96, [0] * 96, object()])
def test_what_has_no_bytes_is_a_type_error(reader, out):
    with pytest.raises(errors.RecordTypeError):
        reader.read_into([0], out)


@pytest.mark.parametrize("size", [0, 1, 95, 97, 191, 193, 5 * 96 + 1])
def test_room_that_the_records_do_not_fill_exactly_is_a_size_error(reader, size):
    with pytest.raises(errors.RecordSizeError):
        reader.read_into([0, 1], bytearray(size))


def test_a_size_error_names_the_record_and_both_sizes(layout):
    reader = layout.open([b"four", b"four", b"seventh"])
    with pytest.raises(errors.RecordSizeError) as caught:
        reader.read_into([0, 2, 1], bytearray(12))
    assert (caught.value.record, caught.value.expected, caught.value.actual) == (2, 4, 7)


def test_a_size_error_leaves_the_buffer_alone(layout):
    reader = layout.open([b"four", b"seventh"])
    out = bytearray(8)
    with pytest.raises(errors.RecordSizeError):
        reader.read_into([0, 1], out)
    assert out == bytes(8)


def test_no_records_fill_an_empty_buffer(reader):
    reader.read_into([], bytearray())


def test_no_records_do_not_fill_a_buffer_with_room(reader):
    with pytest.raises(errors.RecordSizeError):
        reader.read_into([], bytearray(1))


def test_empty_records_fill_an_empty_buffer(layout):
    layout.open([b"", b""]).read_into([0, 1, 0], bytearray())


def test_a_damaged_record_is_its_error():
    content = bytearray(naive.encode(RECORDS))
    content[-1] ^= 1
    with pytest.raises(errors.ChecksumError):
        octavo.open(content).read_into([0, 99], bytearray(192))


def test_a_number_out_of_range_is_an_index_error(reader):
    with pytest.raises(errors.RecordIndexError):
        reader.read_into([100], bytearray(96))


def test_the_buffer_is_free_again_afterwards(reader):
    out = bytearray(96)
    reader.read_into([0], out)
    out.extend(b"x")
    assert len(out) == 97


class TestTensors:
    """PyTorch's tensors, which are no buffers themselves."""

    @pytest.fixture
    def torch(self):
        return pytest.importorskip("torch", reason="torch is not installed: pip install 'octavo[torch]'")

    @pytest.mark.parametrize("kind", ["uint8", "int32", "int64", "float32", "float16", "bfloat16", "bool"])
    def test_tensors_of_every_element_type_are_filled(self, reader, torch, kind):
        dtype = getattr(torch, kind)
        out = torch.zeros(5 * 96 // dtype.itemsize, dtype=dtype)
        reader.read_into(PICK, out)
        assert out.view(torch.uint8).numpy().tobytes() == ROWS[PICK].tobytes()

    def test_tensors_of_many_dimensions_are_filled(self, reader, torch):
        out = torch.zeros((5, 2, 3, 4), dtype=torch.int32)
        reader.read_into(PICK, out)
        assert np.array_equal(out.numpy(), ROWS[PICK])

    def test_tensors_that_want_gradients_are_filled(self, torch):
        values = np.arange(6, dtype=np.float32)
        out = torch.zeros(6, requires_grad=True)
        octavo.open(naive.encode([values.tobytes()])).read_into([0], out)
        assert out.tolist() == values.tolist()

    def test_tensors_that_are_not_contiguous_are_type_errors(self, reader, torch):
        with pytest.raises(errors.RecordTypeError):
            reader.read_into([0], torch.zeros((24, 2), dtype=torch.int32).T[0:1])

    def test_tensors_of_the_wrong_size_are_size_errors(self, reader, torch):
        with pytest.raises(errors.RecordSizeError):
            reader.read_into([0], torch.zeros(97, dtype=torch.uint8))

    def test_tensors_on_another_device_are_type_errors(self, reader, torch):
        with pytest.raises(errors.RecordTypeError):
            reader.read_into([0], torch.zeros(96, dtype=torch.uint8, device="meta"))

"""How record numbers can be written: integers of every kind, and collections of them of every kind."""

from __future__ import annotations

import array
import collections

import numpy as np
import pytest

import octavo
from octavo import errors
from tests.unit.layouts import Layout

RECORDS = [f"record {number}".encode() for number in range(300)]
INTEGER_TYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.intp, np.longlong]
SIGNED_TYPES = [np.int8, np.int16, np.int32, np.int64, np.longlong]
WAYS = ["__getitem__", "read", "read_batch"]


@pytest.fixture(scope="module")
def reader(stored: Layout) -> octavo.Reader:
    return stored.open(RECORDS)


@pytest.fixture(params=WAYS)
def ask(request, reader):
    """Every way to ask for many records, as a function to a list of bytes."""
    method = getattr(reader, request.param)
    if request.param == "read_batch":
        return lambda numbers: method(numbers).to_list()
    return method


class Indexlike:
    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


class Failing:
    def __index__(self) -> int:
        raise LookupError("raised by the caller's own code")


class Half(float):
    """A float, also by subclass, is no number of a record."""


@pytest.mark.parametrize("kind", INTEGER_TYPES)
def test_numpy_integers_are_numbers(reader, kind):
    assert reader[kind(100)] == RECORDS[100]


@pytest.mark.parametrize("kind", SIGNED_TYPES)
def test_negative_numpy_integers_count_from_the_end(reader, kind):
    assert reader[kind(-100)] == RECORDS[-100]


def test_booleans_are_the_integers_they_are(reader):
    assert (reader[False], reader[True]) == (RECORDS[0], RECORDS[1])


def test_objects_with_index_are_numbers(reader):
    assert reader[Indexlike(-2)] == RECORDS[-2]


def test_an_error_raised_by_index_comes_through(reader):
    with pytest.raises(LookupError, match="own code"):
        reader[Failing()]


@pytest.mark.parametrize("number", [300, -301, 2**31, 2**63, -(2**63), -(2**63) - 1, 10**30])
def test_a_number_out_of_range_is_named_in_the_error(reader, number):
    with pytest.raises(errors.RecordIndexError, match=f"record {number} is out of range: there are 300 records"):
        reader[number]


def test_a_number_out_of_range_is_an_attribute_of_the_error(reader):
    with pytest.raises(errors.RecordIndexError) as caught:
        reader[-301]
    assert caught.value.record == -301


@pytest.mark.parametrize("number", [np.uint64(2**64 - 1), np.uint64(2**63)])
def test_an_unsigned_number_past_every_signed_one_is_out_of_range(reader, number):
    with pytest.raises(errors.RecordIndexError):
        reader[number]


@pytest.mark.parametrize(
    "key", [1.0, Half(1), np.float32(1), np.float64(1), 1j, "1", b"1", None, ..., {1: 2}, object(), np.True_, int]
)
def test_what_is_no_number_is_a_type_error(reader, key):
    with pytest.raises(errors.RecordTypeError):
        reader[key]


@pytest.mark.parametrize("numbers", [1, 1.0, "12", b"12", bytearray(b"12"), {1: 2}, None, object(), ...])
@pytest.mark.parametrize("method", ["read", "read_batch"])
def test_what_is_no_collection_of_numbers_is_a_type_error(reader, method, numbers):
    with pytest.raises(errors.RecordTypeError):
        getattr(reader, method)(numbers)


@pytest.mark.parametrize("wrong", [1.0, "1", None, [1], b"1", np.float64(1), np.array([1, 2])])
def test_a_list_with_something_else_in_it_is_a_type_error(ask, wrong):
    with pytest.raises(errors.RecordTypeError):
        ask([0, wrong])


def test_lists_mix_every_kind_of_integer(ask):
    assert ask([1, np.int8(-1), True, Indexlike(7)]) == [RECORDS[1], RECORDS[-1], RECORDS[1], RECORDS[7]]


def test_an_error_raised_by_index_in_a_list_comes_through(ask):
    with pytest.raises(LookupError, match="own code"):
        ask([0, Failing()])


def test_an_index_that_empties_its_list_does_no_harm(ask):
    class Emptying:
        def __index__(self) -> int:
            numbers.clear()
            return 3

    numbers = [0, Emptying(), 2, 4]
    assert ask(numbers) == [RECORDS[0], RECORDS[3]]


@pytest.mark.parametrize(
    "kind", [list, tuple, iter, collections.deque, collections.UserList, lambda numbers: (number for number in numbers)]
)
def test_collections_of_every_kind_are_taken_in_their_order(reader, kind):
    numbers = [5, 0, 299, -1, 7]
    assert reader.read(kind(numbers)) == [RECORDS[number] for number in numbers]


def test_a_set_is_read_in_the_order_it_has(reader):
    numbers = {5, 1, 200}
    assert reader.read(numbers) == [RECORDS[number] for number in numbers]


def test_an_error_of_a_generator_comes_through(reader):
    def numbers():
        yield 1
        raise LookupError("raised by the caller's own code")

    with pytest.raises(LookupError, match="own code"):
        reader.read(numbers())


RANGES = [
    range(0),
    range(300),
    range(10, 20),
    range(0, 300, 7),
    range(299, -1, -1),
    range(20, 10, -3),
    range(-300, 0),
    range(-5, 5),
    range(5, -5, -1),
    range(-1, -301, -1),
    range(-300, 300, 99),
    range(299, -301, -100),
    range(7, 8),
    range(7, 8, -1),
    range(400, 400),
    range(-400, -400),
]


@pytest.mark.parametrize("numbers", RANGES, ids=str)
def test_a_range_means_what_its_list_means(ask, numbers):
    assert ask(numbers) == [RECORDS[number] for number in numbers]


@pytest.mark.parametrize(
    "numbers",
    [
        range(301),
        range(-301, 0),
        range(0, 400, 399),
        range(300, 301),
        range(10**12),
        range(-1, -302, -1),
        range(2**70, 2**70 + 2),
    ],
    ids=str,
)
def test_a_range_with_one_number_out_of_range_is_an_index_error(ask, numbers):
    with pytest.raises(errors.RecordIndexError):
        ask(numbers)


@pytest.mark.parametrize("kind", INTEGER_TYPES)
def test_arrays_of_every_integer_type_are_numbers(ask, kind):
    numbers = np.array([3, 100, 0, 3], dtype=kind)
    assert ask(numbers) == [RECORDS[number] for number in (3, 100, 0, 3)]


@pytest.mark.parametrize("kind", SIGNED_TYPES)
def test_arrays_of_every_signed_type_count_from_the_end(ask, kind):
    assert ask(np.array([-1, -128, 5], dtype=kind)) == [RECORDS[-1], RECORDS[-128], RECORDS[5]]


@pytest.mark.parametrize("kind", INTEGER_TYPES)
def test_an_array_of_no_integers_is_no_records(ask, kind):
    assert ask(np.array([], dtype=kind)) == []


@pytest.mark.parametrize(
    "numbers",
    [np.arange(300)[::7], np.arange(300)[::-1], np.arange(300).reshape(30, 10)[:, 3], np.arange(300)[::-11]],
)
def test_arrays_need_not_be_contiguous(ask, numbers):
    assert ask(numbers) == [RECORDS[number] for number in numbers]


def test_read_only_arrays_are_numbers(ask):
    numbers = np.array([1, 2])
    numbers.flags.writeable = False
    assert ask(numbers) == RECORDS[1:3]


def test_arrays_of_python_integers_are_numbers(ask):
    assert ask(np.array([1, -1], dtype=object)) == [RECORDS[1], RECORDS[-1]]


@pytest.mark.parametrize("code", "bBhHiIlLqQ")
def test_arrays_of_the_standard_library_are_numbers(ask, code):
    assert ask(array.array(code, [3, 1])) == [RECORDS[3], RECORDS[1]]


@pytest.mark.parametrize("number", [300, 2**63, 2**64 - 1])
def test_an_array_with_a_number_out_of_range_is_an_index_error(ask, number):
    with pytest.raises(errors.RecordIndexError):
        ask(np.array([0, number], dtype=np.uint64))


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (0, 3), (1, 1, 1)])
def test_arrays_of_more_dimensions_are_type_errors(ask, shape):
    with pytest.raises(errors.RecordTypeError):
        ask(np.zeros(shape, dtype=np.int64))


@pytest.mark.parametrize("kind", [bool, np.float32, np.float64, np.complex128, "S1", "U1", "M8[s]"])
def test_arrays_of_anything_but_integers_are_type_errors(ask, kind):
    with pytest.raises(errors.RecordTypeError):
        ask(np.zeros(3, dtype=kind))


@pytest.mark.parametrize("length", [4096, 4097, 5000, 100_000])
def test_lists_may_be_longer_than_the_original_could_take(ask, length):
    numbers = [(number * 7919) % 300 for number in range(length)]
    assert ask(numbers) == [RECORDS[number] for number in numbers]


def test_arrays_may_be_long(ask):
    numbers = np.random.default_rng(1).integers(-300, 300, 100_000)
    assert ask(numbers) == [RECORDS[number] for number in numbers.tolist()]


READ_RANGES = [(0, 300), (0, 0), (300, 300), (10, 20), (-10, 300), (-20, -10), (-300, 300), (20, 10), (299, 0), (-1, 0)]


@pytest.mark.parametrize(("start", "stop"), READ_RANGES)
def test_read_range_gives_what_a_slice_of_a_list_gives(reader, start, stop):
    assert reader.read_range(start, stop) == RECORDS[start:stop]


@pytest.mark.parametrize(("start", "stop"), [(0, 301), (-301, 10), (301, 301), (2**63, 2**64)])
def test_read_range_beyond_the_records_is_an_index_error(reader, start, stop):
    with pytest.raises(errors.RecordIndexError):
        reader.read_range(start, stop)


@pytest.mark.parametrize(("start", "stop"), [(0.0, 3), (0, "3"), (None, 3), (0, None)])
def test_read_range_takes_integers_only(reader, start, stop):
    with pytest.raises(errors.RecordTypeError):
        reader.read_range(start, stop)


def test_read_range_takes_everything_with_index(reader):
    assert reader.read_range(Indexlike(3), np.uint8(5)) == RECORDS[3:5]


def test_read_range_of_a_slice_counts_from_the_slice(reader):
    assert reader[100:200].read_range(10, 20) == RECORDS[110:120]

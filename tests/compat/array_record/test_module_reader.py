"""`ArrayRecordReader`: every way to read that the original has, on files that are whole."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from octavo.compat.array_record.python.array_record_module import ArrayRecordReader
from tests.compat.array_record.samples import DEFAULT_OPTIONS, numbered, run_program, write

RECORDS = numbered(300)
OPTIONS = ["group_size:1", "group_size:1,uncompressed", "group_size:7,brotli:1", "group_size:1000,snappy"]


@pytest.fixture(scope="module", params=OPTIONS)
def path(request: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("reader")
    return str(write(folder / "file", RECORDS, request.param))


@pytest.fixture
def reader(path: str) -> Iterator[ArrayRecordReader]:
    opened = ArrayRecordReader(path)
    yield opened
    opened.close()


def test_a_reader_knows_its_file(reader: ArrayRecordReader):
    assert (reader.ok(), reader.is_open()) == (True, True)
    assert reader.num_records() == len(RECORDS)
    assert reader.record_index() == 0
    assert (reader.writer_options_string() or "").startswith("group_size:")


def test_reading_in_order_gives_all_records_and_then_an_index_error(reader: ArrayRecordReader):
    for number, record in enumerate(RECORDS):
        assert reader.record_index() == number
        assert reader.read() == record
    for _ in range(2):
        with pytest.raises(IndexError, match=r"^Out of range of num_records: 300$"):
            reader.read()
    assert (reader.ok(), reader.record_index()) == (True, 300)
    reader.seek(0)
    assert reader.read() == RECORDS[0]


@pytest.mark.parametrize(
    ("index", "place"), [(5, 5), (299, 299), (300, 300), (10**6, 300), (-1, 300), (-(2**63), 300), (np.int64(7), 7)]
)
def test_seeking_goes_to_a_record_or_to_the_end(reader: ArrayRecordReader, index: Any, place: int):
    reader.seek(index)
    assert reader.record_index() == place


@pytest.mark.parametrize("index", [2**63, -(2**63) - 1, 1.0, "1", None])
def test_seeking_takes_64_bits(reader: ArrayRecordReader, index: Any):
    with pytest.raises(TypeError):
        reader.seek(index)


# Seek to this record, or read the next one.
MOVES = st.lists(st.none() | st.integers(-1, len(RECORDS) + 1), max_size=60)


@given(moves=MOVES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
def test_reading_and_seeking_are_a_list_with_a_cursor(path: str, moves: list[int | None]):
    reader = ArrayRecordReader(path)
    cursor = 0
    for move in moves:
        if move is not None:
            reader.seek(move)
            cursor = move if 0 <= move < len(RECORDS) else len(RECORDS)
        elif cursor < len(RECORDS):
            assert reader.read() == RECORDS[cursor]
            cursor += 1
        else:
            with pytest.raises(IndexError):
                reader.read()
        assert reader.record_index() == cursor


@pytest.mark.parametrize(
    "indices",
    [[], [0], [7, 7, 299, 0], (1, 2), range(5), range(0), np.array([3, 1]), np.array([2], dtype=np.uint8), [True]],
)
def test_records_come_in_the_order_of_their_numbers(reader: ArrayRecordReader, indices: Any):
    assert reader.read(indices) == [RECORDS[index] for index in indices]


@pytest.mark.parametrize("index", [300, 10**9, 2**63, 2**64 - 1])
def test_a_number_that_no_record_has_is_a_runtime_error(reader: ArrayRecordReader, index: int):
    for indices in ([index], [0, index]):
        with pytest.raises(RuntimeError, match=f"^index {index} out of bound 300$"):
            reader.read(indices)
    assert reader.ok()


@pytest.mark.parametrize(
    "indices",
    [
        5,
        None,
        "12",
        b"12",
        {1},
        {1: 2},
        iter([1]),
        [-1],
        [0, -1],
        np.array([-1]),
        [2**64],
        [1.0],
        ["1"],
        [None],
        [[1]],
        np.array([[1]]),
        np.array([1.0]),
        np.int64(3),
    ],
    ids=repr,
)
def test_what_are_no_record_numbers_is_a_type_error(reader: ArrayRecordReader, indices: Any):
    with pytest.raises(TypeError, match=r"^read\(\): incompatible function arguments"):
        reader.read(indices)


@pytest.mark.parametrize(("begin", "end"), [(0, 1), (0, 300), (17, 45), (-3, -1), (-300, 300), (np.int64(1), True + 1)])
def test_a_range_counts_from_both_ends(reader: ArrayRecordReader, begin: int, end: int):
    assert reader.read(begin, end) == RECORDS[begin:end]


@pytest.mark.parametrize(
    ("begin", "end"), [(0, 0), (3, 3), (5, 3), (0, 301), (-301, 3), (300, 301), (0, 2**31 - 1), (2**40, 2**40 + 1)]
)
def test_a_range_that_is_empty_or_reaches_out_is_an_index_error(reader: ArrayRecordReader, begin: int, end: int):
    with pytest.raises(IndexError) as caught:
        reader.read(begin, end)
    assert str(caught.value) == f"[{begin}, {end}) is of range of [0, 300)"


@pytest.mark.parametrize("arguments", [(0.0, 3), ("0", 3), (0, None), (1, 2, 3), ([0], 1)], ids=repr)
def test_a_range_is_two_integers(reader: ArrayRecordReader, arguments: Any):
    with pytest.raises(TypeError):
        reader.read(*arguments)


def test_reading_many_does_not_move_the_cursor(reader: ArrayRecordReader):
    reader.seek(3)
    assert reader.read_all() == RECORDS
    reader.read([9])
    reader.read(5, 9)
    assert reader.read() == RECORDS[3]


def test_a_closed_reader_reads_nothing(path: str):
    reader = ArrayRecordReader(path)
    told = reader.writer_options_string()
    reader.read()
    reader.close()
    reader.close()
    assert (reader.ok(), reader.is_open(), reader.num_records(), reader.record_index()) == (False, False, 0, 0)
    assert reader.writer_options_string() == told
    for use in (
        reader.read,
        reader.read_all,
        lambda: reader.seek(0),
        lambda: reader.read([]),
        lambda: reader.read([0]),
    ):
        with pytest.raises(RuntimeError, match=r"^Object closed$"):
            use()
    with pytest.raises(IndexError, match=r"^\[0, 1\) is of range of \[0, 0\)$"):
        reader.read(0, 1)


def test_a_file_without_records_has_none(tmp_path: Path):
    reader = ArrayRecordReader(str(write(tmp_path / "nothing", [], "")))
    assert (reader.ok(), reader.num_records(), reader.read_all(), reader.read([])) == (True, 0, [], [])
    assert reader.writer_options_string() == DEFAULT_OPTIONS
    assert bool(reader), "a reader is true, as every object of the original is"
    with pytest.raises(IndexError, match=r"^Out of range of num_records: 0$"):
        reader.read()
    with pytest.raises(RuntimeError, match=r"^index 5 out of bound 0$"):
        reader.read([5])


def test_threads_share_one_cursor(path: str):
    reader = ArrayRecordReader(path)
    found: list[bytes] = []

    def read_to_the_end() -> None:
        while True:
            try:
                found.append(reader.read())
            except IndexError:
                return

    threads = [threading.Thread(target=read_to_the_end) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(RECORDS)


def test_a_forked_child_reads_on_where_its_parent_is(path: str):
    run_program("forked_reader", path, timeout_s=60)


class _Number:
    def __index__(self) -> int:
        return 3


def test_anything_that_stands_for_an_integer_is_a_number(reader: ArrayRecordReader):
    assert reader.read([_Number()]) == [RECORDS[3]]
    assert reader.read([_Number(), 1]) == [RECORDS[3], RECORDS[1]]
    with pytest.raises(TypeError, match=r"^read\(\): incompatible function arguments"):
        reader.read([_Number(), -1])


def test_what_another_thread_closes_is_closed_to_everybody(reader: ArrayRecordReader):
    vars(reader)["_ArrayRecordReader__records"].close()  # as far as another thread has come with `close`
    assert (reader.num_records(), reader.record_index()) == (0, 0)
    for use in (reader.read, reader.read_all, lambda: reader.read([1]), lambda: reader.read([10**6, 1])):
        with pytest.raises(RuntimeError, match=r"^Object closed$"):
            use()

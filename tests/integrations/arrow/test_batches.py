"""Random batches: records by number, each list of numbers a batch."""

from __future__ import annotations

from typing import Any, cast

import pytest

import octavo
from octavo.errors import OptionError
from tests.unit.layouts import LAYOUTS

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'octavo[arrow]'")

from octavo.integrations import arrow  # noqa: E402 - after the skip above

RECORDS = [b"record %d" % number for number in range(100)]


@pytest.fixture
def reader() -> octavo.Reader:
    return LAYOUTS["ffrecord"].open(RECORDS)


def test_read_gives_records_in_the_order_of_the_numbers(reader):
    batch = arrow.read(reader, [7, -1, 7], numbers=True)
    assert batch.to_pydict() == {"record": [RECORDS[7], RECORDS[99], RECORDS[7]], "number": [7, 99, 7]}


def test_read_opens_and_closes_a_location(tmp_path):
    path = LAYOUTS["array_record-7"].write(tmp_path / "records", RECORDS)
    assert arrow.read(path, range(3), type="string").column(0).to_pylist() == ["record 0", "record 1", "record 2"]


def test_reading_leaves_a_reader_open(reader):
    arrow.read(reader, [1])
    assert not reader.closed


def test_numbers_may_come_from_an_iterator(reader):
    assert arrow.read(reader, (n for n in (3, 1)), numbers=True)["number"].to_pylist() == [3, 1]


def test_numbers_may_come_as_an_array(reader):
    numpy = pytest.importorskip("numpy")
    batch = arrow.read(reader, numpy.array([5, -2], dtype=numpy.int32), numbers=True)
    assert batch.to_pydict() == {"record": [RECORDS[5], RECORDS[98]], "number": [5, 98]}


def test_no_numbers_give_an_empty_batch(reader):
    batch = arrow.read(reader, [], numbers=True)
    batch.validate(full=True)
    assert len(batch) == 0


def test_every_list_of_numbers_is_a_batch(reader):
    stream = arrow.batches(reader, [[1, 2], [], range(90, 93)])
    expected = [RECORDS[1:3], [], RECORDS[90:93]]
    assert [batch.column(0).to_pylist() for batch in stream] == expected
    assert [batch.column(0).to_pylist() for batch in stream.reader()] == expected


def test_the_numbers_are_not_touched_before_somebody_reads(reader):
    numbers = iter([[1], [2]])
    stream = arrow.batches(reader, numbers)
    stream.reader()
    stream.__arrow_c_schema__()
    assert [batch.column(0).to_pylist() for batch in stream] == [[RECORDS[1]], [RECORDS[2]]]


def test_a_sampler_gives_another_epoch_at_each_reading(reader):
    shuffle = pytest.importorskip("octavo.shuffle")
    stream = arrow.batches(reader, shuffle.Sampler(len(reader), batch_size=32, seed=5), numbers=True)
    first, second = (stream.to_table()["number"].to_pylist() for _ in range(2))
    assert sorted(first) == sorted(second) == list(range(100))
    assert first != second
    assert first == shuffle.Permutation(100, seed=5, epoch=0)[:].tolist()


def test_a_number_that_no_record_has_is_an_error(reader):
    with pytest.raises(octavo.errors.RecordIndexError, match="100"):
        arrow.read(reader, [3, 100])


@pytest.mark.parametrize("numbers", [5, "5", b"5", [1.5], {"a": 1}])
def test_what_is_no_list_of_numbers_is_refused(reader, numbers):
    with pytest.raises(octavo.errors.RecordTypeError):
        arrow.read(reader, numbers, numbers=True)


def test_numbers_that_are_not_in_lists_are_refused(reader):
    with pytest.raises(octavo.errors.RecordTypeError, match="not int"):
        list(arrow.batches(reader, cast("Any", [1, 2, 3])))
    with pytest.raises(octavo.errors.RecordTypeError, match="iterable of lists of record numbers, not int"):
        arrow.batches(reader, cast("Any", 5))


def test_numbers_from_an_iterator_can_be_read_once(reader):
    stream = arrow.batches(reader, ([number] for number in range(2)))
    assert len(stream.to_table()) == 2
    with pytest.raises(OptionError, match="used up"):
        stream.to_table()

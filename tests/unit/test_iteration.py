"""Going through records in order: read ahead, in bounded memory, and past damage."""

from __future__ import annotations

import gc
import itertools
import operator

import pytest

import octavo
from octavo import errors
from tests.conformance.backends import IO_MODES, Spans
from tests.naive import ffrecord as naive
from tests.unit.damage import damage_chunks, record_chunks
from tests.unit.layouts import GROUPED

RECORDS = [f"record {number}".encode() for number in range(10_000)]


def damaged_file(records: list[bytes], *numbers: int) -> bytes:
    """A file whose records of these numbers, none of them empty, have a flipped bit."""
    content = bytearray(naive.encode(records))
    offset = 12 + 12 * len(records)
    for number, record in enumerate(records):
        if number in numbers:
            content[offset] ^= 1
        offset += len(record)
    return bytes(content)


class Counting(Spans):
    """A source that counts what is read from it."""

    bytes_read = 0

    def read_spans(self, spans: list[tuple[int, int]]) -> list[bytes]:
        self.bytes_read += sum(length for _, length in spans)
        return super().read_spans(spans)


def walk(reader: octavo.Reader) -> list[bytes | type[Exception]]:
    """Everything an iteration gives, errors included, for as long as it goes on."""
    seen: list[bytes | type[Exception]] = []
    records = iter(reader)
    for _ in range(2 * len(reader) + 2):
        try:
            seen.append(next(records))
        except StopIteration:
            return seen
        except errors.OctavoError as error:
            seen.append(type(error))
    raise AssertionError("the iteration does not end")


@pytest.mark.parametrize("mode", IO_MODES)
def test_many_records_come_in_order(layout, tmp_path, mode):
    assert list(octavo.open(layout.write(tmp_path / "records", RECORDS), io=mode)) == RECORDS


def test_records_larger_than_the_read_ahead_come_in_order(layout):
    records = [bytes([number]) * (3 << 20) for number in range(4)] + [b"small"]
    assert list(layout.open(records)) == records


def test_an_iterator_is_its_own_iterator(layout):
    records = iter(layout.open(RECORDS))
    assert iter(records) is records


def test_an_exhausted_iterator_stays_exhausted(layout):
    records = iter(layout.open([b"a"]))
    assert list(records) == [b"a"]
    assert list(records) == []


def test_an_iterator_keeps_its_reader_alive(stored):
    records = iter(stored.open(RECORDS))
    gc.collect()
    assert list(records) == RECORDS


def test_a_loop_that_breaks_at_once_has_not_read_the_whole_file(stored):
    content = stored.encode([number.to_bytes(4, "little") * 250 for number in range(100_000)])
    source = Counting(content)
    reader = octavo.open(source, **stored.hint)
    source.bytes_read = 0
    next(iter(reader))
    assert source.bytes_read < len(content) / 2


def test_leaving_a_loop_and_dropping_the_reader_leaves_nothing_behind(layout, tmp_path):
    path = layout.write(tmp_path / "records", RECORDS)
    for _ in range(50):
        assert list(itertools.islice(octavo.open(path), 17)) == RECORDS[:17]


def test_a_loop_that_was_left_can_be_begun_again_and_gone_on_with(layout):
    reader = layout.open(RECORDS)
    left = iter(reader)
    assert list(itertools.islice(left, 1003)) == RECORDS[:1003]
    assert list(reader) == RECORDS
    assert list(left) == RECORDS[1003:]


@pytest.mark.parametrize("key", [slice(3, 9000, 7), slice(None, None, -1), slice(9001, 5, -13)])
def test_steps_of_every_kind_come_in_order(layout, key):
    assert list(layout.open(RECORDS)[key]) == RECORDS[key]


def test_length_hint_counts_down_through_the_read_ahead(layout):
    records = iter(layout.open(RECORDS))
    for left in range(len(RECORDS), 0, -1):
        assert operator.length_hint(records) == left
        next(records)
    assert operator.length_hint(records) == 0


@pytest.mark.parametrize("number", [0, 1, 15, 16, 17, 500, 9998, 9999])
@pytest.mark.parametrize("mode", IO_MODES)
def test_records_before_damage_come_first_then_the_error_then_those_behind(tmp_path, number, mode):
    path = tmp_path / "damaged.ffr"
    path.write_bytes(damaged_file(RECORDS, number))
    expected = [*RECORDS[:number], errors.ChecksumError, *RECORDS[number + 1 :]]
    assert walk(octavo.open(path, io=mode)) == expected


def test_the_error_of_an_iteration_names_the_record():
    records = iter(octavo.open(damaged_file(RECORDS, 100)))
    assert list(itertools.islice(records, 100)) == RECORDS[:100]
    with pytest.raises(errors.ChecksumError) as caught:
        next(records)
    assert caught.value.record == 100


def test_neighbouring_damage_gives_one_error_for_each_record():
    numbers = (3, 4, 5, 20, 21)
    expected = [errors.ChecksumError if number in numbers else record for number, record in enumerate(RECORDS[:100])]
    assert walk(octavo.open(damaged_file(RECORDS[:100], *numbers))) == expected


def test_damage_is_met_from_the_end_as_well():
    reader = octavo.open(damaged_file(RECORDS[:100], 30))
    assert walk(reader[::-1]) == [*RECORDS[99:30:-1], errors.ChecksumError, *RECORDS[29::-1]]


def test_damage_outside_a_slice_does_not_disturb_it():
    reader = octavo.open(damaged_file(RECORDS[:100], 30))
    assert list(reader[31:]) == RECORDS[31:100]


def test_every_record_that_a_truncated_file_lost_is_an_error(tmp_path):
    path = tmp_path / "cut.ffr"
    content = naive.encode(RECORDS[:100])
    path.write_bytes(content[: 12 + 1200 + sum(map(len, RECORDS[:40])) + 3])
    assert walk(octavo.open(path)) == RECORDS[:40] + [errors.TruncatedError] * 60


def test_damage_is_passed_over_without_checks():
    seen = walk(octavo.open(damaged_file(RECORDS[:100], 30), check_data=False, format="ffrecord"))
    assert [number for number, record in enumerate(seen) if record != RECORDS[number]] == [30]


def test_damage_in_one_of_several_files_is_numbered_across_them():
    reader = octavo.open([naive.encode(RECORDS[:10]), damaged_file(RECORDS[10:20], 3), naive.encode(RECORDS[20:30])])
    assert walk(reader) == [*RECORDS[:13], errors.ChecksumError, *RECORDS[14:30]]


@pytest.mark.parametrize("number", [0, 20, -1])
@pytest.mark.parametrize("mode", IO_MODES)
def test_each_record_of_a_damaged_chunk_is_an_error_and_those_behind_it_follow(chunked, tmp_path, number, mode):
    path = tmp_path / f"damaged{chunked.suffix}"
    path.write_bytes(damage_chunks(chunked, chunked.encode(RECORDS[:1000]), number))
    (damage,) = octavo.verify(path).damage
    assert damage.record is not None
    end = damage.record + damage.record_count
    lost = [errors.ChecksumError] * damage.record_count
    reader = octavo.open(path, io=mode)
    assert walk(reader) == [*RECORDS[: damage.record], *lost, *RECORDS[end:1000]]
    assert walk(reader[::-1]) == [*RECORDS[end:1000][::-1], *lost, *RECORDS[: damage.record][::-1]]


def test_damaged_chunks_beside_each_other_give_one_error_for_each_record():
    reader = octavo.open(damage_chunks(GROUPED, GROUPED.encode(RECORDS[:100]), 2, 3, 5))
    wrong = {*range(14, 28), *range(35, 42)}
    expected = [errors.ChecksumError if number in wrong else record for number, record in enumerate(RECORDS[:100])]
    assert walk(reader) == expected


def test_damage_in_a_chunk_does_not_disturb_a_slice_beside_it():
    reader = octavo.open(damage_chunks(GROUPED, GROUPED.encode(RECORDS[:100]), 3))
    assert list(reader[28:]) == RECORDS[28:100]
    assert list(reader[20::-1]) == RECORDS[20::-1]


def test_an_error_about_a_chunk_names_its_first_record_and_where_it_is():
    content = GROUPED.encode(RECORDS[:100])
    reader = octavo.open(damage_chunks(GROUPED, content, 3))
    with pytest.raises(errors.ChecksumError, match="records 21 to 27") as caught:
        reader[25]
    assert (caught.value.record, caught.value.offset) == (21, record_chunks(GROUPED, content)[3])


@pytest.mark.parametrize("number", [0, 3000, 9999])
def test_read_all_of_a_damaged_file_is_the_error(number):
    with pytest.raises(errors.ChecksumError) as caught:
        octavo.open(damaged_file(RECORDS, number)).read_all()
    assert caught.value.record == number


@pytest.mark.parametrize("method", ["read", "read_batch"])
def test_a_batch_with_a_damaged_record_is_the_error(method):
    reader = octavo.open(damaged_file(RECORDS[:100], 30))
    with pytest.raises(errors.ChecksumError) as caught:
        getattr(reader, method)([1, 30, 2])
    assert caught.value.record == 30
    assert reader.read([1, 2]) == RECORDS[1:3]


def test_closing_the_reader_ends_an_iteration_with_an_error(layout):
    reader = layout.open(RECORDS)
    records = iter(reader)
    next(records)
    reader.close()
    with pytest.raises(errors.ClosedError):
        list(records)


def test_a_closed_reader_does_not_begin_an_iteration(layout):
    reader = layout.open(RECORDS)
    reader.close()
    with pytest.raises(errors.ClosedError):
        iter(reader)

"""Scans: every record once, in order, in batches of bounded size."""

from __future__ import annotations

import itertools
import pickle
from pathlib import Path
from typing import cast

import pytest

import octavo
from tests.unit.layouts import LAYOUTS, Layout

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'octavo[arrow]'")

from octavo.integrations import arrow  # noqa: E402 - after the skip above

RECORDS = [b"record %d " % number * (number % 11) for number in range(1000)]


@pytest.fixture(scope="module", params=LAYOUTS.values(), ids=list(LAYOUTS))
def layout(request: pytest.FixtureRequest) -> Layout:
    """Every way in which files store records."""
    return cast("Layout", request.param)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of these records."""
    return LAYOUTS["ffrecord"].write(tmp_path / "records", RECORDS)


def records_of(stream: arrow.Stream) -> list[object]:
    return [record for batch in stream for record in batch.column(0).to_pylist()]


def test_a_scan_gives_every_record_in_order(layout, tmp_path):
    assert records_of(arrow.scan(layout.write(tmp_path / "records", RECORDS), batch_size=64)) == RECORDS


def test_batches_are_valid_arrays_of_large_binary(layout):
    for batch in arrow.scan(layout.open(RECORDS), batch_size=100):
        batch.validate(full=True)
        assert batch.schema == pa.schema({"record": pa.large_binary()})
        assert batch.column(0).null_count == 0


def test_batches_have_at_most_so_many_rows(layout):
    sizes = [len(batch) for batch in arrow.scan(layout.open(RECORDS), batch_size=300)]
    assert sizes == [300, 300, 300, 100]


def test_every_reading_of_a_stream_begins_anew(path):
    stream = arrow.scan(path, batch_size=100)
    begun = iter(stream)
    next(begun)
    assert records_of(stream) == RECORDS
    assert next(begun).column(0)[0].as_py() == RECORDS[100]


def test_a_file_without_records_is_an_empty_stream(layout):
    stream = arrow.scan(layout.open([]))
    assert list(stream) == []
    assert stream.to_table().schema == stream.schema


def test_slices_of_a_reader_are_scanned_like_readers(layout):
    reader = layout.open(RECORDS)
    assert records_of(arrow.scan(reader[100:500], batch_size=64)) == RECORDS[100:500]
    assert records_of(arrow.scan(reader[::-3], batch_size=64)) == RECORDS[::-3]


def test_several_files_are_one_stream(tmp_path):
    for shard in range(3):
        with octavo.create(tmp_path / f"part-{shard:05d}-of-00003.ffr") as writer:
            writer.write_many(RECORDS[shard * 10 : shard * 10 + 10])
    assert records_of(arrow.scan(tmp_path / "part@3.ffr", batch_size=7)) == RECORDS[:30]


def test_partitions_are_scanned_where_they_arrive(path):
    parts = pickle.loads(pickle.dumps(octavo.open(path).partitions(3)))
    assert [record for part in parts for record in records_of(arrow.scan(part))] == RECORDS


def test_numbers_are_those_of_the_reader(layout):
    table = arrow.scan(layout.open(RECORDS)[500:], batch_size=64, numbers=True).to_table()
    assert table.schema == pa.schema({"record": pa.large_binary(), "number": pa.int64()})
    assert table["number"].to_pylist() == list(range(500))


def test_numbers_of_a_partition_are_those_of_the_whole(path):
    parts = octavo.open(path).partitions(4)
    numbers = [arrow.scan(part, numbers=True).to_table()["number"].to_pylist() for part in parts]
    assert list(itertools.chain(*numbers)) == list(range(1000))


@pytest.mark.parametrize("name", ["ffrecord", "array_record", "tfrecord"])
def test_batches_are_bounded_in_bytes(name):
    sizes = [10] * 50 + [5000] * 10 + [10] * 50
    reader = LAYOUTS[name].open([bytes(size) for size in sizes])
    batches = [batch.column(0).to_pylist() for batch in arrow.scan(reader, batch_bytes=6000)]
    assert [sum(map(len, batch)) for batch in batches] == [5500, *[5000] * 8, 5500]
    assert [len(record) for batch in batches for record in batch] == sizes


def test_a_record_beyond_the_bound_has_a_batch_of_its_own():
    reader = LAYOUTS["ffrecord"].open([b"a", bytes(5000), b"b", b"c"])
    assert [len(batch) for batch in arrow.scan(reader, batch_bytes=100)] == [1, 1, 2]


def test_of_chunks_a_batch_takes_whole_ones():
    reader = LAYOUTS["array_record-7"].open([bytes(100)] * 21)
    assert [len(batch) for batch in arrow.scan(reader, batch_bytes="800")] == [14, 7]


@pytest.mark.parametrize("kind", ["binary", "large_binary", "string", "large_string", "utf8", "large_utf8"])
def test_the_column_has_the_type_that_is_asked_for(kind, layout):
    texts = ["", "plain", "größer", "漢字"]
    table = arrow.scan(layout.open([text.encode() for text in texts]), type=kind).to_table()
    assert table.schema.field("record").type == pa.type_for_alias(kind)
    expected = [text.encode() for text in texts] if "binary" in kind else texts
    assert table["record"].to_pylist() == expected


def test_a_type_may_be_given_as_pyarrows_own(path):
    assert arrow.scan(path, type=pa.string()).schema.field(0).type == pa.string()


@pytest.mark.parametrize("kind", ["string", "large_string"])
def test_a_record_that_is_no_text_is_named(kind):
    reader = LAYOUTS["ffrecord"].open([b"text", b"more", b"ab\xff", b"text"])
    with pytest.raises(octavo.errors.FormatError, match=r"record 2 is not UTF-8 text .*byte 2.*large_binary") as caught:
        list(arrow.scan(reader, type=kind, batch_size=2))
    assert caught.value.record == 2


def test_the_column_has_the_name_that_is_asked_for(path):
    assert arrow.scan(path, name="image", numbers=True).schema.names == ["image", "number"]


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"batch_size": 0}, octavo.errors.OptionError, "batch_size is 0"),
        ({"batch_size": "many"}, octavo.errors.OptionError, "batch_size is 'many'"),
        ({"batch_bytes": 0}, octavo.errors.OptionError, "batch_bytes"),
        ({"batch_bytes": "lots"}, octavo.errors.OptionError, "batch_bytes"),
        ({"name": b"record"}, octavo.errors.RecordTypeError, "name is a text, not bytes"),
        ({"name": "number", "numbers": True}, octavo.errors.OptionError, "choose another name"),
        ({"type": "int64"}, octavo.errors.OptionError, "type 'int64' is none of: large_binary, binary"),
        ({"type": None}, octavo.errors.OptionError, "type 'None' is none of"),
        ({"numbers": 1}, octavo.errors.RecordTypeError, "numbers is True or False"),
    ],
)
def test_options_that_cannot_be_are_refused_before_anything_is_opened(options, kind, message):
    with pytest.raises(kind, match=message):
        arrow.scan("no such file", **options)


def test_a_location_that_is_not_there_is_refused_at_once(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent"):
        arrow.scan(tmp_path / "absent.ffr")


def test_a_stream_says_what_it_gives(path):
    assert repr(arrow.scan(path, numbers=True)).startswith("<Arrow stream (record: large_binary, number: int64) from")

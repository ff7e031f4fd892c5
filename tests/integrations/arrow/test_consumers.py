"""What others make of a stream: pyarrow, Polars, DuckDB and Hugging Face datasets."""

from __future__ import annotations

from pathlib import Path

import pytest

import octavo
from tests.unit.layouts import LAYOUTS

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'octavo[arrow]'")

from octavo.integrations import arrow  # noqa: E402 - after the skip above

RECORDS = [b"record %d" % number for number in range(1000)]
DAMAGED = 700


@pytest.fixture
def stream(tmp_path: Path) -> arrow.Stream:
    path = LAYOUTS["array_record"].write(tmp_path / "records", RECORDS)
    return arrow.scan(path, batch_size=128, numbers=True)


@pytest.fixture
def damaged(write_file) -> arrow.Stream:
    """A stream that fails at record 700."""
    path = write_file(RECORDS)
    content = bytearray(path.read_bytes())
    content[content.index(RECORDS[DAMAGED])] ^= 1
    path.write_bytes(content)
    return arrow.scan(path, batch_size=128)


MESSAGE = r"records\.ffr.*record 700|record 700.*records\.ffr"


def test_pyarrow_makes_a_table(stream):
    table = pa.table(stream)
    assert table["record"].to_pylist() == RECORDS
    assert table["number"].to_pylist() == list(range(1000))


def test_pyarrow_makes_a_reader(stream):
    batches = list(pa.RecordBatchReader.from_stream(stream))
    assert [len(batch) for batch in batches] == [128] * 7 + [104]


def test_pyarrow_knows_the_schema(stream):
    assert pa.schema(stream) == stream.schema


def test_columns_are_cast_to_a_requested_schema(stream):
    wanted = pa.schema({"record": pa.string(), "number": pa.int32()})
    table = pa.RecordBatchReader.from_stream(stream, schema=wanted).read_all()
    assert table.schema == wanted
    assert table["record"][5].as_py() == "record 5"


def test_a_requested_schema_with_other_columns_is_refused(stream):
    with pytest.raises(ValueError, match="field names"):
        pa.RecordBatchReader.from_stream(stream, schema=pa.schema({"image": pa.large_binary()}))


def test_a_request_for_text_is_refused_where_there_is_none():
    stream = arrow.scan(LAYOUTS["ffrecord"].open([b"\xff"]))
    with pytest.raises(pa.ArrowInvalid, match="UTF8"):
        pa.RecordBatchReader.from_stream(stream, schema=pa.schema({"record": pa.string()})).read_all()


@pytest.mark.parametrize("kind", ["large_binary", "binary", "large_string", "string"])
def test_no_byte_of_a_record_is_copied(kind, monkeypatch):
    read = []
    reader = LAYOUTS["ffrecord"].open(RECORDS)

    def reading(_: octavo.Reader, *, indices):
        for one in indices:
            read.append(reader.read_batch(one))
            yield read[-1], lambda one=one: one

    monkeypatch.setattr(arrow, "_by_number", reading)
    stream = arrow.batches(reader, [range(100), range(100, 300)], type=kind)
    addresses = [chunk.buffers()[2].address for chunk in pa.table(stream)["record"].chunks]
    assert addresses == [pa.py_buffer(batch).address for batch in read]


def test_offsets_are_shared_as_well():
    batch = octavo.open(LAYOUTS["ffrecord"].encode(RECORDS)).read_batch(range(10))
    array = pa.array(batch)
    assert array.buffers()[1].address == batch.offsets.ctypes.data


def test_polars_makes_a_frame(stream):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(stream)
    assert frame.schema == {"record": polars.Binary, "number": polars.Int64}
    assert frame["record"].to_list() == RECORDS


def test_duckdb_queries_a_stream_by_its_name(stream):  # noqa: ARG001 - the query names it
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.execute("SET threads = 4")
        query = "SELECT count(*), sum(octet_length(record)), max(number) FROM stream WHERE number % 2 = 1"
        found = connection.execute(query).fetchall()
        again = connection.execute(query).fetchall()
    assert found == again == [(500, sum(map(len, RECORDS[1::2])), 999)]


def test_duckdb_makes_a_relation(stream):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        assert connection.from_arrow(stream).order("number DESC").limit(1).fetchall() == [(RECORDS[999], 999)]


def test_duckdb_joins_two_streams(stream):  # noqa: ARG001 - the query names it
    duckdb = pytest.importorskip("duckdb")
    other = arrow.batches(LAYOUTS["ffrecord"].open(RECORDS), [[5, 6], [7]])
    with duckdb.connect() as connection:
        connection.register("wanted", other)
        rows = connection.execute("SELECT number FROM stream JOIN wanted USING (record) ORDER BY number").fetchall()
    assert rows == [(5,), (6,), (7,)]


def test_hugging_face_makes_a_data_set_of_a_table(stream):
    datasets = pytest.importorskip("datasets")
    made = datasets.Dataset(stream.to_table())
    assert made.features["record"].dtype == "large_binary"
    assert made[3] == {"record": RECORDS[3], "number": 3}


def test_octavos_own_error_is_raised_where_batches_are_iterated(damaged):
    delivered: list[int] = []
    with pytest.raises(octavo.errors.ChecksumError, match=MESSAGE) as caught:
        delivered.extend(len(batch) for batch in damaged)
    assert caught.value.record == DAMAGED
    assert delivered == [128] * 5


def test_octavos_own_error_is_raised_where_a_table_is_made(damaged):
    with pytest.raises(octavo.errors.ChecksumError, match=MESSAGE):
        damaged.to_table()
    with pytest.raises(octavo.errors.ChecksumError, match=MESSAGE):
        damaged.reader().read_all()


def test_pyarrow_tells_of_damage(damaged):
    with pytest.raises(ValueError, match=MESSAGE):
        pa.table(damaged)


def test_polars_tells_of_damage(damaged):
    polars = pytest.importorskip("polars")
    with pytest.raises(polars.exceptions.ComputeError, match=MESSAGE):
        polars.DataFrame(damaged)


def test_duckdb_tells_of_damage(damaged):  # noqa: ARG001 - the query names it
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection, pytest.raises(duckdb.Error, match=MESSAGE):
        connection.execute("SELECT count(DISTINCT record) FROM damaged").fetchall()

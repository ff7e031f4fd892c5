"""Parquet: a column of records that all its readers read, and columns and rows of others as records."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.errors import DamagedFileError, FormatError, NotFoundError, OptionError, RecordSizeError, UnsupportedError
from tests.convert import shelf

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def table(columns: dict[str, Any] | Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), stream, **options)
    return stream.getvalue()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.one_of(st.binary(max_size=40), st.sampled_from(shelf.HARD_RECORDS)), max_size=12))
def test_every_record_comes_back(records: list[bytes]) -> None:
    content = shelf.written("parquet", records)
    assert shelf.read("parquet", content) == records
    source = shelf.source("parquet", content)
    assert source.record_count == source.count() == len(records)
    found = pq.read_table(io.BytesIO(content))
    assert found.column("record").to_pylist() == records
    assert found.schema.field("record") == pa.field("record", pa.binary(), nullable=False)


def test_records_of_megabytes_come_back() -> None:
    records = [bytes([number]) * (5 << 20) for number in range(4)] + [b"small"]
    content = shelf.written("parquet", records)
    assert shelf.read("parquet", content) == records
    blocks = list(shelf.source("parquet", content).blocks())
    assert [len(block.records) for block in blocks] == [1, 1, 1, 1, 1]


def test_groups_of_rows_are_bounded_and_those_before_a_part_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("octavo._convert._parquet._GROUP_BYTES", 1000)
    records = [random.Random(number).randbytes(90) for number in range(100)]
    content = shelf.written("parquet", records)
    metadata = pq.ParquetFile(io.BytesIO(content)).metadata
    sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    assert sizes[:2] == [14, 14]
    # The first groups are destroyed: whoever reads them fails.
    damaged = b"PAR1" + b"\xff" * 1000 + content[1004:]
    with pytest.raises(DamagedFileError):
        shelf.read("parquet", damaged)
    assert shelf.read("parquet", damaged, 90, 95) == records[90:95]
    for start, stop in ((0, 3), (13, 15), (14, 28), (27, None), (99, 100), (100, None), (5, 5)):
        assert shelf.read("parquet", content, start, stop) == records[start:stop]


def test_a_value_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("octavo._convert._parquet._MOST_VALUE_BYTES", 10)
    with pytest.raises(RecordSizeError, match=r"a record has 11 bytes; .* at most 10"):
        shelf.written("parquet", [b"x" * 10, b"x" * 11])


def test_other_programs_read_what_is_written(tmp_path: Path) -> None:
    records = [b"\xff\0", b"", b"text"]
    path = shelf.write("parquet", tmp_path / "x.parquet", records, column="data")
    assert pq.ParquetFile(path).metadata.row_group(0).column(0).compression == "ZSTD"
    polars = pytest.importorskip("polars")
    assert polars.read_parquet(path)["data"].to_list() == records
    duckdb = pytest.importorskip("duckdb")
    assert [bytes(row[0]) for row in duckdb.sql(f"select data from '{path}'").fetchall()] == records
    datasets = pytest.importorskip("datasets")
    found = datasets.Dataset.from_parquet(str(path), cache_dir=str(tmp_path / "cache"))
    assert [row["data"] for row in found] == records


TYPES = ["binary", "large_binary", "binary_view", "string", "large_string", "string_view"]


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("use_dictionary", [True, False])
def test_a_single_column_of_bytes_or_text_is_records(name: str, *, use_dictionary: bool) -> None:
    values = pa.array(["ä", "", "ä", "b"] * 100).cast(pa.binary()).cast(getattr(pa, name)())
    records = ["ä".encode(), b"", "ä".encode(), b"b"] * 100
    assert shelf.read("parquet", table({"x": values}, use_dictionary=use_dictionary)) == records


def test_bytes_of_one_size_and_dictionaries_are_records_too() -> None:
    assert shelf.read("parquet", table({"x": pa.array([b"abc", b"def"], pa.binary(3))})) == [b"abc", b"def"]
    assert shelf.read("parquet", table({"x": pa.array(["a", "b", "a"]).dictionary_encode()})) == [b"a", b"b", b"a"]


COLUMNS = {
    "id": pa.array([1, 2**63 - 1, -3]),
    "text": ["é", "", 'q"'],
    "none": pa.array([None, "x", None]),
    "half": pa.array([0.5, 1e300, float("nan")]),
    "yes": [True, False, None],
    "list": [[1, None], [], None],
    "deep": [{"a": [{"b": "ü"}]}, {"a": []}, None],
}
ROWS = [
    '{"id":1,"text":"é","none":null,"half":0.5,"yes":true,"list":[1,null],"deep":{"a":[{"b":"ü"}]}}',
    '{"id":9223372036854775807,"text":"","none":"x","half":1e+300,"yes":false,"list":[],"deep":{"a":[]}}',
    '{"id":-3,"text":"q\\"","none":null,"half":NaN,"yes":null,"list":null,"deep":null}',
]


def test_rows_of_several_columns_are_json_objects() -> None:
    records = shelf.read("parquet", table(COLUMNS))
    assert [record.decode() for record in records] == ROWS
    assert list(json.loads(records[0])) == list(COLUMNS)


def test_many_rows_come_in_order() -> None:
    content = table({"a": range(20_000), "b": [str(number % 7) for number in range(20_000)]}, row_group_size=3_000)
    expected = [b'{"a":%d,"b":"%d"}' % (number, number % 7) for number in range(20_000)]
    assert shelf.read("parquet", content) == expected
    for start in (0, 63, 64, 2_999, 3_000, 17_777):
        assert shelf.read("parquet", content, start, start + 70) == expected[start : start + 70]


def test_a_single_column_of_numbers_gives_rows() -> None:
    assert shelf.read("parquet", table({"n": [1, 2]})) == [b'{"n":1}', b'{"n":2}']


@pytest.mark.parametrize(
    ("column", "records"),
    [
        ("text", ["é", "", 'q"']),
        ("id", ["1", "9223372036854775807", "-3"]),
        ("half", ["0.5", "1e+300", "NaN"]),
        ("bytes", ["A", "B", "C"]),
        ("image.bytes", ["1", "2", "3"]),
        ("image.size.w", ["7", "8", "9"]),
        ("dot.ted", ["x", "y", "z"]),
    ],
)
def test_a_column_can_be_chosen(column: str, records: list[str]) -> None:
    image = [{"bytes": b"%d" % n, "path": None, "size": {"w": n + 6}} for n in (1, 2, 3)]
    columns = COLUMNS | {"bytes": [b"A", b"B", b"C"], "image": image, "dot.ted": ["x", "y", "z"]}
    assert shelf.read("parquet", table(columns), column=column) == [record.encode() for record in records]


def test_columns_that_are_not_json_ask_for_a_choice() -> None:
    content = table({"a": [1], "b": [b"x"], "when": pa.array([0], pa.timestamp("ms"))})
    expected = r"choose the column that is the record: 'a' \(int64\), 'b' \(binary\), 'when' \(timestamp\[ms\]\)"
    with pytest.raises(OptionError, match=expected):
        shelf.source("parquet", content)
    with pytest.raises(OptionError, match=r"no column 'c', but: 'a' \(int64\)"):
        shelf.source("parquet", content, column="c")
    with pytest.raises(OptionError, match=r"column 'when' of type timestamp\[ms\] cannot be a record"):
        shelf.source("parquet", content, column="when")
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(OptionError, match="choose the column"):
        shelf.source("parquet", table(twice))


def test_a_null_names_row_and_column() -> None:
    content = table({"a": ["x"] * 5_000 + [None], "b": [1] * 5_001}, row_group_size=2_000)
    with pytest.raises(FormatError, match="row 5000: column 'a' is null"):
        shelf.read("parquet", content, column="a")
    with pytest.raises(FormatError, match="row 5000: column 'a' is null"):
        shelf.read("parquet", content, 4_999, column="a")
    assert len(shelf.read("parquet", content, 0, 5_000, column="a")) == 5_000
    with pytest.raises(FormatError, match=r"row 1: column 's\.x' is null"):
        shelf.read("parquet", table({"s": [{"x": "1"}, None]}), column="s.x")


def test_text_that_is_not_utf8_is_named() -> None:
    wrong = pa.StringArray.from_buffers(2, pa.array([0, 1, 2], pa.int32()).buffers()[1], pa.py_buffer(b"a\xff"))
    content = table({"a": wrong, "b": [1, 2]})
    with pytest.raises(FormatError, match="rows 0 to 1 cannot be JSON"):
        shelf.read("parquet", content)
    assert shelf.read("parquet", content, column="a") == [b"a", b"\xff"]


def test_shards_are_read_one_after_the_other(tmp_path: Path) -> None:
    paths = []
    for shard in range(4):
        paths.append(tmp_path / f"{shard}.parquet")
        paths[-1].write_bytes(table({"x": pa.array([f"{shard}"] * shard, pa.string())}))
    source = shelf.source("parquet", paths)
    assert source.record_count == 6
    assert source.total_bytes == sum(path.stat().st_size for path in paths)
    assert [block.records for block in source.blocks()] == [[b"1", b"2", b"2", b"3", b"3", b"3"]]
    assert [block.records for block in source.blocks(2, 5)] == [[b"2", b"3", b"3"]]
    paths[2].write_bytes(table({"y": ["other"]}))
    with pytest.raises(OptionError, match=r"2\.parquet: there is no column 'x'"):
        shelf.source("parquet", paths, column="x")


def test_values_that_repeat_are_read_a_few_at_a_time() -> None:
    content = table({"x": [b"x" * (1 << 20)] * 200})
    blocks = list(shelf.source("parquet", content).blocks())
    assert len(content) < 3 << 20
    assert [len(block.records) for block in blocks] == [4] * 50


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no parquet at all" * 10, b"PAR1" + b"\xff" * 100 + b"PAR1"])
def test_other_bytes_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.parquet").write_bytes(content)
    with pytest.raises(DamagedFileError, match=r"x\.parquet: cannot be read as Parquet"):
        shelf.source("parquet", tmp_path / "x.parquet")


def test_a_cut_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(shelf.written("parquet", [b"x"] * 100)[:-20])
    with pytest.raises(DamagedFileError):
        shelf.source("parquet", tmp_path / "x.parquet")


def test_missing_files_pipes_and_wrong_options_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"none\.parquet"):
        shelf.source("parquet", tmp_path / "none.parquet")
    with pytest.raises(UnsupportedError, match="<pipe>: Parquet is read from its end"):
        shelf.source("parquet", shelf.Once(b""))
    with pytest.raises(OptionError, match="parquet has no such options: layout"):
        shelf.source("parquet", b"", layout="files")
    with pytest.raises(OptionError, match="parquet has no such options: suffix"):
        shelf.write("parquet", tmp_path / "x.parquet", [], suffix=".x")

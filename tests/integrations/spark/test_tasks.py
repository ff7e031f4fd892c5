"""What the driver and the tasks do with their part, without Spark around them."""

from __future__ import annotations

import pickle
from typing import Any, cast

import pytest

import octavo
from octavo.errors import AlreadyExistsError, OctavoError, OptionError, RecordTypeError, UnsupportedError
from tests.unit.layouts import GROUPED, LAYOUTS, RECORDIO

pytest.importorskip("pyspark.sql.datasource", reason="PySpark is not installed: pip install 'octavo[spark]'")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'octavo[arrow]'")

RECORDS = [b"record %d" % number for number in range(100)]


def reader(location: Any, schema: str = "record", **options: str) -> Any:
    from pyspark.sql.types import BinaryType, LongType, StringType, StructType

    from octavo.integrations.spark import RecordDataSource

    kinds = {"record": BinaryType(), "number": LongType(), "path": StringType()}
    asked = StructType()
    for name in schema.split():
        asked.add(name, kinds[name])
    return RecordDataSource({"path": str(location), **options}).reader(asked)


def test_tasks_begin_where_chunks_do(tmp_path):
    path = GROUPED.write(tmp_path / "records", RECORDS)
    tasks = [one.value for one in reader(path, max_records="30").partitions()]
    assert [(task.start, task.stop) for task in tasks] == [(0, 28), (28, 56), (56, 84), (84, 100)]


def test_tasks_are_cut_by_bytes(tmp_path):
    path = LAYOUTS["ffrecord"].write(tmp_path / "records", RECORDS)
    size = path.stat().st_size
    assert len(reader(path).partitions()) == 1
    assert len(reader(path, partition_bytes=str(size // 4)).partitions()) in {4, 5}


def test_a_task_is_small_and_knows_its_files_only(tmp_path):
    for number in range(20):
        RECORDIO.write(tmp_path / f"file-{number:02d}", RECORDS)
    task = reader(tmp_path, partitions="20").partitions()[7]
    assert task.value.paths == (str(tmp_path / "file-07.recordio"),)
    assert len(pickle.dumps(task)) < 1000


def test_batches_are_bounded_and_of_the_types_that_spark_wants(tmp_path):
    path = RECORDIO.write(tmp_path / "records", RECORDS)
    source = reader(path, "number record", batch_size="30")
    (task,) = source.partitions()
    batches = list(pickle.loads(pickle.dumps(source)).read(pickle.loads(pickle.dumps(task))))
    assert [len(batch) for batch in batches] == [30, 30, 30, 10]
    assert batches[0].schema == pa.schema([("number", pa.int64()), ("record", pa.binary())])
    assert pa.Table.from_batches(batches)["record"].to_pylist() == RECORDS
    small = list(reader(path, batch_bytes="100").read(task))
    assert max(sum(map(len, batch["record"].to_pylist())) for batch in small) <= 100


def test_what_cannot_be_partitioned_is_an_error_that_spark_does_not_swallow(tmp_path):
    source = reader(tmp_path)
    source._location = GROUPED.encode(RECORDS)
    with pytest.raises(OctavoError, match="only files can be partitioned") as caught:
        source.partitions()
    assert not isinstance(caught.value, NotImplementedError)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"partitions": "x"}, "option partitions is a whole number, not 'x'"),
        ({"partitions": "0"}, r"partitions is 0; allowed are integers in the range \[1\.\."),
        ({"partitions": "1", "max_records": "2"}, "only one can be given, not partitions, max_records"),
        ({"partition_bytes": "0"}, "partition_bytes is 0"),
        ({"partition_bytes": "many"}, "partition_bytes"),
        ({"batch_size": "0"}, r"batch_size is 0; allowed are integers in the range \[1\.\."),
        ({"batch_bytes": "abc"}, "batch_bytes"),
        ({"check_data": "maybe"}, "option check_data is true or false, not 'maybe'"),
        ({"codec": "zstd"}, "reading records has no option codec; options are: format, check_data, io, "),
    ],
)
def test_wrong_options_are_named(tmp_path, options, message):
    path = RECORDIO.write(tmp_path / "records", RECORDS)
    with pytest.raises(OptionError, match=message):  # in the driver: no task has begun
        reader(path, **options).partitions()


def test_files_are_named_as_urls_too(tmp_path):
    path = RECORDIO.write(tmp_path / "a b", RECORDS)
    for url in (path.as_uri(), path.as_uri().replace("file:///", "file:/"), f"file://localhost{path}"):
        assert reader(url).partitions()[0].value.paths == (str(path),)


def test_what_only_this_process_has_is_not_written_to():
    with pytest.raises(UnsupportedError, match="tasks run in others"):
        writer("memory://nobody/out")


def test_a_schema_without_columns_is_an_error(tmp_path):
    with pytest.raises(OptionError, match="one or more of"):
        reader(tmp_path, "")
    with pytest.raises(OptionError, match="record binary, record binary"):
        reader(tmp_path, "record record")


def writer(folder: Any, columns: str = "string", *, overwrite: bool = False, **options: str) -> Any:
    from pyspark.sql.types import BinaryType, LongType, StringType, StructType

    from octavo.integrations.spark import RecordDataSource

    kinds = {"string": StringType(), "binary": BinaryType(), "bigint": LongType()}
    schema = StructType()
    for number, kind in enumerate(columns.split()):
        schema.add(f"column_{number}", kinds[kind])
    return RecordDataSource({"path": str(folder), **options}).writer(schema, overwrite)


@pytest.mark.parametrize("columns", ["", "bigint", "string binary"])
def test_columns_that_are_no_records_are_an_error(tmp_path, columns):
    with pytest.raises(RecordTypeError, match=r"one column, binary or string, not \("):
        writer(tmp_path / "out", columns)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"colour": "green"}, "writing records has no option colour; options are: format, codec, "),
        ({"format": "parquet"}, "format 'parquet' is none of: ffrecord, array_record, "),
        ({"codec": "zstd:99"}, "zstd"),
        ({"format": "ffrecord", "codec": "zstd"}, "ffrecord has no such options: codec"),
        ({"group_size": "many"}, "option group_size is a whole number, not 'many'"),
        ({"prefix": "a/b"}, "prefix 'a/b' cannot be part of a file's name"),
        ({"folder": ""}, r"no path was given: save\("),
    ],
)
def test_wrong_options_are_an_error_before_anything_is_written(tmp_path, options, message):
    for overwrite in (False, True):
        with pytest.raises(OptionError, match=message):
            writer(**{"folder": tmp_path / "out", "overwrite": overwrite, **options})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_file_in_place_of_the_folder_is_an_error(tmp_path, overwrite):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(AlreadyExistsError, match="this is a file"):
        writer(tmp_path / "out", overwrite=overwrite)
    assert (tmp_path / "out").read_text() == "mine"


def test_what_a_killed_driver_has_left_is_cleaned_up(tmp_path):
    from octavo.integrations.spark import clean_up

    (tmp_path / "notes.txt").write_text("mine")
    writer(tmp_path, overwrite=True)
    assert len(list(tmp_path.iterdir())) == 2
    assert len(clean_up(tmp_path)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_every_option_of_open_and_create_is_known():
    import inspect

    from octavo.integrations.spark._options import reading_options, writing_options

    values = {"bool": "true", "int": "7", "bool | None": "false", "int | None": "7"}
    for function, parse, without in (
        (octavo.open, reading_options, ["location"]),
        (octavo.create, writing_options, ["path", "overwrite"]),
    ):
        options = {name: one.annotation for name, one in inspect.signature(cast("Any", function)).parameters.items()}
        for name, kind in options.items():
            if name not in without:
                expected = {"true": True, "false": False, "7": 7, "text": "text"}[values.get(kind, "text")]
                assert parse({"path": "x", name: values.get(kind, "text")})[0] == {name: expected}

"""Reading with Spark: what `load` takes, what rows consist of, and what users are told when it fails."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.unit.layouts import FFRECORD, GROUPED, LAYOUTS, RECORDIO, TFRECORD

RECORDS = [b"record %d" % number for number in range(100)]


def load(spark, *paths, schema=None, **options):
    reader = spark.read.format("octavo").options(**options)
    return (reader.schema(schema) if schema else reader).load(paths[0] if len(paths) == 1 else list(paths))


def values(frame) -> list[Any]:
    return [row[0] for row in frame.collect()]


@pytest.fixture
def shards(tmp_path):
    for number in range(4):
        RECORDIO.write(tmp_path / f"train-{number:05d}-of-00004", RECORDS[25 * number : 25 * number + 25])
    return tmp_path


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_records_of_every_format_come_in_order(spark, tmp_path, layout):
    path = layout.write(tmp_path / "records", RECORDS)
    frame = load(spark, str(path), partitions=2, **layout.hint)
    assert frame.dtypes == [("record", "binary")]
    assert values(frame) == RECORDS


@pytest.mark.parametrize("typed", ["", "/train-*", "/train@4.recordio"], ids=["folder", "glob", "shards"])
def test_load_takes_what_open_takes(spark, shards, typed):
    assert values(load(spark, f"{shards}{typed}")) == RECORDS


def test_load_takes_several_paths_and_urls_of_files(spark, shards):
    paths = [f"file:{shards}/train-00003-of-00004.recordio", f"file://{shards}/train-0000[01]*", f"{shards}/*2-of-*"]
    assert values(load(spark, *paths)) == RECORDS[75:] + RECORDS[:50] + RECORDS[50:75]


def test_a_schema_asks_for_numbers_and_paths(spark, shards):
    frame = load(spark, str(shards), schema="path string, number bigint, record string", partitions=3)
    rows = [(Path(path).name, number, text) for path, number, text in frame.collect()]
    names = [f"train-{number // 25:05d}-of-00004.recordio" for number in range(100)]
    assert rows == list(zip(names, range(100), (record.decode() for record in RECORDS), strict=True))


def test_numbers_and_paths_can_be_had_without_records(spark, shards):
    frame = load(spark, str(shards), schema="number bigint not null, path string")
    counts = {Path(path).name: count for path, count in frame.groupBy("path").count().collect()}
    assert counts == {f"train-{number:05d}-of-00004.recordio": 25 for number in range(4)}
    assert values(load(spark, str(shards), schema="number bigint")) == list(range(100))


def test_one_task_for_each_partition(spark, shards):
    assert load(spark, str(shards)).rdd.getNumPartitions() == 1
    assert load(spark, str(shards), partitions=3).rdd.getNumPartitions() == 3
    assert load(spark, str(shards), max_records=25).rdd.getNumPartitions() == 4


def test_a_data_set_without_records_has_no_rows(spark, tmp_path):
    assert values(load(spark, str(TFRECORD.write(tmp_path / "empty", [])))) == []


def test_a_view_in_sql(spark, shards):
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW train USING octavo OPTIONS (path '{shards}', max_records 25)")
    assert spark.sql("SELECT count(*) FROM train WHERE record LIKE '%7'").first()[0] == 10
    spark.catalog.dropTempView("train")


def test_a_limit_reads_the_first_rows(spark, shards):
    assert values(load(spark, str(shards), partitions=4).limit(3)) == RECORDS[:3]


def test_large_types_of_arrow_change_nothing(spark, shards):
    spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
    try:
        assert values(load(spark, str(shards))) == RECORDS
    finally:
        spark.conf.unset("spark.sql.execution.arrow.useLargeVarTypes")


def failure(frame) -> str:
    from pyspark.errors import PySparkException

    with pytest.raises(PySparkException) as caught:
        frame.collect()
    return str(caught.value)


def test_a_damaged_record_is_named(spark, tmp_path):
    path = FFRECORD.write(tmp_path / "records", RECORDS)
    path.write_bytes(path.read_bytes().replace(b"record 50", b"record -1"))
    message = failure(load(spark, str(path)))
    assert "octavo.errors.ChecksumError" in message
    assert str(path) in message


def test_a_damaged_file_is_named(spark, tmp_path):
    path = GROUPED.write(tmp_path / "records", RECORDS)
    path.write_bytes(path.read_bytes()[:-100])
    message = failure(load(spark, str(path)))
    assert "octavo.errors." in message
    assert str(path) in message


def test_a_path_that_is_not_there_is_named(spark, tmp_path):
    assert "octavo.errors.NotFoundError" in failure(load(spark, f"{tmp_path}/none-*.ffr"))


def test_unknown_options_are_named(spark, shards):
    message = failure(load(spark, str(shards), colour="green"))
    assert "octavo.errors.OptionError: reading records has no option colour; options are: format, " in message


def test_a_path_must_be_given(spark):
    assert "no path was given" in failure(spark.read.format("octavo").load())


def test_unknown_columns_are_named(spark, shards):
    assert "(record int) cannot be read" in failure(load(spark, str(shards), schema="record int"))


def test_options_reach_open(spark, tmp_path):
    path = shutil.move(LAYOUTS["recordio"].write(tmp_path / "records", RECORDS), tmp_path / "nameless")
    assert values(load(spark, str(path), format="recordio", check_data="false", cache_bytes="1MB")) == RECORDS

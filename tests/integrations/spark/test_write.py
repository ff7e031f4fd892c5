"""Writing with Spark: files appear together under final names, and nothing is left of jobs that fail."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import octavo

RECORDS = [b"record %d" % number for number in range(100)]
FORMATS: dict[str, tuple[str, dict[str, Any]]] = {
    "array_record": ("array_record", {"codec": "zstd:3", "group_size": 7}),
    "ffrecord": ("ffr", {}),
    "recordio": ("recordio", {"max_chunk_bytes": "1KB", "sidecar": True}),
    "riegeli": ("riegeli", {"codec": "snappy"}),
    "tfrecord": ("tfrecord.gz", {"codec": "gzip"}),
}


def frame_of(spark, records, tasks=1):
    rows = spark.sparkContext.parallelize([(bytearray(record),) for record in records], tasks)
    return spark.createDataFrame(rows, "payload binary")


def save(frame, folder, mode="append", **options):
    frame.write.format("octavo").options(**options).mode(mode).save(str(folder))


def names(folder) -> list[str]:
    return sorted(os.listdir(folder))


@pytest.fixture
def records(spark):
    return frame_of(spark, RECORDS, 3)


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_written_in_any_format_is_read_again_in_order(spark, records, tmp_path, format):
    suffix, options = FORMATS[format]
    save(records, tmp_path / "out", "overwrite", format=format, **options)
    files = [name for name in names(tmp_path / "out") if not name.endswith(".octx")]
    assert files == [f"part-{number:05d}-of-00003.{suffix}" for number in range(3)]
    assert octavo.open(tmp_path / "out" / f"part@3.{suffix}").read_all() == RECORDS
    assert [row[0] for row in spark.read.format("octavo").load(str(tmp_path / "out")).collect()] == RECORDS


def test_options_reach_the_files(records, tmp_path):
    save(records, tmp_path, codec="brotli:2", group_size=8, prefix="train")
    info = octavo.open(tmp_path).info
    assert (info.format, info.codec, info.level, info.group_size) == ("array_record", "brotli", 2, 8)
    assert all(name.startswith("train-") for name in names(tmp_path))
    save(records, tmp_path, "overwrite", format="recordio", sidecar="true")
    assert octavo.open(tmp_path).info.sidecar


def test_append_adds_files_behind_those_that_are_there_in_their_format(spark, tmp_path):
    save(frame_of(spark, [b"a", b"b"], 2), tmp_path, "overwrite", format="riegeli")
    save(frame_of(spark, [b"c"]), tmp_path)
    save(frame_of(spark, [b"d", b"e"], 2), f"file://{tmp_path}")
    assert octavo.open(tmp_path).read_all() == [b"a", b"b", b"c", b"d", b"e"]
    assert "recordio files cannot be appended" in failure(frame_of(spark, [b"f"]), tmp_path, format="recordio")


def test_overwrite_replaces_record_files_and_nothing_else(spark, records, tmp_path):
    save(records, tmp_path, format="recordio", sidecar=True)
    (tmp_path / "notes.txt").write_text("mine")
    save(frame_of(spark, [b"new"]), tmp_path, "overwrite")
    assert names(tmp_path) == ["notes.txt", "part-00000-of-00001.array_record"]
    assert octavo.open(tmp_path).read_all() == [b"new"]


def test_a_data_set_can_be_overwritten_with_what_is_read_from_it(spark, records, tmp_path):
    save(records, tmp_path, "overwrite")
    frame = spark.read.format("octavo").load(str(tmp_path))
    save(frame.where("record LIKE '%7'"), tmp_path, "overwrite")
    assert octavo.open(tmp_path).read_all() == [record for record in RECORDS if record.endswith(b"7")]


def test_tasks_without_rows_write_no_file(records, tmp_path):
    save(records.where("payload LIKE '%9_'"), tmp_path)
    assert len(names(tmp_path)) == 1
    assert octavo.open(tmp_path).read_all() == RECORDS[90:]


def test_a_frame_without_rows_leaves_a_file_without_records(records, tmp_path):
    nothing = records.where("false")
    save(nothing, tmp_path / "new")
    assert len(octavo.open(tmp_path / "new")) == 0
    assert len(names(tmp_path / "new")) == 1
    save(records, tmp_path / "old")
    before = names(tmp_path / "old")
    save(nothing, tmp_path / "old")
    assert names(tmp_path / "old") == before
    save(nothing, tmp_path / "old", "overwrite")
    assert len(octavo.open(tmp_path / "old")) == 0


def test_text_is_written_as_utf_8(spark, tmp_path):
    save(spark.sql("SELECT explode(array('héllo', '', '☃')) AS text"), tmp_path)
    assert octavo.open(tmp_path).read_all() == ["héllo".encode(), b"", "☃".encode()]


def test_large_types_of_arrow_change_nothing(spark, records, tmp_path):
    spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
    try:
        save(records, tmp_path)
    finally:
        spark.conf.unset("spark.sql.execution.arrow.useLargeVarTypes")
    assert octavo.open(tmp_path).read_all() == RECORDS


def failure(frame, folder, mode="append", **options) -> str:
    from pyspark.errors import PySparkException

    with pytest.raises(PySparkException) as caught:
        save(frame, folder, mode, **options)
    return str(caught.value)


def test_nulls_are_an_error_and_leave_nothing(spark, tmp_path):
    frame = spark.sql("SELECT IF(id = 13, NULL, CAST(id AS STRING)) AS text FROM range(0, 50, 1, 2)")
    message = failure(frame, tmp_path / "a" / "b")
    assert "octavo.errors.RecordTypeError: row 13 of this task is null" in message
    assert names(tmp_path) == []


def test_what_cannot_be_written_is_an_error_before_anything_is_written(spark, records, tmp_path):
    message = failure(spark.range(3), tmp_path / "out")
    assert "RecordTypeError: a frame to write has one column, binary or string, not (id bigint)" in message
    assert "OptionError: writing records has no option colour" in failure(records, tmp_path / "out", colour="green")
    assert names(tmp_path) == []


@pytest.mark.parametrize("when", ["while writing", "before writing"])
def test_a_job_that_fails_leaves_everything_as_it_was(records, tmp_path, when):
    save(records, tmp_path / "old", "overwrite")
    failing = records.selectExpr("IF(payload = 'record 77', raise_error('no'), payload) AS payload")
    if when == "before writing":
        failing = failing.repartition(2)  # Spark then fails before it asks for anything to be written
    for folder, mode in (("old", "overwrite"), ("new", "append")):
        assert "[USER_RAISED_EXCEPTION] no" in failure(failing, tmp_path / folder, mode)
    assert names(tmp_path) == ["old"]
    assert len(names(tmp_path / "old")) == 3
    assert octavo.open(tmp_path / "old").read_all() == RECORDS


def test_a_commit_that_fails_leaves_nothing(records, tmp_path):
    folder = Path(tmp_path / "out")
    (folder / "part-00002-of-00003.array_record").mkdir(parents=True)  # no file can have this name now
    assert "cannot publish" in failure(records, folder, "overwrite")
    assert names(folder) == ["part-00002-of-00003.array_record"]

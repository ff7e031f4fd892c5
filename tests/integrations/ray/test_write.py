"""`write_records`: files that appear together, or not at all."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest
import ray

import octavo
from octavo.errors import (
    AlreadyExistsError,
    NotFoundError,
    OptionError,
    RecordTypeError,
    StorageError,
    UnsupportedError,
)
from octavo.integrations.ray import RecordDatasink, clean_up, write_records
from octavo.integrations.ray._records import records_of

RECORDS = [f"record {number} ".encode() * (number % 7) for number in range(900)]
FORMATS = ["ffrecord", "array_record", "riegeli", "recordio", "tfrecord"]
pytestmark = pytest.mark.filterwarnings(r"ignore::DeprecationWarning:ray\.data\.context")


def dataset_of(records=RECORDS, blocks=3, kind=None):
    pieces = [records[start::blocks] for start in range(blocks)]
    return ray.data.from_arrow([pa.table({"record": pa.array(piece, kind or pa.binary())}) for piece in pieces])


def everything_in(folder):
    return sorted(
        os.path.relpath(os.path.join(above, name), folder) for above, _, names in os.walk(folder) for name in names
    )


@pytest.mark.usefixtures("_in_order")
@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_written_in_order(tmp_path, format):
    paths = write_records(dataset_of(), tmp_path / "out", format=format)
    assert octavo.open(tmp_path / "out").info.format == format
    assert octavo.open(tmp_path / "out").read_all() == RECORDS[::3] + RECORDS[1::3] + RECORDS[2::3]
    assert [os.path.basename(path) for path in paths] == everything_in(tmp_path / "out")
    assert os.path.basename(paths[1]).startswith("part-00001-of-00003.")


def test_options_reach_the_files(tmp_path):
    write_records(dataset_of(), tmp_path, format="array_record", codec="brotli:3", group_size=7, prefix="train")
    info = octavo.open(tmp_path / "train@3.array_record").info
    assert (info.codec, info.group_size) == ("brotli", 7)


def test_compressed_tfrecord_files_are_called_so(tmp_path):
    write_records(dataset_of(blocks=1), tmp_path, format="tfrecord", codec="gzip")
    assert everything_in(tmp_path) == ["part-00000-of-00001.tfrecord.gz"]
    assert octavo.open(tmp_path).read_all() == RECORDS


def test_sidecars_come_along(tmp_path):
    write_records(dataset_of(blocks=2), tmp_path, format="recordio", sidecar=True)
    assert len([name for name in everything_in(tmp_path) if name.endswith(".octx")]) == 2
    assert octavo.open(tmp_path).info.sidecar


def test_blocks_are_gathered_into_larger_files(tmp_path):
    assert len(write_records(dataset_of(blocks=9), tmp_path, format="ffrecord", min_rows_per_file=300)) == 3
    assert sorted(octavo.open(tmp_path)) == sorted(RECORDS)


@pytest.mark.parametrize("kind", [pa.large_binary(), pa.binary(4)], ids=str)
def test_every_binary_type_is_taken(tmp_path, kind):
    records = [f"{number:04d}".encode() for number in range(50)]
    write_records(dataset_of(records, blocks=1, kind=kind), tmp_path, format="ffrecord")
    assert octavo.open(tmp_path).read_all() == records


def test_a_slice_of_a_table_is_written_alone(tmp_path):
    table = pa.table({"record": pa.array(RECORDS, pa.binary())}).slice(100, 50)
    write_records(ray.data.from_arrow(table), tmp_path, format="ffrecord")
    assert octavo.open(tmp_path).read_all() == RECORDS[100:150]


def test_a_map_that_makes_the_column_runs_in_the_same_task(tmp_path):
    dataset = ray.data.range(40).materialize().map(lambda row: {"made": str(row["id"]).encode()})
    write_records(dataset, tmp_path, format="ffrecord", column="made")
    assert sorted(octavo.open(tmp_path), key=int) == [str(number).encode() for number in range(40)]


def test_rows_of_pandas(tmp_path):
    pandas = pytest.importorskip("pandas")
    write_records(ray.data.from_pandas(pandas.DataFrame({"record": [b"a", b"b"]})), tmp_path, format="ffrecord")
    assert octavo.open(tmp_path).read_all() == [b"a", b"b"]


@pytest.mark.parametrize("format", FORMATS)
def test_no_rows_are_one_file_without_records(tmp_path, format):
    write_records(dataset_of([], blocks=2), tmp_path, format=format)
    assert len(everything_in(tmp_path)) == 1
    assert len(octavo.open(tmp_path)) == 0


def test_a_data_set_without_blocks_is_one_file_without_records(tmp_path):
    write_records(ray.data.from_items([]), tmp_path, format="array_record")
    assert everything_in(tmp_path) == ["part-00000-of-00001.array_record"]


def test_files_that_are_there_are_not_touched(tmp_path):
    write_records(dataset_of([b"old"], blocks=1), tmp_path, format="ffrecord")
    with pytest.raises(AlreadyExistsError, match="record files are there already"):
        write_records(dataset_of(), tmp_path, format="ffrecord")
    with pytest.raises(AlreadyExistsError, match="record files are there already"):
        dataset_of().write_datasink(RecordDatasink(tmp_path, format="ffrecord"))
    assert octavo.open(tmp_path).read_all() == [b"old"]
    assert everything_in(tmp_path) == ["part-00000-of-00001.ffr"]


def test_overwriting_replaces_all_record_files(tmp_path):
    write_records(dataset_of(), tmp_path, format="ffrecord")
    (tmp_path / "notes.txt").write_text("kept")
    write_records(dataset_of([b"new"], blocks=1), tmp_path, format="recordio", overwrite=True)
    assert everything_in(tmp_path) == ["notes.txt", "part-00000-of-00001.recordio"]
    assert octavo.open(tmp_path).read_all() == [b"new"]


def test_a_failed_overwriting_leaves_the_old_files(tmp_path):
    write_records(dataset_of([b"old"], blocks=1), tmp_path, format="ffrecord")
    with pytest.raises(RecordTypeError):
        write_records(dataset_of([b"new", None], blocks=2), tmp_path, format="ffrecord", overwrite=True)
    assert everything_in(tmp_path) == ["part-00000-of-00001.ffr"]
    assert octavo.open(tmp_path).read_all() == [b"old"]


def test_null_is_no_record(tmp_path):
    with pytest.raises(RecordTypeError, match="'record' has null in it, first in row 1"):
        write_records(dataset_of([b"a", None], blocks=1), tmp_path / "out", format="ffrecord")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("values", "remedy"), [(["text"], "encode the text"), ([1.5], "make bytes of each row")])
def test_other_types_are_refused(tmp_path, values, remedy):
    dataset = ray.data.from_arrow(pa.table({"record": values}))
    with pytest.raises(RecordTypeError, match=remedy):
        write_records(dataset, tmp_path / "out", format="ffrecord")
    assert not (tmp_path / "out").exists()


def test_a_missing_column_is_named_with_those_that_are_there(tmp_path):
    with pytest.raises(OptionError, match="no column 'image' to write; the columns are: record"):
        write_records(dataset_of(), tmp_path / "out", format="ffrecord", column="image")
    assert not (tmp_path / "out").exists()


def test_a_function_that_fails_leaves_nothing(tmp_path):
    def fail(row):
        raise ValueError(f"no luck with {row['record'][:6]!r}")

    with pytest.raises(Exception, match="no luck with b'record'"):
        write_records(dataset_of(RECORDS[1:7]).map(fail), tmp_path / "out", format="ffrecord")
    assert not (tmp_path / "out").exists()


def test_refusals_come_before_anything_is_computed(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    cases: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"format": "ffrecord", "codec": "zstd"}, OptionError, "no such options: codec"),
        ({"format": "parquet"}, OptionError, "none of: ffrecord"),
        ({"format": "ffrecord", "prefix": "a/b"}, OptionError, "prefix"),
        ({"format": "ffrecord", "min_rows_per_file": 0}, OptionError, "min_rows_per_file"),
        ({"format": "ffrecord", "overwrite": "yes"}, RecordTypeError, "overwrite is True or False"),
        ({"format": "ffrecord", "column": 0}, RecordTypeError, "column is a text"),
        ({"format": "ffrecord", "folder": "memory://x/out"}, UnsupportedError, "tasks run in others"),
        ({"format": "ffrecord", "folder": ""}, NotFoundError, "path is empty"),
        ({"format": "ffrecord", "folder": "s3://"}, NotFoundError, "names no bucket"),
    ]
    for wrong, kind, message in cases:
        with pytest.raises(kind, match=message):
            write_records(dataset_of([b"x"], blocks=1), **{"folder": tmp_path / "out", **wrong})
    with pytest.raises(RecordTypeError, match="not list"):
        write_records([b"x"], tmp_path / "out", format="ffrecord")
    with pytest.raises(AlreadyExistsError, match="this is a file"):
        write_records(dataset_of([b"x"], blocks=1), tmp_path / "file", format="ffrecord")
    assert sorted(os.listdir(tmp_path)) == ["file"]


def test_a_sink_can_be_used_again(tmp_path):
    sink = RecordDatasink(tmp_path, format="ffrecord", overwrite=True)
    for records in ([b"first"], [b"second"]):
        dataset_of(records, blocks=1).write_datasink(sink)
        assert octavo.open(sink.paths).read_all() == records


def test_an_attempt_that_outlives_its_job_leaves_nothing(tmp_path):
    from ray.data._internal.execution.interfaces import TaskContext

    sink = RecordDatasink(tmp_path, format="ffrecord")
    sink.on_write_start()
    task = copy.copy(sink)

    def blocks():
        yield pa.table({"record": [b"x"]})
        sink.on_write_failed(RuntimeError("another task"))
        yield pa.table({"record": [b"x"]})

    with pytest.raises(StorageError):
        task.write(blocks(), TaskContext(0, "Write"))
    assert os.listdir(tmp_path) == []


def test_what_a_killed_driver_has_left_is_cleaned_up(tmp_path):
    write_records(dataset_of([b"old"], blocks=1), tmp_path, format="ffrecord")
    RecordDatasink(tmp_path, format="ffrecord", overwrite=True).on_write_start()
    assert len(os.listdir(tmp_path)) == 2
    assert len(clean_up(tmp_path)) == 1
    assert everything_in(tmp_path) == ["part-00000-of-00001.ffr"]


def test_a_suffix_that_tells_no_format(tmp_path):
    for records in ([b"a", b"b"], [b"c"]):
        options: dict[str, Any] = {"format": "ffrecord", "suffix": ".records"}
        write_records(dataset_of(records, blocks=len(records)), tmp_path, overwrite=True, **options)
        with pytest.raises(AlreadyExistsError):
            write_records(dataset_of(records), tmp_path, **options)
    assert everything_in(tmp_path) == ["part-00000-of-00001.records"]


def test_records_are_views_of_every_binary_type():
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(2)):
        table = pa.table({"x": pa.chunked_array([pa.array([b"ab", b"cd", b"ef"], kind).slice(1), pa.array([], kind)])})
        assert [bytes(record) for piece in records_of(table, "x") for record in piece] == [b"cd", b"ef"], kind


def test_without_ray_the_extra_is_named():
    code = "import sys; sys.modules['ray'] = None\nimport octavo.integrations.ray"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert "octavo.integrations.ray needs Ray Data and pyarrow: pip install 'octavo[ray]'" in ended.stderr

"""ConvertToArrayRecordGCS: one file for each source, on any file system."""

from __future__ import annotations

import inspect

import pytest

from octavo.compat.array_record.beam.dofns import ConvertToArrayRecordGCS
from tests.compat.array_record.beam.conftest import files_in

beam = pytest.importorskip("apache_beam")

RECORDS = [b"one", b"", b"three"]
SOURCE = "gs://source/folder/part.0.tfrecord"


def convert(path, records=RECORDS, source=SOURCE, **named):
    ConvertToArrayRecordGCS().process((source, records), path, **named)


def test_it_is_a_dofn_with_the_arguments_of_the_original():
    assert isinstance(ConvertToArrayRecordGCS(), beam.DoFn)
    parameters = inspect.signature(ConvertToArrayRecordGCS.process).parameters.values()
    assert [(one.name, one.default) for one in list(parameters)[3:]] == [
        ("write_dir", "/tmp/"),
        ("file_path_suffix", ".arrayrecord"),
        ("overwrite_extension", False),
    ]


@pytest.mark.parametrize(
    ("named", "name"),
    [
        ({}, "part.0.tfrecord.arrayrecord"),
        ({"overwrite_extension": True}, "part.0.arrayrecord"),
        ({"file_path_suffix": ".ar"}, "part.0.tfrecord.ar"),
        ({"file_path_suffix": ".ar", "overwrite_extension": True}, "part.0.ar"),
    ],
)
def test_the_file_is_named_after_its_source(named, name, buckets, tmp_path, read_twice):
    convert("gs://bucket/to", write_dir=str(tmp_path / "work"), **named)
    assert files_in(buckets) == [f"bucket/to/{name}"]
    assert read_twice(buckets / "bucket" / "to" / name) == RECORDS


@pytest.mark.parametrize("path", ["gs://bucket", "gs://bucket/"])
def test_a_bucket_alone_is_a_path(path, buckets, tmp_path):
    convert(path, write_dir=str(tmp_path))
    assert files_in(buckets) == ["bucket/part.0.tfrecord.arrayrecord"]


def test_local_paths_work_and_their_folder_is_made(tmp_path, read_twice):
    convert(str(tmp_path / "new" / "folder"), source="a/b.tfrecord")
    assert files_in(tmp_path) == ["new/folder/b.tfrecord.arrayrecord"]
    assert read_twice(tmp_path / "new" / "folder" / "b.tfrecord.arrayrecord") == RECORDS


def test_write_dir_is_where_the_file_is_written_and_is_empty_afterwards(buckets, tmp_path):
    work = tmp_path / "work"
    seen = []

    def records():
        yield b"record"
        seen.extend(files_in(work))

    convert("gs://bucket", records(), write_dir=str(work))
    assert len(seen) == 1
    assert files_in(buckets) == ["bucket/part.0.tfrecord.arrayrecord"]
    assert list(work.iterdir()) == []


def test_sources_of_one_name_do_not_meet_in_write_dir(buckets, tmp_path, read_twice):
    def records():
        yield b"outer"
        convert("gs://bucket/inner", [b"inner"], write_dir=str(tmp_path))

    convert("gs://bucket/outer", records(), write_dir=str(tmp_path))
    for name in ("inner", "outer"):
        assert read_twice(buckets / "bucket" / name / "part.0.tfrecord.arrayrecord") == [name.encode()]


def test_records_that_cannot_be_read_leave_nothing(buckets, tmp_path):
    def records():
        yield b"record"
        raise OSError("a bad block")

    with pytest.raises(OSError, match="a bad block"):
        convert("gs://bucket", records(), write_dir=str(tmp_path / "work"))
    assert files_in(buckets) == files_in(tmp_path / "work") == []


def test_a_failing_upload_leaves_nothing(buckets, tmp_path, monkeypatch):
    from tests.compat.array_record.beam.bucket import Bucket

    monkeypatch.setattr(Bucket, "is_broken", True)
    with pytest.raises(OSError, match="the network went away"):
        convert("gs://bucket", write_dir=str(tmp_path / "work"))
    assert files_in(buckets) == files_in(tmp_path / "work") == []

"""WriteToArrayRecord: shards, names, file systems, and what stays after a failure."""

from __future__ import annotations

import gc
import inspect
import itertools
import pickle

import pytest

import octavo
from octavo.compat.array_record.beam.arrayrecordio import WriteToArrayRecord
from tests.compat.array_record.beam.conftest import files_in

beam = pytest.importorskip("apache_beam")

RECORDS = [b"record %d" % number for number in range(40)]


def write(elements, transform, options):
    with beam.Pipeline(options=options()) as pipeline:
        _ = pipeline | beam.Create(elements) | transform


def test_it_is_a_transform_with_the_arguments_of_the_original():
    assert isinstance(WriteToArrayRecord("prefix"), beam.PTransform)
    parameters = list(inspect.signature(WriteToArrayRecord).parameters.values())
    assert [(one.name, one.default) for one in parameters[:4]] == [
        ("file_path_prefix", inspect.Parameter.empty),
        ("file_name_suffix", ""),
        ("num_shards", 0),
        ("shard_name_template", None),
    ]
    assert [one.name for one in parameters[4:]] == ["coder", "compression_type", "writer_options"]
    assert isinstance(parameters[4].default, beam.coders.coders.ToBytesCoder)
    assert parameters[5].default == beam.io.filesystem.CompressionTypes.AUTO


def test_it_travels_to_workers_by_its_octavo_name():
    assert pickle.loads(pickle.dumps(WriteToArrayRecord)) is WriteToArrayRecord
    assert WriteToArrayRecord.__module__.startswith("octavo.compat.array_record.beam")


def test_local_shards_are_files_that_the_original_reads(tmp_path, options, read_twice):
    write(RECORDS, WriteToArrayRecord(str(tmp_path / "data"), ".array_record", num_shards=3), options)
    assert files_in(tmp_path) == [f"data-0000{shard}-of-00003.array_record" for shard in range(3)]
    shards = [read_twice(path) for path in sorted(tmp_path.iterdir())]
    assert sorted(itertools.chain(*shards)) == sorted(RECORDS)
    with octavo.open(tmp_path / "*.array_record") as reader:
        assert reader.info.group_size == 1


def test_coder_template_and_writer_options_are_used(tmp_path, options, read_twice):
    transform = WriteToArrayRecord(
        str(tmp_path / "all.array_record"), shard_name_template="", writer_options="group_size:8,brotli:1"
    )
    write(range(20), transform, options)
    assert files_in(tmp_path) == ["all.array_record"]
    assert sorted(read_twice(tmp_path / "all.array_record")) == sorted(b"%d" % number for number in range(20))
    with octavo.open(tmp_path / "all.array_record") as reader:
        assert (reader.info.group_size, reader.info.codec) == (8, "brotli")


def test_a_compression_type_is_checked_and_changes_nothing(tmp_path, options, read_twice):
    with pytest.raises(TypeError, match="compression_type"):
        WriteToArrayRecord("prefix", compression_type="zip")
    write(RECORDS, WriteToArrayRecord(str(tmp_path / "data"), ".gz", 1, compression_type="gzip"), options)
    assert sorted(read_twice(tmp_path / "data-00000-of-00001.gz")) == sorted(RECORDS)


@pytest.mark.parametrize("writer_options", ["group_size:0", "gruop_size:1"])
def test_wrong_writer_options_are_told_before_anything_runs(writer_options):
    with pytest.raises(ValueError, match="size"):
        WriteToArrayRecord("prefix", writer_options=writer_options)


def test_any_other_file_system_gets_whole_files(buckets, staging, options, read_twice):
    write(RECORDS, WriteToArrayRecord("gs://bucket/folder/data", ".array_record", num_shards=2), options)
    assert files_in(buckets) == [f"bucket/folder/data-0000{shard}-of-00002.array_record" for shard in range(2)]
    assert sorted(itertools.chain(*(read_twice(buckets / name) for name in files_in(buckets)))) == sorted(RECORDS)
    assert list(staging.iterdir()) == []


@pytest.mark.parametrize("prefix", ["local", "gs://bucket"])
def test_a_record_that_cannot_be_written_leaves_no_file(prefix, tmp_path, buckets, staging, options):
    from apache_beam.coders import Coder

    class LastIsNoBytes(Coder):  # type: ignore[misc]  # Beam has no types
        def encode(self, value):
            return value if value != RECORDS[-1] else "not bytes"

    folder = tmp_path / "local" if prefix == "local" else buckets

    transform = WriteToArrayRecord(
        f"{tmp_path}/local/data" if prefix == "local" else f"{prefix}/data", coder=LastIsNoBytes()
    )
    with pytest.raises(TypeError):
        write(RECORDS, transform, options)
    assert list(staging.iterdir()) == []
    assert files_in(folder) == []


@pytest.mark.usefixtures("no_logging")
def test_an_error_elsewhere_in_the_bundle_leaves_no_file(tmp_path, buckets, staging, options):
    def give_up(record):
        if record == RECORDS[-1]:
            raise ValueError("giving up")
        return record

    for prefix in (str(tmp_path / "local" / "data"), "gs://bucket/data"):
        with pytest.raises((ValueError, RuntimeError), match="giving up"), beam.Pipeline(options=options()) as pipeline:
            _ = pipeline | beam.Create(RECORDS, reshuffle=False) | beam.Map(give_up) | WriteToArrayRecord(prefix)
        gc.collect()
    assert list(staging.iterdir()) == []
    assert files_in(buckets) == []
    assert files_in(tmp_path / "local") == []


def test_a_failing_upload_leaves_no_file(buckets, staging, options, monkeypatch):
    from tests.compat.array_record.beam.bucket import Bucket

    monkeypatch.setattr(Bucket, "is_broken", True)
    with pytest.raises(OSError, match="the network went away"):
        write(RECORDS, WriteToArrayRecord("gs://bucket/data", num_shards=1), options)
    assert list(staging.iterdir()) == []
    assert files_in(buckets) == []

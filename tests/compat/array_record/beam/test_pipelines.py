"""The pipelines, with every form of their arguments."""

from __future__ import annotations

import itertools
import sys
import types

import pytest

import octavo
from octavo.compat.array_record.beam import options as options_module
from octavo.compat.array_record.beam import pipelines
from tests.compat.array_record.beam.conftest import files_in, runner

beam = pytest.importorskip("apache_beam")


def all_records(folder):
    with octavo.open(sorted(str(path) for path in folder.iterdir()), format="array_record") as reader:
        return sorted(reader)


def test_files_on_disk_become_as_many_as_are_asked_for(tfrecords, tmp_path, options):
    args = {"input": str(tmp_path / "source" / "*"), "output": str(tmp_path / "to" / "data")}
    pipeline = pipelines.convert_tf_to_arrayrecord_disk(2, args, options())
    assert not (tmp_path / "to").exists()
    pipeline.run().wait_until_finish()
    assert files_in(tmp_path / "to") == [f"data-0000{shard}-of-00002.arrayrecord" for shard in range(2)]
    assert all_records(tmp_path / "to") == sorted(itertools.chain(*tfrecords.values()))


def test_files_on_disk_become_as_many_as_there_are(tfrecords, tmp_path, options):
    args = {"input": str(tmp_path / "source" / "*"), "output": str(tmp_path / "to" / "data")}
    pipelines.convert_tf_to_arrayrecord_disk_match_shards(args, options()).run().wait_until_finish()
    assert files_in(tmp_path / "to") == [f"data-0000{shard}-of-00003.arrayrecord" for shard in range(3)]
    assert all_records(tmp_path / "to") == sorted(itertools.chain(*tfrecords.values()))


@pytest.mark.parametrize("overwrite_extension", [False, True])
def test_each_file_becomes_one_of_its_name(overwrite_extension, tfrecords, options, buckets, read_twice):
    args = {"input": str(buckets.parent / "source" / "*"), "output": "gs://bucket/to"}
    pipeline = pipelines.convert_tf_to_arrayrecord_gcs(overwrite_extension, ".ar", args, options())
    pipeline.run().wait_until_finish()
    extension = ".ar" if overwrite_extension else ".tfrecord.ar"
    assert files_in(buckets) == [f"bucket/to/part.{i}{extension}" for i in range(3)]
    for name, records in zip(files_in(buckets), tfrecords.values(), strict=True):
        assert sorted(read_twice(buckets / name)) == sorted(records)


def test_the_documents_argument_list_and_runner(tfrecords, tmp_path, buckets, monkeypatch):
    from apache_beam.runners.portability.fn_api_runner import FnApiRunner

    dataflow = types.ModuleType("apache_beam.runners.dataflow.dataflow_runner")
    # Of another name than the real one, for which Beam would want a bucket of one's own.
    dataflow.DataflowRunner = type("StandIn", (FnApiRunner,), {})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, dataflow.__name__, dataflow)
    folder = buckets / "source-bucket" / "tfrecords"
    folder.parent.mkdir()
    (tmp_path / "source").rename(folder)
    pipeline = pipelines.convert_tf_to_arrayrecord_gcs(
        args=["--input", "gs://source-bucket/tfrecords/*", "--output", "gs://dest-bucket/arrayrecords/"],
        pipeline_options=beam.options.pipeline_options.PipelineOptions(
            ["--runner=DataflowRunner", "--project=my-project", "--region=us-central1"]
        ),
    )
    pipeline.run().wait_until_finish()
    assert files_in(buckets / "dest-bucket") == [f"arrayrecords/part.{i}.tfrecord.arrayrecord" for i in range(3)]
    assert all_records(buckets / "dest-bucket" / "arrayrecords") == sorted(itertools.chain(*tfrecords.values()))


def test_other_arguments_of_a_list_are_options_of_the_pipeline(tfrecords, tmp_path):
    args = ["--input", str(tmp_path / "source" / "*"), f"--output={tmp_path / 'to'}", "--runner", runner()]
    pipeline = pipelines.convert_tf_to_arrayrecord_gcs(args=args)
    pipeline.run().wait_until_finish()
    assert len(files_in(tmp_path / "to")) == len(tfrecords)


@pytest.mark.parametrize(
    "given",
    [
        {"pipeline_options": ["--runner", runner(), "--job_name=x"]},
        {"pipeline_options": {"runner": runner(), "job_name": "x"}},
        {"more": {"runner": runner(), "job_name": "x"}},
    ],
    ids=["list", "dictionary", "args"],
)
def test_options_of_the_pipeline_are_a_list_or_a_dictionary(given, tfrecords, tmp_path):
    args = {"input": str(tmp_path / "source" / "*"), "output": str(tmp_path / "to" / "data"), **given.pop("more", {})}
    pipeline = pipelines.convert_tf_to_arrayrecord_disk(1, args, **given)
    assert pipeline.options.get_all_options(drop_default=True)["job_name"] == "x"
    pipeline.run().wait_until_finish()
    assert all_records(tmp_path / "to") == sorted(itertools.chain(*tfrecords.values()))


def test_options_given_twice_are_an_error(options):
    with pytest.raises(ValueError, match="--project=p"):
        pipelines.convert_tf_to_arrayrecord_gcs(
            args=["--input=a", "--output=b", "--project=p"], pipeline_options=options()
        )


def test_the_command_line_is_the_default(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["script", "--input=a", "--output", "b", "--runner", runner(), "--job_name=x"])
    assert pipelines.def_args == {"input": "a", "output": "b"}
    assert pipelines.def_args is pipelines.def_args
    assert pipelines.def_pipeline_options.get_all_options(drop_default=True)["job_name"] == "x"
    pipeline = pipelines.convert_tf_to_arrayrecord_gcs()
    assert pipeline.options.get_all_options(drop_default=True)["job_name"] == "x"
    arguments, _ = options_module.get_arguments()
    assert arguments == pipelines.def_args
    monkeypatch.setattr(sys, "argv", ["script"])
    assert pipelines.def_args == {"input": None, "output": None}


def test_a_missing_output_is_told(options, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["script"])
    with pytest.raises(ValueError, match="--input is missing"):
        pipelines.convert_tf_to_arrayrecord_gcs(pipeline_options=options())
    with pytest.raises(ValueError, match="--output is missing"):
        pipelines.convert_tf_to_arrayrecord_gcs(args=["--input=a"], pipeline_options=options())


def test_no_files_are_told_before_anything_runs(tmp_path, options):
    args = {"input": str(tmp_path / "nothing*"), "output": str(tmp_path / "to")}
    for make in (pipelines.convert_tf_to_arrayrecord_disk, pipelines.convert_tf_to_arrayrecord_disk_match_shards):
        with pytest.raises(OSError, match="No files found"):
            make(args=args, pipeline_options=options())

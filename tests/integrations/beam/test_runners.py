"""The same pipeline on every runner that can be had: from one format to another, each record once."""

from __future__ import annotations

import os

import pytest

beam = pytest.importorskip("apache_beam")

from octavo.integrations.beam import ReadAllFromRecords, ReadFromRecords, WriteToRecords  # noqa: E402 - where Beam is
from tests.integrations.beam.samples import FORMATS, names_in, read_all, records_of, write, write_as  # noqa: E402

RUNNERS = ["options", "prism", "dask"]


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("num_shards", [0, 3])
def test_records_go_from_format_to_format(runner, num_shards, tmp_path, request):
    (tmp_path / "to").mkdir()
    for shard in range(3):
        write(tmp_path / f"from-{shard}.recordio", records_of(100, str(shard)), group_size=4)
    expected = sorted(record for shard in range(3) for record in records_of(100, str(shard)))
    with beam.Pipeline(options=request.getfixturevalue(runner)()) as pipeline:
        _ = (
            pipeline
            | ReadFromRecords(str(tmp_path / "from-*"), desired_bundle_size=500)
            | WriteToRecords(tmp_path / "to" / "data", ".array_record", num_shards, group_size=2)
        )
    assert read_all(tmp_path / "to") == expected
    assert len(names_in(tmp_path / "to")) == num_shards or num_shards == 0
    assert all(name.startswith("data-") for name in os.listdir(tmp_path / "to"))


@pytest.mark.parametrize("runner", RUNNERS)
def test_names_of_files_come_with_their_records(runner, tmp_path, request):
    (tmp_path / "to").mkdir()
    paths = [write_as(tmp_path, name, records_of(20, name)) for name in FORMATS]
    with beam.Pipeline(options=request.getfixturevalue(runner)()) as pipeline:
        _ = (
            pipeline
            | beam.Create(paths)
            | ReadAllFromRecords(with_filename=True, desired_bundle_size=100)
            | beam.MapTuple(lambda path, record: path.encode() + b" has " + record)
            | WriteToRecords(tmp_path / "to" / "data", ".ffr", 2)
        )
    expected = [
        f"{path} has ".encode() + record for path in paths for record in records_of(20, path.rpartition("/")[2])
    ]
    assert read_all(tmp_path / "to") == sorted(expected)


def test_workers_are_other_processes(tmp_path, processes):
    from tests.integrations.beam.workers import process_of

    path = write(tmp_path / "data.ffr", records_of(50))
    with beam.Pipeline(options=processes()) as pipeline:
        _ = (
            pipeline
            | ReadFromRecords(path, desired_bundle_size=50)
            | beam.Map(process_of)
            | beam.MapTuple(lambda process, record: f"{process} {record.decode()}".encode())
            | WriteToRecords(tmp_path / "to" / "data", ".ffr", 1)
        )
    found = [record.split(b" ", 1) for record in read_all(tmp_path / "to")]
    assert sorted(record for _, record in found) == sorted(records_of(50))
    assert str(os.getpid()).encode() not in {process for process, _ in found}


def test_nothing_to_write_is_written_on_dask_as_elsewhere(tmp_path, dask):
    with beam.Pipeline(options=dask()) as pipeline:
        _ = pipeline | beam.Create([]) | WriteToRecords(tmp_path / "data", ".array_record", 2)
    assert names_in(tmp_path) == ["data-00000-of-00002.array_record", "data-00001-of-00002.array_record"]
    assert read_all(tmp_path) == []


def test_partitions_of_dask_become_files(tmp_path, dask):
    with beam.Pipeline(options=dask("--dask_npartitions=4")) as pipeline:
        _ = pipeline | beam.Create(records_of(40)) | WriteToRecords(tmp_path / "data", ".array_record")
    assert len(names_in(tmp_path)) == 4
    assert read_all(tmp_path) == sorted(records_of(40))


def test_a_shard_that_dask_writes_again_is_the_same_shard(tmp_path, dask):
    for run, partitions in (("a", 1), ("b", 4)):
        with beam.Pipeline(options=dask(f"--dask_npartitions={partitions}")) as pipeline:
            _ = pipeline | beam.Create(records_of(60)) | WriteToRecords(tmp_path / run / "data", ".ffr", 3)
    for name in names_in(tmp_path / "a"):
        assert read_all(tmp_path / "a", name) == read_all(tmp_path / "b", name) != []

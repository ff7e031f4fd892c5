"""Partitions: runs of records that are one task each."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.unit.damage import pieces
from tests.unit.layouts import GO, GROUPED, LONE, RECORDIO, TFRECORD, Layout

RECORDS = [f"record {number}".encode() for number in range(103)]


@pytest.fixture
def one_file(layout: Layout, tmp_path: Path) -> octavo.Reader:
    return octavo.open(layout.write(tmp_path / "records", RECORDS))


@pytest.fixture
def several_files(layout: Layout, tmp_path: Path) -> octavo.Reader:
    cuts = [0, 40, 40, 41, 103]
    paths = [
        layout.write(tmp_path / str(number), RECORDS[start:stop])
        for number, (start, stop) in enumerate(itertools.pairwise(cuts))
    ]
    return octavo.open(paths)


def read_partition(partition: octavo.Partition) -> list[bytes]:
    """At module level, where a spawned process finds it."""
    return partition.open().read_all()


def read_partitions(partitions: list[octavo.Partition]) -> list[bytes]:
    return [record for partition in partitions for record in read_partition(partition)]


@pytest.mark.parametrize("count", [1, 3, 64, 102, 103, 1000])
@pytest.mark.parametrize("which", ["one_file", "several_files"])
@pytest.mark.usefixtures("layout")
def test_together_they_are_all_records_once_and_in_order(request, which, count):
    assert read_partitions(request.getfixturevalue(which).partitions(count)) == RECORDS


@pytest.mark.parametrize("most", [1, 7, 102, 103, 10**12])
@pytest.mark.parametrize("which", ["one_file", "several_files"])
@pytest.mark.usefixtures("layout")
def test_cut_by_size_they_are_all_records_once_and_in_order(request, which, most):
    partitions = request.getfixturevalue(which).partitions(max_records=most)
    assert read_partitions(partitions) == RECORDS
    assert max(map(len, partitions)) <= most


@pytest.mark.parametrize("count", [1, 2, 10, 103])
def test_a_count_gives_that_many_of_nearly_one_size(one_file, count):
    sizes = [len(partition) for partition in one_file.partitions(count)]
    assert len(sizes) == count
    assert max(sizes) - min(sizes) <= 1 + len(RECORDS) // count // 4  # they may begin where chunks do


def test_more_partitions_than_records_leaves_the_empty_ones_out(one_file):
    assert [len(partition) for partition in one_file.partitions(1000)] == [1] * 103


@pytest.mark.parametrize("options", [{"count": 3}, {"max_records": 3}])
def test_no_records_are_no_partitions(layout, tmp_path, options):
    assert octavo.open(layout.write(tmp_path / "records", [])).partitions(**options) == []


def test_start_and_stop_number_the_whole_data_set(several_files):
    partitions = several_files.partitions(5)
    assert [partition.start for partition in partitions[1:]] == [partition.stop for partition in partitions[:-1]]
    assert (partitions[0].start, partitions[-1].stop) == (0, 103)
    for partition in partitions:
        assert partition.open().read_all() == RECORDS[partition.start : partition.stop]


def test_length_is_known_without_opening(one_file):
    partitions = one_file.partitions(2)
    os.remove(one_file.paths[0])
    assert sum(map(len, partitions)) == len(RECORDS)


@pytest.mark.parametrize(("options", "starts"), [({"count": 2}, [0, 49]), ({"max_records": 40}, [0, 35, 70])])
def test_partitions_begin_where_chunks_do_if_one_begins_near(tmp_path, options, starts):
    reader = octavo.open(GROUPED.write(tmp_path / "records", RECORDS))
    assert [partition.start for partition in reader.partitions(**options)] == starts


@pytest.mark.parametrize("layout", [RECORDIO, GO, GROUPED], ids=["recordio", "recordio-go", "array_record-7"])
@pytest.mark.parametrize("most", [20, 33, 50])
def test_partitions_of_chunks_of_any_sizes_begin_where_chunks_do(layout, tmp_path, most):
    path = layout.write(tmp_path / "records", RECORDS)
    edges = {piece.records.start for piece in pieces(layout, path.read_bytes())}
    starts = {partition.start for partition in octavo.open(path).partitions(max_records=most)}
    assert starts <= edges
    assert len(starts) <= len(RECORDS) // (most - 9) + 1  # no chunk has more than nine records


@pytest.mark.parametrize(("options", "starts"), [({"count": 2}, [0, 51]), ({"max_records": 40}, [0, 40, 80])])
@pytest.mark.parametrize("layout", [LONE, TFRECORD], ids=["array_record", "tfrecord"])
def test_partitions_are_even_where_every_record_stands_alone(layout, tmp_path, options, starts):
    reader = octavo.open(layout.write(tmp_path / "records", RECORDS))
    assert [partition.start for partition in reader.partitions(**options)] == starts


def test_partitions_smaller_than_a_chunk_share_it(tmp_path):
    reader = octavo.open(GROUPED.write(tmp_path / "records", RECORDS))
    assert [len(partition) for partition in reader.partitions(max_records=3)][:5] == [3, 3, 1, 3, 3]


def test_a_partition_names_only_the_files_it_needs(several_files):
    partitions = several_files.partitions(max_records=40)
    names = [[Path(path).name.split(".")[0] for path in part.paths] for part in partitions]
    records = {"0": range(40), "2": range(40, 41), "3": range(41, 103)}
    assert names == [
        [name for name, numbers in records.items() if numbers.start < part.stop and part.start < numbers.stop]
        for part in partitions
    ]
    assert len(partitions) <= 4


def test_partitions_of_a_slice_cover_the_slice(one_file):
    partitions = one_file[10:90].partitions(7)
    assert read_partitions(partitions) == RECORDS[10:90]
    assert (partitions[0].start, partitions[-1].stop) == (10, 90)


def test_partitions_of_a_slice_over_several_files_cover_the_slice(several_files):
    assert read_partitions(several_files[39:42].partitions(2)) == RECORDS[39:42]


def test_a_partition_can_be_partitioned_again(one_file):
    halves = one_file.partitions(2)
    quarters = [quarter for half in halves for quarter in half.open().partitions(2)]
    assert read_partitions(quarters) == RECORDS


def test_partitions_survive_pickling(several_files):
    partitions = several_files.partitions(6)
    again = pickle.loads(pickle.dumps(partitions))
    assert again == partitions
    assert read_partitions(again) == RECORDS


def test_partitions_are_small_to_pickle(layout, tmp_path):
    paths = [layout.write(tmp_path / str(number), RECORDS) for number in range(200)]
    partition = octavo.open(paths).partitions(200)[50]
    assert len(pickle.dumps(partition)) < 1000


def test_partitions_are_opened_by_other_processes(several_files):
    partitions = several_files.partitions(4)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(read_partition, partitions))
    assert [record for records in found for record in records] == RECORDS


def test_partitions_keep_how_the_files_were_opened(layout, tmp_path):
    reader = octavo.open(layout.write(tmp_path / "records", RECORDS), check_data=False, io="pread")
    info = reader.partitions(2)[1].open().info
    assert (info.check_data, info.io) == (False, "pread")


def test_partitions_can_be_compared_and_be_keys(one_file):
    assert one_file.partitions(3) == one_file.partitions(3)
    assert len({*one_file.partitions(3), *one_file.partitions(3)}) == 3


def test_partitions_cannot_be_changed(one_file):
    with pytest.raises(AttributeError):
        one_file.partitions(3)[0].start = 7


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"count": 2, "max_records": 2},
        {"count": 0},
        {"count": -1},
        {"count": 1.5},
        {"count": "2"},
        {"count": True},
        {"max_records": 0},
        {"max_records": -1},
        {"max_records": 2.0},
    ],
    ids=str,
)
def test_arguments_that_cannot_be_are_option_errors(one_file, options):
    with pytest.raises(errors.OptionError):
        one_file.partitions(**options)


@pytest.mark.parametrize("key", [slice(None, None, 2), slice(None, None, -1)])
def test_a_reader_with_a_step_says_how_to_do_without(one_file, key):
    with pytest.raises(errors.UnsupportedError, match="take partitions of the whole and slice those"):
        one_file[key].partitions(2)


def test_bytes_in_memory_cannot_be_opened_elsewhere(layout):
    with pytest.raises(errors.UnsupportedError, match="only files can be partitioned"):
        layout.open(RECORDS).partitions(2)


def test_a_partition_of_a_file_that_is_gone_says_so(one_file):
    partition = one_file.partitions(2)[0]
    os.remove(one_file.paths[0])
    with pytest.raises(errors.NotFoundError):
        partition.open()

"""`index_storage="offloaded"`: the index of an ArrayRecord file in a temporary file instead of memory."""

from __future__ import annotations

import os
import pickle
import sys
import threading
from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.conformance.backends import IO_MODES
from tests.property.access_paths import ACCESS_PATHS
from tests.unit.damage import damage_chunks
from tests.unit.layouts import FFRECORD, GROUPED, LONE, RECORDIO, RIEGELI, TFRECORD, Layout

RECORDS = [f"record {number}".encode() * (number % 5) for number in range(300)]
ARRAY_RECORD = pytest.mark.parametrize("layout", [LONE, GROUPED], ids=["lone", "grouped"])


@ARRAY_RECORD
@pytest.mark.parametrize("way", ACCESS_PATHS)
@pytest.mark.parametrize("count", [0, 1, 300])
def test_every_way_to_read_gives_what_an_index_in_memory_gives(layout, way, count):
    offloaded = layout.open(RECORDS[:count], index_storage="offloaded")
    assert ACCESS_PATHS[way](offloaded) == ACCESS_PATHS[way](layout.open(RECORDS[:count])) == RECORDS[:count]


@ARRAY_RECORD
@pytest.mark.parametrize("mode", IO_MODES)
def test_every_way_to_read_files_works_with_it(layout, tmp_path, mode):
    path = layout.write(tmp_path / "records", RECORDS)
    reader = octavo.open(path, io=mode, index_storage="offloaded")
    assert reader.read([299, 0, 150]) == [RECORDS[299], RECORDS[0], RECORDS[150]]
    assert list(reader) == RECORDS


@ARRAY_RECORD
def test_several_files_have_an_index_each(layout, tmp_path):
    paths = [layout.write(tmp_path / str(number), RECORDS[number::3]) for number in range(3)]
    reader = octavo.open(paths, index_storage="offloaded")
    assert reader.read_all() == RECORDS[0::3] + RECORDS[1::3] + RECORDS[2::3]


@ARRAY_RECORD
def test_info_is_the_same(layout):
    content = layout.encode(RECORDS)
    assert octavo.open(content, index_storage="offloaded").info == octavo.open(content).info


def test_records_of_any_sizes_are_found():
    records = [bytes(size) for size in (0, 1, 127, 128, 70_000, 2, 1 << 20, 3, 0, 65_536)]
    assert LONE.open(records, index_storage="offloaded").read_all() == records


def test_uneven_chunks_are_found(tmp_path):
    from tests.naive import array_record as naive
    from tests.naive.riegeli import simple_chunk

    path = tmp_path / "uneven.array_record"
    path.write_bytes(
        naive.encode_chunks([simple_chunk(RECORDS[:5]), simple_chunk(RECORDS[5:6]), simple_chunk(RECORDS[6:20])])
    )
    reader = octavo.open(path, index_storage="offloaded")
    assert [reader[number] for number in range(20)] == RECORDS[:20]


@ARRAY_RECORD
def test_threads_share_it(layout):
    reader = layout.open(RECORDS, index_storage="offloaded", cache_bytes=0)
    found: list[bool] = []

    def read_often() -> None:
        found.extend(reader[number] == RECORDS[number] for number in range(0, 300, 3))

    threads = [threading.Thread(target=read_often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 400


@ARRAY_RECORD
def test_damage_is_found_as_it_is_without(layout):
    reader = octavo.open(damage_chunks(layout, layout.encode(RECORDS), 2), index_storage="offloaded")
    with pytest.raises(errors.ChecksumError):
        reader.read_all()
    assert reader[290] == RECORDS[290]


@ARRAY_RECORD
def test_pickling_and_partitions_keep_it(layout, tmp_path):
    reader = octavo.open(layout.write(tmp_path / "records", RECORDS), index_storage="offloaded")
    again = pickle.loads(pickle.dumps(reader))
    partition = reader.partitions(2)[0].open()
    assert again._options["offload_index"] is True
    assert partition._options["offload_index"] is True
    assert again.read_all() == RECORDS
    assert partition.read_all() == RECORDS[: len(partition)]


def temporary_files(below: Path) -> list[str]:
    """Open files without a name, in this folder."""
    folder = Path("/proc/self/fd")
    names = []
    for number in os.listdir(folder):
        try:
            names.append(os.readlink(folder / number))
        except OSError:
            continue
    return [name for name in names if "(deleted)" in name and name.startswith(str(below))]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
def test_the_temporary_file_has_no_name_and_goes_with_the_reader(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    reader = LONE.open(RECORDS, index_storage="offloaded")
    assert os.listdir(tmp_path) == []
    assert len(temporary_files(tmp_path)) == 1
    del reader
    assert temporary_files(tmp_path) == []


@pytest.mark.parametrize(
    "layout", [FFRECORD, RIEGELI, RECORDIO, TFRECORD], ids=["ffrecord", "riegeli", "recordio", "tfrecord"]
)
def test_formats_without_such_an_index_say_so(layout: Layout, tmp_path: Path):
    path = layout.write(tmp_path / "records", RECORDS)
    with pytest.raises(errors.UnsupportedError, match="only ArrayRecord files can keep their index out of memory"):
        octavo.open(path, index_storage="offloaded")


def test_several_files_of_such_a_format_say_so_at_once(tmp_path):
    paths = [FFRECORD.write(tmp_path / name, RECORDS) for name in "ab"]
    with pytest.raises(errors.UnsupportedError):
        octavo.open(paths, index_storage="offloaded")


@pytest.mark.parametrize("value", ["disk", "", "OFFLOADED", None, 3, True, ["memory"]], ids=str)
def test_a_value_that_cannot_be_is_an_option_error(layout, value):
    with pytest.raises(errors.OptionError, match="none of: memory, offloaded"):
        layout.open(RECORDS, index_storage=value)

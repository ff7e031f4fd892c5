"""Readers are pickled by their location, and open it again where they arrive."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.unit.damage import damage_chunks
from tests.unit.layouts import FFRECORD, GO, GROUPED, RECORDIO, RIEGELI, TFRECORD, Layout

RECORDS = [f"record {number}".encode() for number in range(50)]
PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)


@pytest.fixture
def path(layout: Layout, tmp_path: Path) -> Path:
    return layout.write(tmp_path / "records", RECORDS)


def roundtrip(thing, protocol=pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(thing, protocol))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_reader_of_a_file_comes_back(path, protocol):
    assert roundtrip(octavo.open(path), protocol).read_all() == RECORDS


@pytest.mark.parametrize("key", [slice(10, 20), slice(None, None, -3), slice(40, 10, -7), slice(5, 5)])
def test_a_slice_comes_back_as_the_slice(path, key):
    assert roundtrip(octavo.open(path)[key]).read_all() == RECORDS[key]


def test_a_slice_of_a_slice_comes_back(path):
    assert roundtrip(octavo.open(path)[5:45:2][::-3]).read_all() == RECORDS[5:45:2][::-3]


def test_several_files_come_back_in_order(layout, tmp_path):
    paths = [layout.write(tmp_path / "b", RECORDS[:20]), layout.write(tmp_path / "a", RECORDS[20:])]
    assert roundtrip(octavo.open(paths)).read_all() == RECORDS


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_a_reader_of_bytes_takes_them_along(layout, kind):
    assert roundtrip(octavo.open(kind(layout.encode(RECORDS)), **layout.hint)).read_all() == RECORDS


def test_options_come_along(path, layout):
    info = roundtrip(octavo.open(path, check_data=False, io="pread", format=layout.format)).info
    assert (info.check_data, info.io, info.format) == (False, "pread", layout.format)


@pytest.mark.parametrize("records", [RECORDS, []], ids=["many", "none"])
@pytest.mark.parametrize("layout", [RIEGELI, RECORDIO, TFRECORD], ids=["riegeli", "recordio", "tfrecord"])
def test_a_format_that_only_the_reader_was_told_comes_along(layout, tmp_path, records):
    (tmp_path / "no suffix").write_bytes(layout.encode(records))
    assert roundtrip(octavo.open(tmp_path / "no suffix", format=layout.format)).read_all() == records


def test_a_pickle_holds_no_records(layout, tmp_path):
    reader = octavo.open(layout.write(tmp_path / "records", [bytes(100_000)] * 10))
    reader.read_all()
    assert len(pickle.dumps(reader)) < 1000


def test_a_closed_reader_comes_back_open(path):
    reader = octavo.open(path)
    reader.close()
    assert roundtrip(reader).read_all() == RECORDS


def test_a_reader_whose_file_is_gone_does_not_come_back(path):
    pickled = pickle.dumps(octavo.open(path))
    os.remove(path)
    with pytest.raises(errors.NotFoundError):
        pickle.loads(pickled)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_a_copy_is_a_reader_of_its_own(path, duplicate):
    reader = octavo.open(path)
    other = duplicate(reader)
    reader.close()
    assert other.read_all() == RECORDS


def test_a_subclass_comes_back_as_itself(path):
    assert type(roundtrip(Special([str(path)]))) is Special


class Special(octavo.Reader):
    """At module level, where pickle finds it."""


def test_info_and_reports_survive_pickling(path):
    info, report = octavo.open(path).info, octavo.verify(path)
    assert roundtrip((info, report)) == (info, report)


def test_a_reader_works_in_a_process_that_was_spawned(path):
    reader = octavo.open(path)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(octavo.Reader.read_all, reader[5:25]).result() == RECORDS[5:25]


def test_an_error_crosses_from_a_process_that_was_spawned(tmp_path):
    path = FFRECORD.write(tmp_path / "records", RECORDS)
    path.write_bytes(path.read_bytes()[:-1])
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        future = pool.submit(octavo.Reader.read_all, octavo.open(path))
        with pytest.raises(errors.ChecksumError) as caught:
            future.result()
    assert (caught.value.path, caught.value.record) == (str(path), 49)


@pytest.mark.parametrize(("layout", "record"), [(GROUPED, 21), (GO, 22), (TFRECORD, 3)])
def test_an_error_about_a_chunk_crosses_from_a_process_that_was_spawned(layout, record, tmp_path):
    path = layout.write(tmp_path / "records", RECORDS)
    path.write_bytes(damage_chunks(layout, path.read_bytes(), 3))
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        future = pool.submit(octavo.Reader.read_all, octavo.open(path))
        with pytest.raises(errors.ChecksumError) as caught:
            future.result()
    assert (caught.value.path, caught.value.record) == (str(path), record)

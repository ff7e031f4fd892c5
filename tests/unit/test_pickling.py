"""Readers are pickled by their location, and open it again where they arrive."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
from concurrent.futures import ProcessPoolExecutor

import pytest

import octavo
from octavo import errors
from tests.naive import ffrecord as naive

RECORDS = [f"record {number}".encode() for number in range(50)]
PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)


def roundtrip(thing, protocol=pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(thing, protocol))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_reader_of_a_file_comes_back(write_file, protocol):
    assert roundtrip(octavo.open(write_file(RECORDS)), protocol).read_all() == RECORDS


@pytest.mark.parametrize("key", [slice(10, 20), slice(None, None, -3), slice(40, 10, -7), slice(5, 5)])
def test_a_slice_comes_back_as_the_slice(write_file, key):
    assert roundtrip(octavo.open(write_file(RECORDS))[key]).read_all() == RECORDS[key]


def test_a_slice_of_a_slice_comes_back(write_file):
    assert roundtrip(octavo.open(write_file(RECORDS))[5:45:2][::-3]).read_all() == RECORDS[5:45:2][::-3]


def test_several_files_come_back_in_order(write_file):
    paths = [write_file(RECORDS[:20], "b.ffr"), write_file(RECORDS[20:], "a.ffr")]
    assert roundtrip(octavo.open(paths)).read_all() == RECORDS


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_a_reader_of_bytes_takes_them_along(kind):
    assert roundtrip(octavo.open(kind(naive.encode(RECORDS)))).read_all() == RECORDS


def test_options_come_along(write_file):
    info = roundtrip(octavo.open(write_file(RECORDS), check_data=False, io="pread", format="ffrecord")).info
    assert (info.check_data, info.io, info.format) == (False, "pread", "ffrecord")


def test_a_pickle_holds_no_records(write_file):
    reader = octavo.open(write_file([bytes(100_000)] * 10))
    assert len(pickle.dumps(reader)) < 1000


def test_a_closed_reader_comes_back_open(write_file):
    reader = octavo.open(write_file(RECORDS))
    reader.close()
    assert roundtrip(reader).read_all() == RECORDS


def test_a_reader_whose_file_is_gone_does_not_come_back(write_file):
    path = write_file(RECORDS)
    pickled = pickle.dumps(octavo.open(path))
    os.remove(path)
    with pytest.raises(errors.NotFoundError):
        pickle.loads(pickled)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_a_copy_is_a_reader_of_its_own(write_file, duplicate):
    reader = octavo.open(write_file(RECORDS))
    other = duplicate(reader)
    reader.close()
    assert other.read_all() == RECORDS


def test_a_subclass_comes_back_as_itself(write_file):
    assert type(roundtrip(Special([str(write_file(RECORDS))]))) is Special


class Special(octavo.Reader):
    """At module level, where pickle finds it."""


def test_info_and_reports_survive_pickling(write_file):
    path = write_file(RECORDS)
    info, report = octavo.open(path).info, octavo.verify(path)
    assert roundtrip((info, report)) == (info, report)


def test_a_reader_works_in_a_process_that_was_spawned(write_file):
    reader = octavo.open(write_file(RECORDS))
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(octavo.Reader.read_all, reader[5:25]).result() == RECORDS[5:25]


def test_an_error_crosses_from_a_process_that_was_spawned(write_file):
    path = write_file(RECORDS)
    path.write_bytes(path.read_bytes()[:-1])
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        future = pool.submit(octavo.Reader.read_all, octavo.open(path))
        with pytest.raises(errors.ChecksumError) as caught:
            future.result()
    assert (caught.value.path, caught.value.record) == (str(path), 49)

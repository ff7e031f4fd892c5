"""`reader.info` and `reader.paths`: what is read, from where."""

from __future__ import annotations

import dataclasses
import io
import os

import pytest

import octavo
from octavo import errors
from tests.conformance.backends import IO_MODES, Spans
from tests.naive import ffrecord as naive

RECORDS = [b"abc", b"", b"edf"]


def test_info_of_one_file(write_file):
    path = write_file(RECORDS)
    assert octavo.open(path).info == octavo.Info(
        format="ffrecord",
        dialect=None,
        codec="none",
        record_count=3,
        file_count=1,
        total_bytes=54,
        check_data=True,
        io="auto",
        paths=(str(path),),
    )


def test_info_of_several_files_sums_them_up(write_file):
    paths = [write_file(RECORDS, "a.ffr"), write_file([], "b.ffr"), write_file(RECORDS, "c.ffr")]
    info = octavo.open(paths).info
    assert (info.record_count, info.file_count, info.total_bytes) == (6, 3, 54 + 12 + 54)
    assert info.paths == tuple(map(str, paths))


def test_info_of_a_slice_counts_its_records(write_file):
    assert octavo.open(write_file(RECORDS))[1:].info.record_count == 2


@pytest.mark.parametrize("mode", IO_MODES)
def test_info_says_how_files_are_read(write_file, mode):
    assert octavo.open(write_file(RECORDS), io=mode).info.io == mode


@pytest.mark.parametrize("check_data", [True, False])
def test_info_says_whether_checksums_are_verified(write_file, check_data):
    assert octavo.open(write_file(RECORDS), check_data=check_data).info.check_data is check_data


def test_info_cannot_be_changed(write_file):
    info = octavo.open(write_file(RECORDS)).info
    with pytest.raises(dataclasses.FrozenInstanceError):
        info.record_count = 4  # type: ignore[misc]


def test_info_of_a_closed_reader_is_an_error(write_file):
    reader = octavo.open(write_file(RECORDS))
    reader.close()
    with pytest.raises(errors.ClosedError):
        reader.info  # noqa: B018 - asking is the subject


@pytest.mark.usefixtures("working_folder")
def test_paths_are_absolute_however_they_were_typed(write_file):
    write_file(RECORDS, "folder/a.ffr")
    expected = [os.path.abspath(os.path.join("folder", "a.ffr"))]
    assert octavo.open("folder/a.ffr").paths == expected
    assert octavo.open("folder").paths == expected
    assert octavo.open("./folder/*.ffr").paths == expected


def test_paths_of_what_has_no_path_are_names():
    content = naive.encode(RECORDS)
    assert octavo.open([content, io.BytesIO(content), Spans(content, "mine")]).paths == [
        f"<{len(content)} bytes in memory>",
        "<BytesIO>",
        "mine",
    ]


def test_paths_of_a_file_object_are_its_name(write_file):
    path = write_file(RECORDS)
    with path.open("rb") as file:
        assert octavo.open(file).paths == [str(path)]


def test_paths_of_a_closed_reader_are_still_known(write_file):
    path = write_file(RECORDS)
    reader = octavo.open(path)
    reader.close()
    assert reader.paths == [str(path)]

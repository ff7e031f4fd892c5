"""Behaviour that was once wrong, a test each."""

from __future__ import annotations

import array
import errno
import io
import mmap
import os
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest

import octavo
from octavo import errors
from tests.naive import ffrecord as naive

RECORDS = [b"%d" % n for n in range(300)]
CONTENT = naive.encode(RECORDS)
LEGACY = bytes(4) + struct.pack("<qIIqq", 2, 0, 0, 36, 0)


@pytest.fixture
def reader():
    return octavo.open(CONTENT)


@pytest.mark.parametrize("kind", [">i2", ">i4", ">i8", ">u4"])
def test_arrays_of_either_byte_order_are_numbers(reader, kind):
    assert reader[np.array([256, 3], dtype=kind)] == [RECORDS[256], RECORDS[3]]


def test_a_file_with_a_broken_header_does_not_end_the_work(tmp_path):
    bad = bytearray(CONTENT)
    bad[-1] ^= 1
    (tmp_path / "a.ffr").write_bytes(bad)
    (tmp_path / "b.ffr").write_bytes(b"short")
    (tmp_path / "c.ffr").write_bytes(CONTENT)
    report = octavo.verify(tmp_path)
    assert report.record_count >= 600
    assert next((Path(d.path).name, d.record) for d in report.damage) == ("a.ffr", 299)
    assert {Path(d.path).name for d in report.damage} == {"a.ffr", "b.ffr"}


def test_a_legacy_record_that_ends_before_it_starts_is_blamed_itself():
    with pytest.raises(errors.FormatError) as caught:
        octavo.open(LEGACY, format="ffrecord")[0]
    assert caught.value.record == 0


def test_verify_lists_every_unreadable_record_of_a_legacy_file_once():
    assert [d.record for d in octavo.verify(LEGACY, format="ffrecord").damage] == [0, 1]


def test_an_array_of_python_objects_is_no_record(tmp_path):
    with octavo.create(tmp_path / "x.ffr") as writer, pytest.raises(errors.RecordTypeError):
        writer.write(np.array([object(), "text"]))


def test_a_range_longer_than_any_list_is_an_index_error(reader):
    with pytest.raises(errors.RecordIndexError):
        reader.read(range(2**100))


def test_a_range_may_have_any_step(reader):
    assert reader.read(range(3, 4, 2**70)) == [RECORDS[3]]


@pytest.mark.parametrize("step", [2**70, -(2**70), 2**63])
def test_a_slice_may_have_any_step(reader, step):
    assert reader[::step].read_all() == RECORDS[::step]


def test_an_array_of_no_dimensions_is_a_number(reader):
    assert reader[np.array(3)] == RECORDS[3]


def test_an_unsigned_number_is_named_as_it_is(reader):
    with pytest.raises(errors.RecordIndexError, match=str(2**64 - 1)):
        reader.read(np.array([2**64 - 1], dtype=np.uint64))


def test_an_array_is_the_content_of_a_file():
    assert octavo.open(np.frombuffer(CONTENT, np.uint8)).read_all() == RECORDS


def test_an_array_of_the_standard_library_is_the_content_of_a_file():
    assert octavo.open(array.array("B", CONTENT)).read_all() == RECORDS


def test_mapped_memory_is_the_content_of_a_file(tmp_path):
    (tmp_path / "x.ffr").write_bytes(CONTENT)
    with (tmp_path / "x.ffr").open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        r = octavo.open(mapped)
        ok = r.read_all() == RECORDS
        del r
        assert ok


def test_a_text_file_is_a_record_type_error():
    with pytest.raises(errors.RecordTypeError):
        octavo.open(io.StringIO("x"))


def test_scattered_bytes_are_a_record_type_error():
    with pytest.raises(errors.RecordTypeError):
        octavo.open(memoryview(CONTENT)[::2])


@pytest.mark.parametrize("options", [{"check_data": 3}, {"io": None}, {"format": 3}], ids=str)
def test_options_of_a_wrong_type_are_octavo_errors(options):
    with pytest.raises(errors.OctavoError):
        octavo.open(CONTENT, **options)


def test_a_source_that_became_shorter_is_a_source_changed_error():
    file = io.BytesIO(CONTENT)
    r = octavo.open(file)
    file.truncate(4000)
    with pytest.raises(errors.OctavoError):
        r.read_all()


@pytest.mark.parametrize("content", [naive.with_header(bytes(4), struct.pack("<q", 4))])
def test_a_remedy_that_does_not_help_is_not_offered(content, tmp_path):
    (tmp_path / "x.ffr").write_bytes(content)
    with pytest.raises(errors.DamagedFileError) as caught:
        octavo.open(tmp_path / "x.ffr")
    if "check_data=False" in str(caught.value):
        octavo.open(tmp_path / "x.ffr", check_data=False)


def test_a_folder_that_may_not_be_listed_is_permission_denied(tmp_path, monkeypatch):
    def refuse(folder):
        raise PermissionError(errno.EACCES, "Permission denied", folder)

    monkeypatch.setattr(os, "listdir", refuse)
    with pytest.raises(errors.PermissionDeniedError):
        octavo.open(tmp_path)


def test_a_reader_is_no_list_of_locations():
    with pytest.raises(errors.RecordTypeError):
        octavo.open(octavo.open(CONTENT))


def test_partitions_take_any_integer(tmp_path):
    (tmp_path / "x.ffr").write_bytes(CONTENT)
    assert len(octavo.open(tmp_path / "x.ffr").partitions(np.int64(3))) == 3


def test_a_reader_of_a_file_object_says_why_it_cannot_be_pickled():
    with pytest.raises((TypeError, errors.OctavoError), match="file object"):
        pickle.dumps(octavo.open(io.BytesIO(CONTENT)))


def test_a_name_that_is_not_utf8_is_given_back_as_it_was(tmp_path):
    path = os.path.join(str(tmp_path), os.fsdecode(b"\xff.ffr"))
    writer = octavo.create(path)
    writer.abort()
    assert writer.path == path


def test_damage_in_memory_has_one_name():
    bad = bytearray(CONTENT)
    bad[-1] ^= 1
    with pytest.raises(errors.ChecksumError) as caught:
        octavo.open(bad)[-1]
    assert octavo.verify(bad).damage[0].path == caught.value.path


def test_a_closed_reader_is_closed_whatever_is_asked():
    r = octavo.open(CONTENT)
    r.close()
    with pytest.raises(errors.ClosedError):
        r[10**6]


def test_a_closed_reader_has_no_partitions(tmp_path):
    (tmp_path / "x.ffr").write_bytes(CONTENT)
    r = octavo.open(tmp_path / "x.ffr")
    r.close()
    with pytest.raises(errors.ClosedError):
        r.partitions(2)


def test_a_pattern_may_match_folders(tmp_path):
    (tmp_path / "part-1").mkdir()
    (tmp_path / "part-1" / "a.ffr").write_bytes(CONTENT)
    assert octavo.open(str(tmp_path / "part-*")).read_all() == RECORDS


def test_a_tensor_in_brackets_is_a_list_of_numbers(reader):
    torch = pytest.importorskip("torch")
    assert reader[torch.tensor([3, 1])] == [RECORDS[3], RECORDS[1]]


def test_tensors_of_any_subclass_are_filled():
    torch = pytest.importorskip("torch")

    class Mine(torch.Tensor):  # type: ignore[name-defined,misc]
        pass

    octavo.open(naive.encode([bytes(16)])).read_into([0], torch.zeros(4).as_subclass(Mine))


def test_a_tensor_of_booleans_is_no_list_of_numbers(reader):
    torch = pytest.importorskip("torch")
    with pytest.raises(errors.RecordTypeError):
        reader.read(torch.tensor([True, False]))


def test_several_relative_files_survive_a_change_of_directory(tmp_path, monkeypatch):
    (tmp_path / "a.ffr").write_bytes(CONTENT)
    (tmp_path / "b.ffr").write_bytes(CONTENT)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    r = octavo.open(["a.ffr", "b.ffr"])
    monkeypatch.chdir(tmp_path / "other")
    assert r.read_all() == RECORDS * 2


@pytest.mark.parametrize("flush", [False, True])
def test_a_relative_file_is_published_where_it_was_begun(tmp_path, monkeypatch, flush):
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    writer = octavo.create("x.ffr")
    writer.write(b"x")
    if flush:
        writer.flush()
    monkeypatch.chdir(tmp_path / "other")
    writer.close()
    assert sorted(os.listdir(tmp_path)) == ["other", "x.ffr"]


def test_an_error_of_a_source_that_became_shorter_has_its_path():
    file = io.BytesIO(CONTENT)
    r = octavo.open(file)
    file.truncate(4000)
    with pytest.raises(errors.SourceChangedError) as caught:
        r.read_all()
    assert caught.value.path == "<BytesIO>"


def test_an_array_of_objects_and_dates_is_neither_written_nor_filled(reader, tmp_path):
    array_of_both = np.zeros(1, dtype=[("when", "M8[s]"), ("what", object)])
    with octavo.create(tmp_path / "x.ffr") as writer, pytest.raises(errors.RecordTypeError):
        writer.write(array_of_both)
    with pytest.raises(errors.RecordTypeError):
        reader.read_into([0], array_of_both)

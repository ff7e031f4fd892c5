"""`File` of both generations: its modes, and what is read from it."""

from __future__ import annotations

import multiprocessing
import os
import pathlib
import pickle
import threading

import numpy as np
import pytest

from octavo.compat.recordio import File, FileIndex, RangeReader, Text
from octavo.errors import TornAppendWarning

RECORDS = [b"%03d" % number for number in range(25)]


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "records.recordio")


@pytest.fixture
def file(path):
    with File(path, "w", max_chunk_size=10) as writing:
        for record in RECORDS:
            writing.write(record)
    with File(path, "r") as reading:
        yield reading


class Numbers(File):
    def __init__(self, path):
        super().__init__(path, "r")
        self.comment = "an attribute"

    def get(self, index):
        return int(super().get(index))


class TestModes:
    @pytest.mark.parametrize(("write", "read"), [("w", "r"), ("write", "read")])
    def test_modes_have_two_names(self, path, write, read):
        writing = File(path, write)
        writing.write("abc")
        writing.close()
        assert File(path, read).get(0) == b"abc"

    @pytest.mark.parametrize("wrong", ["a", "rb", "x", "", None, 0, "R", []])
    def test_others_are_a_value_error_that_creates_nothing(self, path, wrong):
        with pytest.raises(ValueError, match=r"^mode value should be 'read' or 'write'"):
            File(path, wrong)
        assert not os.path.exists(path)

    def test_appending_is_somewhere_else(self, path):
        with pytest.raises(ValueError, match=r"octavo\.append"):
            File(path, "a")

    def test_there_is_no_writing_while_reading(self, file):
        with pytest.raises(RuntimeError, match=r"^Should be under write mode$"):
            file.write(b"abc")

    @pytest.mark.parametrize("use", ["count", "get_reader", "get_index", "iterator", "__iter__"])
    def test_there_is_no_reading_while_writing(self, path, use):
        with File(path, "w") as file, pytest.raises(RuntimeError, match=r"^Should be under read mode$"):
            getattr(file, use)()

    def test_there_is_no_getting_while_writing(self, path):
        with File(path, "w") as file, pytest.raises(RuntimeError, match=r"^Should be under read mode$"):
            file.get(0)

    def test_what_is_not_there_is_the_systems_error(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for given, said in (("none", "none"), (b"none", b"none"), (pathlib.Path("none"), "none")):
            with pytest.raises(FileNotFoundError, match="No such file or directory") as caught:
                File(given, "r")
            assert (type(caught.value), caught.value.filename) == (FileNotFoundError, said)
        with pytest.raises(FileNotFoundError):
            File(str(tmp_path / "none" / "x"), "w")
        for mode in ("r", "w"):
            with pytest.raises(IsADirectoryError):
                File(str(tmp_path), mode)

    def test_a_name_is_never_a_pattern(self, path, tmp_path, file):
        del path, file
        with pytest.raises(FileNotFoundError):
            File(str(tmp_path / "*.recordio"), "r")

    def test_paths_are_text_bytes_or_objects(self, path, tmp_path, file):
        del file
        assert File(tmp_path / "records.recordio", "r").count() == 25
        assert File(os.fsencode(path), "r").count() == 25

    def test_what_is_no_recordio_is_a_value_error(self, path):
        with open(path, "wb") as data:
            data.write(b"something else altogether")
        with pytest.raises(ValueError, match=r"^Wrong magic number in header, possible file corruption\. Offset: 0"):
            File(path, "r")


class TestReading:
    def test_records_are_found_by_number(self, file):
        assert file.count() == 25
        assert [file.get(number) for number in range(25)] == RECORDS
        assert [file.get(index=np.int64(3)), file.get(True), type(file.get(0))] == [b"003", b"001", bytes]

    @pytest.mark.parametrize("wrong", [-1, -25, 25, 10**30, -(10**30)])
    def test_numbers_outside_are_an_index_error(self, file, wrong):
        with pytest.raises(IndexError):
            file.get(wrong)

    @pytest.mark.parametrize("wrong", ["a", 1.0, None, slice(2), [1]])
    def test_what_is_no_number_is_a_type_error(self, file, wrong):
        with pytest.raises(TypeError):
            file.get(wrong)

    def test_iteration_begins_anew_each_time(self, file):
        assert list(file) == list(file) == RECORDS
        assert next(iter(file)) == next(iter(file)) == b"000"
        assert isinstance(iter(file), RangeReader)

    @pytest.mark.parametrize("bounds", [(), (2, 10), (0, None), (5, 2), (20, 100), (25, 30), (30, None)])
    def test_a_range_is_as_a_slice(self, file, bounds):
        assert list(file.get_reader(*bounds)) == RECORDS[slice(*bounds) if bounds else slice(None)]

    @pytest.mark.parametrize("bounds", [(-3, None), (-3, 5), (0, -1), (2, -1)])
    def test_a_range_below_nothing_is_nothing(self, file, bounds):
        assert list(file.get_reader(*bounds)) == []

    def test_bounds_have_names(self, file):
        assert list(file.get_reader(start=1, end=3)) == RECORDS[1:3]

    def test_several_readers_do_not_disturb_each_other(self, file):
        pairs = list(zip(file.get_reader(0, 10), file.get_reader(10, 20), strict=True))
        assert pairs == list(zip(RECORDS[:10], RECORDS[10:20], strict=True))

    def test_threads_read_at_once(self, file):
        found = {}

        def read(number):
            found[number] = [file.get(one) for one in range(25)]

        threads = [threading.Thread(target=read, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert list(found.values()) == [RECORDS] * 4

    def test_an_empty_file_has_nothing(self, path):
        File(path, "w").close()
        file = File(path, "r")
        assert (file.count(), list(file), list(file.get_reader(0, 5)), file.iterator().has_next()) == (0, [], [], False)
        with pytest.raises(IndexError):
            file.get(0)

    def test_the_index_is_that_of_the_file(self, path, file):
        index = file.get_index()
        assert isinstance(index, FileIndex)
        with open(path, "rb") as data:
            expected = FileIndex(data)
        assert [str(entry) for entry in index] == [str(entry) for entry in expected]
        assert index.locate_record(24) == expected.locate_record(24) == (8, 0)

    def test_a_torn_end_is_a_warning_to_whoever_opened_it(self, path, file):
        del file
        with open(path, "ab") as data:
            data.write(b"\4\3\2\1")
        with pytest.warns(TornAppendWarning, match="last 4 bytes") as caught:
            file = File(path, "r")
        assert caught[0].filename == __file__
        assert list(file) == RECORDS

    def test_after_closing_it_is_a_value_error(self, file):
        file.close()
        file.close()
        with pytest.raises(ValueError, match="closed"):
            file.get(0)
        with pytest.raises(ValueError, match="closed"):
            list(file)
        assert file.count() == 25


class TestAsAList:
    def test_it_has_a_length(self, path, file):
        assert len(file) == 25
        File(path, "w").close()
        empty = File(path, "r")
        assert len(empty) == 0
        assert empty  # as every object that says nothing else

    def test_it_has_numbers_from_the_end_and_slices(self, file):
        keys = (0, np.int64(3), -1, -25, slice(2, 5), slice(None, None, -7), slice(99, None))
        assert [file[key] for key in keys] == [RECORDS[key] for key in keys]
        for wrong in (25, -26):
            with pytest.raises(IndexError, match=f"no record {wrong}"):
                file[wrong]
        with pytest.raises(TypeError):
            file["a"]

    def test_a_decoder_sees_slices(self, path, file):
        del file
        assert File(path, "r", decoder=int)[-2:] == [23, 24]


class TestIterator:
    def test_it_visits_the_whole_file_as_text(self, file):
        iterator = file.iterator()
        found = []
        while iterator.has_next():
            found.append("value: " + iterator.next())
        assert found == [f"value: {number:03d}" for number in range(25)]

    def test_it_is_an_iterator(self, file):
        iterator = file.iterator()
        assert iterator.next() == "000"
        rest = list(iterator)
        assert rest == RECORDS[1:]
        assert {type(record) for record in rest} == {Text}

    def test_without_encoding_it_visits_bytes(self, file):
        assert {type(record) for record in file.iterator(encoding=None)} == {bytes}

    def test_past_the_end_is_a_runtime_error(self, file):
        iterator = file.iterator()
        list(iterator)
        with pytest.raises(RuntimeError, match="no more any records"):
            iterator.next()


class TestCoding:
    def test_an_encoder_makes_records(self, path):
        with File(path, "w", encoder=lambda number: str(number).encode()) as file:
            file.write(5)
        with File(path, "r") as file:
            assert file.get(0) == b"5"

    def test_an_encoder_may_make_text(self, path):
        with File(path, "w", encoder=str) as file:
            file.write(5)
        assert File(path, "r").get(0) == b"5"

    def test_a_decoder_sees_every_record(self, path, file):
        del file
        with File(path, "r", decoder=int) as file:
            assert list(file) == list(range(25))
            assert [file.get(7), file[7]] == [7, 7]
            assert list(file.get_reader(2, 4)) == [2, 3]
            assert file.iterator().next() == 0
            with pytest.raises(IndexError):
                file.get(25)

    def test_a_decoder_gets_bytes(self, path, file):
        del file
        assert set(File(path, "r", decoder=type)) == {bytes}

    def test_errors_of_a_decoder_are_its_own(self, path, file):
        del file
        with File(path, "r", decoder=lambda _: 1 // 0) as file, pytest.raises(ZeroDivisionError):
            file.get(0)


class TestTravelling:
    def test_a_file_that_is_read_is_opened_again(self, file, tmp_path, monkeypatch):
        content = pickle.dumps(file)
        monkeypatch.chdir(tmp_path.parent)
        again = pickle.loads(content)
        assert list(again) == RECORDS
        again.close()
        assert file.get(0) == b"000"

    def test_its_decoder_travels_with_it(self, path, file):
        del file
        assert list(pickle.loads(pickle.dumps(File(path, "r", decoder=int)))) == list(range(25))

    def test_a_file_that_is_written_stays(self, path):
        with File(path, "w") as file, pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(file)

    @pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
    def test_other_processes_read_it(self, file, method):
        if method not in multiprocessing.get_all_start_methods():
            pytest.skip(f"this system has no {method}")
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(file.get, range(25)) == RECORDS


class TestSubclasses:
    def test_a_class_of_ones_own_can_change_what_is_read(self, path, file):
        del file
        assert Numbers(path).get(7) == 7

    def test_it_travels_with_its_attributes(self, path, file):
        del file
        again = pickle.loads(pickle.dumps(Numbers(path)))
        assert (again.get(7), again.comment) == (7, "an attribute")

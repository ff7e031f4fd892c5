"""`FileIndex`, `Reader` and `RangeReader`, on files that somebody else has opened."""

from __future__ import annotations

import gzip
import io
import os
import pathlib
import tempfile

import pytest

from octavo.compat import recordio
from octavo.compat.recordio import Compressor, FileIndex, RangeReader, Reader, Text
from tests.naive import recordio as naive

GROUPS = [[b"abc", b"", b"edf"], [b"x" * 2000], [b"tail"]]
RECORDS = [record for group in GROUPS for record in group]
CONTENT = naive.encode_groups(GROUPS, codec="snappy")


def _real_file(folder):
    (folder / "x.recordio").write_bytes(CONTENT)
    return (folder / "x.recordio").open("rb")


def _unbuffered_file(folder):
    (folder / "x.recordio").write_bytes(CONTENT)
    return (folder / "x.recordio").open("rb", buffering=0)


def _file_that_was_written(folder):
    file = (folder / "x.recordio").open("w+b")
    file.write(CONTENT)  # and not flushed
    return file


def _temporary_file(folder):
    file = tempfile.NamedTemporaryFile(dir=folder)  # noqa: SIM115 - the test closes it
    file.write(CONTENT)
    return file


def _file_that_was_replaced(folder):
    file = _real_file(folder)
    os.replace(folder / "x.recordio", folder / "moved")
    (folder / "x.recordio").write_bytes(naive.encode([b"another"]))
    return file


def _file_that_was_removed(folder):
    file = _real_file(folder)
    (folder / "x.recordio").unlink()
    return file


def _compressed_file(folder):
    (folder / "x.recordio").write_bytes(gzip.compress(CONTENT))
    return gzip.open(folder / "x.recordio")


def _descriptor(folder):
    (folder / "x.recordio").write_bytes(CONTENT)
    return os.fdopen(os.open(folder / "x.recordio", os.O_RDONLY), "rb")


def _bytes_in_memory(_folder):
    return io.BytesIO(CONTENT)


FILES = [
    *(_real_file, _unbuffered_file, _file_that_was_written, _temporary_file, _file_that_was_replaced),
    *(_file_that_was_removed, _compressed_file, _descriptor, _bytes_in_memory),
]


@pytest.fixture
def data():
    return io.BytesIO(CONTENT)


@pytest.mark.parametrize("opened", FILES)
class TestAnyFile:
    @pytest.fixture
    def file(self, tmp_path, opened):
        with opened(tmp_path) as file:
            yield file

    def test_the_documented_loop_reads_all_records(self, file):
        index = FileIndex(file)
        assert index.total_records() == 5
        found = []
        for number in range(index.total_chunks()):
            reader = Reader(file, index.chunk_offset(number))
            assert reader.total_count() == len(GROUPS[number])
            while reader.has_next():
                found.append("value: " + reader.next())
        assert found == ["value: " + record.decode() for record in RECORDS]

    def test_a_range_reads_all_records(self, file):
        index = FileIndex(file)
        assert list(RangeReader(file, index)) == RECORDS
        assert list(RangeReader(file, index, 2, 4)) == RECORDS[2:4]

    def test_the_file_is_left_where_it_was_and_open(self, file):
        file.seek(7)
        index = FileIndex(file)
        assert file.tell() == 7
        assert next(RangeReader(file, index)) == b"abc"
        assert not file.closed


class TestIndex:
    def test_chunks_are_described(self, data):
        index = FileIndex(data)
        assert (index.total_chunks(), index.total_records()) == (3, 5)
        headers = naive.NaiveFile(CONTENT).headers
        for number, header in enumerate(headers):
            found = (index.chunk_offset(number), index.chunk_len(number), index.chunk_records(number))
            assert found == (header.offset, header.size, header.count)
            entry = index[number]
            assert (entry.offset, entry.len, entry.num_record) == found
            assert str(entry) == f"offset: {header.offset} len: {header.size} num_record: {header.count}"
        assert index.chunk_offset(-1) == headers[-1].offset
        assert [entry.num_record for entry in index] == [3, 1, 1]

    @pytest.mark.parametrize("wrong", [3, -4, 10**20])
    def test_a_chunk_that_is_not_there_is_an_index_error(self, data, wrong):
        index = FileIndex(data)
        for ask in (index.chunk_offset, index.chunk_len, index.chunk_records, index.__getitem__):
            with pytest.raises(IndexError):
                ask(wrong)

    def test_records_are_located(self, data):
        index = FileIndex(data)
        assert [index.locate_record(number) for number in range(5)] == [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]

    @pytest.mark.parametrize("wrong", [5, 6, 10**20, -1])
    def test_records_that_are_not_there_are_located_nowhere(self, data, wrong):
        assert FileIndex(data).locate_record(wrong) == (-1, -1)

    def test_an_empty_file_has_nothing(self):
        index = FileIndex(io.BytesIO())
        assert (index.total_chunks(), index.total_records(), index.locate_record(0)) == (0, 0, (-1, -1))
        assert list(RangeReader(None, index)) == []

    def test_its_length_is_that_of_its_chunks(self, data):
        assert (len(FileIndex(data)), len(FileIndex(io.BytesIO()))) == (3, 0)
        assert FileIndex(io.BytesIO())  # as every object that says nothing else

    def test_it_outlives_its_file(self, tmp_path):
        with _real_file(tmp_path) as file:
            index = FileIndex(file)
        assert index.chunk_records(0) == 3

    def test_what_is_no_recordio_is_a_value_error(self):
        with pytest.raises(ValueError, match=r"^Wrong magic number in header, possible file corruption\. Offset: 0"):
            FileIndex(io.BytesIO(b"something else altogether"))

    def test_a_file_that_was_opened_as_text_is_a_type_error(self, tmp_path):
        (tmp_path / "x").write_text("text", encoding="ascii")
        with (tmp_path / "x").open(encoding="ascii") as file, pytest.raises(TypeError, match="rb"):
            FileIndex(file)


class TestPaths:
    @pytest.mark.parametrize("kind", [str, os.fsencode, pathlib.Path])
    def test_a_path_does_for_a_file(self, tmp_path, kind):
        _real_file(tmp_path).close()
        path = kind(tmp_path / "x.recordio")
        index = FileIndex(path)
        assert index.total_records() == 5
        assert list(RangeReader(path, index, 2)) == RECORDS[2:]
        assert list(Reader(path, index.chunk_offset(2))) == GROUPS[2]

    def test_a_path_that_is_not_there_is_the_systems_error(self, tmp_path):
        for use in (FileIndex, lambda path: Reader(path, 0)):
            with pytest.raises(FileNotFoundError):
                use(tmp_path / "none")


class TestReader:
    def test_records_are_text_and_bytes(self, data):
        reader = Reader(data, 0)
        assert [type(reader.get(0)), type(reader.next())] == [Text, Text]
        assert reader.get(2) == "edf"
        assert reader.get(-1) == b"edf"
        with pytest.raises(IndexError):
            reader.get(3)

    def test_without_encoding_they_are_bytes(self, data):
        reader = Reader(data, 0, encoding=None)
        assert {type(record) for record in (reader.get(0), reader.next(), *reader)} == {bytes}

    @pytest.mark.parametrize(("wrong", "expected"), [("latin-1", ValueError), ("none of them", LookupError)])
    def test_there_is_no_encoding_but_utf_8(self, data, wrong, expected):
        assert Reader(data, 0, encoding="UTF8").next() == "abc"
        with pytest.raises(expected, match=wrong):
            Reader(data, 0, encoding=wrong)

    def test_past_the_end_is_a_runtime_error(self, data):
        reader = Reader(data, FileIndex(data).chunk_offset(1))
        reader.next()
        assert not reader.has_next()
        with pytest.raises(RuntimeError, match=r"^no more any records in the chunk\.$"):
            reader.next()

    def test_it_is_an_iterator_as_well(self, data):
        reader = Reader(data, 0)
        assert reader.next() == "abc"
        assert list(reader) == ["", "edf"]
        assert next(reader, None) is None

    def test_it_keeps_its_records_when_the_file_is_closed(self, data):
        reader = Reader(data, 0)
        data.close()
        assert list(reader) == ["abc", "", "edf"]

    def test_it_needs_no_index_and_no_whole_file(self):
        assert list(Reader(io.BytesIO(b"no chunk" + CONTENT[:-3]), 8)) == ["abc", "", "edf"]


class TestRange:
    @pytest.mark.parametrize(
        ("start", "end"),
        [(0, None), (2, 4), (0, 5), (4, 99), (5, 9), (9, None), (3, 2), (2, 2), (0, 2.0), (1, 2.5), (0, float("inf"))],
    )
    def test_it_is_as_a_slice(self, data, start, end):
        expected = [
            record for number, record in enumerate(RECORDS) if start <= number and (end is None or number < end)
        ]
        assert list(RangeReader(data, FileIndex(data), start, end)) == expected

    @pytest.mark.parametrize(("start", "end"), [(-3, None), (-3, 5), (0, -1), (2, -1), (-1, -1)])
    def test_below_nothing_is_nothing(self, data, start, end):
        assert list(RangeReader(data, FileIndex(data), start, end)) == []

    @pytest.mark.parametrize("wrong", [None, "a"])
    def test_a_start_that_is_no_number_is_a_type_error(self, data, wrong):
        with pytest.raises(TypeError):
            RangeReader(data, FileIndex(data), wrong)

    def test_records_are_bytes(self, data):
        assert {type(record) for record in RangeReader(data, FileIndex(data))} == {bytes}

    def test_arguments_have_names(self, data):
        reader = RangeReader(in_file=data, file_index=FileIndex(data), start=1, end=3)
        assert iter(reader) is reader
        assert list(reader) == RECORDS[1:3]
        assert next(reader, None) is None

    def test_an_object_is_read_only_when_a_record_is_asked_for(self, data):
        reader = RangeReader(data, FileIndex(data))
        data.seek(3)
        assert data.read(1) == CONTENT[3:4]
        assert next(reader) == b"abc"
        data.seek(5)
        assert [next(reader), data.read(1)] == [b"", CONTENT[5:6]]

    def test_it_reads_the_file_that_it_is_given(self, data):
        index = FileIndex(data)
        data.close()
        assert list(RangeReader(io.BytesIO(CONTENT), index)) == RECORDS


class TestGrowingFiles:
    def test_an_index_stays_as_it_was_while_its_file_grows(self, tmp_path):
        with (tmp_path / "x.recordio").open("w+b") as file:
            writer = recordio.Writer(file, 1, Compressor.no_compression)
            writer.write("first")
            writer.flush()
            index = FileIndex(file)
            writer.write("second")
            writer.flush()
            assert list(RangeReader(file, index)) == [b"first"]
            again = FileIndex(file)
            assert list(RangeReader(file, again)) == [b"first", b"second"]
            assert Reader(file, again.chunk_offset(1)).next() == "second"

    def test_what_was_written_over_is_read_though_it_was_not_flushed(self, tmp_path):
        with (tmp_path / "x.recordio").open("w+b") as file:
            file.write(naive.encode_groups([[b"aaaa"], [b"bbbb"]]))
            index = FileIndex(file)
            file.seek(0)
            file.write(naive.encode([b"cccc"]))
            assert list(RangeReader(file, index)) == [b"cccc", b"bbbb"]

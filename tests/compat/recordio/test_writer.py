"""`Writer(out_file, max_chunk_size)`: chunks into a file that somebody else opens and closes."""

from __future__ import annotations

import array
import io

import pytest

from octavo.compat import recordio
from octavo.compat.recordio import Compressor
from tests.naive import recordio as naive


class CountingFile(io.BytesIO):
    def __init__(self):
        super().__init__()
        self.written = []

    def write(self, content):
        self.written.append(content)
        return super().write(content)


def chunk_sizes(content: bytes) -> list[int]:
    return [header.count for header in naive.NaiveFile(content).headers]


def written(lengths, max_chunk_size, compressor=Compressor.snappy) -> bytes:
    out = io.BytesIO()
    writer = recordio.Writer(out, max_chunk_size, compressor)
    for length in lengths:
        writer.write(bytes(length))
    writer.flush()
    return out.getvalue()


@pytest.mark.parametrize(
    ("lengths", "max_chunk_size", "expected"),
    [
        ((5, 4, 2, 0, 25, 1), 10, [2, 2, 1, 1]),
        ((5, 5, 1), 10, [2, 1]),
        ((11, 11), 10, [1, 1]),
        ((0, 0, 5, 0, 0), 0, [2, 1, 2]),
        ((0, 0, 1), -1, [1, 1, 1]),
        ((1, 1, 1), 2.5, [2, 1]),
        ((1, 1, 1), float("inf"), [3]),
    ],
)
class TestRule:
    def test_a_chunk_ends_before_its_records_weigh_more(self, lengths, max_chunk_size, expected):
        assert chunk_sizes(written(lengths, max_chunk_size)) == expected

    def test_a_file_goes_by_the_same_rule(self, tmp_path, lengths, max_chunk_size, expected):
        with recordio.File(tmp_path / "x.recordio", "w", max_chunk_size=max_chunk_size) as file:
            for length in lengths:
                file.write(bytes(length))
        assert chunk_sizes((tmp_path / "x.recordio").read_bytes()) == expected


def test_every_chunk_is_one_write_of_bytes():
    out = CountingFile()
    writer = recordio.Writer(out, 1)
    assert all(writer.write(record) is True for record in (b"abc", b"def"))
    assert [type(content) for content in out.written] == [bytes]
    writer.flush()
    assert len(out.written) == 2
    writer.flush()
    assert len(out.written) == 2


def test_records_are_text_or_anything_with_bytes():
    out = io.BytesIO()
    writer = recordio.Writer(out, 1024)
    reused = bytearray(b"before")
    for record in ("ä", b"abc", reused, memoryview(b"view"), array.array("H", [1, 2])):
        writer.write(record)
    reused[:] = b"after!"
    writer.flush()
    assert naive.decode(out.getvalue()) == ["ä".encode(), b"abc", b"before", b"view", b"\1\0\2\0"]


@pytest.mark.parametrize("wrong", [5, None, ["abc"], 1.5])
def test_what_has_no_bytes_is_a_type_error(wrong):
    with pytest.raises(TypeError):
        recordio.Writer(io.BytesIO(), 1024).write(wrong)


@pytest.mark.parametrize("compressor", Compressor)
def test_every_compressor_is_read_back(compressor):
    content = written((3, 0, 5000, 1), 100, compressor)
    assert naive.decode(content) == [bytes(length) for length in (3, 0, 5000, 1)]
    assert recordio.Header.parse(io.BytesIO(content), 0).compressor() is compressor


@pytest.mark.parametrize("wrong", [2, None, "snappy"])
def test_an_unknown_compressor_is_a_value_error_when_a_chunk_is_written(wrong):
    writer = recordio.Writer(io.BytesIO(), 1024, wrong)
    writer.write(b"abc")
    with pytest.raises(ValueError, match=r"^invalid compressor$"):
        writer.flush()
    with pytest.warns(ResourceWarning):
        del writer


def test_without_a_limit_it_is_a_type_error():
    with pytest.raises(TypeError, match="max_chunk_size"):
        recordio.Writer(io.BytesIO())


def test_a_limit_with_a_path_is_a_type_error(tmp_path):
    with pytest.raises(TypeError, match="File"):
        recordio.Writer(str(tmp_path / "x.recordio"), 1024)
    assert not list(tmp_path.iterdir())


def test_what_was_not_flushed_is_lost_with_a_warning():
    out = io.BytesIO()
    writer = recordio.Writer(out, 1024)
    writer.write(b"abc")
    with pytest.warns(ResourceWarning, match="last 1 records"):
        del writer
    assert out.getvalue() == b""


def test_closing_flushes_and_leaves_the_file_open():
    out = io.BytesIO()
    with recordio.Writer(out, 1024) as writer:
        writer.write(b"abc")
    assert naive.decode(out.getvalue()) == [b"abc"]
    assert not out.closed


def test_a_chunk_that_could_not_be_written_is_written_by_the_next_flush():
    class FullDisk(io.BytesIO):
        is_full = True

        def write(self, content):
            if self.is_full:
                raise OSError(28, "No space left on device")
            return super().write(content)

    out = FullDisk()
    writer = recordio.Writer(out, 1024)
    writer.write(b"abc")
    with pytest.raises(OSError, match="space"):
        writer.flush()
    out.is_full = False
    writer.flush()
    assert naive.decode(out.getvalue()) == [b"abc"]


def test_a_file_that_is_appended_to_has_all_records(tmp_path):
    path = tmp_path / "x.recordio"
    for mode, record in (("wb", b"old"), ("ab", b"new")):
        with path.open(mode) as data:
            writer = recordio.Writer(data, 1024)
            writer.write(record)
            writer.flush()
    assert list(recordio.File(str(path), "r")) == [b"old", b"new"]

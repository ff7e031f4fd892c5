"""`File` of both generations, open for writing."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import numpy as np
import pytest

import octavo
from octavo.compat.recordio import Compressor, File, Header, Writer
from tests.naive import recordio as naive

RECORDS = [b"%03d" % number for number in range(25)]


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "records.recordio")


def test_the_file_is_there_and_empty_at_once(path):
    with open(path, "wb") as data:
        data.write(b"what was there before")
    with File(path, "w"):
        assert os.path.getsize(path) == 0


def test_chunks_have_1024_bytes_at_most(path):
    with File(path, "w") as file:
        for _ in range(5):
            file.write(bytes(512))
    index = File(path, "r").get_index()
    assert [index.chunk_records(number) for number in range(index.total_chunks())] == [2, 2, 1]


def test_what_was_written_stays_when_the_block_raises(path):
    def write_and_fail():
        with File(path, "w") as file:
            file.write(b"abc")
            raise KeyError

    with pytest.raises(KeyError):
        write_and_fail()
    assert list(File(path, "r")) == [b"abc"]


def test_closing_twice_is_closing(path):
    file = File(path, "w")
    file.write(b"abc")
    file.close()
    file.close()
    assert File(path, "r").count() == 1


def test_writing_after_closing_is_a_value_error(path):
    file = File(path, "w")
    file.close()
    with pytest.raises(ValueError, match="closed"):
        file.write(b"abc")


def test_a_forgotten_close_is_made_up_for_with_a_warning(path):
    file = File(path, "w", max_chunk_size=10)
    for record in RECORDS:
        file.write(record)
    with pytest.warns(ResourceWarning, match="never closed"):
        del file
    assert list(File(path, "r")) == RECORDS


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_that_ends_leaves_the_file_to_its_parent(path):
    program = """
import os, sys
from octavo.compat.recordio import File
file = File(sys.argv[1], "w")
file.write(b"before")
child = os.fork()
if not child:
    sys.exit()
os.waitpid(child, 0)
file.write(b"after")
file.close()
"""
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program, path]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert list(File(path, "r")) == [b"before", b"after"]


def test_text_is_stored_as_utf_8_and_buffers_as_their_bytes(path):
    with File(path, "w") as file:
        for record in ("ä", bytearray(b"abc"), memoryview(b"view"), np.arange(3, dtype=np.uint8)):
            file.write(record)
    assert list(File(path, "r")) == ["ä".encode(), b"abc", b"view", b"\0\1\2"]


def test_a_record_is_what_it_is_for_a_writer(path):
    with File(path, "w") as file:
        file.write(memoryview(b"abcdef")[::2])
        for wrong in (5, None, ["abc"]):
            said = []
            for write in (file.write, Writer(io.BytesIO(), 1024).write):
                with pytest.raises(TypeError) as caught:
                    write(wrong)
                said.append(str(caught.value))
            assert said[0] == said[1]
    assert list(File(path, "r")) == [b"ace"]


@pytest.mark.parametrize("compressor", Compressor)
def test_the_compressor_is_honoured(path, compressor):
    with File(path, "w", compressor=compressor) as file:
        file.write(bytes(1000))
    with open(path, "rb") as data:
        content = data.read()
    assert int.from_bytes(content[12:16], "little") == compressor.value
    assert naive.decode(content) == [bytes(1000)]


def test_no_compressor_is_the_default(path):
    with File(path, "w", compressor=None) as file:
        file.write(b"abc")
    with open(path, "rb") as data:
        assert Header.parse(data, 0).compressor() is Compressor.snappy


@pytest.mark.parametrize("wrong", [2, "snappy"])
def test_an_unknown_compressor_is_a_value_error(path, wrong):
    with pytest.raises(ValueError, match="invalid compressor"):
        File(path, "w", compressor=wrong)


def test_a_file_can_be_appended_to_by_octavo(path):
    with File(path, "w") as file:
        for record in RECORDS:
            file.write(record)
    file = File(path, "r")
    with octavo.append(path) as writer:
        writer.write(b"more")
    assert file.count() == 25
    assert list(File(path, "r")) == [*RECORDS, b"more"]


def test_a_forgotten_file_leaves_the_one_that_was_begun_anew_alone(path):
    forgotten = File(path, "w")
    forgotten.write(b"old")
    with File(path, "w") as file:
        file.write(b"new")
        with pytest.warns(ResourceWarning, match="another writer has begun the file anew"):
            del forgotten
    assert list(File(path, "r")) == [b"new"]

"""`ArrayRecordWriter`: the original's manners, and octavo's files."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import octavo
from octavo._writer import Writer
from octavo.compat.array_record.python.array_record_module import ArrayRecordReader, ArrayRecordWriter
from octavo.errors import UnclosedWriterWarning
from tests.compat.array_record.samples import DEFAULT_OPTIONS, numbered, write

KEYS = (
    "default, group_size, max_parallelism, saturation_delay_ms, transpose, transpose_bucket_size, uncompressed, "
    "brotli, zstd, snappy, window_log, pad_to_block_boundary"
)


def test_one_record_gives_the_originals_bytes(tmp_path: Path):
    path = write(tmp_path / "abc", [b"abc"], "group_size:1,uncompressed")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert digest == "6b757f64086009e08f27822f1151ca52f3d1fa08cbb5add98c8b4e4404c059e4"


def test_no_records_give_the_originals_bytes(tmp_path: Path):
    path = write(tmp_path / "nothing", [], "uncompressed")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert digest == "bb7d9c8ed25aa0ec5f40ee07e444096b2b58697cb675400fdadaedfab1ce2c40"


@pytest.mark.parametrize(
    "options",
    ["", "group_size:3,brotli:9,max_parallelism:4", "group_size:100,snappy", "group_size:4,transpose,uncompressed"],
)
def test_files_are_those_of_octavo(tmp_path: Path, options: str):
    records = numbered(100)
    path = write(tmp_path / "drop_in", records, options)
    with octavo.create(tmp_path / "octavo", format="array_record", options=options) as writer:
        writer.write_many(records)
    assert path.read_bytes() == (tmp_path / "octavo").read_bytes()


def test_the_file_says_how_it_was_written(tmp_path: Path):
    path = write(tmp_path / "file", numbered(3), "")
    assert ArrayRecordReader(str(path)).writer_options_string() == DEFAULT_OPTIONS


def test_a_writer_is_open_until_it_is_closed(tmp_path: Path):
    writer = ArrayRecordWriter(str(tmp_path / "file"))
    assert (writer.ok(), writer.is_open()) == (True, True)
    writer.close()
    assert (writer.ok(), writer.is_open()) == (False, False)


def test_closing_twice_is_closing_once(tmp_path: Path):
    writer = ArrayRecordWriter(str(tmp_path / "file"))
    writer.close()
    writer.close()


def test_writing_after_close_is_an_error(tmp_path: Path):
    writer = ArrayRecordWriter(str(tmp_path / "file"))
    writer.close()
    with pytest.raises(RuntimeError, match=r"^Object closed$"):
        writer.write(b"too late")


def test_the_file_is_there_at_once_and_replaces_what_was_there(tmp_path: Path):
    path = tmp_path / "file"
    path.write_bytes(b"something else")
    writer = ArrayRecordWriter(str(path))
    assert path.read_bytes() == b""
    writer.close()
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed(tmp_path: Path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write(tmp_path / "link", numbered(3))
    assert (tmp_path / "link").is_symlink()
    assert octavo.open(tmp_path / "target", format="array_record").read_all() == numbered(3)


@pytest.mark.parametrize("kind", [str, os.fsencode, Path])
def test_paths_of_every_kind(tmp_path: Path, kind: Any):
    path = tmp_path / "file"
    ArrayRecordWriter(kind(str(path)), options=b"group_size:1", file_options=None, whatever=1).close()
    assert ArrayRecordReader(kind(str(path))).num_records() == 0


@pytest.mark.parametrize("path", [None, 3, [b"x"]])
def test_what_is_no_path_is_a_type_error(path: Any):
    with pytest.raises(TypeError, match=r"incompatible constructor arguments"):
        ArrayRecordWriter(path)


def test_options_are_text(tmp_path: Path):
    with pytest.raises(TypeError, match=r"incompatible constructor arguments"):
        ArrayRecordWriter(str(tmp_path / "file"), None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ("foo:1", f"Unknown option foo, valid options: {KEYS}"),
        ("group_size:1,group_size:1", "Option group_size is present more than once"),
        (
            "group_size:0",
            "Option group_size: invalid value: 0, valid values: integers in the range [1..2147483647]",
        ),
        ("brotli,zstd", "Option zstd conflicts with option brotli"),
        ("brotli,default", "Option default must be first"),
        ("uncompressed:1", "Option uncompressed: invalid value: 1, valid values: (empty)"),
    ],
)
def test_wrong_options_are_value_errors_and_leave_no_file(tmp_path: Path, options: str, text: str):
    with pytest.raises(ValueError, match=r"^Option|^Unknown") as caught:
        ArrayRecordWriter(str(tmp_path / "file"), options)
    assert str(caught.value) == text
    assert list(tmp_path.iterdir()) == []


def test_sizes_are_written_as_the_original_has_them(tmp_path: Path):
    with pytest.raises(ValueError, match="invalid value: 16MB"):
        ArrayRecordWriter(str(tmp_path / "file"), "transpose,transpose_bucket_size:16MB")


@pytest.mark.parametrize(("name", "reason"), [("missing/file", "No such file or directory"), (".", "Is a directory")])
def test_a_path_that_cannot_be_opened_shows_when_it_is_used(tmp_path: Path, name: str, reason: str):
    path = f"{tmp_path}/{name}"
    text = f"open() failed: {reason}; opening {path}; Failed to create the file header"
    writer = ArrayRecordWriter(path)
    assert (writer.ok(), writer.is_open()) == (False, True)
    for use in (lambda: writer.write(b"x"), writer.close, writer.close):
        with pytest.raises(RuntimeError) as caught:
            use()
        assert str(caught.value) == text
    assert (writer.ok(), writer.is_open()) == (False, False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full disk to write to")
def test_a_full_disk_fails_the_writer_for_good():
    writer = ArrayRecordWriter("/dev/full", "uncompressed")
    text = "write() failed: No space left on device; writing /dev/full"

    def write_until_it_fails():
        for _ in range(100_000):
            writer.write(bytes(1000))

    for use in (write_until_it_fails, lambda: writer.write(b""), writer.close, writer.close):
        with pytest.raises(RuntimeError) as caught:
            use()
        assert str(caught.value) == text
    assert (writer.ok(), writer.is_open()) == (False, False)


@pytest.mark.parametrize("record", ["text", None, 1, 1.5, [b"x"], memoryview(b"abcd")[::2]])
def test_what_is_no_record_is_a_type_error_and_nothing_else(tmp_path: Path, record: Any):
    writer = ArrayRecordWriter(str(tmp_path / "file"))
    with pytest.raises(TypeError):
        writer.write(record)
    assert writer.ok()
    writer.write(b"whole")
    writer.close()
    assert ArrayRecordReader(str(tmp_path / "file")).read_all() == [b"whole"]


def test_every_contiguous_buffer_is_a_record(tmp_path: Path):
    path = write(tmp_path / "file", [bytearray(b"a"), memoryview(b"bc")[1:], np.arange(3, dtype=np.uint8)])  # type: ignore[list-item]
    assert ArrayRecordReader(str(path)).read_all() == [b"a", b"c", b"\0\1\2"]


def test_a_block_that_ends_well_leaves_a_whole_file(tmp_path: Path):
    with ArrayRecordWriter(str(tmp_path / "file")) as writer:
        writer.write(b"x")
    assert not writer.is_open()
    assert ArrayRecordReader(str(tmp_path / "file")).read_all() == [b"x"]


def test_a_block_that_raises_leaves_a_file_that_nobody_takes_for_whole(tmp_path: Path):
    writer = ArrayRecordWriter(str(tmp_path / "file"))

    def write_and_raise():
        with writer:
            writer.write(b"x")
            raise KeyError

    with pytest.raises(KeyError):
        write_and_raise()
    assert (writer.ok(), writer.is_open()) == (False, False)
    writer.close()
    reader = ArrayRecordReader(str(tmp_path / "file"))
    assert not reader.ok()


def test_a_writer_that_is_dropped_warns_and_leaves_no_footer(tmp_path: Path):
    writer = ArrayRecordWriter(str(tmp_path / "file"))
    writer.write(b"x")
    with pytest.warns(UnclosedWriterWarning, match="was never closed: the file is unfinished"):
        del writer
    assert not ArrayRecordReader(str(tmp_path / "file")).ok()


def test_wrong_arguments_are_refused_as_in_the_original(tmp_path: Path):
    writer = ArrayRecordWriter(str(tmp_path / "file"))
    with pytest.raises(TypeError, match=r"^write\(\): incompatible function arguments"):
        writer.write("text")  # type: ignore[arg-type]
    writer.close()
    for kind in (ArrayRecordWriter, ArrayRecordReader):
        with pytest.raises(TypeError, match=r"^__init__\(\): incompatible constructor arguments"):
            kind()


def test_a_file_whose_finish_was_interrupted_is_not_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupt(_: Writer) -> None:
        raise KeyboardInterrupt

    writer = ArrayRecordWriter(str(tmp_path / "file"))
    with monkeypatch.context() as patched:
        patched.setattr(Writer, "close", interrupt)
        with pytest.raises(KeyboardInterrupt):
            writer.close()
    with pytest.raises(RuntimeError, match=r"^Object closed before the file was finished"):
        writer.close()

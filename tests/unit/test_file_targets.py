"""`octavo.create` into binary file objects."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

import octavo
from octavo.errors import OptionError, RecordTypeError, StorageError, UnsupportedError

FORMATS = ["ffrecord", "array_record", "riegeli", "recordio", "tfrecord"]
RECORDS = [bytes([i % 251]) * (i * 37 % 5000) for i in range(1500)]


class Sparing(io.RawIOBase):
    """Takes a few bytes at a time, as sockets and pipes may."""

    def __init__(self, most: int) -> None:
        self.content = b""
        self._most = most

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:
        taken = bytes(data)[: self._most]
        self.content += taken
        return len(taken)


class Silent:
    """Counts nothing, as some file-like objects do."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def write(self, data) -> None:
        self.pieces.append(bytes(data))


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_object_gets_the_bytes_of_the_file(format, tmp_path: Path) -> None:
    file = io.BytesIO()
    with octavo.create(file, format=format) as writer:
        writer.write_many(RECORDS)
    path = tmp_path / "same"
    with octavo.create(path, format=format) as writer:
        writer.write_many(RECORDS)
    assert file.getvalue() == path.read_bytes()
    assert octavo.open(file.getvalue(), format=format).read_all() == RECORDS
    assert not file.closed


def test_the_name_of_a_file_object_tells_the_format(tmp_path: Path) -> None:
    with open(tmp_path / "x.recordio", "wb") as file, octavo.create(file) as writer:
        writer.write_many(RECORDS)
    assert octavo.open(tmp_path / "x.recordio").read_all() == RECORDS


def test_what_has_no_name_needs_a_format() -> None:
    with pytest.raises(OptionError, match="format="):
        octavo.create(io.BytesIO())


def test_many_records_of_a_format_whose_index_comes_first_wait_on_disk() -> None:
    big = [os.urandom(1 << 20) for _ in range(5)] * 15  # more than what is held in memory
    file = io.BytesIO()
    with octavo.create(file, format="ffrecord") as writer:
        writer.write_many(big)
    assert octavo.open(file.getvalue(), format="ffrecord").read_all() == big


@pytest.mark.parametrize("format", FORMATS)
def test_bytes_go_on_where_the_last_write_took_less(format) -> None:
    file = Sparing(most=1000)
    with octavo.create(file, format=format) as writer:
        writer.write_many(RECORDS)
    assert octavo.open(file.content, format=format).read_all() == RECORDS


def test_a_file_that_counts_nothing_takes_everything() -> None:
    file = Silent()
    with octavo.create(file, format="tfrecord") as writer:
        writer.write_many(RECORDS)
    assert octavo.open(b"".join(file.pieces), format="tfrecord").read_all() == RECORDS


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("answer", [None, 0, -1, "x"])
def test_a_raw_file_that_takes_nothing_is_an_error(format, answer) -> None:
    file = Sparing(most=1)
    file.write = lambda _data: answer  # type: ignore[assignment,method-assign]
    writer = octavo.create(file, format=format)
    writer.write(b"record")
    with pytest.raises(StorageError, match="cannot write"):
        writer.close()


def test_an_error_of_the_file_reaches_the_writer() -> None:
    class FullError(Exception):
        pass

    def refuse(_data: bytes) -> int:
        raise FullError

    file = Sparing(most=1)
    file.write = refuse  # type: ignore[assignment,method-assign]
    writer = octavo.create(file, format="array_record")
    writer.write(b"record")
    with pytest.raises(FullError):
        writer.close()


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "ffrecord"])
def test_what_was_flushed_has_reached_a_file_and_is_brought_to_safety(format, tmp_path: Path, monkeypatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    with open(tmp_path / "file", "wb") as file:
        writer = octavo.create(file, format=format)
        writer.write(os.urandom(5000))
        writer.flush()
        assert synced == [file.fileno()]
        assert os.path.getsize(tmp_path / "file") > 5000
        writer.close()


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "ffrecord"])
def test_what_is_in_memory_is_flushed(format) -> None:
    file = io.BytesIO()
    with octavo.create(file, format=format) as writer:
        writer.write(b"record")
        writer.flush()
        assert file.getvalue()


def test_a_pipe_that_cannot_be_synced_is_flushed() -> None:
    inlet, outlet = os.pipe()
    with open(inlet, "rb") as reading, open(outlet, "wb") as pipe:
        writer = octavo.create(pipe, format="tfrecord")  # a few bytes, which a pipe takes before anybody reads
        writer.write(b"record")
        writer.flush()
        assert octavo.open(reading.read1(), format="tfrecord").read_all() == [b"record"]
        writer.close()


def test_an_index_that_comes_first_cannot_be_flushed_into_a_file_object() -> None:
    file = io.BytesIO()
    with octavo.create(file, format="ffrecord") as writer:
        writer.write(b"record")
        with pytest.raises(UnsupportedError, match="nothing is safe before that"):
            writer.flush()
        writer.write(b"another")
    assert octavo.open(file.getvalue(), format="ffrecord").read_all() == [b"record", b"another"]


def test_text_files_are_refused() -> None:
    with pytest.raises(RecordTypeError, match="mode 'wb'"):
        octavo.create(io.StringIO(), format="ffrecord")  # type: ignore[arg-type]


def test_a_file_object_has_no_sidecar() -> None:
    with pytest.raises(OptionError, match="no place for an index"):
        octavo.create(io.BytesIO(), format="recordio", sidecar=True)


def test_a_writer_that_is_given_up_leaves_the_file_to_its_owner() -> None:
    file = io.BytesIO()
    writer = octavo.create(file, format="tfrecord")
    writer.write(b"record")
    writer.abort()
    assert not file.closed


def test_flushing_flushes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.tfrecord"
    with open(path, "wb") as file, octavo.create(file) as writer:
        writer.write(b"record")
        writer.flush()
        assert octavo.open(path).read_all() == [b"record"]

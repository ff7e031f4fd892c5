"""What files are by their first bytes: every format, every codec, and nothing else."""

from __future__ import annotations

import io
import os
import tarfile

import pytest

import octavo
from octavo import errors
from octavo._first_bytes import format_of_content, is_text

RECORDS = [b"first", b"", b"x" * 1000, b"last"]


@pytest.mark.parametrize(
    ("name", "options", "format"),
    [
        ("a.ffr", {}, "ffrecord"),
        ("a.array_record", {}, "riegeli"),
        ("a.array_record", {"codec": "none", "group_size": 3}, "riegeli"),
        ("a.riegeli", {"codec": "brotli"}, "riegeli"),
        ("a.recordio", {"dialect": "go"}, "recordio"),
        ("a.recordio", {"dialect": "paddle-cpp"}, "recordio"),
        ("a.recordio", {"dialect": "paddle-python"}, "recordio"),
        ("a.tfrecord", {}, "tfrecord"),
        ("a.tfrecord", {"codec": "gzip"}, "tfrecord"),
        ("a.tfrecord", {"codec": "zlib"}, "tfrecord"),
    ],
)
def test_record_files_are_told_by_their_first_bytes(tmp_path, name, options, format):
    path = tmp_path / name
    with octavo.create(path, **options) as writer:
        writer.write_many(RECORDS)
    assert format_of_content(str(path)) == format
    with octavo.create(path, **options) as writer:
        writer.write_many([os.urandom(2000) for _ in range(300)])  # an index beyond the first bytes
    assert format_of_content(str(path)) == format
    assert not is_text(str(path))


def test_ffrecord_files_of_nothing_are_told(tmp_path):
    path = tmp_path / "a.ffr"
    octavo.create(path).close()
    assert format_of_content(str(path)) == "ffrecord"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"text\n" * 100,
        b"\x00" * 4096,
        b"\xff" * 4096,
        b"\x89PNG\r\n\x1a\n" + bytes(100),
        b"\x1f\x8b\x08" + bytes(100),
        b"\x01" + bytes(11),
        b"\x00\x00\x00\x00\x05" + bytes(7),
    ],
)
def test_other_files_are_none(tmp_path, content):
    path = tmp_path / "other"
    path.write_bytes(content)
    assert format_of_content(str(path)) is None
    assert is_text(str(path)) == content.startswith(b"text")


def error_of(path):
    with pytest.raises(errors.FormatError) as caught:
        octavo.open(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("format", "name", "suffix"),
    [
        ("tfrecord", "TFRecord", "ffr"),
        ("tfrecord", "TFRecord", "array_record"),
        ("ffrecord", "FFRecord", "tfrecord"),
        ("ffrecord", "FFRecord", "recordio"),
        ("recordio", "RecordIO", "ffr"),
        ("recordio", "RecordIO", "tfrecord"),
    ],
)
def test_a_wrong_suffix_is_told_with_what_the_file_is(tmp_path, format, name, suffix):
    path = tmp_path / f"mis.{suffix}"
    with octavo.create(path, format=format) as writer:
        writer.write_many(RECORDS)
    message = error_of(path)
    assert message.startswith(f"{path}: it is no ")
    assert message.endswith(f"whatever its suffix says: it looks like {name}; pass format='{format}', or rename it")
    assert octavo.open(path, format=format).read_all() == RECORDS


@pytest.mark.parametrize("suffix", ["ffr", "array_record", "recordio", "tfrecord"])
def test_a_text_with_the_suffix_of_records_is_told(tmp_path, suffix):
    path = tmp_path / f"mis.{suffix}"
    path.write_text("some text, which is no record file\n" * 20)
    assert error_of(path).endswith("file, whatever its suffix says: it looks like text")


def test_damage_is_told_as_damage(tmp_path):
    path = tmp_path / "a.ffr"
    with octavo.create(path) as writer:
        writer.write_many(RECORDS)
    path.write_bytes(path.read_bytes()[:20])
    assert "suffix" not in error_of(path)


def test_a_tar_file_is_none(tmp_path):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        archive.addfile(tarfile.TarInfo("one"), io.BytesIO(b""))
    assert format_of_content(str(path)) is None


def test_what_cannot_be_read_is_none(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "missing", "", "\0"):
        assert format_of_content(os.path.join(tmp_path, name)) is None
    assert not is_text(str(tmp_path))

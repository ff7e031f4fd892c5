"""`ffrecord.FileReader` over files that are damaged, cut off, old or foreign: the original's words, then octavo's."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from octavo.compat.ffrecord import FileReader
from tests.conformance.originals import Original, as_parameters, digest_of, originals
from tests.settling import open_descriptors, settles

RECORDS = [b"abc", b"", b"edf", bytes(range(256)), b"last"]
SOUND = [one for one in originals("ffrecord") if one.kind.startswith("valid")]
REFUSED = [one for one in originals("ffrecord") if one.kind == "damaged" and one.facts["opens"] is False]


@pytest.fixture
def path(write_file: Callable[..., Path]) -> Path:
    return write_file(RECORDS)


def as_bytes(arrays: list[np.ndarray]) -> list[bytes]:
    return [one.tobytes() for one in arrays]


def change(path: Path, offset: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(content)


def test_a_closed_reader_says_so(path):
    reader = FileReader(path)
    reader.close()
    reader.close()
    for read in (reader.read, lambda indices: reader.read_one(indices[0])):
        with pytest.raises(RuntimeError) as caught:
            read([0])
        assert str(caught.value).splitlines()[0] == "'!is_closed' failed. FileReader has been closed."
    reader.validate()
    assert reader.n == 5


@pytest.mark.parametrize("several", [False, True])
def test_damaged_metadata_is_a_runtime_error_when_opened(working_folder, write_file, several):
    write_file(RECORDS, "good.ffr")
    change(write_file(RECORDS, "bad.ffr"), 13, b"?")
    with pytest.raises(RuntimeError) as caught:
        FileReader(["good.ffr", "bad.ffr"] if several else "bad.ffr")
    first, rest = str(caught.value).split("\n", 1)
    assert first == "'checksum == checksum_meta' failed. bad.ffr: checksum of metadata mismached!"
    assert str(working_folder / "bad.ffr") in rest


def test_validate_finds_damaged_metadata_of_an_unchecked_reader(path):
    change(path, 13, b"?")
    reader = FileReader(path, check_data=False)
    assert reader.check_data is False
    with pytest.raises(RuntimeError, match=r"^'checksum == checksum_meta' failed\. .*records\.ffr: checksum of"):
        reader.validate()


def test_damaged_records_are_named_by_their_global_number(write_file):
    paths = [write_file(RECORDS, "one.ffr"), write_file(RECORDS, "two.ffr")]
    change(paths[1], paths[1].stat().st_size - 1, b"?")
    reader = FileReader(paths)
    for read in (reader.read_one, lambda number: reader.read([0, 1, 2, number])):
        with pytest.raises(RuntimeError) as caught:
            read(9)
        assert str(caught.value).splitlines()[0] == "'checksum2 == checksum' failed. Sample 9: checksum mismached!"
    assert FileReader(paths, check_data=False).read_one(9).tobytes() == b"las?"


def test_truncated_records_tell_how_much_of_them_is_left(write_file):
    path = write_file([bytes(100)] * 4)
    os.truncate(path, 12 + 12 * 4 + 250)
    reader = FileReader(path)
    with pytest.raises(RuntimeError) as caught:
        reader.read_one(2)
    assert str(caught.value).splitlines()[0] == "'res == len_i' failed. Sample 2: length 100 but read 50 bytes"
    assert as_bytes(reader.read([0, 1])) == [bytes(100)] * 2


def test_a_truncated_record_without_bytes_misses_none(write_file):
    path = write_file([b"abc", b""])
    os.truncate(path, path.stat().st_size - 1)
    with pytest.raises(RuntimeError, match=r"^(?!'res == len_i').*records\.ffr"):
        FileReader(path).read_one(1)


def test_files_of_the_first_releases_are_told_of_when_opened(write_file, capfd):
    line = "warning: you are using an old version ffrecord file, please update the file\n"
    old, new = write_file(RECORDS, "old.ffr", legacy=True), write_file(RECORDS)
    for check_data in (True, False):
        FileReader([old, new, old], check_data).read([0])
        assert capfd.readouterr() == ("", line * 2)
    FileReader(new)
    assert capfd.readouterr() == ("", "")


def test_files_of_the_first_releases_are_read(write_file):
    path = write_file(RECORDS, legacy=True)
    reader = FileReader(path)
    reader.validate()
    assert as_bytes(reader.read(range(5))) == RECORDS
    change(path, path.stat().st_size - 1, b"?")
    with pytest.raises(RuntimeError, match="Sample 4: checksum mismached!"):
        FileReader(path).read([4])


@pytest.mark.parametrize("size", [0, 7, 11, 40])
def test_files_that_are_too_short_are_runtime_errors(path, size):
    os.truncate(path, size)
    for check_data in (True, False):
        with pytest.raises(RuntimeError, match=r"records\.ffr"):
            FileReader(path, check_data)


def test_a_file_that_its_writer_did_not_finish_is_refused(tmp_path):
    path = tmp_path / "crashed.ffr"
    path.write_bytes(bytes(48) + b"records without an index")
    with pytest.raises(RuntimeError, match="before it could close the file"):
        FileReader(path)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a user whom permissions bind")
def test_a_file_that_cannot_be_opened_is_a_runtime_error(path):
    path.chmod(0)
    with pytest.raises(RuntimeError, match=r"^'fd > 0' failed\. Failed to open file .*records\.ffr\n"):
        FileReader(path)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_failed_opens_leave_no_descriptors(path, write_file):
    bad = write_file(RECORDS, "bad.ffr")
    change(bad, 13, b"?")
    before = open_descriptors()
    for _ in range(50):
        with pytest.raises(RuntimeError):
            FileReader([path, bad])
    settles(open_descriptors, before)


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_files_of_the_original_read_as_their_manifest_says(original: Original):
    reader = FileReader(original.path)
    assert digest_of(as_bytes(reader.read(range(reader.n)))) == original.facts["records_digest"]
    assert (
        digest_of(reader.read_one(number).tobytes() for number in range(reader.n)) == original.facts["records_digest"]
    )


@pytest.mark.parametrize("original", as_parameters(REFUSED))
def test_files_that_must_not_open_are_runtime_errors(original: Original):
    with pytest.raises(RuntimeError, match=original.path.name):
        FileReader(original.path)

"""`ffrecord.FileWriter`: the original's bytes and errors, whole buffers, and no file that only looks finished."""

from __future__ import annotations

import array
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from octavo.compat.ffrecord import FileReader, FileWriter
from tests.conformance.originals import Original, as_parameters, originals
from tests.naive import ffrecord as naive

RECORDS = [b"abc", b"", b"edf"]
SOUND = [one for one in originals("ffrecord") if one.kind == "valid" and one.path.is_file()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "records.ffr"


def first_line(caught: pytest.ExceptionInfo[BaseException]) -> str:
    return str(caught.value).splitlines()[0]


def write(path: Path, *records: Any) -> None:
    with FileWriter(path, len(records)) as writer:
        for record in records:
            writer.write_one(record)


def test_the_file_has_the_bytes_of_the_format(path):
    writer = FileWriter(str(path), 3)
    for record in RECORDS:
        writer.write_one(record)
    writer.close()
    assert path.read_bytes() == naive.encode(RECORDS)


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_files_written_again_are_those_of_the_original(path, original: Original):
    reader = FileReader(original.path)
    write(path, *reader.read(range(reader.n)))
    assert path.read_bytes() == original.path.read_bytes()


def test_announced_and_written_records_are_counted(path):
    with FileWriter(path, 2) as writer:
        assert (writer.n, writer.count) == (2, 0)
        writer.write_one(b"one")
        assert (writer.n, writer.count) == (2, 1)
        for name in ("n", "count"):
            with pytest.raises(AttributeError):
                setattr(writer, name, 0)
        writer.write_one(b"two")
    assert writer.count == 2


def test_the_file_is_there_and_empty_from_the_start(path):
    path.write_bytes(b"something else")
    with FileWriter(path, 1) as writer:
        assert path.stat().st_size == 0
        writer.write_one(b"one")


def test_files_are_not_executable(path):
    write(path, b"one")
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask


def test_no_records_make_a_file_too(path):
    FileWriter(path, 0).close()
    assert path.read_bytes() == naive.encode([])


@pytest.mark.parametrize(
    "record",
    [
        bytearray(b"bytes"),
        memoryview(b"bytes"),
        np.arange(3, dtype=np.float32),
        np.arange(6, dtype=np.uint8).reshape(2, 3),
        array.array("q", [1, 2, 3]),
        np.zeros((0, 4)),
    ],
    ids=["bytearray", "memoryview", "floats", "two dimensions", "array", "nothing"],
)
def test_all_bytes_of_a_buffer_are_written(path, record):
    write(path, record)
    assert FileReader(path).read_one(0).tobytes() == memoryview(record).tobytes()


@pytest.mark.parametrize("record", ["text", 3, [1, 2], None, np.arange(10)[::2], np.array([object()])])
def test_what_has_no_bytes_in_a_row_is_a_type_error(path, record):
    with FileWriter(path, 1) as writer:
        with pytest.raises(TypeError):
            writer.write_one(record)
        assert writer.count == 0
        writer.write_one(b"still open")


@pytest.mark.parametrize("is_closed", [False, True])
def test_one_record_too_many_is_a_runtime_error(path, is_closed):
    writer = FileWriter(path, 3)
    for record in RECORDS:
        writer.write_one(record)
    if is_closed:
        writer.close()
    with pytest.raises(RuntimeError) as caught:
        writer.write_one(b"one too many")
    assert first_line(caught) == "'count < n' failed. Exceed total number of samples: 3"
    writer.close()
    assert path.read_bytes() == naive.encode(RECORDS)


def test_threads_write_no_more_than_announced(path):
    record = bytes(3_000_000)
    writer = FileWriter(path, 20)
    refused: list[str] = []

    def fill() -> None:
        for _ in range(10):
            try:
                writer.write_one(record)
            except RuntimeError as error:
                refused.append(str(error).splitlines()[0])

    threads = [threading.Thread(target=fill) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    assert FileReader(path).n == writer.count == 20
    assert refused == ["'count < n' failed. Exceed total number of samples: 20"] * 20


def test_closing_with_records_missing_is_a_runtime_error_and_they_can_be_added(path):
    writer = FileWriter(path, 3)
    writer.write_one(RECORDS[0])
    with pytest.raises(RuntimeError) as caught:
        writer.close()
    assert first_line(caught) == "'count == n' failed. Number of samples mismatched! Wrote 1 samples but expected 3"
    writer.write_one(RECORDS[1])
    writer.write_one(RECORDS[2])
    writer.close()
    writer.close()
    assert path.read_bytes() == naive.encode(RECORDS)


def write_one_and_fail(path: Path, n: int | None) -> None:
    with FileWriter(path, n) as writer:
        writer.write_one(b"one")
        raise KeyError("mine")


def test_an_exception_in_a_with_block_stays_what_it_is_and_leaves_no_file(path):
    with pytest.raises(KeyError, match="mine"):
        write_one_and_fail(path, 3)
    assert not path.exists()


def test_an_exception_after_the_last_record_leaves_the_whole_file(path):
    with pytest.raises(KeyError, match="mine"):
        write_one_and_fail(path, 1)
    assert path.read_bytes() == naive.encode([b"one"])


def test_a_with_block_with_records_missing_is_a_runtime_error_and_leaves_no_file(path):
    with pytest.raises(RuntimeError, match="Wrote 1 samples but expected 3"), FileWriter(path, 3) as writer:
        writer.write_one(b"one")
    assert not path.exists()


def test_closing_inside_a_with_block_is_fine(path):
    with FileWriter(path, 1) as writer:
        writer.write_one(b"one")
        writer.close()
    assert path.exists()


def test_what_was_written_through_a_link_is_what_is_removed(path, tmp_path):
    link = tmp_path / "link.ffr"
    link.symlink_to(path)
    write(link, b"one")
    assert path.read_bytes() == naive.encode([b"one"])
    with pytest.raises(KeyError), FileWriter(link, 2):
        raise KeyError
    assert not path.exists()


class Named:
    """Something that is no path, although its text looks like one."""

    def __str__(self) -> str:
        return "records.ffr"


@pytest.mark.parametrize("fname", ["records.bin", "records", b"records.ffr", "", 3, Named()])
def test_other_suffixes_are_assertion_errors(working_folder, fname):
    with pytest.raises(AssertionError, match=r"does not end with \.ffr"):
        FileWriter(fname, 1)
    assert not any(working_folder.iterdir())


def test_counts_are_integers(path):
    with pytest.raises(TypeError):
        FileWriter(path, 3.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^vector::_M_default_append\n"):
        FileWriter(path, -1)
    write(path, *[b"x"] * 3)
    with FileWriter(path, np.int64(1)) as writer:
        writer.write_one(b"one")
    assert FileReader(path).n == 1


@pytest.mark.parametrize("n", [2**60, 2**62, 2**63, 10**30])
def test_counts_beyond_every_file_are_value_errors(path, n):
    with pytest.raises(ValueError, match="number of records"):
        FileWriter(path, n)
    assert not path.exists()


def test_a_place_that_is_none_is_a_runtime_error(tmp_path):
    path = tmp_path / "absent" / "records.ffr"
    with pytest.raises(RuntimeError) as caught:
        FileWriter(path, 1)
    assert first_line(caught) == f"'fd > 0' failed. Failed to open file {path}"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_a_runtime_error(tmp_path):
    full = tmp_path / "full.ffr"
    full.symlink_to("/dev/full")
    with pytest.raises(RuntimeError, match="No space left"):
        write(full, *[bytes(1 << 20)] * 4)
    assert os.path.exists("/dev/full")


def test_without_a_count_the_file_appears_when_it_is_whole(path):
    with FileWriter(path) as writer:
        for record in RECORDS:
            writer.write_one(record)
        assert (writer.n, writer.count) == (None, 3)
        assert not path.exists()
    assert path.read_bytes() == naive.encode(RECORDS)


def test_a_name_may_be_nothing_but_the_suffix(working_folder):
    for n in (None, 1):
        with FileWriter(".ffr", n) as writer:
            writer.write_one(b"one")
        assert (working_folder / ".ffr").read_bytes() == naive.encode([b"one"])


def test_parents_of_links_are_those_of_what_they_lead_to(working_folder):
    (working_folder / "other" / "deep").mkdir(parents=True)
    (working_folder / "link").symlink_to("other/deep")
    for n in (None, 1):
        with FileWriter("link/../records.ffr", n) as writer:
            writer.write_one(b"one")
        assert FileReader("link/../records.ffr").read_one(0).tobytes() == b"one"
        (working_folder / "other" / "records.ffr").unlink()
    assert sorted(one.name for one in working_folder.iterdir()) == ["link", "other"]


def test_without_a_count_an_exception_leaves_the_old_file(path):
    path.write_bytes(naive.encode([b"old"]))
    with pytest.raises(KeyError, match="mine"):
        write_one_and_fail(path, None)
    assert path.read_bytes() == naive.encode([b"old"])
    assert [one.name for one in path.parent.iterdir()] == ["records.ffr"]

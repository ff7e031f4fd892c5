"""Files made to harm: an error, in little memory and little time."""

from __future__ import annotations

import os
import socket
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults import isolation, samples
from tests.faults.programs import hostile

TERABYTE = 1 << 40


def header(count: int) -> bytes:
    return struct.pack("<Iq", 1, count)


def fill(path: Path, head: bytes, size: int) -> None:
    """A file that has this size and takes no room."""
    with open(path, "wb") as file:
        file.write(head)
        try:
            file.truncate(size)
        except OSError as error:
            pytest.skip(f"the file system of the temporary folder has no files of {size} bytes: {error}")


LIARS: dict[str, tuple[int, int]] = {
    "more records than bytes": (1 << 40, 12),
    "as many records as there are numbers": ((1 << 63) - 1, 4096),
    "so many that the size of the index wraps around": ((1 << 64) // 12 + 1, 4096),
    "fewer than none": (-1, 4096),
    "one more than there is room for": (100, 12 + 12 * 100 - 1),
    "more index than memory, all of it a hole": (1 << 28, 12 + 12 * (1 << 28) + 100),
    "a terabyte of index that is a hole": (TERABYTE // 12 - 2, TERABYTE),
}


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.ffr"
    samples.write(path, [b"good"])
    return path


@pytest.mark.parametrize("liar", LIARS)
def test_header_that_lies_is_an_error_and_costs_no_memory(tmp_path: Path, good: Path, liar: str, check_data):
    count, size = LIARS[liar]
    path = tmp_path / "liar.ffr"
    fill(path, header(count), size)
    isolation.check(hostile.open_a_liar, path=path, good=good, io="auto", check_data=check_data)


def test_record_that_there_is_no_memory_for_does_not_end_the_process(tmp_path: Path, io: str):
    path = tmp_path / "large.ffr"
    offsets = struct.pack("<qq", 36, 40)
    covered = struct.pack("<q", 2) + struct.pack("<II", zlib.crc32(b"good"), 0) + offsets
    head = struct.pack("<I", zlib.crc32(covered)) + covered + b"good"
    fill(path, head, 40 + hostile.LARGE_BYTES)
    isolation.check(hostile.read_large_records, path=path, io=io)


def socket_at(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        folder = os.open(path.parent, os.O_PATH)  # the whole path may be longer than a socket's address
        listener.bind(f"/proc/self/fd/{folder}/{path.name}")
        os.close(folder)


NO_FILES: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "socket": socket_at,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "terminal": lambda path: path.symlink_to("/dev/tty"),
    "folder": lambda path: path.mkdir(),
    "link to itself": lambda path: path.symlink_to(path),
    "link to nothing": lambda path: path.symlink_to(path.parent / "nothing"),
}


@pytest.mark.parametrize("kind", NO_FILES)
def test_what_is_no_file_is_an_error_and_nobody_waits(tmp_path: Path, kind: str):
    path = tmp_path / "no-file.ffr"
    NO_FILES[kind](path)
    isolation.check(hostile.open_no_file, path=path, io="auto")


def test_pipe_is_an_error_in_every_mode(tmp_path: Path, io: str):
    path = tmp_path / "pipe.ffr"
    os.mkfifo(path)
    isolation.check(hostile.open_no_file, path=path, io=io)


def test_pipe_is_an_error_for_verify_and_append(tmp_path: Path):
    path = tmp_path / "pipe.ffr"
    os.mkfifo(path)
    isolation.check(hostile.verify_no_file, path=path)


def test_pipe_in_the_place_of_the_side_file_keeps_nobody_waiting(tmp_path: Path):
    os.mkfifo(tmp_path / "out.ffr.partial")
    isolation.check(hostile.create_beside_a_pipe, path=tmp_path / "out.ffr")

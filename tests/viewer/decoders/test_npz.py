"""NumPy archives: little of each array is unpacked, whatever the directory says."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

from octavo.viewer.blocks import Note, Section, Table
from tests.viewer.decoders import contents


def archive(members, method=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as writer:
        for name, content in members:
            writer.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize("compressed", [False, True])
def test_arrays_are_listed_and_shown(decoders, compressed):
    record = contents.npz(compressed=compressed, x=np.ones((3, 224, 224), "<f4"), y=np.arange(5))
    table, *sections = decoders.decode(record).blocks
    assert isinstance(table, Table)
    assert table.title == "2 arrays"
    assert [row[:3] for row in table.rows] == [("x", "float32", "3 × 224 × 224"), ("y", "int64", "5")]  # noqa: RUF001
    assert [section.title for section in sections] == ["x", "y"]
    assert sections[0].blocks[1].rows[7] == ("7", *["1.0"] * 8)
    assert sections[1].blocks[1].text == "0, 1, 2, 3, 4"
    assert decoders.summarise(record)[1].text == "2 arrays: x, y"


def test_a_bomb_is_unpacked_no_further_than_it_is_shown(decoders):
    header = contents.npy(np.zeros(1 << 20, "u1"))[:128]
    record = archive([(f"{at}.npy", header + bytes(100 << 20)) for at in range(3)])
    tracemalloc.start()
    try:
        blocks = decoders.decode(record).blocks
        decoders.summarise(record)
        most_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert blocks[0].rows[0][:3] == ("0", "uint8", "1,048,576")
    assert most_bytes < 8 << 20


def test_a_directory_of_many_members_is_read_in_part(decoders):
    entry = zipfile.ZipInfo("a.npy")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as writer:
        writer.writestr(entry, contents.npy(np.arange(3)))
    whole = file.getvalue()
    start = whole.index(b"PK\x01\x02")
    end = whole.index(b"PK\x05\x06")
    listed = whole[start:end] * 60_000
    closing = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 60_000, 60_000, len(listed), start, 0)
    record = whole[:start] + listed + closing
    table, note, *sections = decoders.decode(record).blocks
    assert (len(table.rows), table.left_out) == (1000, 59_000)
    assert note == Note("values of the first 16 arrays are shown")
    assert len(sections) == 16
    assert "59,992 more" in decoders.summarise(record)[1].snippet


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda record: record.replace(b"PK\x05\x06", b"PK\x00\x00"), "no directory at its end"),
        (lambda record: record[:40], "no directory at its end"),
    ],
)
def test_an_archive_without_a_directory_is_told(decoders, change, reason):
    decoded = decoders.decode(change(contents.npz(x=np.arange(3))))
    assert decoded.decoder.name == "npz"
    assert reason in decoded.problem


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (archive([("x.npy", b"no array")]), "does not begin as a NumPy array"),
        (archive([("x.npy", contents.npy(np.arange(3)))], zipfile.ZIP_BZIP2), "method 12, which is not read"),
        (archive([("x.npy", b"")]), "does not begin as a NumPy array"),
    ],
)
def test_a_member_that_cannot_be_read_is_told(decoders, record, reason):
    decoded = decoders.decode(record)
    assert decoded.problem is None
    section = decoded.blocks[1]
    assert isinstance(section, Section)
    assert isinstance(section.blocks[0], Note)
    assert reason in section.blocks[0].text
    assert reason in decoded.blocks[0].rows[0][1]


def test_a_member_that_is_elsewhere_or_encrypted_is_told(decoders):
    record = bytearray(contents.npz(x=np.arange(3)))
    at = record.index(b"PK\x01\x02")
    record[at + 42 : at + 46] = struct.pack("<I", 1 << 31)
    assert "not where the directory says" in decoders.decode(bytes(record)).blocks[0].rows[0][1]
    record[at + 8] |= 1
    assert "encrypted" in decoders.decode(bytes(record)).blocks[0].rows[0][1]


def test_another_archive_is_bytes_with_a_name(decoders):
    record = archive([("readme.txt", b"text")])
    assert decoders.guess(record).name == "hex"
    assert "zip archive" in decoders.summarise(record)[1].text

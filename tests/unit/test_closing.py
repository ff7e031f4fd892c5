"""Closing readers: once is enough, twice does no harm, and slices belong to what they are slices of."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.unit.layouts import Layout

RECORDS = [b"abc", b"", b"edf"]
USES = {
    "len": len,
    "number": lambda reader: reader[0],
    "slice": lambda reader: reader[1:],
    "list": lambda reader: reader[[0]],
    "read": lambda reader: reader.read([0]),
    "read nothing": lambda reader: reader.read([]),
    "read_range": lambda reader: reader.read_range(0, 1),
    "read_all": lambda reader: reader.read_all(),
    "read_batch": lambda reader: reader.read_batch([0]),
    "read_into": lambda reader: reader.read_into([0], bytearray(3)),
    "iteration": iter,
    "reversed": reversed,
    "membership": lambda reader: b"abc" in reader,
    "index": lambda reader: reader.index(b"abc"),
    "count": lambda reader: reader.count(b"abc"),
    "info": lambda reader: reader.info,
}


@pytest.fixture
def reader(stored: Layout, tmp_path: Path) -> octavo.Reader:
    return octavo.open(stored.write(tmp_path / "records", RECORDS))


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_every_use_of_a_closed_reader_is_an_error(reader, use):
    reader.close()
    with pytest.raises(errors.ClosedError, match="the reader is closed"):
        use(reader)


def test_closing_twice_does_no_harm(reader):
    reader.close()
    reader.close()
    assert reader.closed


def test_a_new_reader_is_open(reader):
    assert not reader.closed


def test_closing_the_whole_closes_its_slices(reader):
    part = reader[1:]
    reader.close()
    assert part.closed
    with pytest.raises(errors.ClosedError):
        part[0]


def test_closing_a_slice_closes_the_whole(reader):
    reader[1:].close()
    assert reader.closed


def test_closing_one_reader_leaves_others_of_the_file_open(reader):
    other = octavo.open(reader.paths[0])
    reader.close()
    assert other.read_all() == RECORDS


def test_the_with_block_gives_the_reader_itself(reader):
    with reader as inside:
        assert inside is reader


def test_the_with_block_closes_after_an_exception(reader):
    with pytest.raises(LookupError), reader:
        raise LookupError
    assert reader.closed


def test_records_outlive_the_reader(reader):
    records = reader.read_all()
    reader.close()
    del reader
    gc.collect()
    assert records == RECORDS


def test_a_file_object_stays_open_when_its_reader_closes(layout, tmp_path):
    with layout.write(tmp_path / "records", RECORDS).open("rb") as file:
        octavo.open(file).close()
        assert not file.closed


def test_a_reader_that_is_only_dropped_lets_its_file_go(stored, tmp_path):
    path = stored.write(tmp_path / "records", RECORDS)
    octavo.open(path).read_all()
    gc.collect()
    assert str(path) not in open_files()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
def test_readers_that_fail_to_open_leave_no_descriptor(stored, tmp_path):
    good, bad = (stored.write(tmp_path / name, RECORDS) for name in "ab")
    bad.write_bytes(b"not records of any format")
    for _ in range(20):
        with pytest.raises(errors.FormatError):
            octavo.open([good, bad])
    gc.collect()
    assert not {str(good), str(bad)} & set(open_files())


def open_files() -> list[str]:
    """What this process has open, where the system tells."""
    folder = "/proc/self/fd"
    if not os.path.isdir(folder):
        return []
    names = []
    for number in os.listdir(folder):
        try:
            names.append(os.readlink(os.path.join(folder, number)))
        except OSError:
            continue
    return names


def test_bytes_are_free_again_when_the_reader_is_gone(stored):
    content = bytearray(stored.encode(RECORDS))
    reader = octavo.open(content, **stored.hint)
    with pytest.raises(BufferError):
        content.extend(b"x")
    del reader
    gc.collect()
    content.extend(b"x")

"""FFRecord's index stands before its records, so a writer that does not know their number yet keeps them aside."""

from __future__ import annotations

import os
import random

import pytest

import octavo
from octavo import errors
from tests.naive import ffrecord as naive

HELD_BYTES = 64 << 20  # what a writer keeps in memory before it writes to the side
BLOCK_BYTES = 1 << 20  # what it collects before it computes checksums
BLOCKS_UNDER_WAY = 2 * (os.cpu_count() or 1)


def test_more_than_the_writer_holds_in_memory_is_byte_exact(tmp_path):
    block = random.Random(7).randbytes(BLOCK_BYTES + 1000)
    records = [block[number:] for number in range(HELD_BYTES // BLOCK_BYTES + BLOCKS_UNDER_WAY + 1)]
    path = tmp_path / "large.ffr"
    with octavo.create(path) as writer:
        writer.write_many(records)
        assert os.path.getsize(f"{path}.partial") > HELD_BYTES / 2
    assert path.read_bytes() == naive.encode(records)
    assert os.listdir(tmp_path) == ["large.ffr"]


@pytest.mark.parametrize("when", [(0,), (1,), (5,), (9,), (10,), (0, 0), (3, 3, 7), tuple(range(11))])
def test_flushing_at_any_time_does_not_change_the_file(tmp_path, when):
    records = [bytes([number]) * (number * 1000) for number in range(10)]
    path = tmp_path / "flushed.ffr"
    with octavo.create(path) as writer:
        for number in range(11):
            for _ in range(when.count(number)):
                writer.flush()
            if number < 10:
                writer.write(records[number])
    assert path.read_bytes() == naive.encode(records)
    assert os.listdir(tmp_path) == ["flushed.ffr"]


def test_flushing_between_blocks_does_not_change_the_file(tmp_path):
    records = [random.Random(number).randbytes(300_000) for number in range(20)]
    path = tmp_path / "blocks.ffr"
    with octavo.create(path) as writer:
        writer.write_many(records[:13])
        writer.flush()
        writer.write_many(records[13:])
    assert path.read_bytes() == naive.encode(records)


def test_flushed_records_are_on_disk(tmp_path):
    with octavo.create(tmp_path / "records.ffr") as writer:
        writer.write(b"find me " * 100)
        writer.flush()
        assert b"find me " * 100 in (tmp_path / "records.ffr.partial").read_bytes()


def test_what_a_crash_leaves_says_what_it_is(tmp_path):
    with octavo.create(tmp_path / "records.ffr") as writer:
        writer.write(b"abc")
        writer.flush()
        with pytest.raises(errors.UnknownFormatError, match="unfinished octavo write"):
            octavo.open(tmp_path / "records.ffr.partial")


def test_a_writer_that_has_not_flushed_leaves_an_empty_side_file(tmp_path):
    with octavo.create(tmp_path / "records.ffr") as writer:
        writer.write(b"abc")
        with pytest.raises(errors.UnknownFormatError, match="empty"):
            octavo.open(tmp_path / "records.ffr.partial")


def test_aborting_a_writer_that_has_flushed_leaves_nothing(tmp_path):
    writer = octavo.create(tmp_path / "records.ffr")
    writer.write(b"abc")
    writer.flush()
    writer.abort()
    assert os.listdir(tmp_path) == []


def test_a_flushed_file_is_not_published_over_one_that_appeared(tmp_path):
    path = tmp_path / "records.ffr"
    writer = octavo.create(path, overwrite=False)
    writer.write(b"abc")
    writer.flush()
    path.write_bytes(b"meanwhile")
    with pytest.raises(errors.AlreadyExistsError):
        writer.close()
    assert path.read_bytes() == b"meanwhile"
    assert sorted(os.listdir(tmp_path)) == ["records.ffr", "records.ffr.partial"]
    octavo.recover(f"{path}.partial", tmp_path / "saved.ffr")
    assert octavo.open(tmp_path / "saved.ffr").read_all() == [b"abc"]

"""What `ArrayRecordReader` can do beyond the original: it is a sequence, a context manager, and can be pickled."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

from octavo.compat.array_record.python.array_record_module import ArrayRecordReader
from tests.compat.array_record.samples import flip, numbered, write, write_shards

RECORDS = numbered(20)


@pytest.fixture(params=["group_size:1", "group_size:6"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(write(tmp_path / "file", RECORDS, request.param))


def test_a_reader_is_a_sequence(path: str):
    reader = ArrayRecordReader(path)
    assert len(reader) == 20
    assert [reader[0], reader[-1], reader[np.int64(3)]] == [RECORDS[0], RECORDS[-1], RECORDS[3]]
    assert reader[[1, 5, 1]] == [RECORDS[1], RECORDS[5], RECORDS[1]]
    assert reader[2:9:3] == RECORDS[2:9:3]
    assert reader[::-1] == RECORDS[::-1]
    with pytest.raises(IndexError):
        reader[20]
    with pytest.raises(TypeError):
        reader["1"]


def test_iterating_begins_at_the_first_record_and_does_not_move_the_cursor(path: str):
    reader = ArrayRecordReader(path)
    reader.seek(4)
    assert list(reader) == RECORDS
    assert reader.read() == RECORDS[4]


def test_a_closed_reader_is_no_sequence(path: str):
    with ArrayRecordReader(path) as reader:
        assert reader[3] == RECORDS[3]
    assert (reader.is_open(), len(reader)) == (False, 0)
    with pytest.raises(RuntimeError, match=r"^Object closed$"):
        reader[3]
    with pytest.raises(RuntimeError, match=r"^Object closed$"):
        list(reader)


def test_a_block_shows_its_own_exception(tmp_path: Path):
    with pytest.raises(ZeroDivisionError), ArrayRecordReader(str(tmp_path / "missing")):
        _ = 1 / 0
    with pytest.raises(RuntimeError, match=r"^open\(\) failed"), ArrayRecordReader(str(tmp_path / "missing")):
        pass


def test_damage_is_the_originals_error_here_too(tmp_path: Path):
    path = flip(write(tmp_path / "file", [b"0" * 100] * 3, "group_size:1,uncompressed"), 120)
    reader = ArrayRecordReader(str(path))
    assert reader[1] == b"0" * 100
    for use in (lambda: reader[0], lambda: reader[[1, 0]], lambda: reader[:2], lambda: list(reader)):
        with pytest.raises(RuntimeError, match=r"^Corrupted Riegeli/records file: chunk data hash mismatch"):
            use()
    assert reader.ok()


def test_a_pickled_reader_opens_its_file_again_at_the_same_place(path: str):
    reader = ArrayRecordReader(path, "max_parallelism:0", file_reader_buffer_size=32768)
    for _ in range(5):
        reader.read()
    for twin in (pickle.loads(pickle.dumps(reader)), copy.copy(reader)):
        assert twin.record_index() == 5
        assert twin.read() == RECORDS[5]
    assert reader.read() == RECORDS[5]


def test_a_pickled_reader_that_failed_or_was_closed_stays_so(path: str, tmp_path: Path):
    failed = pickle.loads(pickle.dumps(ArrayRecordReader(str(tmp_path / "missing"))))
    assert (failed.ok(), failed.is_open()) == (False, True)
    reader = ArrayRecordReader(path)
    reader.close()
    closed = pickle.loads(pickle.dumps(reader))
    assert (closed.ok(), closed.is_open()) == (False, False)


def test_a_name_that_no_file_has_may_stand_for_several(tmp_path: Path):
    write_shards(tmp_path, 3, 2)
    for name in ("shard.array_record@3", "shard.array_record-*"):
        assert ArrayRecordReader(tmp_path / name).num_records() == 6
    write(tmp_path / "shard.array_record-*", [b"literal"])
    assert ArrayRecordReader(tmp_path / "shard.array_record-*").read_all() == [b"literal"]

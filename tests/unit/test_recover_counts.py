"""Recovering RecordIO chunks that tell a wrong number of records: it has no checksum, and the records have one."""

from __future__ import annotations

import struct

import pytest

import octavo
from octavo import errors
from tests.naive import recordio as naive

RECORDS = [b"first", b"", b"third" * 40]
BEFORE, AFTER = [b"before"], [b"after"]


def with_count(chunk: bytes, count: int, dialect: str) -> bytes:
    at = 16 if dialect == "go" else 4
    assert struct.unpack_from("<I", chunk, at)[0] == len(RECORDS)
    return chunk[:at] + struct.pack("<I", count) + chunk[at + 4 :]


@pytest.mark.parametrize("is_alone", [False, True], ids=["between others", "alone"])
@pytest.mark.parametrize("count", [0, 1, len(RECORDS) + 1, 2**32 - 1])
@pytest.mark.parametrize(("dialect", "codec"), naive.WAYS)
def test_a_wrong_number_of_records_costs_none(dialect, codec, count, is_alone, tmp_path):
    before, chunk, after = (naive.encode_chunk(records, dialect, codec) for records in (BEFORE, RECORDS, AFTER))
    wrong = with_count(chunk, count, dialect)
    source, target = tmp_path / "wrong.recordio", tmp_path / "saved.recordio"
    source.write_bytes(wrong if is_alone else before + wrong + after)
    assert not octavo.verify(source).ok
    report = octavo.recover(source, target)
    assert octavo.open(target).read_all() == (RECORDS if is_alone else BEFORE + RECORDS + AFTER)
    assert (report.ok, report.lost_count) == (True, 0)


def test_reading_such_a_chunk_is_an_error(tmp_path):
    source = tmp_path / "wrong.recordio"
    source.write_bytes(with_count(naive.encode_chunk(RECORDS, "go", "none"), 2, "go"))
    with pytest.raises(errors.DamagedFileError, match="more in it than its header says"):
        octavo.open(source)[0]

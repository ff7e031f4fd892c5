"""What octavo writes is what the naive twin writes, byte for byte."""

from __future__ import annotations

import random

import pytest

import octavo
from tests.naive import ffrecord as naive

SEEDED = random.Random(20210901)
RECORD_LISTS = {
    "none": [],
    "one": [b"one"],
    "one empty": [b""],
    "many empty": [b""] * 1000,
    "empty last": [b"a", b""],
    "empty first": [b"", b"a"],
    "zeros": [bytes(1000)] * 3,
    "a thousand equal": [b"equal"] * 1000,
    "growing": [bytes([size % 256]) * size for size in range(300)],
    "one of two mebibytes": [SEEDED.randbytes(2 << 20)],
    "large between small": [b"small", SEEDED.randbytes(3 << 20), b"", SEEDED.randbytes(1 << 20), b"small"],
    "exactly a block of one mebibyte": [SEEDED.randbytes(1 << 10) for _ in range(1 << 10)],
    "one byte more than a block": [SEEDED.randbytes(1 << 10) for _ in range(1 << 10)] + [b"x"],
    "more records than a block takes": [bytes([number % 256]) for number in range(70_000)],
    **{
        f"random {number}": [SEEDED.randbytes(SEEDED.choice([0, 1, 10, 1000])) for _ in range(SEEDED.randrange(200))]
        for number in range(20)
    },
}


@pytest.mark.parametrize("records", RECORD_LISTS.values(), ids=RECORD_LISTS)
def test_written_bytes_are_the_twins(tmp_path, records):
    path = tmp_path / "records.ffr"
    with octavo.create(path) as writer:
        writer.write_many(records)
    assert path.read_bytes() == naive.encode(records)


@pytest.mark.parametrize("records", RECORD_LISTS.values(), ids=RECORD_LISTS)
def test_written_bytes_do_not_depend_on_how_they_were_given(tmp_path, records):
    path = tmp_path / "records.ffr"
    with octavo.create(path) as writer:
        for number, record in enumerate(records):
            writer.write([record, bytearray(record), memoryview(record)][number % 3])
    assert path.read_bytes() == naive.encode(records)


@pytest.mark.parametrize("records", RECORD_LISTS.values(), ids=RECORD_LISTS)
def test_octavo_reads_what_the_twin_wrote(records):
    assert octavo.open(naive.encode(records)).read_all() == records

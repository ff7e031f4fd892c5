"""Bytes that the original wrote, as literals: octavo reads them, and writes the same ones."""

from __future__ import annotations

import pytest

import octavo
from tests.naive import ffrecord as naive

TINY_RECORDS = [b"abc", b"", b"edf"]
TINY = bytes.fromhex(
    "9bc983490300000000000000c2412435 00000000 17ba1d143000000000000000 3300000000000000 3300000000000000616263 656466"
)
ZERO = bytes.fromhex("69df2265 0000000000000000")
LEGACY = bytes(4) + TINY[4:]
# A packed folder: a.txt, d/b.txt and the empty folder e. To this layer its metadata is one more record, and is never
# unpickled.
PACKED_RECORDS = [
    b"one",
    b"two",
    b"piouhjgbr\x80\x04"
    + bytes.fromhex(
        "954b00000000000000 8c0b636f6c6c656374696f6e7394 8c0b4f72646572656444696374 94 9394 295294 28"
        "8c05612e74787494 4b00 8c016494 6802295294 8c05622e74787494 4b01 73 8c016594 6802295294 75 2e"
    ),
]
PACKED_HEADER = bytes.fromhex(
    "72950403 0300000000000000 f1866c7a 668aca11 ef447a86 3000000000000000 3300000000000000 3600000000000000"
)
PACKED = PACKED_HEADER + b"".join(PACKED_RECORDS)
ALL_READABLE = {
    "tiny": (TINY, TINY_RECORDS),
    "zero": (ZERO, []),
    "legacy": (LEGACY, TINY_RECORDS),
    "packed": (PACKED, PACKED_RECORDS),
}
ALL_WRITABLE = {name: pair for name, pair in ALL_READABLE.items() if name != "legacy"}


@pytest.mark.parametrize(("golden", "records"), ALL_READABLE.values(), ids=ALL_READABLE)
def test_golden_file_reads_as_its_records(tmp_path, golden, records):
    path = tmp_path / "golden.ffr"
    path.write_bytes(golden)
    assert octavo.open(path).read_all() == records


@pytest.mark.parametrize(("golden", "records"), ALL_READABLE.values(), ids=ALL_READABLE)
def test_golden_bytes_in_memory_are_recognised_by_content(golden, records):
    assert octavo.open(golden).read_all() == records


@pytest.mark.parametrize(("golden", "records"), ALL_WRITABLE.values(), ids=ALL_WRITABLE)
def test_writing_the_records_gives_the_golden_bytes(tmp_path, golden, records):
    path = tmp_path / "written.ffr"
    with octavo.create(path) as writer:
        writer.write_many(records)
    assert path.read_bytes() == golden


@pytest.mark.parametrize(("golden", "records"), ALL_READABLE.values(), ids=ALL_READABLE)
def test_the_naive_twin_writes_the_golden_bytes(golden, records):
    assert naive.encode(records, legacy=golden == LEGACY) == golden


@pytest.mark.parametrize(("golden", "records"), ALL_READABLE.values(), ids=ALL_READABLE)
def test_the_naive_twin_reads_the_golden_bytes(golden, records):
    assert list(naive.NaiveFile(golden).readable().values()) == records


def test_checksum_is_the_crc_of_zlib_and_not_crc32c():
    content = naive.encode([b"123456789"])
    assert content[12:16] == (0xCBF43926).to_bytes(4, "little")
    assert octavo.open(content)[0] == b"123456789"

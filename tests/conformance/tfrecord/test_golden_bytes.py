"""Bytes that TensorFlow wrote, as literals: octavo reads them, and writes the same ones without compression."""

from __future__ import annotations

import pytest

import octavo
from tests.naive import tfrecord as naive

RECORDS = [b"abc", b"", b"edf"]
PLAIN = bytes.fromhex(
    "0300000000000000 b099490e 616263 6e57f121 0000000000000000 29039807 d8ea82a2"
    "0300000000000000 b099490e 656466 2fd48a5f"
)
GOLDEN = {
    "none": PLAIN,
    "gzip": bytes.fromhex(
        "1f8b0800000000000003636680800d333df9129392f3c23f2a424518349967b0df78d5b4881949496a4a9afe95ae780013a77ad936000000"
    ),
    "zlib": bytes.fromhex("789c636680800d333df9129392f3c23f2a424518349967b0df78d5b4881949496a4a9afe95ae78002e0a0d10"),
}
# A writer that was closed without a record.
NOTHING = {
    "none": b"",
    "gzip": bytes.fromhex("1f8b080000000000000303000000000000000000"),
    "zlib": bytes.fromhex("789c030000000001"),
}
CHECKED = bytes.fromhex("0900000000000000 37f97139 313233343536373839 e5b08ac7")


@pytest.mark.parametrize(("codec", "content"), GOLDEN.items(), ids=GOLDEN)
def test_a_golden_file_reads_as_its_records(tmp_path, codec, content):
    path = tmp_path / "golden.tfrecord"
    path.write_bytes(content)
    reader = octavo.open(path)
    assert reader.read_all() == list(reader) == [reader[number] for number in range(3)] == RECORDS
    info = reader.info
    assert (info.format, info.codec, info.record_count, info.torn_bytes) == ("tfrecord", codec, 3, 0)


@pytest.mark.parametrize("suffix", [".tfrecord", ".tfrecords", ".tfrec"])
@pytest.mark.parametrize("last", ["", ".gz", "-00000-of-00004"])
@pytest.mark.parametrize("content", GOLDEN.values(), ids=GOLDEN)
def test_the_content_tells_the_compression_and_not_the_name(tmp_path, suffix, last, content):
    path = tmp_path / f"golden{suffix}{last}"
    path.write_bytes(content)
    assert octavo.open(path).read_all() == RECORDS


@pytest.mark.parametrize("content", GOLDEN.values(), ids=GOLDEN)
def test_golden_bytes_in_memory_are_read(content):
    assert octavo.open(content, format="tfrecord").read_all() == RECORDS
    assert octavo.verify(content, format="tfrecord").ok


@pytest.mark.parametrize("content", NOTHING.values(), ids=NOTHING)
def test_a_file_without_records_is_read(tmp_path, content):
    path = tmp_path / "nothing.tfrecord"
    path.write_bytes(content)
    reader = octavo.open(path)
    assert len(reader) == 0
    assert reader.read_all() == list(reader) == []
    assert octavo.verify(path).ok


def test_writing_the_records_gives_the_golden_bytes(tmp_path):
    path = tmp_path / "written.tfrecord"
    with octavo.create(path) as writer:
        writer.write_many(RECORDS)
    assert path.read_bytes() == PLAIN


def test_checksums_are_masked_and_of_castagnoli():
    assert naive.encode([b"123456789"]) == CHECKED
    assert octavo.open(CHECKED, format="tfrecord")[0] == b"123456789"


def test_the_naive_twin_writes_the_golden_bytes():
    assert naive.encode(RECORDS) == PLAIN


@pytest.mark.parametrize(("codec", "content"), GOLDEN.items(), ids=GOLDEN)
def test_the_naive_twin_reads_the_golden_bytes(codec, content):
    assert naive.codec_of(content) == codec
    assert naive.decode(content) == naive.salvage(content) == RECORDS


@pytest.mark.parametrize("content", NOTHING.values(), ids=NOTHING)
def test_the_naive_twin_reads_files_without_records(content):
    assert naive.decode(content) == naive.salvage(content) == []

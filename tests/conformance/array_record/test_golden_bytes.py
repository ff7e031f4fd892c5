"""Bytes that the original wrote, as literals: octavo reads them, and writes the same ones."""

from __future__ import annotations

import hashlib

import pytest

import octavo
from tests.naive import array_record as naive
from tests.naive import transposing
from tests.naive.original_machine import as_original
from tests.naive.riegeli import Chunk, records_of

OPTIONS_TEXT = b"group_size:1,transpose:false,pad_to_block_boundary:false,uncompressed,max_parallelism:1"


def sparse(size: int, parts: dict[int, str | bytes]) -> bytes:
    """A file that is zero but for these parts; text is hexadecimal."""
    content = bytearray(size)
    for place, part in parts.items():
        filling = bytes.fromhex(part) if isinstance(part, str) else part
        content[place : place + len(filling)] = filling
    return bytes(content)


BEGINNING: dict[int, str | bytes] = {
    0x00: "83af70d10d884a3f 0000000000000000 4000000000000000",  # block header
    0x18: "91bac23c9287e1a9 0000000000000000 e19f13c0e9b1c372 7300000000000000 0000000000000000",  # signature
}
ABC = sparse(
    0x20000,
    {
        **BEGINNING,
        0x40: "113d3d6c0b1deb36 0600000000000000 f634c5aa8c802fe8 7201000000000000 0300000000000000",  # data chunk
        0x68: "00 01 03 616263",
        0x6E: "96e7f81b447ac8b1 6b00000000000000 7b2e60473d8775ee 7202000000000000 6700000000000000",  # footer
        0x96: "00 02 61 06",
        0x9A: "0a5f 0801 1001 1801 2257",
        0xA4: OPTIONS_TEXT,
        0xFB: "0840 1003 1801",
        0x101: "ed57b05132cf201e d7fe000000000000 ce4339b8bab4ae71 7000000000000000 0000000000000000",  # padding
        0x10000: "bd5297ae1bc8a043 0000000000000000 6900000000000000",  # block header
        0x10018: "fb2e771406da70ed 2900000000000000 be550eb13e293808 7203000000000000 2400000000000000",  # postscript
        0x10040: "00 03 0c0c0c" + 3 * "086e 10dec0ebfe84cec3c971",
        0x10069: "db4b59356f8e2447 6fff000000000000 afb6e5b2206b7b63 7000000000000000 0000000000000000",  # padding
    },
)
TRANSPOSED_RECORDS = list(
    map(bytes.fromhex, ["08ac0210021a026869220408051001", "08ad0210021a02796f220408061001", "ff01"])
)
TRANSPOSED_DATA = bytes.fromhex(
    "00 30 04 06 07 03 02 01 01 02 04 03 02 01 0c"
    "03 08 68 02 1e 1a 10 02 08 10 26 01"
    "0a 0c 0f 15 0e 15 14 04 13 0d 12 16"
    "01 00 0b 00 0c 02 00 03 01 04 0b"
    "69 0605 2d022c02 02796f ff01 02 06"
)
TRANSPOSED_TEXT = (
    "group_size:3,transpose:true,pad_to_block_boundary:false,transpose_bucket_size:256,uncompressed,max_parallelism:1"
)
TRANSPOSED = naive.encode_chunks([Chunk(b"t", TRANSPOSED_DATA, 3, 32)], TRANSPOSED_TEXT)
# The beginning of a file of no records; its postscript differs from the one above only in the footer's place.
NONE_UP_TO_PADDING = sparse(
    0xF4,
    {
        **BEGINNING,
        0x40: "66812767db7f6828 6400000000000000 c8a95c4e7b2cd716 7201000000000000 6100000000000000",  # footer
        0x68: "00 01 61 0a5f 0801 1000 1800 2257",
        0x75: OPTIONS_TEXT,
        0xCC: "fbb2f6a56a5d55ef 0cff000000000000 12dd3d197050d700 7000000000000000 0000000000000000",  # padding
    },
)
ABC_SHA256 = "6b757f64086009e08f27822f1151ca52f3d1fa08cbb5add98c8b4e4404c059e4"
NONE_SHA256 = "bb7d9c8ed25aa0ec5f40ee07e444096b2b58697cb675400fdadaedfab1ce2c40"
TRANSPOSED_SHA256 = "e31adf8ba56bb942609cfb958e93ffcd39051380fb24f3cc5657dd309a46e101"
GOLDEN = {
    "abc": (ABC, [b"abc"], "group_size:1,uncompressed"),
    "none": (naive.encode([]), [], "uncompressed"),
    "transposed": (TRANSPOSED, TRANSPOSED_RECORDS, "group_size:3,uncompressed,transpose"),
}
# Which machine a transposed chunk has is the writer's choice.
ALIKE = {name: golden for name, golden in GOLDEN.items() if name != "transposed"}


def test_the_literals_have_the_digests_of_the_originals_files():
    assert hashlib.sha256(ABC).hexdigest() == ABC_SHA256
    assert hashlib.sha256(TRANSPOSED).hexdigest() == TRANSPOSED_SHA256
    assert hashlib.sha256(GOLDEN["none"][0]).hexdigest() == NONE_SHA256
    assert GOLDEN["none"][0].startswith(NONE_UP_TO_PADDING)


@pytest.mark.parametrize(("content", "records", "options"), GOLDEN.values(), ids=GOLDEN)
def test_the_naive_twin_writes_the_golden_bytes(content, records, options):
    assert naive.encode(records, naive.Options.from_text(options)) == content


@pytest.mark.parametrize(("content", "records", "options"), GOLDEN.values(), ids=GOLDEN)
def test_the_naive_twin_reads_the_golden_bytes(content, records, options):
    file = naive.NaiveFile(content)
    assert [file.read(number) for number in range(len(file))] == file.records() == records
    assert file.options_text == naive.Options.from_text(options).text


def test_the_naive_twin_builds_the_originals_machine():
    assert as_original(TRANSPOSED_RECORDS, "none") == TRANSPOSED_DATA


def test_the_naive_twin_builds_the_minimum_machine():
    first, second, third = TRANSPOSED_RECORDS
    data = bytes.fromhex("00 0a 0102 23 20 03 01 01 00 00 00") + third + second + first + bytes.fromhex("020f0f 01")
    assert transposing.whole_records(TRANSPOSED_RECORDS, "none") == data
    assert records_of(Chunk(b"t", data, 3, 32)) == TRANSPOSED_RECORDS


@pytest.mark.parametrize(("content", "records", "options"), GOLDEN.values(), ids=GOLDEN)
def test_golden_file_reads_as_its_records(tmp_path, content, records, options):
    path = tmp_path / "golden.array_record"
    path.write_bytes(content)
    reader = octavo.open(path)
    assert reader.read_all() == [reader[number] for number in range(len(reader))] == records
    assert reader.info.writer_options == naive.Options.from_text(options).text


@pytest.mark.parametrize(("content", "records", "options"), GOLDEN.values(), ids=GOLDEN)
def test_golden_bytes_in_memory_are_recognised_by_content(content, records, options):
    del options
    reader = octavo.open(content)
    assert reader.read_all() == records
    assert reader.info.format == "array_record"


@pytest.mark.parametrize(("content", "records", "options"), ALIKE.values(), ids=ALIKE)
def test_writing_the_records_gives_the_golden_bytes(tmp_path, content, records, options):
    path = tmp_path / "written.array_record"
    with octavo.create(path, options=options) as writer:
        writer.write_many(records)
    assert path.read_bytes() == content


def test_the_facts_of_a_golden_file(tmp_path):
    path = tmp_path / "golden.array_record"
    path.write_bytes(TRANSPOSED)
    info = octavo.open(path).info
    assert (info.record_count, info.chunk_count, info.group_size, info.transposed) == (3, 1, 3, True)
    assert (info.codec, info.level, info.decoded_bytes, info.torn_bytes) == ("none", None, 32, 0)

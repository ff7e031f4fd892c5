"""The naive twin is held to the specification's own numbers before anything is held to it."""

from __future__ import annotations

import random
import struct
import zlib

import pytest

from tests.conformance.codecs import needs_cramjam
from tests.conformance.originals import Original, as_parameters, digest_of, originals, sha256_of
from tests.naive import recordio as naive
from tests.naive.compression import cramjam
from tests.naive.protobuf import Damaged

FILES = originals("recordio")
SOUND = [one for one in FILES if one.kind == "valid"]
DAMAGED = [one for one in FILES if one.kind == "damaged"]
SEEDED = random.Random(20181124)
STREAM = bytes.fromhex("03000000 616263 00000000 03000000 656466")
TEXTS = {
    "nothing": b"",
    "one byte": b"a",
    "a run": b"a" * 1000,
    "noise": SEEDED.randbytes(5000),
    "words": b" ".join(SEEDED.choice([b"four", b"score", b"and", b"seven"]) for _ in range(9000)),
    "a copy from far away": b"somewhere" + SEEDED.randbytes(70_000) + b"somewhere",
    "more than a frame": SEEDED.randbytes(3000) * 50,
}


def test_checksums_have_their_check_values():
    assert naive.crc32c(b"123456789") == 0xE3069283
    assert zlib.crc32(b"123456789") == 0xCBF43926
    assert (zlib.crc32(STREAM), naive.crc32c(STREAM)) == (0x7798D405, 0x27FD64CB)
    assert naive.masked_crc32c(STREAM) == 0x6C193AD2


@pytest.mark.parametrize("data", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("dialect", naive.DIALECTS)
def test_every_codec_gives_back_what_it_was_given(dialect, data):
    for codec in naive.DIALECTS[dialect].codecs.values():
        assert codec.decompress(codec.compress(data)) == data


@needs_cramjam
@pytest.mark.parametrize("data", TEXTS.values(), ids=TEXTS)
def test_other_implementations_of_snappy_agree(data):
    assert bytes(cramjam.snappy.decompress_raw(naive.compress_snappy(data))) == data
    assert naive.decompress_snappy(bytes(cramjam.snappy.compress_raw(data))) == data
    assert bytes(cramjam.snappy.decompress(naive.compress_frames([data]))) == data
    assert naive.decompress_frames(bytes(cramjam.snappy.compress(data)) or naive.FRAMING_START) == data


@pytest.mark.parametrize(
    ("block", "data"),
    [
        ("00", b""),
        ("03 08 616263", b"abc"),
        ("3d f03c" + "61" * 61, b"a" * 61),  # a length of one byte
        ("3d f43c00" + "61" * 61, b"a" * 61),  # of two, where one would do
        ("08 0c61626364 01 04", b"abcdabcd"),  # a copy of four bytes
        ("0a 00 61 15 01", b"a" * 10),  # a copy that overlaps itself
        ("05 00 61 0e 0100", b"aaaaa"),
        ("05 00 61 0f 01000000", b"aaaaa"),
    ],
)
def test_every_element_of_snappy_is_understood(block, data):
    assert naive.decompress_snappy(bytes.fromhex(block)) == data


@pytest.mark.parametrize(
    "block",
    [
        "",  # no length
        "03 08 6162",  # too short
        "03 08 61626364",  # a tag too many, whose bytes are not there
        "02 08 616263",  # another length
        "05 00 61 0e 0000",  # a copy of what comes next
        "05 00 61 0e 0200",  # a copy of what was never there
        "808080801000",  # a length of more than 32 bits
    ],
)
def test_what_is_no_block_of_snappy(block):
    with pytest.raises(Damaged):
        naive.decompress_snappy(bytes.fromhex(block))


def test_lengths_5_4_2_0_25_1_make_chunks_of_2_2_1_1_records():
    groups = naive.cut_into_groups([bytes(length) for length in (5, 4, 2, 0, 25, 1)], max_chunk_bytes=10)
    assert [len(group) for group in groups] == [2, 2, 1, 1]


@pytest.mark.parametrize(
    ("damage", "place"),
    [("magic", 0), ("count", 4), ("checksum", 8), ("codec", 12), ("size", 16), ("payload", 20), ("payload", 37)],
)
def test_every_part_of_a_chunk_is_looked_at(damage, place):
    content = bytearray(naive.encode([b"abc", b"", b"edf"]))
    content[place] ^= 0x02
    with pytest.raises(Damaged):
        naive.decode(bytes(content))
    assert naive.salvage(bytes(content)) == [], damage


def test_a_chunk_must_be_filled_by_its_records():
    for stream, count in ((STREAM, 2), (STREAM, 4), (STREAM + b"\0", 3), (struct.pack("<I", 5), 1)):
        with pytest.raises(Damaged):
            naive.decode(naive.encode_payload(stream, count, "go", "none"))


def test_a_file_without_records_has_no_dialect():
    assert naive.detect(b"") == (None, False)
    assert naive.decode(naive.encode([])) == []


@pytest.mark.parametrize("original", as_parameters(SOUND))
def test_the_twin_reads_what_the_originals_wrote(original: Original):
    content = original.path.read_bytes()
    file = naive.NaiveFile(content)
    assert digest_of(naive.decode(content)) == original.facts["records_digest"]
    assert (file.dialect, file.is_confirmed) == (original.facts["dialect"], bool(content))
    assert len(file.headers) == original.facts.get("chunks", len(file.headers))


@pytest.mark.parametrize("original", as_parameters(DAMAGED))
def test_the_twin_reads_what_is_readable_of_damaged_files(original: Original):
    content = original.path.read_bytes()
    digests = original.facts["record_sha256"]
    file = naive.NaiveFile(content)
    assert (file.dialect, file.is_confirmed) == (original.facts["dialect"], True)
    strict = [digests[number] for number in original.facts["readable_strict"]]
    assert list(map(sha256_of, file.readable_in_front())) == strict
    salvaged = [digests[number] for number in original.facts["readable_salvage"]]
    assert list(map(sha256_of, naive.salvage(content))) == salvaged
    assert bool(file.torn_bytes) == ("torn" in original.path.name)

"""The naive twin is held to the specification's own numbers before anything is held to it."""

from __future__ import annotations

import pytest

from tests.conformance.codecs import needs_cramjam
from tests.naive.compression import compress
from tests.naive.highway_hash import highway_hash
from tests.naive.protobuf import Cursor, Damaged, canonical_fields, varint
from tests.naive.riegeli import BLOCK, Chunk, Container, chunk_end, chunks_in, end_of, is_boundary, read_chunk

HASHES = {
    0: 0x72C3B1E9C0139FE1,
    1: 0x2CD57BC47907559D,
    3: 0x3BBB8DA470C80319,
    4: 0x4D9E82979AB17CE7,
    15: 0x3402CB26FB217163,
    16: 0x3E13BE3A4140F4A7,
    17: 0xA7084C614077EACA,
    31: 0x4D262A709C34AE7D,
    32: 0xB73F6DF550F9DCE4,
    33: 0xEC2F920014EAA741,
    63: 0xBEA28B7A087E1493,
    64: 0xE34B1E100F1322AF,
    65: 0xB4125566520CE871,
}
FIRST_BYTES = bytes.fromhex(
    "83af70d10d884a3f 0000000000000000 4000000000000000 91bac23c9287e1a9"
    "0000000000000000 e19f13c0e9b1c372 7300000000000000 0000000000000000"
)


@pytest.mark.parametrize(("size", "expected"), HASHES.items())
def test_hashes_of_rising_bytes(size, expected):
    assert highway_hash(bytes(range(size))) == expected


def test_a_container_begins_with_its_signature():
    assert bytes(Container().content) == FIRST_BYTES


def test_no_chunk_begins_inside_a_block_header_or_right_behind_it():
    assert [place for place in range(BLOCK) if not is_boundary(place)] == list(range(1, 25))


@pytest.mark.parametrize("begin", [64, 65471, 65472, 65495, 65496, 65497, 65535, 65536, 65561])
@pytest.mark.parametrize("size", [0, 1, 40, 65472, 65512, 65513, 200_000])
def test_a_chunk_is_found_where_it_was_put(begin, size):
    container = Container()
    if begin > 64:
        container.append(Chunk(b"p", bytes(begin - 64 - 40 - 24 * (begin > BLOCK))))
    chunk = Chunk(b"r", bytes(number % 251 for number in range(size)))
    assert container.append(chunk) == begin
    assert len(container.content) == end_of(begin, 40 + size) == chunk_end(begin, size, 0)
    assert read_chunk(bytes(container.content), begin) == (chunk, len(container.content))
    assert [found for _, found in chunks_in(bytes(container.content))][-1] == chunk


@pytest.mark.parametrize(("left", "data_size"), [(1, 65473), (39, 65511), (40, 0), (41, 1), (100, 60)])
def test_padding_ends_with_a_block(left, data_size):
    container = Container()
    container.append(Chunk(b"p", bytes(BLOCK - 64 - 40 - left)))
    begin = len(container.content)
    container.pad_to_block()
    assert len(container.content) == (2 * BLOCK if left < 40 else BLOCK)
    assert len(read_chunk(bytes(container.content), begin)[0].data) == data_size


def test_a_chunk_has_a_byte_of_file_for_every_record():
    container = Container()
    begin = container.append(Chunk(b"r", b"", num_records=200_000))
    assert len(container.content) >= begin + 200_000
    assert is_boundary(len(container.content))


@needs_cramjam
def test_blocks_of_nothing_are_blocks():
    assert compress("zstd", b"") == bytes.fromhex("00 28b52ffd2000010000")
    assert compress("brotli", b"") == bytes.fromhex("00 3b")
    assert compress("snappy", b"") == bytes.fromhex("00 00")


@pytest.mark.parametrize("value", [0, 1, 127, 128, 2**32 - 1, 2**32, 2**64 - 1])
def test_varints_return(value):
    assert Cursor(varint(value)).varint() == value


@pytest.mark.parametrize(
    ("encoded", "bits"), [("8080808010", 32), ("80808080808080808002", 64), ("80" * 10, 64), ("80", 64)]
)
def test_varints_that_do_not_fit_are_damage(encoded, bits):
    with pytest.raises(Damaged):
        Cursor(bytes.fromhex(encoded)).varint(bits)


@pytest.mark.parametrize(
    "encoded",
    [
        "",  # no field at all
        "0801",
        "08ffffffffffffffffff01",
        "0d01020304",
        "090102030405060708",
        "12026869",
        "0b0801 0c",  # a group
        "0b130b0c140c",
        "f8ffffff0f00",  # the greatest tag
    ],
)
def test_canonical_messages(encoded):
    assert canonical_fields(bytes.fromhex(encoded)) is not None


@pytest.mark.parametrize(
    "encoded",
    [
        "08",  # no value
        "088001 80",
        "088000",  # a value longer than it needs to be
        "888000 01",  # a tag longer than it needs to be
        "0001",  # field 0
        "0e01",  # wire type 6
        "0f01",  # wire type 7
        "120368",  # too short
        "12820068 69",
        "0b",  # a group that does not end
        "0c",  # a group that did not begin
        "0b14",  # a group that ends as another
        "0d010203",
        "f8ffffff1f00",  # a tag of more than 32 bits
    ],
)
def test_what_is_no_canonical_message(encoded):
    assert canonical_fields(bytes.fromhex(encoded)) is None

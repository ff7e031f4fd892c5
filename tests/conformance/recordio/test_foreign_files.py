"""Files that are called RecordIO as well are refused by name, and what the specification lets others write is read."""

from __future__ import annotations

import gzip
import itertools
import struct

import pytest

import octavo
from octavo import errors
from tests.conformance.originals import Original, as_parameters, originals
from tests.naive import recordio as naive
from tests.naive.protobuf import varint

RECORDS = [b"one", b"", b"three" * 100]
STREAM = naive.stream_of(RECORDS)
MXNET = [one for one in originals("recordio") if one.kind == "foreign"]


def mxnet_record(data: bytes) -> bytes:
    return naive.MXNET_MAGIC + struct.pack("<I", len(data)) + data + bytes(-len(data) % 4)


def frame(kind: int, body: bytes) -> bytes:
    return struct.pack("<I", len(body) << 8 | kind) + body


def stored(data: bytes) -> bytes:
    """A frame of bytes as they are."""
    return frame(1, struct.pack("<I", naive.masked_crc32c(data)) + data)


def stored_block(data: bytes) -> bytes:
    """A block of the older framing with bytes as they are."""
    return struct.pack(">BHI", 0, len(data), naive.masked_crc32c(data)) + data


def chunk(payload: bytes, dialect: str, codec: str) -> bytes:
    return naive.encode_payload(payload, len(RECORDS), dialect, codec)


HALVES = STREAM[:10], STREAM[10:]
READABLE = {
    "several members": chunk(b"".join(map(gzip.compress, HALVES)), "go", "gzip"),
    "a member with a name": chunk(
        b"\x1f\x8b\x08\x08" + bytes(6) + b"name\0" + gzip.compress(STREAM)[10:], "paddle-python", "gzip"
    ),
    "a member without compression": chunk(gzip.compress(STREAM, 0), "paddle-python", "gzip"),
    "frames that are skipped": chunk(
        naive.FRAMING_START
        + frame(0x80, b"whatever")
        + stored(HALVES[0])
        + frame(0xFE, bytes(300))
        + stored(HALVES[1]),
        "go",
        "snappy",
    ),
    "the identifier again": chunk(
        naive.FRAMING_START + stored(HALVES[0]) + naive.FRAMING_START + stored(HALVES[1]), "go", "snappy"
    ),
    "empty frames": chunk(naive.FRAMING_START + stored(b"") + stored(STREAM) + stored(b""), "go", "snappy"),
    "the older framing's beginning again": chunk(
        naive.LEGACY_START + stored_block(HALVES[0]) + naive.LEGACY_START + stored_block(HALVES[1]),
        "paddle-cpp",
        "snappy",
    ),
    "a block of literals": chunk(
        varint(len(STREAM)) + b"".join(bytes([0, byte]) for byte in STREAM), "paddle-python", "snappy"
    ),
    "a length that is longer than it needs to be": chunk(
        bytes([len(STREAM) & 0x7F | 0x80, len(STREAM) >> 7 | 0x80, 0]) + naive.compress_snappy(STREAM)[2:],
        "paddle-python-ieee",
        "snappy",
    ),
    "a codec for each chunk": b"".join(
        naive.encode_chunk([record], "go", codec)
        for record, codec in zip(RECORDS, ("gzip", "none", "snappy"), strict=True)
    ),
}
TOO_MUCH = bytes(naive.FRAME + 1)
# By dialect, codec, number of records and payload; the checksum in the header is right.
WRONG = {
    "a frame of an unknown type": ("go", "snappy", 3, naive.FRAMING_START + frame(2, b"whatever") + stored(STREAM)),
    "no identifier": ("go", "snappy", 3, stored(STREAM)),
    "a frame's checksum": ("go", "snappy", 3, naive.FRAMING_START + frame(1, bytes(4) + STREAM)),
    "a frame of too much": ("go", "snappy", 1, naive.FRAMING_START + stored(naive.stream_of([TOO_MUCH]))),
    "half a frame": ("go", "snappy", 3, naive.FRAMING_START + stored(STREAM)[:-1]),
    "a block's checksum": (
        "paddle-cpp",
        "snappy",
        3,
        naive.LEGACY_START + b"\0" + stored_block(STREAM)[1:3] + bytes(4) + STREAM,
    ),
    "a block's flag": ("paddle-cpp", "snappy", 3, naive.LEGACY_START + b"\2" + stored_block(STREAM)[1:]),
    "half a block": ("paddle-cpp", "snappy", 3, naive.LEGACY_START + stored_block(STREAM)[:-1]),
    "a block of too much": (
        "paddle-cpp",
        "snappy",
        1,
        naive.LEGACY_START + stored_block(naive.stream_of([bytes(40_000)])),
    ),
    "a member's checksum": ("go", "gzip", 3, gzip.compress(STREAM)[:-8] + bytes(4) + gzip.compress(STREAM)[-4:]),
    "half a member": ("go", "gzip", 3, gzip.compress(STREAM)[:-1]),
    "junk behind a member": ("paddle-python", "gzip", 3, gzip.compress(STREAM) + b"junk"),
    "no member at all": ("paddle-python", "gzip", 3, STREAM),
    "a record too few": ("paddle-python", "none", 4, STREAM),
    "a record too many": ("paddle-python-ieee", "none", 2, STREAM),
    "a byte too many": ("paddle-python", "none", 3, STREAM + b"\0"),
    "a length beyond the chunk": ("paddle-cpp", "none", 3, STREAM[:-1]),
    "another length of a block": ("paddle-python", "snappy", 3, b"\x05" + naive.compress_snappy(STREAM)[2:]),
}


@pytest.mark.parametrize("name", ["images.rec", "images.recordio", "images"])
def test_mxnet_files_are_refused_by_name(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(mxnet_record(b"one") + mxnet_record(b"two"))
    with pytest.raises(errors.UnknownFormatError, match="MXNet") as caught:
        octavo.open(path)
    assert caught.value.path == str(path)


@pytest.mark.parametrize("options", [{}, {"format": "recordio"}])
def test_bytes_of_mxnet_are_refused_by_name(options):
    with pytest.raises(errors.UnknownFormatError, match="MXNet"):
        octavo.open(mxnet_record(b"one"), **options)


@pytest.mark.parametrize("original", as_parameters(MXNET))
def test_the_file_of_mxnet_is_refused_by_name(original: Original):
    with pytest.raises(errors.UnknownFormatError, match="MXNet"):
        octavo.open(original.path)


@pytest.mark.parametrize("content", READABLE.values(), ids=READABLE)
def test_what_others_may_write_is_read(content):
    reader = octavo.open(content)
    assert reader.read_all() == list(reader) == naive.decode(content) == RECORDS
    assert octavo.verify(content).ok


@pytest.mark.parametrize(("dialect", "codec", "count", "payload"), WRONG.values(), ids=WRONG)
def test_a_chunk_whose_inside_is_wrong_gives_no_record(dialect, codec, count, payload):
    before, after = naive.encode_groups([[b"before"]], dialect), naive.encode_groups([[b"after"]], dialect)
    content = before + naive.encode_payload(payload, count, dialect, codec) + after
    assert naive.NaiveFile(content).readable() == {0: b"before", count + 1: b"after"}
    reader = octavo.open(content)
    assert (len(reader), reader[0], reader[-1]) == (count + 2, b"before", b"after")
    for number in range(1, count + 1):
        with pytest.raises(errors.FormatError):
            reader[number]
    report = octavo.verify(content)
    assert [(one.record, one.record_count) for one in report.damage] == [(1, count)]


def test_a_chunk_inside_a_record_is_part_of_the_record():
    decoy = naive.encode_chunk([b"never written"], "paddle-python")
    records = [b"before", decoy, naive.MAGIC, b"after"]
    content = naive.encode(records, group_size=2)
    reader = octavo.open(content)
    assert reader.read_all() == list(reader) == [reader[number] for number in range(4)] == records
    assert octavo.verify(content).ok


@pytest.mark.parametrize(("dialect", "other"), list(itertools.permutations(naive.DIALECTS, 2)))
def test_a_chunk_of_another_dialect_is_damage(dialect, other):
    content = naive.encode([b"one"], dialect) + naive.encode([b"two"], other)
    reader = octavo.open(content)
    assert reader.info.dialect == dialect
    assert reader[0] == b"one"
    with pytest.raises(errors.FormatError):
        reader.read_all()

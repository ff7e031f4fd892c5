"""Lies in the data of simple chunks: codecs, sizes, lengths of records, and streams that are not what they claim."""

from __future__ import annotations

import struct
from collections.abc import Callable

from tests.faults.lies import streams
from tests.faults.lies.draft import GROUPS, HUGE, Draft, Lie, forged, later
from tests.naive.array_record import Entry
from tests.naive.compression import CODEC_BYTES
from tests.naive.protobuf import varint, varints
from tests.naive.riegeli import Chunk, simple_chunk, simple_chunk_of

FIRST = GROUPS[0]
LENGTHS = varints(*map(len, FIRST))
VALUES = b"".join(FIRST)
GIGABYTE = 1 << 30


def block(stream: bytes, size: int) -> bytes:
    """A compressed block that claims to hold so many bytes."""
    return varint(size) + stream


def _with_first(chunk: Chunk, decoded_size: int | None = None) -> bytes:
    """A file whose first chunk is that one. Index and header agree on its size, if they lie about it."""
    draft = Draft()
    draft.chunks[0] = chunk if decoded_size is None else forged(chunk, decoded_size=decoded_size)

    def agree(entries: list[Entry]) -> list[Entry]:
        first = entries[0]
        return [Entry(first.offset, decoded_size or first.decoded_size, first.num_records), *entries[1:]]

    draft.entries = agree
    return draft.encode()


def _of(codec: str, sizes: bytes, values: bytes, decoded_size: int | None = None) -> bytes:
    return _with_first(simple_chunk_of(codec, sizes, values, len(FIRST), len(VALUES)), decoded_size)


def _sound_blocks(codec: str) -> tuple[bytes, bytes]:
    store = streams.STORE[codec]
    return block(store(LENGTHS), len(LENGTHS)), block(store(VALUES), len(VALUES))


def _with_data(data: bytes) -> bytes:
    return _with_first(Chunk(b"r", data, len(FIRST), len(VALUES)))


def plain_blocks() -> dict[str, Lie]:
    """Without a codec."""
    rest = LENGTHS + VALUES
    lies: dict[str, Lie] = {
        "no data": later(_with_data, b""),
        "nothing but a codec": later(_with_data, b"\0"),
        "lengths whose size has no end": later(_with_data, b"\0" + b"\xff" * 12 + rest),
        "lengths that have no end": later(_of, "none", b"\xff" * 40, VALUES),
        "one length too few": later(_of, "none", LENGTHS[:-1], VALUES),
        "one length too many": later(_of, "none", LENGTHS + b"\0", VALUES),
        "lengths that are longer than they need to be": later(
            _of, "none", b"".join(bytes([length | 0x80, 0x80, 0]) for length in map(len, FIRST)), VALUES
        ),
        "lengths whose sum goes round": later(_of, "none", varints(1 << 63, 1 << 63, 1, len(VALUES) - 1), VALUES),
        "lengths whose sum goes round twice": later(
            _of, "none", varints((1 << 64) - 1, (1 << 64) - 1, 2, len(VALUES)), VALUES
        ),
        "one record has it all": later(_of, "none", varints(len(VALUES), 0, 0, 0) + b"\0", VALUES),
        "a byte too many": later(_of, "none", LENGTHS, VALUES + b"x"),
        "a byte too few": later(_of, "none", LENGTHS, VALUES[:-1]),
    }
    for name, size in HUGE.items():
        lies[f"lengths of {name} bytes"] = later(_with_data, b"\0" + varint(size) + rest)
        lies[f"a record of {name} bytes"] = later(_of, "none", varints(size, *map(len, FIRST[1:])), VALUES)
    for codec in (1, ord("x"), ord("Z"), 0xFF):
        lies[f"codec {codec:#x}"] = later(_with_data, bytes([codec]) + varint(len(LENGTHS)) + rest)
    for name in streams.STORE:
        lies[f"{name} of what is not compressed"] = later(_with_data, CODEC_BYTES[name] + varint(len(LENGTHS)) + rest)
    return lies


def _cut_streams(codec: str) -> dict[str, Lie]:
    lengths, values = _sound_blocks(codec)
    return {
        "the truth": later(_of, codec, lengths, values),
        "no lengths": later(_of, codec, b"", values),
        "no values": later(_of, codec, lengths, b""),
        "values that end early": later(_of, codec, lengths, values[:-3]),
        "values twice": later(_of, codec, lengths, values + values[1:]),
        "a byte behind the values": later(_of, codec, lengths, values + b"\0"),
        "a byte behind the lengths": later(_of, codec, lengths + b"\0", values),
        "values of noise": later(_of, codec, lengths, values[:1] + bytes(range(256))),
        "lengths of zeros": later(_of, codec, varint(len(LENGTHS)) + bytes(20), values),
    }


def _claims(codec: str) -> dict[str, Lie]:
    """Streams that hold other sizes than they or their chunks claim."""
    lengths, values = _sound_blocks(codec)
    _, lengths_stream = lengths[:1], lengths[1:]
    values_stream = streams.STORE[codec](VALUES)
    lies: dict[str, Lie] = {}
    for name, size in {**HUGE, "0": 0, "one more": len(VALUES) + 1, "one less": len(VALUES) - 1}.items():
        lies[f"values of {name} bytes"] = later(_of, codec, lengths, block(values_stream, size))
        lies[f"values and chunk of {name} bytes"] = later(_of, codec, lengths, block(values_stream, size), size)
    for name, size in {**HUGE, "0": 0, "one more": len(LENGTHS) + 1, "one less": len(LENGTHS) - 1}.items():
        lies[f"lengths of {name} bytes"] = later(_of, codec, block(lengths_stream, size), values)
    return lies


def _bombs(codec: str) -> dict[str, Lie]:
    """Streams that hold much more than they say. Snappy's say it themselves, and cannot hold that much."""
    lengths, values = _sound_blocks(codec)
    size = GIGABYTE if codec != "snappy" else 1 << 20
    zeros = streams.ZEROS[codec](size)
    return {
        "a gigabyte that says it is little": later(_of, codec, lengths, block(zeros, len(VALUES))),
        "a gigabyte of lengths that says it is little": later(_of, codec, block(zeros, len(LENGTHS)), values),
        "a gigabyte of lengths": later(_of, codec, block(zeros, size), values),
    }


def _zstd_frames() -> dict[str, Lie]:
    lengths, _ = _sound_blocks("zstd")
    raw = streams.zstd_block(streams.RAW, len(VALUES), VALUES, is_last=True)
    magic = streams.ZSTD_MAGIC
    empty = streams.zstd_block(streams.RAW, 0, b"", is_last=False)
    frames = {
        "a size of 2^64-1": streams.zstd_frame(raw, (1 << 64) - 1),
        "a size of zero": streams.zstd_frame(raw, 0),
        "a window of two terabytes": magic + b"\x00\xff" + raw,
        "a window of two gigabytes": magic + b"\x00\xa8" + raw,
        "the smallest window": magic + b"\x00\x00" + raw,
        "a dictionary": magic + b"\x23" + b"\x01\x02\x03\x04" + bytes([len(VALUES)]) + raw,
        "a checksum that is not there": magic + b"\xe4" + struct.pack("<Q", len(VALUES)) + raw,
        "a wrong checksum": magic + b"\xe4" + struct.pack("<Q", len(VALUES)) + raw + bytes(4),
        "a reserved bit": magic + b"\xe8" + struct.pack("<Q", len(VALUES)) + raw,
        "a skippable frame": struct.pack("<II", 0x184D2A50, len(VALUES)) + VALUES,
        "a skippable frame of four gigabytes": struct.pack("<II", 0x184D2A50, 0xFFFFFFFF) + VALUES,
        "a skippable frame before it": struct.pack("<II", 0x184D2A5F, 3) + b"abc" + streams.zstd(VALUES),
        "a frame of the past": b"\x25\xb5\x2f\xfd" + raw,
        "a reserved kind of block": streams.zstd_frame(
            streams.zstd_block(streams.RESERVED, len(VALUES), VALUES, is_last=True), len(VALUES)
        ),
        "a block longer than the frame": streams.zstd_frame(
            streams.zstd_block(streams.RAW, (1 << 21) - 1, VALUES, is_last=True), len(VALUES)
        ),
        "a run longer than a block may be": streams.zstd_frame(
            streams.zstd_block(streams.RUN, (1 << 21) - 1, b"x", is_last=True), len(VALUES)
        ),
        "a compressed block of noise": streams.zstd_frame(
            streams.zstd_block(streams.COMPRESSED, 100, bytes(range(100)), is_last=True), len(VALUES)
        ),
        "many empty blocks": streams.zstd_frame(empty * 200_000 + raw, len(VALUES)),
        "no last block": streams.zstd_frame(empty, len(VALUES)),
        "nothing but magic": magic,
    }
    return {name: later(_of, "zstd", lengths, block(frame, len(VALUES))) for name, frame in frames.items()}


def _snappy_elements() -> dict[str, Lie]:
    lengths, _ = _sound_blocks("snappy")
    size = varint(len(VALUES))
    elements = {
        "a size of 2^32-1": varint((1 << 32) - 1) + streams.snappy(VALUES)[1:],
        "a size of 2^35": varint(1 << 35) + streams.snappy(VALUES)[1:],
        "a size without an end": b"\xff" * 12,
        "a copy of what is not there yet": size + b"\xfe\x01\x00" * 3,
        "a copy from nowhere": size + b"\0x" + b"\xfe\x00\x00" * 3,
        "a copy from far back": size + b"\0x" + b"\xff\xff\xff\xff\xff" * 3,
        "a literal longer than the stream": size + b"\xfc\xff\xff\xff\xff" + VALUES,
    }
    return {name: later(_of, "snappy", lengths, block(element, len(VALUES))) for name, element in elements.items()}


def compressed_blocks() -> dict[str, Lie]:
    lies: dict[str, Lie] = {}
    makers: tuple[Callable[[str], dict[str, Lie]], ...] = (_cut_streams, _claims, _bombs)
    for codec in streams.STORE:
        for make in makers:
            lies |= {f"{codec}: {name}": lie for name, lie in make(codec).items()}
    lies |= {f"zstd frame: {name}": lie for name, lie in _zstd_frames().items()}
    lies |= {f"snappy element: {name}": lie for name, lie in _snappy_elements().items()}
    return lies


# Files that tell the truth about far too much.


def bomb(codec: str, size: int, *, beside: list[bytes]) -> bytes:
    """A chunk with one record of so many zeros, and another chunk with small ones."""
    lengths = varint(size)
    zeros = block(streams.ZEROS[codec](size), size)
    large = simple_chunk_of(codec, block(streams.STORE[codec](lengths), len(lengths)), zeros, 1, size)
    return Draft(chunks=[large, *(simple_chunk([record]) for record in beside)]).encode()


def grouped_bomb(codec: str, size: int, *, beside: list[bytes]) -> bytes:
    """The same in groups of two: one is empty."""
    lengths = varints(size, 0)
    zeros = block(streams.ZEROS[codec](size), size)
    large = simple_chunk_of(codec, block(streams.STORE[codec](lengths), len(lengths)), zeros, 2, size)
    groups = [beside[start : start + 2] for start in range(0, len(beside), 2)]
    return Draft(chunks=[large, *map(simple_chunk, groups)]).encode()

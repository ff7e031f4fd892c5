"""Sidecars made to harm, by `docs/spec/octx.md`: the hash at their end is right, and they are of the file.

Each is made of the sound one. A reader may pass over it, or believe it until a checksum of the file says otherwise.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator, Sequence

from tests.faults.lies import streams
from tests.naive.highway_hash import highway_hash
from tests.naive.protobuf import varint

HEAD = 72
FIELDS = ("file_bytes", "fingerprint", "begin", "end", "record_count", "entry_count", "points_bytes")
SMALL = ("version", "format", "dialect", "codec", "inflated")


def signed(content: bytes) -> bytes:
    """With the hash that belongs to it."""
    return content + struct.pack("<Q", highway_hash(content))


def _place(name: str) -> int:
    return 8 + SMALL.index(name) if name in SMALL else 16 + 8 * FIELDS.index(name)


def value_of(sound: bytes, name: str) -> int:
    place = _place(name)
    return sound[place] if name in SMALL else int.from_bytes(sound[place : place + 8], "little")


def with_value(content: bytes, name: str, value: int) -> bytes:
    place, size = _place(name), 1 if name in SMALL else 8
    return content[:place] + (value % (1 << 8 * size)).to_bytes(size, "little") + content[place + size :]


def fields(sound: bytes) -> Iterator[tuple[str, bytes]]:
    """Numbers in its head."""
    content = sound[:-8]
    for name in FIELDS:
        true = value_of(sound, name)
        for value in {0, 1, true - 1, true + 1, 2 * true, 1 << 31, 1 << 32, 1 << 40, 1 << 63, (1 << 64) - 1} - {true}:
            yield f"{name} {value}", signed(with_value(content, name, value))
    for name in SMALL:
        for value in {*range(7), 255} - {value_of(sound, name)}:
            yield f"{name} {value}", signed(with_value(content, name, value))
    yield "something in what is zero", signed(content[:14] + b"\1" + content[15:])


def block(columns: Sequence[Sequence[int]], widths: tuple[int, int, int] = (8, 8, 8), *, subtracted: int = 0) -> bytes:
    """A block of entries, without any cleverness: extents, decoded sizes, records."""
    stored = b"".join(
        bytes(value >> 8 * plane & 0xFF for value in column)
        for column, width in zip(columns, widths, strict=True)
        for plane in range(width)
    )
    frame = streams.zstd(stored)
    return struct.pack("<I3BB3Q", len(frame), *widths, subtracted, 0, 0, 0) + frame


def with_block(sound: bytes, new: bytes, **values: int) -> bytes:
    points = value_of(sound, "points_bytes")
    content = sound[:HEAD] + new + sound[len(sound) - 8 - points : -8]
    for name, value in values.items():
        content = with_value(content, name, value)
    return signed(content)


def entries(sound: bytes, extents: list[int], decoded: list[int], records: list[int]) -> Iterator[tuple[str, bytes]]:
    """Lines of the index, given the true ones."""

    def told(
        name: str, new: list[int], sizes: list[int] | None = None, counts: list[int] | None = None, **values: int
    ) -> tuple[str, bytes]:
        columns = (new, decoded if sizes is None else sizes, records if counts is None else counts)
        return name, with_block(sound, block(columns), **values)

    end = value_of(sound, "end")
    yield told("the truth", extents)
    yield told("extents in another order", extents[::-1])
    yield told("a byte more and a byte less", [extents[0] + 1, extents[1] - 1, *extents[2:]])
    yield told("an extent of nothing", [extents[0] + extents[1], 0, *extents[2:]])
    yield told("extents that go round", [(1 << 64) - 1, extents[0] + extents[1] + 1, *extents[2:]])
    yield told("an extent of all", [end - len(extents) + 1] + [1] * (len(extents) - 1))
    yield told("records in other chunks", extents, None, [records[0] + 1, *records[1:-1], max(records[-1] - 1, 0)])
    yield told("a chunk without records", extents, None, [records[0] + records[1], 0, *records[2:]])
    yield told("records that go round", extents, None, [(1 << 64) - 1, records[0] + records[1] + 1, *records[2:]])
    yield told(
        "all records in the first chunk", extents, None, [sum(records) - len(records) + 1] + [1] * (len(records) - 1)
    )
    yield told("other sizes", extents, [size + 1 for size in decoded])
    yield told("sizes of 2^64-1", extents, [(1 << 64) - 1] * len(decoded))
    yield told("sizes of 2^40", extents, [1 << 40] * len(decoded))
    yield told("no sizes", extents, [0] * len(decoded))
    half = len(extents) // 2
    kept = {"end": sum(extents[:half]), "record_count": sum(records[:half]), "entry_count": half}
    yield told("half of it", extents[:half], decoded[:half], records[:half], **kept)
    later = {"begin": extents[0], "record_count": sum(records[1:]), "entry_count": len(extents) - 1}
    yield told("all but the first", extents[1:], decoded[1:], records[1:], **later)
    merged = [extents[0] + extents[1], *extents[2:]], [decoded[0] + decoded[1], *decoded[2:]]
    yield told("two as one", *merged, [records[0] + records[1], *records[2:]], entry_count=len(extents) - 1)
    yield from _blocks(sound, extents, decoded, records)


def _blocks(sound: bytes, *columns: list[int]) -> Iterator[tuple[str, bytes]]:
    """What stands around the columns."""
    true = block(columns)
    size = len(columns[0])
    frame = true[32:]
    heads = {
        "a frame of 2^32-1 bytes": struct.pack("<I", (1 << 32) - 1) + true[4:],
        "no frame": struct.pack("<I", 0) + true[4:32],
        "a width of 9": true[:4] + b"\x09" + true[5:],
        "widths of 255": true[:4] + b"\xff\xff\xff" + true[7:],
        "widths of nothing": true[:4] + bytes(3) + true[7:],
        "subtracted what is larger": true[:7] + b"\1" + true[8:],
        "subtracted in a way that nobody knows": true[:7] + b"\2" + true[8:],
        "bases of 2^64-1": true[:8] + b"\xff" * 24 + frame,
        "a frame that is none": true[:32] + bytes(len(frame)),
        "a frame that is cut": struct.pack("<I", len(frame) - 1) + true[4:-1],
        "half a block": true[:20],
        "nothing": b"",
        "twice": true + true,
    }
    bombs = {
        "a frame of a gigabyte": streams.zstd_zeros(1 << 30),
        "a frame that claims a terabyte": streams.zstd_zeros(24 * size, claim=1 << 40),
        "a frame that claims nothing": streams.zstd_zeros(24 * size, claim=0),
    }
    heads |= {name: struct.pack("<I", len(bomb)) + true[4:32] + bomb for name, bomb in bombs.items()}
    for name, head in heads.items():
        yield name, with_block(sound, head)
    zeros = streams.zstd_zeros(1 << 30)
    many = struct.pack("<I3BB3Q", len(zeros), 8, 8, 8, 0, 1, 0, 1) + zeros
    yield "millions of lines", with_block(sound, many, entry_count=(1 << 30) // 24, end=1 << 40)


def points(sound: bytes) -> Iterator[tuple[str, bytes]]:
    """Where a compressed file can be inflated from."""
    size = value_of(sound, "points_bytes")
    true = sound[len(sound) - 8 - size : -8]
    first, end = varint(1) + varint(0) + varint(0) + b"\0", value_of(sound, "file_bytes")
    two = varint(2) + varint(0)
    bomb = streams.zstd_zeros(1 << 30)
    lies = {
        "none": b"",
        "no points": varint(0),
        "2^60 points": varint(1 << 60) + true[1:],
        "one more than there are": bytes([true[0] + 1]) + true[1:],
        "one less than there are": bytes([true[0] - 1]) + true[1:],
        "the first one alone": first,
        "one in the middle alone": varint(1) + varint(end // 2) + varint(0) + b"\0",
        "one behind the end": varint(1) + varint(end + 1) + varint(0) + b"\0",
        "a number without an end": b"\xff" * 20,
        "two at one place": two + varint(0) + varint(0) + varint(0) + b"\0\0",
        "two that go round": two + varint((1 << 64) - 1) + varint(0) + varint(1 << 20) + b"\0\0",
        "bits of a window that has none": varint(1) + varint(0) + varint(0) + b"\7",
        "a form that nobody knows": varint(1) + varint(0) + varint(0) + b"\xf8",
        "a window of 2^60 bytes": two + varint(30) + varint(0) + varint(1 << 20) + b"\0\x08" + varint(1 << 60),
        "a window of other bytes": two
        + varint(30)
        + varint(0)
        + varint(1 << 20)
        + b"\0\x0b"
        + varint(9)
        + b"otherwise",
        "a window of a gigabyte": two
        + varint(30)
        + varint(0)
        + varint(1 << 20)
        + b"\0\x10"
        + varint(1 << 30)
        + varint(len(bomb))
        + bomb,
        "a window that is none": two
        + varint(30)
        + varint(0)
        + varint(1 << 20)
        + b"\0\x10"
        + varint(9)
        + varint(3)
        + b"xyz",
        "more behind them": true + b"\0",
    }
    for name, lie in lies.items():
        content = with_value(sound[: len(sound) - 8 - size] + lie, "points_bytes", len(lie))
        yield name, signed(content)


def noise(sound: bytes, mutate: Callable[[bytes, random.Random], bytes], count: int) -> Iterator[tuple[str, bytes]]:
    """A few bytes changed, anywhere behind what says whose index it is."""
    chosen = random.Random(len(sound))
    for number in range(count):
        kept = chosen.choice((8, 32, HEAD))
        yield f"noise {number}", signed(sound[:kept] + mutate(sound[kept:-8], chosen))

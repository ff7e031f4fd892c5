"""Compressed streams by hand: each codec's way to store bytes, and its way to make many bytes of a few.

No compressor would write most of these, so none is used.
"""

from __future__ import annotations

import struct

from tests.naive.protobuf import varint

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
RAW, RUN, COMPRESSED, RESERVED = range(4)
MOST_IN_BLOCK = 128 << 10


def zstd_block(kind: int, size: int, content: bytes, *, is_last: bool) -> bytes:
    return (int(is_last) | kind << 1 | size << 3).to_bytes(3, "little") + content


def zstd_frame(blocks: bytes, size: int) -> bytes:
    """A frame that says how many bytes it holds, whatever it holds."""
    return ZSTD_MAGIC + b"\xe0" + struct.pack("<Q", size) + blocks


def zstd(data: bytes) -> bytes:
    return zstd_frame(zstd_block(RAW, len(data), data, is_last=True), len(data))


def zstd_zeros(size: int, claim: int | None = None) -> bytes:
    """So many zeros, for four bytes each 128 KiB."""
    whole, rest = divmod(size, MOST_IN_BLOCK)
    blocks = zstd_block(RUN, MOST_IN_BLOCK, b"\0", is_last=False) * whole
    return zstd_frame(blocks + zstd_block(RUN, rest, b"\0", is_last=True), size if claim is None else claim)


class _Bits:
    def __init__(self) -> None:
        self.value = 0
        self.count = 0

    def put(self, value: int, count: int) -> None:
        self.value |= value << self.count
        self.count += count

    def bytes(self) -> bytes:
        return self.value.to_bytes(-(-self.count // 8), "little")


WINDOW_22 = 0b1011
MOST_IN_METABLOCK = 1 << 24


def brotli(data: bytes) -> bytes:
    """One uncompressed metablock, at most 64 KiB."""
    bits = _Bits()
    bits.put(WINDOW_22, 4)
    if data:
        bits.put(0, 1)  # not the last
        bits.put(0, 2)  # four nibbles of length
        bits.put(len(data) - 1, 16)
        bits.put(1, 1)  # uncompressed
        return bits.bytes() + data + b"\x03"
    bits.put(0b11, 2)  # the last, and empty
    return bits.bytes()


def brotli_zeros(size: int) -> bytes:
    """So many zeros, at least 22,594: a metablock is one command, which inserts a literal that takes no bit."""
    bits = _Bits()
    bits.put(WINDOW_22, 4)
    while size:
        length = min(size, MOST_IN_METABLOCK)
        size -= length
        _put_run(bits, length)
    bits.put(0b11, 2)
    return bits.bytes()


def _put_run(bits: _Bits, length: int) -> None:
    nibbles = max(4, -(-(length - 1).bit_length() // 4))
    bits.put(0, 1)  # not the last
    bits.put(nibbles - 4, 2)
    bits.put(length - 1, 4 * nibbles)
    bits.put(0, 1)  # compressed
    bits.put(0, 3)  # one type of blocks for literals, commands and distances
    bits.put(0, 2 + 4)  # no postfix, no direct distances
    bits.put(0, 2)  # context mode
    bits.put(0, 2)  # one tree for literals, one for distances
    for symbol, width in ((0, 8), (504, 10), (0, 6)):  # the literal 0, the longest insert, any distance
        bits.put(1, 2)  # a simple code
        bits.put(0, 2)  # of one symbol
        bits.put(symbol, width)
    bits.put(length - 22594, 24)  # how much more than the least that this command inserts


def snappy(data: bytes) -> bytes:
    """One literal, at most 64 KiB."""
    tag = bytes([(len(data) - 1) << 2]) if 0 < len(data) <= 60 else b"\xf4" + struct.pack("<H", max(len(data) - 1, 0))
    return varint(len(data)) + (tag + data if data else b"")


def snappy_zeros(size: int, claim: int | None = None) -> bytes:
    """So many zeros, for three bytes each 64."""
    copies, rest = divmod(size - 1, 64)
    last = bytes([(rest - 1) << 2 | 2, 1, 0]) if rest else b""
    return varint(size if claim is None else claim) + b"\0\0" + b"\xfe\x01\x00" * copies + last


STORE = {"zstd": zstd, "brotli": brotli, "snappy": snappy}
ZEROS = {"zstd": zstd_zeros, "brotli": brotli_zeros, "snappy": snappy_zeros}

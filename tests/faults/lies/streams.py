"""Compressed streams by hand: each codec's way to store bytes, and its way to make many bytes of a few.

No compressor would write most of these, so none is used.
"""

from __future__ import annotations

import gzip
import struct
import zlib

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


def gzip_lies(data: bytes) -> dict[str, bytes]:
    """Members that would hold these bytes if nothing were wrong with them."""
    member = gzip.compress(data, mtime=0)
    head, body, crc, size = member[:10], member[10:-8], member[-8:-4], member[-4:]
    return {
        "no end": head + body,
        "half an end": member[:-1],
        "nothing but a header": head,
        "half a header": head[:5],
        "another magic number": b"\x1f\x8c" + member[2:],
        "another method": head[:2] + b"\7" + member[3:],
        "flags that nobody knows": head[:3] + b"\xe0" + member[4:],
        "an extra field that reaches beyond the end": head[:3] + b"\4" + head[4:] + b"\xff\xff" + body + crc + size,
        "a name without an end": head[:3] + b"\x08" + head[4:] + b"name" * 20,
        "a checksum of the header that is wrong": head[:3] + b"\2" + head[4:] + b"\0\0" + body + crc + size,
        "a checksum that is wrong": head + body + bytes(4) + size,
        "a size that is wrong": head + body + crc + struct.pack("<I", len(data) + 1),
        "a size of 2^32-1": head + body + crc + b"\xff\xff\xff\xff",
        "more behind it that is none": member + b"more",
        "half of a second one": member + member[:12],
        "zeros by the megabyte": gzip.compress(bytes(40 << 20), mtime=0),
    }


def zlib_lies(data: bytes) -> dict[str, bytes]:
    """The same for the other wrapping."""
    stream = zlib.compress(data)
    return {
        "no end": stream[:-4],
        "half an end": stream[:-1],
        "nothing but a header": stream[:2],
        "a header that wants a dictionary": b"\x78\xbb" + bytes(4) + stream[2:],
        "a window that cannot be": b"\x88\x1c" + stream[2:],
        "a checksum that is wrong": stream[:-4] + bytes(4),
        "more behind it": stream + b"more",
        "a second stream": stream + stream,
        "a block of a kind that cannot be": stream[:2] + b"\7" + stream[3:],
    }


STORE = {"zstd": zstd, "brotli": brotli, "snappy": snappy}
ZEROS = {"zstd": zstd_zeros, "brotli": brotli_zeros, "snappy": snappy_zeros}

"""TFRecord files made to harm: sound records, and behind them one that lies.

A reader gives exactly the sound ones, and an error for whatever else it believes to be there.
"""

from __future__ import annotations

import gzip
import struct
import zlib

from tests.faults.lies import streams
from tests.faults.lies.draft import Lie, later
from tests.naive import tfrecord as naive
from tests.naive.recordio import crc32c

RECORDS = [b"one", b"", b"three"]
LYING = b"lie"
SOUND = naive.encode(RECORDS)


def header(length: int) -> bytes:
    """The checksum is right, whatever it is a checksum of."""
    content = struct.pack("<Q", length)
    return content + naive.checksum_of(content)


def _claiming(length: int) -> bytes:
    return SOUND + header(length) + LYING + naive.checksum_of(LYING)


def _with(head: bytes, end: bytes) -> bytes:
    return SOUND + head + LYING + end


def lies() -> dict[str, Lie]:
    size, end = len(LYING), naive.checksum_of(LYING)
    near = [(1 << 64) - distance for distance in (1, 4, 12, 13, 16, 17, 16 + len(SOUND), 17 + len(SOUND), 1 << 12)]
    lengths = (0, 1, size - 1, size + 1, size + 4, 1 << 31, 1 << 32, 1 << 40, (1 << 63) - 1, 1 << 63, *near)
    made = {f"a length of {length}": later(_claiming, length) for length in lengths}
    unmasked = struct.pack("<I", crc32c(struct.pack("<Q", size)))
    return made | {
        "a length with a wrong checksum": later(_with, struct.pack("<QI", size, 0), end),
        "a length with a checksum that is not masked": later(_with, struct.pack("<Q", size) + unmasked, end),
        "a record with a wrong checksum": later(_with, header(size), bytes(4)),
        "a record with a checksum that is not masked": later(_with, header(size), struct.pack("<I", crc32c(LYING))),
        "no checksum at the end": later(_with, header(size), b""),
        "half a checksum at the end": later(_with, header(size), end[:2]),
        "zeros": lambda: SOUND + bytes(100_000),
        "zeros, and then something": lambda: SOUND + bytes(100_000) + b"!",
        "noise": lambda: SOUND + bytes(range(256)) * 1000,
    }


def compressed_lies() -> dict[str, dict[str, Lie]]:
    """The same inside a stream that holds, and streams that do not."""
    wrapped = {name: later(_compressed, lie) for name, lie in lies().items()}
    of_gzip = {name: later(bytes, stream) for name, stream in streams.gzip_lies(SOUND).items()}
    of_zlib = {name: later(bytes, stream) for name, stream in streams.zlib_lies(SOUND).items()}
    return {"what a stream holds": wrapped, "gzip": of_gzip, "zlib": of_zlib}


def _compressed(lie: Lie) -> bytes:
    return gzip.compress(lie(), 6, mtime=0)


def compressed_zeros(head: bytes, size: int, end: bytes) -> bytes:
    """A megabyte of a stream for each gigabyte of it."""
    compressor = zlib.compressobj(1, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    zeros = bytes(1 << 20)
    pieces = [compressor.compress(head), *(compressor.compress(zeros) for _ in range(size >> 20))]
    return b"".join(pieces) + compressor.compress(end) + compressor.flush()


def truths() -> dict[str, tuple[Lie, list[bytes]]]:
    """Strange, and true."""
    empty = naive.encode_record(b"")
    inner = naive.encode([b"inner"])
    return {
        "a hundred thousand empty records": (lambda: empty * 100_000, [b""] * 100_000),
        "a file inside a record": (lambda: naive.encode([*RECORDS, inner]), [*RECORDS, inner]),
    }


def lengths_that_claim_the_rest() -> bytes:
    """Behind damage: lengths whose checksums hold, of records that reach to the end and do not hold."""
    size, count = 64 << 20, 20_000
    claims = b"".join(header(size + naive.HEADER * left - 4) for left in range(count - 1, -1, -1))
    return SOUND + b"damage in front" + claims + bytes(size)


def nothing_but_zeros() -> bytes:
    """Behind damage."""
    return SOUND + b"damage in front" + bytes(64 << 20) + b"!"


SEARCHES: dict[str, Lie] = {
    "lengths that claim the rest": lengths_that_claim_the_rest,
    "nothing but zeros": nothing_but_zeros,
}

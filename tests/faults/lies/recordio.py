"""RecordIO files made to harm. Every checksum in them is right, unless that is the lie.

A lie is a function that gives a file's bytes: a sound chunk with `RECORDS`, and behind it one that lies. A reader gives
exactly those records, and an error for whatever else it believes to be there.
"""

from __future__ import annotations

import gzip
import struct
import zlib

from tests.faults.lies import streams
from tests.faults.lies.draft import Lie, later
from tests.naive import recordio as naive
from tests.naive.protobuf import varint

RECORDS = [b"one", b"", b"three"]
LYING = [b"lie", b"and another", b"", b"the last one"]
STREAM = naive.stream_of(LYING)

GZIP = gzip.compress(STREAM, mtime=0)
FRAME_BYTES = naive.FRAME
LEGACY_BYTES = naive.LEGACY_BLOCK


def forged(dialect: str, payload: bytes, stored: str = "none", **claims: int) -> bytes:
    """A chunk whose header says something else than what is there."""
    rules = naive.DIALECTS[dialect]
    fields = {
        "count": len(LYING),
        "checksum": rules.checksum(payload),
        "codec": rules.codecs[stored].number,
        "size": len(payload),
        **claims,
    }
    return naive.MAGIC + struct.pack("<4I", *(fields[name] for name in rules.fields)) + payload


def _after_a_sound_one(dialect: str, chunk: bytes) -> bytes:
    return naive.encode_chunk(RECORDS, dialect) + chunk


def _lie(dialect: str, payload: bytes, stored: str = "none", **claims: int) -> Lie:
    return lambda: _after_a_sound_one(dialect, forged(dialect, payload, stored, **claims))


def headers(dialect: str) -> dict[str, Lie]:
    """Numbers that no checksum covers."""
    size = len(STREAM)
    sizes = (0, 1, 3, 4, size - 1, size + 1, size + 20, 1 << 31, (1 << 32) - 21, (1 << 32) - 1)
    counts = (0, 1, 3, 5, size // 4, size // 4 + 1, size * 250, 1 << 31, (1 << 32) - 1)
    codecs = [number for number in (0, 1, 2, 3, 4, 255, (1 << 32) - 1) if number != _number(dialect, "none")]
    lies = {f"a size of {one}": _lie(dialect, STREAM, size=one) for one in sizes}
    lies |= {f"{one} records": _lie(dialect, STREAM, count=one) for one in counts}
    lies |= {f"codec {one}": _lie(dialect, STREAM, codec=one) for one in codecs}
    lies["a checksum that is wrong"] = _lie(dialect, STREAM, checksum=0)
    lies["another magic number"] = lambda: _after_a_sound_one(dialect, b"\4\3\2\2" + forged(dialect, STREAM)[4:])
    return lies


def _number(dialect: str, codec: str) -> int:
    return naive.DIALECTS[dialect].codecs[codec].number


def records(dialect: str) -> dict[str, Lie]:
    """Lengths in front of records."""
    content = {
        "a record that reaches beyond the end": STREAM[:-1],
        "bytes behind the last record": STREAM + b"\0",
        "another record behind the last": STREAM + naive.stream_of([b"more"]),
        "a length of 2^32-1": b"\xff\xff\xff\xff" + STREAM[4:],
        "lengths that go round": struct.pack("<I", (1 << 32) - 4) * 4,
        "half a length at the end": naive.stream_of(LYING[:3]) + b"\0\0\0",
        "nothing but zeros": bytes(4 * len(LYING) + 4),
    }
    return {name: _lie(dialect, payload) for name, payload in content.items()}


def snappy_blocks(dialect: str) -> dict[str, Lie]:
    """Raw blocks."""
    size = varint(len(STREAM))
    blocks = {
        "a size of 2^32-1": varint((1 << 32) - 1) + streams.snappy(STREAM)[1:],
        "a size of 2^35": varint(1 << 35) + streams.snappy(STREAM)[1:],
        "a size without an end": b"\xff" * 12,
        "one byte more than there is": varint(len(STREAM) + 1) + streams.snappy(STREAM)[1:],
        "one byte less than there is": varint(len(STREAM) - 1) + streams.snappy(STREAM)[1:],
        "no bytes, and some": varint(0) + streams.snappy(STREAM)[1:],
        "more than copies could give": streams.snappy_zeros(1 << 20, claim=1 << 30),
        "zeros by the megabyte": streams.snappy_zeros(40 << 20),
        "a copy of what is not there yet": size + b"\xfe\x01\x00" * 3,
        "a copy from nowhere": size + b"\0x" + b"\xfe\x00\x00" * 3,
        "a copy from far back": size + b"\0x" + b"\xff\xff\xff\xff\xff" * 3,
        "a literal longer than the stream": size + b"\xfc\xff\xff\xff\xff" + STREAM,
        "a block that is cut": streams.snappy(STREAM)[:-1],
        "a block with more behind it": streams.snappy(STREAM) + b"\0\0",
    }
    return {name: _lie(dialect, payload, "snappy") for name, payload in blocks.items()}


def gzip_members(dialect: str) -> dict[str, Lie]:
    payloads = streams.gzip_lies(STREAM) | {"the same once more": GZIP + GZIP}
    return {name: _lie(dialect, payload, "gzip") for name, payload in payloads.items()}


def _frame(kind: int, body: bytes) -> bytes:
    return struct.pack("<I", len(body) << 8 | kind) + body


def _stored(data: bytes, checksum: int | None = None) -> bytes:
    return struct.pack("<I", naive.masked_crc32c(data) if checksum is None else checksum) + data


def frames() -> dict[str, Lie]:
    """Go's streams."""
    start, good = naive.FRAMING_START, _frame(1, _stored(STREAM))
    long = bytes(FRAME_BYTES + 1)
    streams_of = {
        "no beginning": good,
        "another beginning": _frame(0xFF, b"SnApPy") + good,
        "half a beginning": start[:7],
        "nothing but a beginning": start,
        "a frame that reaches beyond the end": start + struct.pack("<I", 1 << 23 | 1) + _stored(STREAM),
        "a frame that is cut": start + good[:-1],
        "half of a frame's size": start + good + b"\1\0",
        "a frame without room for its checksum": start + _frame(1, b"\0\0\0"),
        "a frame with a wrong checksum": start + _frame(1, _stored(STREAM, 0)),
        "a frame with a checksum that is not masked": start + _frame(1, _stored(STREAM, naive.crc32c(STREAM))),
        "a frame that is too long": start + _frame(1, _stored(long)),
        "a frame that decompresses to too much": start + _frame(0, bytes(4) + streams.snappy_zeros(len(long))),
        "a frame that claims a gigabyte": start + _frame(0, bytes(4) + streams.snappy_zeros(100, claim=1 << 30)),
        "a frame of a kind that must be refused": start + _frame(2, b"") + good,
        "a frame to skip that reaches beyond the end": start + good + struct.pack("<I", 0xFFFFFF80),
        "an empty block": start + _frame(0, bytes(4)) + good,
    }
    return {name: _lie("go", payload, "snappy") for name, payload in streams_of.items()}


def legacy_blocks() -> dict[str, Lie]:
    """The streams of PaddlePaddle's C++."""

    def block(flag: int, data: bytes, size: int | None = None, checksum: int | None = None) -> bytes:
        known = naive.masked_crc32c(STREAM) if checksum is None else checksum
        return struct.pack(">BHI", flag, len(data) if size is None else size, known) + data

    start = naive.LEGACY_START
    long = bytes(LEGACY_BYTES + 1)
    streams_of = {
        "half a beginning": start[:5],
        "nothing but a beginning": start,
        "a block that reaches beyond the end": start + block(0, STREAM, size=65535),
        "a block that is cut": start + block(0, STREAM)[:-1],
        "half of a block's header": start + block(0, STREAM) + b"\0\0\0",
        "a flag that nobody knows": start + block(2, STREAM),
        "a wrong checksum": start + block(0, STREAM, checksum=0),
        "a block that is too long": start + block(0, long, checksum=naive.masked_crc32c(long)),
        "a block that decompresses to too much": start + block(1, streams.snappy_zeros(len(long))),
        "a block that claims a gigabyte": start + block(1, streams.snappy_zeros(100, claim=1 << 30)),
    }
    return {name: _lie("paddle-cpp", payload, "snappy") for name, payload in streams_of.items()}


def liars() -> dict[str, dict[str, Lie]]:
    """All of them, by where they lie."""
    made: dict[str, dict[str, Lie]] = {}
    for dialect in naive.DIALECTS:
        made |= {f"{dialect} headers": headers(dialect), f"{dialect} records": records(dialect)}
    # The checksums of long payloads take their time in Python, but for zlib's.
    return made | {
        "snappy": snappy_blocks("paddle-python-ieee"),
        "gzip": gzip_members("go"),
        "frames": frames(),
        "legacy blocks": legacy_blocks(),
    }


# Strange, and true: there are `RECORDS` and the records of the last chunk.


def truths() -> dict[str, Lie]:
    start, frame = naive.FRAMING_START, _frame(1, _stored(STREAM))
    empty = gzip.compress(b"", mtime=0)
    nothing = b"\0\0\0\xff\xff"  # a stored block of deflate without bytes
    blocks = GZIP[:10] + nothing * 100_000 + GZIP[10:]
    return {
        "many empty members": _lie("go", empty * 20_000 + GZIP + empty, "gzip"),
        "many empty blocks": _lie("go", blocks, "gzip"),
        "a long name": _lie("go", GZIP[:3] + b"\x08" + GZIP[4:10] + b"n" * 100_000 + b"\0" + GZIP[10:], "gzip"),
        "many frames to skip": _lie("go", start + b"\x80\0\0\0" * 250_000 + frame, "snappy"),
        "a long frame to skip": _lie("go", start + _frame(0xFE, bytes(1 << 20)) + frame, "snappy"),
        "many beginnings": _lie("go", start * 100_000 + frame, "snappy"),
        "many beginnings of the older framing": later(_many_legacy_beginnings),
        "a chunk inside a record": _lie("go", naive.stream_of([*LYING[:3], _decoy()]), "none"),
    }


def _many_legacy_beginnings() -> bytes:
    payload = naive.LEGACY_START * 100_000 + naive.compress_legacy(STREAM)[len(naive.LEGACY_START) :]
    return _after_a_sound_one("paddle-cpp", forged("paddle-cpp", payload, "snappy"))


def _decoy() -> bytes:
    return naive.encode_chunk([b"decoy"], "go")


def truth_of(name: str) -> list[bytes]:
    """The records of a strange file."""
    return [*RECORDS, *LYING[:3], _decoy()] if name == "a chunk inside a record" else [*RECORDS, *LYING]


# Files in which whoever looks for the next chunk finds far too many. No chunk but the first is one.


def nothing_but_magic_numbers() -> bytes:
    return _after_a_sound_one("go", naive.MAGIC * (4 << 20))


def headers_that_claim_the_rest() -> bytes:
    count = 200_000
    rest = [forged("go", b"", size=20 * number + 1, checksum=number) for number in range(count, 0, -1)]
    return _after_a_sound_one("go", forged("go", b"", size=(1 << 32) - 1) + b"".join(rest))


def headers_between_chunks() -> bytes:
    """Every second one is sound, and those between claim everything that follows but a byte."""
    sound = naive.encode_chunk([b"sound"], "go")
    unit, count = naive.HEADER + len(sound), 40_000
    pieces = (forged("go", b"", size=unit * left - naive.HEADER - 1) + sound for left in range(count, 0, -1))
    return _after_a_sound_one("go", b"".join(pieces))


def nested_bombs() -> bytes:
    """One member, in front of which stand the headers of more than a thousand chunks, each inside the one before it.

    A member's extra field holds the header of the next chunk and that of its member, so that all of them end with the
    same compressed bytes: a few hundred kilobytes, of which come as many megabytes.
    """
    size, levels = 40 << 20, 1500
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    zeros = bytes(size)
    end = deflate.compress(zeros) + deflate.flush() + struct.pack("<II", zlib.crc32(zeros), size)
    extra = b""
    for _ in range(levels):
        member = b"\x1f\x8b\x08\x04" + bytes(6) + struct.pack("<H", len(extra)) + extra
        chunk = forged("go", member + end, "gzip")
        extra = chunk[: -len(end)]
    return _after_a_sound_one("go", forged("go", b"", size=(1 << 32) - 1) + extra + end)


SEARCHES: dict[str, Lie] = {
    "nothing but magic numbers": nothing_but_magic_numbers,
    "headers that claim the rest": headers_that_claim_the_rest,
    "headers between chunks": headers_between_chunks,
    "nested bombs": nested_bombs,
}


# Files that tell the truth about far too much: one record of so many zeros, and others beside it.


def bomb(codec: str, size: int, *, beside: list[bytes]) -> bytes:
    """`frames` is Go's snappy, `snappy` is that of the first Python version."""
    prefix = struct.pack("<I", size)
    match codec:
        case "gzip":
            dialect, payload = "go", gzip.compress(prefix, mtime=0) + _compressed_zeros(size)
        case "snappy":
            # The zeros of the length are copied from the first byte as well: a record of 2^30 has three of them.
            dialect, payload = "paddle-python-ieee", _snappy_bomb(prefix, size)
        case _:
            dialect, codec, payload = "go", "snappy", _framed_bomb(prefix, size)
    large = naive.encode_payload(payload, 1, dialect, codec)
    return large + naive.encode_groups([[record] for record in beside], dialect, "none")


def _compressed_zeros(size: int) -> bytes:
    compressor = zlib.compressobj(1, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    piece = bytes(1 << 20)
    return b"".join(compressor.compress(piece) for _ in range(size >> 20)) + compressor.flush()


def _snappy_bomb(prefix: bytes, size: int) -> bytes:
    block = bytearray(streams.snappy(prefix + b"\0")[1:])
    copies, rest = divmod(size - 1, 64)
    last = bytes([(rest - 1) << 2 | 2, 1, 0]) if rest else b""
    return varint(size + len(prefix)) + bytes(block) + b"\xfe\x01\x00" * copies + last


def _framed_bomb(prefix: bytes, size: int) -> bytes:
    zeros = bytes(FRAME_BYTES)
    frame = _frame(0, struct.pack("<I", naive.masked_crc32c(zeros)) + streams.snappy_zeros(FRAME_BYTES))
    return naive.FRAMING_START + _frame(1, _stored(prefix)) + frame * (size // FRAME_BYTES)

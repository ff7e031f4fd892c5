"""Files that are signed correctly and lie all the same: none may be believed, and none may cost memory or a crash.

Those of `INDEXES` lie in the postscript or the footer, those of `CHUNKS` in a data chunk of an otherwise sound file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.conformance.array_record.foreign import (
    GROUPS,
    RECORDS,
    TEXT,
    chunks,
    of_data_chunks,
    with_footer,
    with_footer_records,
    with_postscript,
    zstd_frame,
)
from tests.conformance.codecs import needs_cramjam
from tests.naive import array_record as naive
from tests.naive import transposed, transposing
from tests.naive.compression import compress
from tests.naive.protobuf import message, varint, varints
from tests.naive.riegeli import BLOCK, Chunk, Container, simple_chunk, simple_chunk_of
from tests.naive.transposed import Machine, State

HUGE = 2**63 - 1


# ---- the index ----


def of_postscript(*records: bytes) -> bytes:
    return with_postscript(lambda _: simple_chunk(records)).content


def of_footer(records: Callable[[list[naive.Entry]], list[bytes]]) -> bytes:
    return with_footer_records(records).content


def of_metadata(**changes: Any) -> bytes:
    """A footer whose first record says something else."""
    facts: dict[str, Any] = {"num_chunks": len(GROUPS), "num_records": len(RECORDS), "text": TEXT, **changes}
    return of_footer(lambda entries: [naive.metadata_record(**facts), *(entry.record for entry in entries)])


def of_line(change: Callable[[naive.Entry], bytes], number: int = 1) -> bytes:
    """A footer with one line that says something else."""

    def records(entries: list[naive.Entry]) -> list[bytes]:
        found = naive.footer_records(entries, TEXT)
        found[number + 1] = change(entries[number])
        return found

    return of_footer(records)


def of_offset(offset: int, number: int = 1) -> bytes:
    return of_line(lambda entry: naive.Entry(offset, entry.decoded_size, entry.num_records).record, number)


def of_count(count: int, number: int = 1) -> bytes:
    return of_line(lambda entry: naive.Entry(entry.offset, entry.decoded_size, count).record, number)


def without_footer(content: bytes) -> bytes:
    """A postscript on its own behind something else."""
    container = Container()
    container.append(Chunk(b"p", bytes(BLOCK - 104)))
    container.append(simple_chunk([naive.postscript_record(len(content))] * 3))
    container.pad_to_block()
    return bytes(container.content)


INDEXES: dict[str, Callable[[], bytes]] = {
    "wrong magic": lambda: of_postscript(message((1, 64), (2, naive.MAGIC + 1))),
    "no magic": lambda: of_postscript(message((1, 64))),
    "no footer offset": lambda: of_postscript(message((2, naive.MAGIC))),
    "empty postscript": lambda: of_postscript(b"", b"", b""),
    "postscript that is no message": lambda: of_postscript(b"\xff\xff\xff"),
    "postscript without records": lambda: with_postscript(lambda _: Chunk(b"p", bytes(10))).content,
    "postscript of an unknown kind": lambda: with_postscript(lambda at: Chunk(b"x", varint(at), 3, 10)).content,
    "footer offset that is no boundary": lambda: of_postscript(naive.postscript_record(BLOCK + 10)),
    "footer offset inside a chunk": lambda: of_postscript(naive.postscript_record(70)),
    "footer offset of a data chunk": lambda: of_postscript(naive.postscript_record(64)),
    "footer offset of the signature": lambda: of_postscript(naive.postscript_record(0)),
    "footer offset of the postscript": lambda: of_postscript(naive.postscript_record(BLOCK)),
    "footer offset at the end": lambda: of_postscript(naive.postscript_record(2 * BLOCK)),
    "footer offset far behind the end": lambda: of_postscript(naive.postscript_record(2**40)),
    "greatest footer offset": lambda: of_postscript(naive.postscript_record(2**64 - 1)),
    "version 0": lambda: of_metadata(version=0),
    "version 2": lambda: of_metadata(version=2),
    "no metadata": lambda: of_footer(lambda entries: [b"", *(entry.record for entry in entries)]),
    "metadata that is no message": lambda: of_footer(lambda entries: [b"\xff", *(entry.record for entry in entries)]),
    "metadata of a number": lambda: of_footer(lambda entries: [message((1, 7)), *(one.record for one in entries)]),
    "a chunk too many": lambda: of_metadata(num_chunks=len(GROUPS) + 1),
    "a chunk too few": lambda: of_metadata(num_chunks=len(GROUPS) - 1),
    "no chunks": lambda: of_metadata(num_chunks=0),
    "far too many chunks": lambda: of_metadata(num_chunks=HUGE),
    "a record too many": lambda: of_metadata(num_records=len(RECORDS) + 1),
    "a record too few": lambda: of_metadata(num_records=len(RECORDS) - 1),
    "no records": lambda: of_metadata(num_records=0),
    "far too many records": lambda: of_metadata(num_records=HUGE),
    "greatest number of records": lambda: of_metadata(num_records=2**64 - 1),
    "a line without an offset": lambda: of_line(lambda entry: message((2, entry.decoded_size), (3, 2))),
    "a line that is no message": lambda: of_line(lambda _: b"\xff\xff"),
    "an empty line": lambda: of_line(lambda _: b""),
    "a chunk that is no boundary": lambda: of_offset(BLOCK + 1),
    "a chunk inside another": lambda: of_offset(66),
    "a chunk that is the signature": lambda: of_offset(0),
    "a chunk that is the postscript": lambda: of_offset(BLOCK),
    "a chunk behind the end": lambda: of_offset(2**40),
    "a chunk at the greatest offset": lambda: of_offset(2**64 - 1),
    "the first chunk elsewhere": lambda: of_offset(2**40, 0),
    "the last chunk elsewhere": lambda: of_offset(2**40, 2),
    "a count too great": lambda: of_count(3),
    "a count too small": lambda: of_count(1),
    "a count of none": lambda: of_count(0),
    "a huge count": lambda: of_count(HUGE),
    "the greatest count": lambda: of_count(2**64 - 1),
    "a footer of another kind": lambda: with_footer(lambda _: Chunk(b"p", bytes(20))).content,
    "a footer of fewer records than its header says": lambda: (
        with_footer(lambda entries: simple_chunk_of("none", b"\x05", b"12345", 2 + len(entries), 5)).content
    ),
    "only a postscript": lambda: without_footer(b""),
}


# ---- data chunks ----


def of_chunk(chunk: Chunk) -> bytes:
    """A sound file but for its second chunk, whose line in the footer says what its header says."""
    first, _, last = chunks()
    return of_data_chunks(first, chunk, last).content


def of_blocks(codec: str, sizes: bytes, values: bytes, decoded_size: int | None = None) -> bytes:
    size = sum(map(len, GROUPS[1])) if decoded_size is None else decoded_size
    return of_chunk(simple_chunk_of(codec, sizes, values, 2, size))


def of_data(data: bytes, num_records: int = 2, decoded_size: int = 18, kind: bytes = b"r") -> bytes:
    return of_chunk(Chunk(kind, data, num_records, decoded_size))


def of_codec(change: Callable[[bytes], bytes], codec: str) -> bytes:
    """Values whose compressed block was changed."""
    group = GROUPS[1]
    values = compress(codec, b"".join(group))
    sizes = compress(codec, varints(*map(len, group)))
    return of_blocks(codec, sizes, change(values))


def in_frames(sizes: bytes, values: bytes) -> bytes:
    return of_blocks("zstd", sizes, values)


VALUES = b"".join(GROUPS[1])
SIZES = varints(*map(len, GROUPS[1]))
SIZES_FRAME = varint(len(SIZES)) + zstd_frame(SIZES)

SIMPLE: dict[str, Callable[[], bytes]] = {
    "no data at all": lambda: of_data(b""),
    "only a codec": lambda: of_data(b"\0"),
    "an unknown codec": lambda: of_data(b"q" + varint(len(SIZES)) + SIZES + VALUES),
    "sizes beyond the chunk": lambda: of_data(b"\0" + varint(1000) + SIZES + VALUES),
    "sizes far beyond the chunk": lambda: of_data(b"\0" + varint(HUGE) + SIZES + VALUES),
    "a size of sizes that does not end": lambda: of_data(b"\0" + b"\xff" * 11),
    "a size too few": lambda: of_blocks("none", varint(len(VALUES)), VALUES),
    "a size too many": lambda: of_blocks("none", SIZES + b"\0", VALUES),
    "sizes that are too great": lambda: of_blocks("none", varints(6, len(VALUES)), VALUES),
    "sizes that are too small": lambda: of_blocks("none", varints(6, 1), VALUES),
    "sizes that overflow": lambda: of_blocks("none", varints(2**64 - 1, len(VALUES) + 1), VALUES),
    "sizes that do not end": lambda: of_blocks("none", b"\x06\x8c", VALUES),
    "values that are too short": lambda: of_blocks("none", SIZES, VALUES[:-1]),
    "values that are too long": lambda: of_blocks("none", SIZES, VALUES + b"x"),
    "a decoded size too great": lambda: of_blocks("none", SIZES, VALUES, len(VALUES) + 1),
    "a decoded size too small": lambda: of_blocks("none", SIZES, VALUES, len(VALUES) - 1),
    "a decoded size of nothing": lambda: of_blocks("none", SIZES, VALUES, 0),
    "a huge decoded size": lambda: of_blocks("none", SIZES, VALUES, HUGE),
    "the greatest decoded size": lambda: of_blocks("none", SIZES, VALUES, 2**64 - 1),
    "a huge size and decoded size": lambda: of_blocks("none", varints(6, 2**50), VALUES, 2**50 + 6),
    "records in padding": lambda: of_data(bytes(10), 2, 0, b"p"),
    "records in a signature": lambda: of_data(b"", 2, 0, b"s"),
    "records of an unknown kind": lambda: of_data(bytes(10), 2, 0, b"x"),
    "two zstd frames": lambda: in_frames(
        SIZES_FRAME, varint(len(VALUES)) + zstd_frame(VALUES[:5]) + zstd_frame(VALUES[5:])
    ),
    "a zstd frame that is cut": lambda: in_frames(SIZES_FRAME, varint(len(VALUES)) + zstd_frame(VALUES)[:-1]),
    "bytes behind a zstd frame": lambda: in_frames(SIZES_FRAME, varint(len(VALUES)) + zstd_frame(VALUES) + b"x"),
    "a zstd frame of something else": lambda: in_frames(SIZES_FRAME, varint(len(VALUES)) + b"not a frame"),
    "no zstd frame": lambda: in_frames(SIZES_FRAME, varint(len(VALUES))),
    "a zstd frame that says another size": lambda: in_frames(SIZES_FRAME, varint(len(VALUES) + 1) + zstd_frame(VALUES)),
    "a zstd frame that says a huge size": lambda: in_frames(SIZES_FRAME, varint(2**50) + zstd_frame(VALUES)),
    "a zstd frame with a wrong checksum": lambda: in_frames(
        SIZES_FRAME, varint(len(VALUES)) + zstd_frame(VALUES, checksum=b"\0\0\0\0")
    ),
}
COMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    "a stream that is cut": lambda block: block[:-1],
    "bytes behind a stream": lambda block: block + b"\0",
    "a stream that says another size": lambda block: varint(len(VALUES) + 1) + block[1:],
    "a stream that says a huge size": lambda block: varint(2**50) + block[1:],
    "no stream": lambda block: block[:1],
    "no block": lambda _: b"",
    "a stream of something else": lambda block: block[:1] + b"\xff\xfe\xfd" * 5,
}


# ---- machines ----


def of_machine(
    *states: State, buffers: Sequence[bytes] = (), moves: bytes = b"", first: int = 0, size: int = 0, count: int = 2
) -> bytes:
    data = transposing.serialize(
        Machine(list(states), first, list(buffers), moves), [len(buffers)] if buffers else [], "none"
    )
    return of_data(data, count, size, b"t")


def of_header(*numbers: int, rest: bytes = b"") -> bytes:
    header = varints(*numbers)
    return of_data(b"\0" + varint(len(header)) + header + rest, kind=b"t")


def state(tag: int, base: int = 0, *, implicit: bool = False, subtype: int = 0, buffer: int | None = None) -> State:
    return State(tag, base, implicit, subtype, buffer)


START = state(transposed.START_OF_RECORD)
WHOLE = state(transposed.NON_PROTO, buffer=0)
AGAIN = b"\0"  # one move by nothing
NUMBER, STRING, SUBMESSAGE_END = 1 << 3, 1 << 3 | 2, 1 << 3 | 6

MACHINES: dict[str, Callable[[], bytes]] = {
    "no data at all": lambda: of_data(b"", kind=b"t"),
    "only a codec": lambda: of_data(b"\0", kind=b"t"),
    "an unknown codec": lambda: of_data(b"q\x05\0\0\x01\0\0\0", kind=b"t"),
    "a header beyond the chunk": lambda: of_data(b"\0\x50\0\0", kind=b"t"),
    "no states": lambda: of_header(0, 0, 0, 0),
    "far too many states": lambda: of_header(0, 0, 2**32 - 1, 3, 0, 0),
    "far too many buckets": lambda: of_header(2**32 - 1, 0, 1, 3, 0, 0),
    "far too many buffers": lambda: of_header(1, 2**32 - 1, 0, 1, 3, 0, 0),
    "buffers without buckets": lambda: of_header(0, 1, 0, 1, 3, 0, 0),
    "a bucket beyond the chunk": lambda: of_header(1, 1, 1000, 1, 1, 3, 0, 0, rest=b"x"),
    "a huge bucket": lambda: of_header(1, 1, HUGE, 1, 1, 3, 0, 0, rest=b"x"),
    "a buffer beyond its bucket": lambda: of_header(1, 1, 1, 2, 1, 3, 0, 0, rest=b"x"),
    "a huge buffer": lambda: of_header(1, 1, 1, HUGE, 1, 3, 0, 0, rest=b"x"),
    "a bucket that is not used up": lambda: of_header(1, 1, 2, 1, 1, 3, 0, 0, rest=b"xx"),
    "bytes behind the header": lambda: of_header(0, 0, 1, 3, 0, 0, 0),
    "a header that ends too soon": lambda: of_header(0, 0, 2, 3, 3, 0),
    "a first state that is none": lambda: of_machine(START, first=1, moves=AGAIN),
    "a base that is none": lambda: of_machine(state(3, 5), moves=AGAIN),
    "a move beyond the states": lambda: of_machine(START, moves=b"\x04"),
    "states that lead to each other for ever": lambda: of_machine(
        state(0, 1, implicit=True), state(0, 0, implicit=True)
    ),
    "a state that leads to itself for ever": lambda: of_machine(state(3, 0, implicit=True)),
    "a tag that is none": lambda: of_machine(state(5), moves=AGAIN),
    "a wire type that is none": lambda: of_machine(state(1 << 3 | 7), START, moves=b"\x04\0"),
    "a subtype that is none": lambda: of_machine(state(NUMBER, subtype=138), START, moves=b"\x04\0", size=2),
    "a buffer that is none": lambda: of_machine(state(1, buffer=3), buffers=[b"ab", b"\1\1"], moves=AGAIN, size=2),
    "a record too few": lambda: of_machine(START),
    "a record too many": lambda: of_machine(START, moves=AGAIN * 2),
    "far too many records": lambda: of_machine(START, moves=b"\x03" * 1000),
    "bytes before the first record": lambda: of_machine(START, state(NUMBER, 0, subtype=11), moves=b"\0\4", size=2),
    "a decoded size too great": lambda: of_machine(WHOLE, buffers=[b"ab", b"\1\1"], moves=AGAIN, size=3),
    "a decoded size too small": lambda: of_machine(WHOLE, buffers=[b"ab", b"\1\1"], moves=AGAIN, size=1),
    "a huge decoded size": lambda: of_machine(WHOLE, buffers=[b"ab", b"\1\1"], moves=AGAIN, size=HUGE),
    "a length beyond the buffer": lambda: of_machine(WHOLE, buffers=[b"ab", b"\1\2"], moves=AGAIN, size=3),
    "lengths that end too soon": lambda: of_machine(WHOLE, buffers=[b"ab", b"\1"], moves=AGAIN, size=2),
    "a length of more than 32 bits": lambda: of_machine(
        WHOLE, buffers=[b"ab", b"\1\xff\xff\xff\xff\x1f"], moves=AGAIN, size=2
    ),
    "a submessage that did not end": lambda: of_machine(state(transposed.START_OF_SUBMESSAGE), START, moves=b"\4\0"),
    "a submessage that does not begin": lambda: of_machine(state(SUBMESSAGE_END), START, moves=b"\4\0"),
    "a submessage left open at the end": lambda: of_machine(START, state(SUBMESSAGE_END), moves=b"\0\4"),
    "a number beyond its buffer": lambda: of_machine(
        state(NUMBER, subtype=4, buffer=0), START, buffers=[b"\1\1"], moves=b"\4\0", size=6
    ),
    "a fixed number beyond its buffer": lambda: of_machine(
        state(1 << 3 | 1, buffer=0), START, buffers=[b"1234567"], moves=b"\4\0", size=9
    ),
    "a string beyond its buffer": lambda: of_machine(
        state(STRING, buffer=0), START, buffers=[b"\5abc"], moves=b"\4\0", size=7
    ),
    "a string of a huge length": lambda: of_machine(
        state(STRING, buffer=0), START, buffers=[b"\xff\xff\xff\xff\x0fabc"], moves=b"\4\0", size=9
    ),
}


def as_parameters(found: dict[str, Callable[[], bytes]]) -> list[Any]:
    return [pytest.param(build, id=name) for name, build in found.items()]


def compressed_as_parameters() -> list[Any]:
    return [
        pytest.param(
            lambda change=change, codec=codec: of_codec(change, codec), id=f"{name}, {codec}", marks=needs_cramjam
        )
        for name, change in COMPRESSED.items()
        for codec in ("zstd", "brotli", "snappy")
    ]


CHUNKS = [*as_parameters(SIMPLE), *compressed_as_parameters(), *as_parameters(MACHINES)]

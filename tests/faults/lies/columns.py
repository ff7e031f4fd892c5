"""Lies in transposed chunks: in the lengths and states of their header, and in what the machine is told to do."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from tests.faults.lies import streams
from tests.faults.lies.codecs import GIGABYTE, block
from tests.faults.lies.draft import GROUPS, HUGE, Draft, Lie, forged, later
from tests.naive.array_record import Entry
from tests.naive.protobuf import varint, varints
from tests.naive.riegeli import Chunk

FIRST = GROUPS[0]
DECODED = sum(map(len, FIRST))
NO_OP, NON_PROTO, START_OF_SUBMESSAGE, START_OF_RECORD = range(4)
FIELD = 1 << 3
STRING, START_GROUP, END_OF_SUBMESSAGE = FIELD | 2, FIELD | 3, FIELD | 6


@dataclasses.dataclass(frozen=True)
class Columns:
    """Everything that a transposed chunk says. As it is, one state that gives the records of the first group."""

    num_buckets: int = 1
    num_buffers: int = 2
    bucket_sizes: Sequence[int] = (DECODED + len(FIRST),)
    buffer_sizes: Sequence[int] = (DECODED, len(FIRST))
    num_states: int | None = None
    tags: Sequence[int] = (NON_PROTO,)
    next_states: Sequence[int] = (0,)
    subtypes: bytes = b""
    buffers: Sequence[int] = (0,)
    first: int = 0
    behind: bytes = b""
    buckets: bytes = b"".join(reversed(FIRST)) + varints(*map(len, reversed(FIRST)))
    transitions: bytes = b"\x02"  # three moves to the same state
    num_records: int = len(FIRST)
    decoded_size: int = DECODED

    @property
    def header(self) -> bytes:
        """Not compressed."""
        num_states = len(self.tags) if self.num_states is None else self.num_states
        numbers = (self.num_buckets, self.num_buffers, *self.bucket_sizes, *self.buffer_sizes, num_states)
        states = varints(*self.tags, *self.next_states) + self.subtypes + varints(*self.buffers, self.first)
        return varints(*numbers) + states + self.behind

    @property
    def chunk(self) -> Chunk:
        data = b"\0" + varint(len(self.header)) + self.header + self.buckets + self.transitions
        return Chunk(b"t", data, self.num_records, self.decoded_size)

    def zstd(self, **plain: int) -> Chunk:
        """The same, each block compressed; `transitions`, `header` or `buckets` may be so many zeros instead."""
        bucket = _zstd(self.buckets, plain.get("buckets"))
        header = _zstd(dataclasses.replace(self, bucket_sizes=(len(bucket),)).header, plain.get("header"))
        transitions = _zstd(self.transitions, plain.get("transitions"))
        data = b"z" + varint(len(header)) + header + bucket + transitions
        return Chunk(b"t", data, self.num_records, self.decoded_size)


def _zstd(data: bytes, zeros: int | None) -> bytes:
    return block(streams.zstd(data), len(data)) if zeros is None else block(streams.zstd_zeros(zeros), zeros)


def _with_first(chunk: Chunk, decoded_size: int | None = None) -> bytes:
    draft = Draft()
    draft.chunks[0] = chunk if decoded_size is None else forged(chunk, decoded_size=decoded_size)

    def agree(entries: list[Entry]) -> list[Entry]:
        return [dataclasses.replace(entries[0], decoded_size=decoded_size or chunk.decoded_size), *entries[1:]]

    draft.entries = agree
    return draft.encode()


def _of(**said: object) -> Lie:
    return later(_with_first, dataclasses.replace(Columns(), **said).chunk)  # type: ignore[arg-type]


def _with_data(data: bytes) -> Lie:
    return later(_with_first, Chunk(b"t", data, len(FIRST), DECODED))


NOTHING: dict[str, object] = {
    "num_buckets": 0,
    "num_buffers": 0,
    "bucket_sizes": (),
    "buffer_sizes": (),
    "buckets": b"",
}


def lengths() -> dict[str, Lie]:
    """Lies about how much there is of everything."""
    header = Columns().header
    lies: dict[str, Lie] = {
        "the truth": _of(),
        "no data": _with_data(b""),
        "nothing but a codec": _with_data(b"\0"),
        "codec 0x1": _with_data(b"\x01" + Columns().chunk.data[1:]),
        "an empty header": _with_data(b"\0\0"),
        "a header that ends early": _with_data(b"\0" + varint(len(header) - 3) + header[:-3]),
        "bytes behind the header": _of(behind=b"\0"),
        "buffers without buckets": _of(num_buckets=0, bucket_sizes=()),
        "buckets without buffers": _of(num_buffers=0, buffer_sizes=()),
        "no states": _of(tags=(), next_states=(), buffers=()),
        "a buffer in two buckets": _of(num_buckets=2, bucket_sizes=(DECODED - 5, len(FIRST) + 5)),
        "a bucket that is not used up": _of(buffer_sizes=(DECODED - 5, len(FIRST))),
        "buffers longer than their bucket": _of(buffer_sizes=(DECODED + 5, len(FIRST))),
        "many empty buffers": _of(
            num_buffers=100_000, buffer_sizes=(DECODED, *[0] * 99_998, len(FIRST)), transitions=b"\x02"
        ),
        "many empty buckets": _of(num_buckets=100_000, bucket_sizes=(DECODED + len(FIRST), *[0] * 99_999)),
    }
    for name, size in HUGE.items():
        lies[f"a header of {name} bytes"] = _with_data(b"\0" + varint(size) + header)
        lies[f"a bucket of {name} bytes"] = _of(bucket_sizes=(size,))
        lies[f"a buffer of {name} bytes"] = _of(buffer_sizes=(size, len(FIRST)))
        lies[f"a length buffer of {name} bytes"] = _of(buffer_sizes=(DECODED, size))
        lies[f"a record of {name} bytes"] = later(_with_first, Columns().chunk, size)
    for name, count in {"2^16": 1 << 16, "2^31": 1 << 31, "2^32-1": (1 << 32) - 1, "2^35": 1 << 35}.items():
        lies[f"{name} buckets"] = _of(num_buckets=count)
        lies[f"{name} buffers"] = _of(num_buffers=count)
        lies[f"{name} states"] = _of(num_states=count)
    return lies


def states() -> dict[str, Lie]:
    """Lies about the machine."""
    lies: dict[str, Lie] = {
        "first state that does not exist": _of(first=1),
        "first state 2^32-1": _of(first=(1 << 32) - 1),
        "next state that does not exist": _of(next_states=(2,)),
        "next state 2^32-1": _of(next_states=((1 << 32) - 1,)),
        "buffer that does not exist": _of(buffers=(2,)),
        "buffer 2^32-1": _of(buffers=((1 << 32) - 1,)),
        "a tag of 2^35": _of(tags=(1 << 35,)),
        "a state that leads to itself for nothing": _of(next_states=(1,)),
        "a state that does nothing, for ever": _of(tags=(NO_OP,), next_states=(1,), buffers=(), transitions=b""),
        "two states that lead to each other": _of(
            tags=(NO_OP, NO_OP, NON_PROTO), next_states=(4, 3, 0), first=0, transitions=b"\x02"
        ),
        "a thousand states in a circle": _of(
            tags=(NO_OP,) * 1000, next_states=[1000 + (at + 1) % 1000 for at in range(1000)], buffers=()
        ),
        "a circle behind the first state": _of(
            tags=(NON_PROTO, NO_OP, NO_OP), next_states=(4, 5, 4), transitions=b"\x02"
        ),
        "a circle that nobody reaches": _of(tags=(NON_PROTO, NO_OP, NO_OP), next_states=(0, 5, 4)),
        "a field for ever": _of(tags=(FIELD,), next_states=(1,), subtypes=b"\x0a", buffers=(), **NOTHING),
        "groups for ever": _of(tags=(START_GROUP,), next_states=(1,), buffers=(), **NOTHING),
        "ends of submessages for ever": _of(tags=(END_OF_SUBMESSAGE,), next_states=(1,), buffers=(), **NOTHING),
        "starts of records for ever": _of(tags=(START_OF_RECORD,), next_states=(1,), buffers=(), **NOTHING),
        "records inside a submessage": _of(
            tags=(END_OF_SUBMESSAGE, START_OF_RECORD), next_states=(3, 0), buffers=(), transitions=b"\0\0\0", **NOTHING
        ),
        "a submessage that never ended": _of(tags=(START_OF_SUBMESSAGE,), buffers=(), **NOTHING),
        "a submessage without a start": _of(tags=(END_OF_SUBMESSAGE,), buffers=(), transitions=b"", **NOTHING),
        "a length buffer that is not there": _of(
            num_buckets=1, num_buffers=1, bucket_sizes=(DECODED,), buffer_sizes=(DECODED,), buckets=b"".join(FIRST)
        ),
        "a string longer than its buffer": _of(tags=(STRING,), buckets=b"\xff\xff\xff\xff\x0f" * 30),
        "a string whose length has no end": _of(tags=(STRING,), buckets=b"\xff" * (DECODED + len(FIRST))),
        "records longer than their buffer": _of(
            buckets=b"".join(reversed(FIRST)) + b"\xff\xff\x7f\x7f", buffer_sizes=(DECODED, len(FIRST))
        ),
        "a transition that leads beyond the states": _of(transitions=b"\xff"),
        "more moves than records": _of(transitions=b"\x02\x03\x03"),
        "fewer moves than records": _of(transitions=b"\x01"),
        "no moves": _of(transitions=b""),
        "many moves to nothing": _of(
            tags=(NO_OP, NON_PROTO), next_states=(0, 0), first=1, transitions=bytes(50_000) + b"\x04\x04\x04"
        ),
    }
    for tag in (4, 5, 6, 7, FIELD | 7, (1 << 32) - 1):
        lies[f"tag {tag}"] = _of(tags=(tag,))
    for subtype in (138, 255):
        lies[f"subtype {subtype}"] = _of(tags=(FIELD,), subtypes=bytes([subtype]))
    for subtype in range(10):
        lies[f"varints of {subtype + 1} bytes"] = _of(tags=(FIELD,), subtypes=bytes([subtype]))
    return lies


def compressed() -> dict[str, Lie]:
    """Blocks of a transposed chunk that hold far more than it can use."""
    idle = Columns(tags=(NO_OP, NON_PROTO), next_states=(0, 0), first=1)
    return {
        "the truth": later(_with_first, Columns().zstd()),
        "a gigabyte of moves": later(_with_first, Columns().zstd(transitions=GIGABYTE)),
        "a gigabyte of moves to nothing": later(_with_first, idle.zstd(transitions=GIGABYTE)),
        "a gigabyte of header": later(_with_first, Columns().zstd(header=GIGABYTE)),
        "a gigabyte of bucket": later(_with_first, Columns().zstd(buckets=GIGABYTE)),
        "a megabyte of header": later(_with_first, Columns().zstd(header=1 << 20)),
    }

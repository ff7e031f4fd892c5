"""Transposed chunks, read by the letter of `docs/spec/array_record.md`, sections 6.1 to 6.4."""

from __future__ import annotations

import dataclasses
import itertools

from tests.naive.compression import codec_named, decompress
from tests.naive.protobuf import Cursor, Damaged, varint

NO_OP, NON_PROTO, START_OF_SUBMESSAGE, START_OF_RECORD = range(4)
VARINT, FIXED64, STRING, START_GROUP, END_GROUP, FIXED32, END_OF_SUBMESSAGE = range(7)
FIRST_INLINE = 10
LAST_INLINE = 137


@dataclasses.dataclass
class State:
    """One state of the machine."""

    tag: int
    base: int
    is_implicit: bool
    subtype: int = 0
    buffer: int | None = None

    @property
    def has_subtype(self) -> bool:
        return self.tag >= 8 and self.tag & 7 == VARINT

    @property
    def has_buffer(self) -> bool:
        if self.tag < 8:
            return self.tag == NON_PROTO
        return self.tag & 7 in {FIXED64, STRING, FIXED32} or (self.has_subtype and self.subtype < FIRST_INLINE)


@dataclasses.dataclass
class Machine:
    """What a chunk says, decompressed."""

    states: list[State]
    first: int
    buffers: list[bytes]
    transitions: bytes


def decode(data: bytes, num_records: int, decoded_size: int) -> list[bytes]:
    """The records, in order."""
    return Run(parse(data), num_records, decoded_size).records()


def parse(data: bytes) -> Machine:
    """The parts of a chunk's data."""
    cursor = Cursor(data)
    codec = codec_named(cursor.byte())
    header = Cursor(decompress(codec, cursor.take(cursor.varint())))
    num_buckets, num_buffers = header.varint(32), header.varint(32)
    if not num_buckets and num_buffers:
        raise Damaged("buffers without buckets")
    bucket_sizes = [header.varint() for _ in range(num_buckets)]
    buffer_sizes = [header.varint() for _ in range(num_buffers)]
    states, first = _states(header, num_buffers)
    buckets = [decompress(codec, cursor.take(size)) for size in bucket_sizes]
    return Machine(states, first, _cut(buckets, buffer_sizes), decompress(codec, cursor.rest()))


def _states(header: Cursor, num_buffers: int) -> tuple[list[State], int]:
    count = header.varint(32)
    tags = [header.varint(32) for _ in range(count)]
    bases = [header.varint(32) for _ in range(count)]
    states = [State(tag, base % count, base >= count) for tag, base in zip(tags, bases, strict=True)]
    if any(base >= 2 * count for base in bases):
        raise Damaged("there is no such state")
    if any(4 <= tag < 8 or tag & 7 == 7 for tag in tags):
        raise Damaged("there is no such tag")
    for state in states:
        if state.has_subtype:
            state.subtype = _below(LAST_INLINE + 1, header.byte(), "subtype")
    for state in states:
        if state.has_buffer:
            state.buffer = _below(num_buffers, header.varint(32), "buffer")
    first = _below(count, header.varint(32), "first state")
    header.end()
    for state in states:
        _follow_implicit(states, state)
    return states, first


def _below(count: int, number: int, name: str) -> int:
    if number >= count:
        raise Damaged(f"there is no {name} {number}")
    return number


def _follow_implicit(states: list[State], state: State) -> None:
    for _ in states:
        if not state.is_implicit:
            return
        state = states[state.base]
    raise Damaged("states lead to each other for ever")


def _cut(buckets: list[bytes], buffer_sizes: list[int]) -> list[bytes]:
    """The buffers, one after the other in the buckets; none is in two of them."""
    found: list[bytes] = []
    remaining = [Cursor(bucket) for bucket in buckets]
    for size in buffer_sizes:
        while len(remaining) > 1 and not remaining[0].left:
            remaining.pop(0)
        found.append(remaining[0].take(size))
    for bucket in remaining:
        bucket.end()
    return found


class Run:
    """A machine at work. It prepends, so the parts of the result are gathered from the last to the first."""

    def __init__(self, machine: Machine, num_records: int, decoded_size: int) -> None:
        self.machine = machine
        self.num_records = num_records
        self.decoded_size = decoded_size
        self.buffers = [Cursor(buffer) for buffer in machine.buffers]
        self.parts: list[bytes] = []
        self.produced = 0
        self.open_submessages: list[tuple[int, int]] = []
        self.boundaries: list[int] = []

    def records(self) -> list[bytes]:
        self._run()
        if self.open_submessages:
            raise Damaged("a submessage does not begin")
        if len(self.boundaries) != self.num_records:
            raise Damaged(f"{self.num_records} records expected, {len(self.boundaries)} found")
        if self.produced != (self.boundaries[-1] if self.boundaries else 0):
            raise Damaged("a record does not begin")
        if self.produced != self.decoded_size:
            raise Damaged(f"{self.decoded_size} bytes expected, {self.produced} found")
        whole = b"".join(reversed(self.parts))
        starts = [self.produced - boundary for boundary in reversed(self.boundaries)]
        return [whole[start:end] for start, end in itertools.pairwise([*starts, len(whole)])]

    def _run(self) -> None:
        transitions = Cursor(self.machine.transitions)
        place, repeats = self.machine.first, 0
        while True:
            state = self.machine.states[place]
            self._act(state)
            place = state.base
            if state.is_implicit:
                continue
            if repeats:
                repeats -= 1
                continue
            if not transitions.left:
                return
            move = transitions.byte()
            place, repeats = state.base + (move >> 2), move & 3
            if place >= len(self.machine.states):
                raise Damaged("a transition leads beyond the states")

    def _prepend(self, *parts: bytes) -> None:
        for part in reversed(parts):
            self.parts.append(part)
            self.produced += len(part)
        if self.produced > self.decoded_size:
            raise Damaged("more bytes than expected")

    def _act(self, state: State) -> None:
        if state.tag < 8:
            self._act_specially(state)
            return
        tag = varint(state.tag)
        match state.tag & 7:
            case 0 if state.subtype >= FIRST_INLINE:
                self._prepend(tag, bytes([state.subtype - FIRST_INLINE]))
            case 0:
                value = bytearray(self._buffer(state).take(state.subtype + 1))
                for place in range(state.subtype):
                    value[place] |= 0x80
                self._prepend(tag, bytes(value))
            case 1:
                self._prepend(tag, self._buffer(state).take(8))
            case 2:
                buffer = self._buffer(state)
                start = buffer.at
                buffer.take(buffer.varint(32))
                self._prepend(tag, buffer.data[start : buffer.at])
            case 5:
                self._prepend(tag, self._buffer(state).take(4))
            case 6:
                self.open_submessages.append((self.produced, state.tag - END_OF_SUBMESSAGE + STRING))
            case _:
                self._prepend(tag)

    def _act_specially(self, state: State) -> None:
        if state.tag == NON_PROTO:
            size = self.buffers[-1].varint(32)
            self._prepend(self._buffer(state).take(size))
        if state.tag == START_OF_SUBMESSAGE:
            if not self.open_submessages:
                raise Damaged("a submessage begins that did not end")
            end, tag = self.open_submessages.pop()
            self._prepend(varint(tag), varint(self.produced - end))
        if state.tag in {NON_PROTO, START_OF_RECORD}:
            if self.open_submessages:
                raise Damaged("a record begins inside a submessage")
            if len(self.boundaries) == self.num_records:
                raise Damaged("more records than expected")
            self.boundaries.append(self.produced)

    def _buffer(self, state: State) -> Cursor:
        assert state.buffer is not None
        return self.buffers[state.buffer]

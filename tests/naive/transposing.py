"""Transposed chunks, written: the minimum encoders of `docs/spec/array_record.md`, section 6.7.

`whole_records` is encoder A: no columns at all. `columns` is encoder B, whose shape can be made unusual, because a
reader must follow whatever machine a chunk brings along.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
from collections.abc import Sequence

from tests.naive import transposed
from tests.naive.columns import Columns, Token
from tests.naive.compression import CODEC_BYTES, compress
from tests.naive.protobuf import varint, varints
from tests.naive.transposed import Machine, State

Bucket = list[bytes]


@dataclasses.dataclass(frozen=True)
class Shape:
    """How encoder B builds its machine and its buckets."""

    fan_out: int = 64
    inline_up_to: int = 3
    depth: int = 100
    bucket_size: int = 256
    one_bucket: bool = False


def serialize(machine: Machine, bucket_counts: Sequence[int], codec: str, level: int | None = None) -> bytes:
    """A chunk's data: the opposite of `transposed.parse`. Each bucket has that many of the buffers."""
    buffers = iter(machine.buffers)
    buckets = [compress(codec, b"".join(itertools.islice(buffers, count)), level) for count in bucket_counts]
    states = machine.states
    header = varints(
        len(buckets),
        len(machine.buffers),
        *map(len, buckets),
        *map(len, machine.buffers),
        len(states),
        *(state.tag for state in states),
        *(state.base + len(states) * state.is_implicit for state in states),
    )
    header += bytes(state.subtype for state in states if state.has_subtype)
    header += varints(*(state.buffer for state in states if state.buffer is not None), machine.first)
    header = compress(codec, header, level)
    transitions = compress(codec, machine.transitions, level)
    return CODEC_BYTES[codec] + varint(len(header)) + header + b"".join(buckets) + transitions


def moves_of(offsets: Sequence[int]) -> bytes:
    """Transition bytes for these moves; one by nothing is counted in the byte before where there is room."""
    moves = bytearray()
    for offset in offsets:
        if offset == 0 and moves and moves[-1] & 3 < 3:
            moves[-1] += 1
        else:
            moves.append(offset << 2)
    return bytes(moves)


def whole_records(records: Sequence[bytes], codec: str, level: int | None = None) -> bytes:
    """Encoder A: one state, every record whole."""
    if not records:
        return nothing(codec, level)
    backwards = records[::-1]
    buffers = [b"".join(backwards), varints(*map(len, backwards))]
    state = State(transposed.NON_PROTO, base=0, is_implicit=False, buffer=0)
    moves = bytes(min(left, 4) - 1 for left in range(len(records) - 1, 0, -4))
    return serialize(Machine([state], 0, buffers, moves), [2], codec, level)


def nothing(codec: str, level: int | None = None) -> bytes:
    """A chunk without records."""
    return serialize(Machine([State(transposed.NO_OP, 0, is_implicit=False)], 0, [], b""), [], codec, level)


def columns(records: Sequence[bytes], codec: str, shape: Shape | None = None, level: int | None = None) -> bytes:
    """Encoder B: one state for each token, every move explicit."""
    shape = shape or Shape()
    if not records:
        return nothing(codec, level)
    split = Columns(records, inline_up_to=shape.inline_up_to, depth=shape.depth)
    buckets, buffer_numbers = lay_out(split, codec, shape)
    machine = _explicit_machine(split.tokens[::-1], buffer_numbers, shape.fan_out)
    machine.buffers = [buffer for bucket in buckets for buffer in bucket]
    return serialize(machine, list(map(len, buckets)), codec, level)


def lay_out(split: Columns, codec: str, shape: Shape) -> tuple[list[Bucket], dict[int, int]]:
    """The buffers in their buckets, and the number of each node's buffer."""
    groups = [group for group in split.in_file_order() if group]
    nodes = [node for group in groups for node, _ in group]
    contents = [[column.content for _, column in group] for group in groups]
    if codec == "none":
        buckets = contents
    else:
        buckets = [bucket for group in contents for bucket in _cut_group(group, shape.bucket_size)]
    if split.lengths:
        buckets = [*buckets, [b"".join(reversed(split.lengths))]]
    if shape.one_bucket and buckets:
        buckets = [list(itertools.chain.from_iterable(buckets))]
    return buckets, {node: number for number, node in enumerate(nodes)}


def _cut_group(buffers: Bucket, limit: int) -> list[Bucket]:
    """Buckets of about that size, from the largest buffer down; the smallest ones come first in the file."""
    buckets: list[Bucket] = [[]]
    filled, left = 0, sum(map(len, buffers))
    remaining = list(buffers)
    while remaining:
        buffer = remaining.pop()
        if filled and filled + len(buffer) // 2 >= limit:
            buckets.insert(0, [])
            filled = 0
        buckets[0].insert(0, buffer)
        filled += len(buffer)
        left -= len(buffer)
        if left <= limit // 2:
            buckets[0][:0] = remaining
            break
    return buckets


def state_of(token: Token, base: int, buffer_numbers: dict[int, int], *, is_implicit: bool = False) -> State:
    state = State(token.tag, base, is_implicit)
    if state.has_subtype:
        state.subtype = token.subtype
    if state.has_buffer:
        state.buffer = buffer_numbers[token.node]
    return state


def _explicit_machine(tokens: Sequence[Token], buffer_numbers: dict[int, int], fan_out: int) -> Machine:
    """A machine that runs through `tokens`; its buffers are still to be added.

    Where one byte cannot name every token, no-ops above them form a tree in which each leads to `fan_out` states.
    """
    leaves = [token for token, _ in collections.Counter(tokens).most_common()]
    level_sizes = [len(leaves)]
    while level_sizes[0] > fan_out:
        level_sizes.insert(0, -(-level_sizes[0] // fan_out))
    states: list[State] = []
    for size in level_sizes[:-1]:
        below = len(states) + size
        states += [State(transposed.NO_OP, below + block * fan_out, is_implicit=False) for block in range(size)]
    first_leaf = len(states)
    states += [state_of(leaf, 0, buffer_numbers) for leaf in leaves]

    def path(leaf: int) -> list[int]:
        steps = [leaf]
        for _ in level_sizes[1:]:
            steps[:1] = divmod(steps[0], fan_out)
        return steps

    numbers = {leaf: number for number, leaf in enumerate(leaves)}
    offsets = [offset for token in tokens[1:] for offset in path(numbers[token])]
    return Machine(states, first_leaf + numbers[tokens[0]], [], moves_of(offsets))

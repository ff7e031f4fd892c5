"""Records that are protobuf messages, or would be but for one mistake, as hypothesis makes them."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from tests.naive.protobuf import varint

Records = st.SearchStrategy[list[bytes]]

_field_numbers = st.sampled_from([1, 1, 2, 3, 15, 16, 2047, 2048, 2**29 - 1])
# Around every length that a varint can have, and negative numbers, which have the greatest.
_numbers = st.one_of(
    st.integers(0, 5),
    st.builds(lambda shift, nudge: max(0, (1 << shift) + nudge), st.integers(0, 63), st.integers(-1, 1)),
    st.integers(2**64 - 9, 2**64 - 1),
)
_strings = st.one_of(st.binary(max_size=12), st.sampled_from([b"", b"hi", b"yo", b"\x08\x01", b"text" * 50]))


def _number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def _string(field: int, value: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(value)) + value


def _group(field: int, inside: bytes) -> bytes:
    return varint(field << 3 | 3) + inside + varint(field << 3 | 4)


_plain_fields = st.one_of(
    st.builds(_number, _field_numbers, _numbers),
    st.builds(_string, _field_numbers, _strings),
    st.builds(lambda field, value: varint(field << 3 | 1) + value, _field_numbers, st.binary(min_size=8, max_size=8)),
    st.builds(lambda field, value: varint(field << 3 | 5) + value, _field_numbers, st.binary(min_size=4, max_size=4)),
)


def _joined(fields: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    return st.lists(fields, max_size=5).map(b"".join)


messages = st.recursive(
    _joined(_plain_fields),
    lambda inner: _joined(
        st.one_of(_plain_fields, st.builds(_string, _field_numbers, inner), st.builds(_group, _field_numbers, inner))
    ),
    max_leaves=8,
)

# Wire types 6 and 7, a tag and a value longer than need be, groups that are open at one end, and field 0.
_mistakes = ["0e01", "0f01", "888000", "088000", "0b", "0c", "0b14", "0001", "12820000"]
broken_messages = st.one_of(
    st.builds(lambda message, mistake: message + bytes.fromhex(mistake), messages, st.sampled_from(_mistakes)),
    st.builds(lambda message, cut: message[: -cut or None], messages, st.integers(1, 3)),
)


def _regular(count: int, seed: int) -> list[bytes]:
    """Messages of one type, many enough for states and moves that are shared."""
    chance = random.Random(seed)
    return [
        _number(1, number)
        + _string(2, b"name %d" % chance.randrange(9))
        + b"".join(
            _string(3, _number(1, chance.randrange(1 << chance.randrange(30)))) for _ in range(chance.randrange(4))
        )
        for number in range(count)
    ]


def _wide(count: int, seed: int) -> list[bytes]:
    """Messages of more fields than one transition can reach."""
    chance = random.Random(seed)
    return [b"".join(_number(field, chance.choice([0, 9, 999])) for field in range(1, 150)) for _ in range(count)]


def _noise(count: int, seed: int) -> list[bytes]:
    """Records longer than a block among short ones."""
    chance = random.Random(seed)
    return [chance.randbytes(chance.choice([0, 10, 4096, 65_500, 70_000])) for _ in range(count)]


_seeds = st.integers(0, 99)
any_records = st.one_of(messages, broken_messages, st.binary(max_size=40))
record_lists: Records = st.one_of(
    st.lists(any_records, max_size=30),
    st.builds(lambda record, count: [record] * count, any_records, st.integers(0, 300)),
    st.builds(_regular, st.integers(0, 300), _seeds),
    st.builds(_wide, st.integers(0, 6), _seeds),
    st.builds(_noise, st.integers(0, 4), _seeds),
)

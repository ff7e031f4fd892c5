"""HighwayHash-64 with Riegeli's key, by the letter of `docs/spec/array_record.md`, section 2; and HighwayHash-128."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TypeAlias

State: TypeAlias = tuple[list[int], list[int], list[int], list[int]]

KEY = struct.unpack("<4Q", b"Riegeli/records\n" * 2)
M0 = (0xDBE6D5D5FE4CCE2F, 0xA4093822299F31D0, 0x13198A2E03707344, 0x243F6A8885A308D3)
M1 = (0x3BD39E10CB0EF593, 0xC0ACF169B5F18A8C, 0xBE5466CF34E90C6C, 0x452821E638D01377)
ALL = 2**64 - 1
HALF = 2**32 - 1


def highway_hash(data: bytes) -> int:
    """The hash of all of `data`."""
    zeros = (len(data) - len(data.lstrip(b"\0"))) // 32
    state = _after_zeros(zeros)
    whole = len(data) // 32 * 32
    for start in range(32 * zeros, whole, 32):
        _update(state, struct.unpack_from("<4Q", data, start))
    if whole < len(data):
        _add_tail(state, data[whole:])
    v0, v1, m0, m1 = state
    for _ in range(4):
        _update(state, [_swap_halves(v0[lane]) for lane in (2, 3, 0, 1)])
    return (v0[0] + v1[0] + m0[0] + m1[0]) & ALL


def highway_hash_128(data: bytes, key: bytes) -> int:
    """The 128-bit hash of `data` under a key of 32 bytes: low word first."""
    state = _initial(struct.unpack("<4Q", key))
    whole = len(data) // 32 * 32
    for start in range(0, whole, 32):
        _update(state, struct.unpack_from("<4Q", data, start))
    if whole < len(data):
        _add_tail(state, data[whole:])
    v0, v1, m0, m1 = state
    for _ in range(6):
        _update(state, [_swap_halves(v0[lane]) for lane in (2, 3, 0, 1)])
    low, high = (v0[lane] + m0[lane] + v1[lane + 2] + m1[lane + 2] for lane in (0, 1))
    return (high & ALL) << 64 | low & ALL


def _initial(key: Sequence[int] = KEY) -> State:
    return (
        [M0[lane] ^ key[lane] for lane in range(4)],
        [M1[lane] ^ _swap_halves(key[lane]) for lane in range(4)],
        list(M0),
        list(M1),
    )


def _update(state: State, packet: Sequence[int]) -> None:
    v0, v1, m0, m1 = state
    for lane in range(4):
        v1[lane] = (v1[lane] + m0[lane] + packet[lane]) & ALL
        m0[lane] ^= (v1[lane] & HALF) * (v0[lane] >> 32)
        v0[lane] = (v0[lane] + m1[lane]) & ALL
        m1[lane] ^= (v0[lane] & HALF) * (v1[lane] >> 32)
    for source, target in ((v1, v0), (v0, v1)):
        for lane in (0, 2):
            first, second = _zip(source[lane + 1], source[lane])
            target[lane] = (target[lane] + first) & ALL
            target[lane + 1] = (target[lane + 1] + second) & ALL


def _zip(high: int, low: int) -> tuple[int, int]:
    h, l = high.to_bytes(8, "little"), low.to_bytes(8, "little")  # noqa: E741 - the names of the specification
    first = bytes((l[3], h[4], l[2], l[5], h[6], l[1], h[7], l[0]))
    second = bytes((h[3], l[4], h[2], h[5], h[1], l[6], h[0], l[7]))
    return int.from_bytes(first, "little"), int.from_bytes(second, "little")


def _add_tail(state: State, tail: bytes) -> None:
    v0, v1, _, _ = state
    size = len(tail)
    for lane in range(4):
        v0[lane] = (v0[lane] + (size << 32) + size) & ALL
        v1[lane] = _rotate_half(v1[lane] >> 32, size) << 32 | _rotate_half(v1[lane] & HALF, size)
    packet = bytearray(32)
    whole, odd = size & ~3, size & 3
    packet[:whole] = tail[:whole]
    if size & 16:
        packet[28:32] = tail[size - 4 :]
    elif odd:
        packet[16:19] = tail[whole], tail[whole + (odd >> 1)], tail[whole + odd - 1]
    _update(state, struct.unpack("<4Q", packet))


def _swap_halves(value: int) -> int:
    return value >> 32 | (value & HALF) << 32


def _rotate_half(half: int, count: int) -> int:
    return (half << count | half >> (32 - count)) & HALF


# Padding is tens of kibibytes of zeros, and every file has some: what whole packets of zeros lead to is kept.
_STATES_AFTER_ZEROS = [_initial()]


def _after_zeros(packets: int) -> State:
    while len(_STATES_AFTER_ZEROS) <= packets:
        state = _copy(_STATES_AFTER_ZEROS[-1])
        _update(state, (0, 0, 0, 0))
        _STATES_AFTER_ZEROS.append(state)
    return _copy(_STATES_AFTER_ZEROS[packets])


def _copy(state: State) -> State:
    v0, v1, m0, m1 = state
    return list(v0), list(v1), list(m0), list(m1)

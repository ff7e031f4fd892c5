"""The orders of `octavo.shuffle`, by the letter of `docs/spec/order.md`: one number at a time, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence

ALL = 2**64 - 1
STEP = 0x9E3779B97F4A7C15


def mix(word: int) -> int:
    """A word in which every bit depends on all bits of another."""
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & ALL
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB & ALL
    return word ^ (word >> 31)


def key_of(seed: int, *words: int) -> int:
    """The key of a seed and words."""
    key = mix(seed + STEP & ALL)
    for word in words:
        key = mix(key ^ mix(word + STEP & ALL))
    return key


def permute(size: int, key: int) -> list[int]:
    """All numbers below a size, in the order of a key."""
    bits = max(8, (size - 1).bit_length())
    high_bits, low_bits = bits // 2, bits - bits // 2
    *keys, last = [mix(key + STEP * number & ALL) for number in range(1, 14)]

    def scatter(half: int, round_key: int, width: int) -> int:
        word = (half ^ round_key) * STEP & ALL
        return ((word ^ (word >> 32)) * 0xD6E8FEB86659FD93 & ALL) >> (64 - width)

    def forward(number: int) -> int:
        high, low = number >> low_bits, number & ((1 << low_bits) - 1)
        for first, second in zip(keys[::2], keys[1::2], strict=True):
            high ^= scatter(low, first, high_bits)
            low ^= scatter(high, second, low_bits)
        return high << low_bits | low

    def walk(position: int) -> int:
        number = forward(position)
        if number >= size:
            return walk(number)
        return number ^ (last & 1) if number < 2 <= size else number

    return [walk(position) for position in range(size)]


def whole(size: int, seed: int, epoch: int) -> list[int]:
    """An epoch in which all are mixed with all."""
    return permute(size, key_of(seed, 1, epoch))


def by_blocks(size: int, seed: int, epoch: int, block: int, window: int) -> list[int]:
    """An epoch that keeps blocks together."""
    key = key_of(seed, 2, epoch)
    blocks = [range(start, min(start + block, size)) for start in range(0, size, block)]
    placed = [blocks[number] for number in permute(len(blocks), key)]
    order = []
    for number, first in enumerate(range(0, len(placed), window)):
        records = [record for one in placed[first : first + window] for record in one]
        inner = permute(len(records), mix(mix(key ^ mix(3 + STEP)) ^ mix(number + STEP & ALL)))
        order += [records[position] for position in inner]
    return order


def mixed(sizes: Sequence[int], weights: Sequence[int], seed: int, samples: int, epochs: int) -> list[list[int]]:
    """Epochs of a mixture."""
    drawn = [0] * len(sizes)
    result = []
    sets = _led(weights, samples * epochs)
    for epoch in range(epochs):
        order = []
        for number, start in enumerate(range(0, samples, 256)):
            first = epoch * samples + start
            window = sets[first : first + min(256, samples - start)]
            for position in permute(len(window), key_of(seed, 4, epoch, number)):
                chosen = window[position]
                turn, place = divmod(drawn[chosen], sizes[chosen])
                drawn[chosen] += 1
                records = permute(sizes[chosen], key_of(seed, 4, 5, chosen, turn))
                order.append(sum(sizes[:chosen]) + records[place])
        result.append(order)
    return result


def _led(weights: Sequence[int], count: int) -> list[int]:
    """The data set of each position, before windows are mixed: arrivals are counted at every fork of the tree."""
    arrived: dict[tuple[int, int], int] = {}

    def lead(low: int, high: int) -> int:
        if high - low == 1:
            return low
        middle = (low + high) // 2
        before = arrived.get((low, high), 0)
        arrived[low, high] = before + 1
        left, both = sum(weights[low:middle]), sum(weights[low:high])
        goes_left = (before + 1) * left // both > before * left // both
        return lead(low, middle) if goes_left else lead(middle, high)

    return [lead(0, len(weights)) for _ in range(count)]

"""`octavo.shuffle.Permutation`: one epoch's order, as a sequence that is nowhere stored."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any, SupportsIndex, overload

from octavo import _core
from octavo.shuffle._arguments import blocks_of, size_of, whole_epoch, whole_seed

_AT_ONCE = 1024
"""Numbers computed in one call while somebody goes through all of them."""


class Permutation(Sequence[int]):
    """The numbers below `size` in an order that a seed decides on.

    A number takes constant time and no memory, in any version of octavo and on any machine the same.

    Args:
        size: How many numbers; or something that has records, such as a reader.
        seed: Chooses the order, among 2**64.
        epoch: Chooses another one for each pass over the data.
        block: Keeps this many neighbours together, and mixes only the records of `window` blocks with each other; for
            files whose records share chunks. Without it, all are mixed with all.
        window: How many blocks are mixed at a time.
    """

    __slots__ = ("_key", "_order")

    def __init__(self, size: Any, *, seed: int = 0, epoch: int = 0, block: int | None = None, window: int = 64) -> None:
        self._key = (size_of(size), whole_seed(seed), whole_epoch(epoch), blocks_of(block, window))
        count, seed, epoch, blocks = self._key
        self._order = _core.Order(count, seed=seed, epoch=epoch, blocks=blocks)

    def __len__(self) -> int:
        return self._key[0]

    @overload
    def __getitem__(self, key: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, key: slice) -> memoryview[int]: ...
    def __getitem__(self, key: SupportsIndex | slice) -> int | memoryview[int]:
        """The number at a position; for a slice, a memoryview of 64-bit integers."""
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            return numbers(self._order.take(start, step, len(range(start, stop, step))))
        position = operator.index(key)
        if not -len(self) <= position < len(self):
            message = f"position {position} is out of range: there are {len(self)}"
            raise IndexError(message)
        return self._order.at(position % len(self))

    def __iter__(self) -> Iterator[int]:
        """All numbers, in order."""
        for start in range(0, len(self), _AT_ONCE):
            yield from self[start : start + _AT_ONCE]

    def __contains__(self, number: object) -> bool:
        try:
            return 0 <= operator.index(number) < len(self)  # type: ignore[arg-type]
        except TypeError:
            return False

    def index(self, number: int, start: int = 0, stop: int | None = None) -> int:
        """At which position a number stands; as quick as the number at a position.

        Raises:
            ValueError: The number is not there, or not from position `start` to `stop`.
        """
        if number in self:
            position = self._order.position_of(operator.index(number))
            if position in range(*slice(start, stop).indices(len(self))):
                return position
        message = f"{number!r} is not there"
        raise ValueError(message)

    def count(self, number: object) -> int:
        """1 for a number that is there."""
        return int(number in self)

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Permutation) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it was made from."""
        return _remake, (type(self), *self._key)

    def __repr__(self) -> str:
        size, seed, epoch, blocks = self._key
        extent = "" if blocks is None else f", block={blocks[0]}, window={blocks[1]}"
        return f"Permutation({size}, seed={seed}, epoch={epoch}{extent})"


def _remake(kind: type[Permutation], size: int, seed: int, epoch: int, blocks: tuple[int, int] | None) -> Permutation:
    block, window = blocks or (None, 64)
    return kind(size, seed=seed, epoch=epoch, block=block, window=window)


def numbers(taken: bytes) -> memoryview[int]:
    """What the native orders give, as the 64-bit integers it is."""
    return memoryview(taken).cast("q")

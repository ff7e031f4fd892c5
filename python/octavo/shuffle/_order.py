"""The orders that a sampler goes through: numbers by epoch and position."""

from __future__ import annotations

from array import array
from typing import Protocol

from octavo import _core
from octavo.shuffle._permutation import numbers


class Order(Protocol):
    """Epoch after epoch of numbers; what is shuffled depends on a seed."""

    @property
    def seed(self) -> int:
        """What chose the order; 0 where nothing is chosen."""

    def __len__(self) -> int:
        """Numbers an epoch."""

    def take(self, epoch: int, positions: range) -> memoryview[int]:
        """The numbers at some positions of an epoch."""

    def with_seed(self, seed: int) -> Order:
        """The same under another seed."""


class Shuffled:
    """A `Permutation` for each epoch."""

    def __init__(self, size: int, seed: int, blocks: tuple[int, int] | None) -> None:
        self.seed = seed
        self._size = size
        self._blocks = blocks
        self._kept: tuple[int, _core.Order] | None = None

    def __len__(self) -> int:
        return self._size

    def take(self, epoch: int, positions: range) -> memoryview[int]:
        """The numbers at some positions of an epoch."""
        kept = self._kept
        if kept is None or kept[0] != epoch:
            # In one step, so that threads never see the order of one epoch under the number of another.
            kept = epoch, _core.Order(self._size, seed=self.seed, epoch=epoch, blocks=self._blocks)
            self._kept = kept
        return numbers(kept[1].take(positions.start, positions.step, len(positions)))

    def with_seed(self, seed: int) -> Shuffled:
        """The same under another seed."""
        return Shuffled(self._size, seed, self._blocks)

    def __reduce__(self) -> tuple[type[Shuffled], tuple[int, int, tuple[int, int] | None]]:
        """Without what is kept."""
        return Shuffled, (self._size, self.seed, self._blocks)

    def __repr__(self) -> str:
        return f"Shuffled({self._size}, {self.seed}, {self._blocks})"


class AsStored:
    """Every epoch from the first record to the last."""

    seed = 0

    def __init__(self, size: int) -> None:
        self._size = size

    def __len__(self) -> int:
        return self._size

    def take(self, epoch: int, positions: range) -> memoryview[int]:
        """The positions themselves."""
        del epoch
        return memoryview(array("q", positions))

    def with_seed(self, seed: int) -> AsStored:
        """The same: nothing is chosen."""
        del seed
        return self

    def __repr__(self) -> str:
        return f"AsStored({self._size})"

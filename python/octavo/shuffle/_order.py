"""The orders that a sampler goes through: numbers by epoch and position."""

from __future__ import annotations

from array import array
from typing import Any, Protocol

from octavo import _core
from octavo.errors import OptionError
from octavo.shuffle._arguments import size_of
from octavo.shuffle._mixture import Mixture
from octavo.shuffle._permutation import numbers


class Order(Protocol):
    """Epoch after epoch of numbers; what is shuffled depends on a seed."""

    @property
    def seed(self) -> int:
        """What chose the order; 0 where nothing is chosen."""

    @property
    def size(self) -> int:
        """Records that there are: every number is below this."""

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
        self.size = size
        self._blocks = blocks
        self._kept: tuple[int, _core.Order] | None = None

    def __len__(self) -> int:
        return self.size

    def take(self, epoch: int, positions: range) -> memoryview[int]:
        """The numbers at some positions of an epoch."""
        kept = self._kept
        if kept is None or kept[0] != epoch:
            # In one step, so that threads never see the order of one epoch under the number of another.
            kept = epoch, _core.Order(self.size, seed=self.seed, epoch=epoch, blocks=self._blocks)
            self._kept = kept
        return numbers(kept[1].take(positions.start, positions.step, len(positions)))

    def with_seed(self, seed: int) -> Shuffled:
        """The same under another seed."""
        return Shuffled(self.size, seed, self._blocks)

    def __reduce__(self) -> tuple[type[Shuffled], tuple[int, int, tuple[int, int] | None]]:
        """Without what is kept."""
        return Shuffled, (self.size, self.seed, self._blocks)

    def __repr__(self) -> str:
        return f"Shuffled({self.size}, {self.seed}, {self._blocks})"


class AsStored:
    """Every epoch from the first record to the last."""

    seed = 0

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    def take(self, epoch: int, positions: range) -> memoryview[int]:
        """The positions themselves."""
        del epoch
        return memoryview(array("q", positions))

    def with_seed(self, seed: int) -> AsStored:
        """The same: nothing is chosen."""
        del seed
        return self

    def __repr__(self) -> str:
        return f"AsStored({self.size})"


def order_of(source: Any, *, shuffle: bool, seed: int, blocks: tuple[int, int] | None) -> Order:
    """The order of a source: a size, something sized, or a mixture, which is one already."""
    if not isinstance(source, Mixture):
        size = size_of(source)
        if blocks is not None and not shuffle:
            message = "block is for records that are shuffled"
            raise OptionError(message)
        return Shuffled(size, seed, blocks) if shuffle else AsStored(size)
    if not shuffle or seed or blocks is not None:
        message = "a mixture has its own seed, is always shuffled, and not by blocks"
        raise OptionError(message)
    return source

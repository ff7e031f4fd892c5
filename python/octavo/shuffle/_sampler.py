"""`octavo.shuffle.Sampler`: the numbers that one of several ranks works through, epoch after epoch.

The global order of an epoch is cut into steps. A step takes `batch_size` samples for each rank, which ranks are dealt
in turn, like cards; so where an epoch stands is one number, the same on all ranks, and says nothing about how many
ranks there were. Another number of ranks goes on from it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from octavo._arguments import check_switches
from octavo.errors import OptionError, RecordTypeError
from octavo.shuffle._arguments import blocks_of, whole, whole_epoch, whole_seed
from octavo.shuffle._order import Order, order_of

_AT_ONCE = 1024
"""Numbers computed in one call where they are handed out one by one."""


class Sampler:
    """The numbers of one epoch after the other: each number alone, or lists of them.

    Every `for` loop over a sampler is an epoch. The first goes on from where the sampler stands, each further one
    begins the next epoch. A state that was saved at the end of an epoch stands at the beginning of the next.

    Args:
        source: How many records there are; or what has them, such as a reader; or a `Mixture`.
        batch_size: Numbers in a batch of this rank. Without it, numbers come one by one.
        shuffle: Whether records come in a random order or as they are stored.
        seed: Chooses the order, together with the number of the epoch. A mixture has its own.
        rank: Which share of every step is this one's.
        world_size: How many shares there are.
        drop_last: Leave out the samples that do not fill a batch on every rank.
        pad: Fill the last step up with samples from the beginning of the epoch, so that all ranks have as many.
            With neither, every sample comes exactly once, and the last batch may be shorter, or missing on some ranks.
        block: As in `Permutation`: for files whose records share chunks.
        window: The same.
    """

    def __init__(
        self,
        source: Any,
        *,
        batch_size: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        rank: int = 0,
        world_size: int = 1,
        drop_last: bool = False,
        pad: bool = False,
        block: int | None = None,
        window: int = 64,
    ) -> None:
        check_switches(shuffle=shuffle, drop_last=drop_last, pad=pad)
        if drop_last and pad:
            message = "the last step is dropped or padded, not both"
            raise OptionError(message)
        self._order = order_of(source, shuffle=shuffle, seed=whole_seed(seed), blocks=blocks_of(block, window))
        self._fingerprint = _fingerprint(self._order)
        self.batch_size = None if batch_size is None else whole("batch_size", batch_size, at_least=1)
        self.world_size = whole("world_size", world_size, at_least=1)
        self.rank = whole("rank", rank, at_most=self.world_size - 1)
        self.drop_last = drop_last
        self.pad = pad
        self._next = (0, 0)
        self._latest: Place | None = None
        self._finished: int | None = None

    @property
    def seed(self) -> int:
        """What chose the order; a state that is loaded brings its own."""
        return self._order.seed

    @property
    def size(self) -> int:
        """Samples of an epoch on all ranks together."""
        return len(self._order)

    @property
    def record_count(self) -> int:
        """Records of the source: every number is below this. A mixture's epoch may have more samples, or fewer."""
        return self._order.size

    @property
    def epoch(self) -> int:
        """The epoch that is under way, or comes next if none is."""
        return self._place()[0]

    @property
    def position(self) -> int:
        """How many samples of that epoch all ranks together have been given."""
        return self._place()[1]

    def __len__(self) -> int:
        """Batches of a whole epoch on this rank; numbers, if there is no batch size."""
        batch = self.batch_size or 1
        return (self.count_from(0) + batch - 1) // batch

    def __iter__(self) -> Iteration:
        """Go through an epoch."""
        return Iteration(self)

    def steps(self, epoch: int, position: int = 0) -> Iterator[tuple[memoryview[int], int]]:
        """This rank's batches of an epoch from a position on, each with the position after its step.

        Nothing of the sampler changes: for loaders that keep the place themselves.
        """
        epoch, position = whole_epoch(epoch), whole("position", position, at_most=self.size)
        batch = self.batch_size or 1
        for done, numbers in self.runs(epoch, position, batch):
            yield numbers, self.position_after(position, done // batch + 1)

    def state_dict(self) -> dict[str, int]:
        """Where the sampler stands: a few integers, the same on all ranks."""
        return self._state(*self._place())

    def state_after(self, steps: int) -> dict[str, int]:
        """The state after so many items of the epoch under way, for loaders that ask for numbers ahead of their use.

        Args:
            steps: Batches (numbers, if there is no batch size) that were used since the `for` loop began: not more than
                that loop has.

        Raises:
            OptionError: There are not so many steps from there to the end of the epoch.
        """
        epoch, position = self._next if self._latest is None else self._latest.begun
        most = self._steps_from(position)
        if whole("steps", steps) > most:
            message = f"steps is {steps}, but only {most} are left of this epoch; count from where its loop began"
            raise OptionError(message)
        return self._state(epoch, self.position_after(position, steps))

    def load_state_dict(self, state: Mapping[str, int]) -> None:
        """Go on from a state, which another number of ranks or another batch size may have left.

        Where the state leaves nothing of its epoch to do, that is the beginning of the next one.

        Raises:
            RecordTypeError: This is no state of a sampler.
            OptionError: It is one of another number of samples, or of another order.
        """
        self._restore(state)
        epoch, position = self._next
        if position and self._is_over_at(position):
            self._next, self._finished = (epoch + 1, 0), epoch

    def _restore(self, state: Mapping[str, int]) -> None:
        """Stand exactly where a state says, at the end of an epoch too: for loaders that notice that end themselves."""
        try:
            given = {name: state[name] for name in _STATE}
        except (KeyError, TypeError):
            message = f"a sampler's state has the integers {', '.join(_STATE)}"
            raise RecordTypeError(message) from None
        seed, epoch = whole_seed(given["seed"]), whole_epoch(given["epoch"])
        samples, order = whole("samples", given["samples"]), whole("order", given["order"])
        if samples != self.size:
            message = (
                f"this state is of an epoch of {samples} samples; there are {self.size} here, in other orders; "
                f"begin the next epoch of these instead: set_epoch({epoch + 1})"
            )
            raise OptionError(message)
        if order != self._fingerprint:
            message = "this state is of another order: shuffle, block, window or the weights of a mixture are others"
            raise OptionError(message)
        self._next = epoch, whole("position", given["position"], at_most=self.size)
        self._order = self._order.with_seed(seed)
        self._latest = self._finished = None

    def set_epoch(self, epoch: int) -> None:
        """Let the next `for` loop begin this epoch; if a state was just loaded for it, where that one says.

        Of an epoch that was over in that state, nothing is left: the next loop is empty.
        """
        epoch, finished = whole_epoch(epoch), self._finished
        self._finished = None
        if self._latest is not None or self._next[0] != epoch:
            # Loops that count from 0 whatever was loaded come by here; they would train on a finished epoch once more.
            self._next = epoch, self.size if epoch == finished else 0
            self._latest = None

    def begin(self, iteration: Place) -> tuple[int, int]:
        """The epoch and position for an iteration that is asked for its first item, and is the latest from now on."""
        epoch, position = self._next
        self._next = epoch + 1, 0
        self._latest, self._finished = iteration, None
        return epoch, position

    def runs(self, epoch: int, position: int, length: int) -> Iterator[tuple[int, memoryview[int]]]:
        """This rank's numbers of an epoch from a position on, in runs, each with how many came before."""
        order = self._order  # a state that is loaded later may bring another
        count, stride = self.count_from(position), self.world_size
        for done in range(0, count, length):
            first = position + self.rank + done * stride
            positions = range(first, first + min(length, count - done) * stride, stride)
            yield done, self._take(order, epoch, positions)

    def position_after(self, position: int, steps: int) -> int:
        """Where an epoch that went on from a position stands after some steps."""
        if not steps:
            return position
        step = (self.batch_size or 1) * self.world_size
        after = position + steps * step
        return self.size if after + (step if self.drop_last else 0) > self.size else after

    def _steps_from(self, position: int) -> int:
        """How many steps there are from a position to the end of the epoch, on the rank that has most."""
        step = (self.batch_size or 1) * self.world_size
        return (self.size - position + (0 if self.drop_last else step - 1)) // step

    def _place(self) -> tuple[int, int]:
        return self._next if self._latest is None else (self._latest.epoch, self._latest.position)

    def _state(self, epoch: int, position: int) -> dict[str, int]:
        state = (self.seed, epoch, position, self.size, self._fingerprint)
        return dict(zip(_STATE, state, strict=True))

    def _is_over_at(self, position: int) -> bool:
        """Whether no rank gets anything from a position on: the same answer on all of them."""
        left = self.size - position
        return left < (self.batch_size or 1) * self.world_size if self.drop_last else not left

    def count_from(self, position: int) -> int:
        """How many samples this rank gets from a position to the end of the epoch."""
        left = self.size - position
        if self.drop_last:
            batch = self.batch_size or 1
            return left // (batch * self.world_size) * batch
        share = left if self.pad else left - self.rank
        return max(0, -(-share // self.world_size))

    def _take(self, order: Order, epoch: int, positions: range) -> memoryview[int]:
        if positions[-1] < self.size:
            return order.take(epoch, positions)
        # Only the last sample of a padded rank can lie behind the end: all before it were picked by every rank.
        beginning = (positions[-1] - self.size) % self.size
        parts = (positions[:-1], range(beginning, beginning + 1))
        return memoryview(b"".join(order.take(epoch, part) for part in parts)).cast("q")


class Place(Protocol):
    """Where an iteration began, and where it stands."""

    begun: tuple[int, int]
    epoch: int
    position: int


class Iteration(Iterator[Any]):
    """One epoch of a sampler. It begins when it is asked for its first item: loaders make some that they never use."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        self._items: Iterator[tuple[Any, int]] | None = None
        self._has_begun = False
        self.begun = self.epoch, self.position = sampler.epoch, sampler.position

    def __next__(self) -> Any:
        """The next batch, or number."""
        if not self._has_begun:
            self.begun = self.epoch, self.position = self._sampler.begin(self)
            self._has_begun = True
        if self._items is None:
            self._items = _items(self._sampler, self.epoch, self.position)
        try:
            item, self.position = next(self._items)
        except StopIteration:
            self.position = self._sampler.size
            raise
        except BaseException:
            self._items = None  # what is asked for next is the same item once more
            raise
        return item

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the place: the items that are left follow from it."""
        return {**self.__dict__, "_items": None}


def _items(sampler: Sampler, epoch: int, position: int) -> Iterator[tuple[Any, int]]:
    """What a sampler hands out, each with the position after it."""
    if sampler.batch_size is not None:
        for numbers, after in sampler.steps(epoch, position):
            yield numbers.tolist(), after
        return
    for done, numbers in sampler.runs(epoch, position, _AT_ONCE):
        for steps, number in enumerate(numbers, done + 1):
            yield number, sampler.position_after(position, steps)


_STATE = ("seed", "epoch", "position", "samples", "order")


def _fingerprint(order: Order) -> int:
    """Tells two orders of as many samples apart, whatever their seeds."""
    return zlib.crc32(repr(order.with_seed(0)).encode())

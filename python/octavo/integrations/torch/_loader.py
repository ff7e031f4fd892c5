"""`Loader`: batches made by threads of this process, in order, a bounded number ahead."""

from __future__ import annotations

import copy
import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

from octavo import Reader
from octavo import shuffle as orders
from octavo._arguments import at_least_one, check_switches
from octavo._closing import Closing
from octavo.errors import ClosedError, OptionError, RecordTypeError
from octavo.integrations._source import open_source
from octavo.integrations.torch._arguments import check_callable
from octavo.integrations.torch._batch import BatchMaker, can_pin
from octavo.integrations.torch._fixed_size import fixed_size
from octavo.integrations.torch._iteration import Iteration
from octavo.integrations.torch._sampler import BatchSampler

if TYPE_CHECKING:
    from octavo._location import Location

_FEWEST_THREADS, _MOST_THREADS = 2, 8
_MOST_FOR_TENSORS = 4  # a read is parallel in itself; more of them at a time only want more memory


class Loader(Closing):
    """Batches of records, without worker processes.

    Every `for` loop is an epoch. Threads read with the interpreter's lock released, decode and collate; they live as
    long as the loop does. A state counts the batches that the loop was given, however many were made ahead, and is good
    for another number of ranks and another batch size, too; so it is for `octavo.torch.BatchSampler`.

    Args:
        source: Whatever `octavo.open` takes, or a reader that is open.
        batch_size: Samples in a batch of this rank.
        shuffle: Whether records come in a random order or as they are stored.
        seed: Chooses the order, together with the number of the epoch.
        rank: Which share of every step is this one's; that of torch.distributed if it is not given.
        world_size: How many shares there are; that of torch.distributed if it is not given.
        drop_last: Leave out the samples that do not fill a batch on every rank.
        pad: Fill the last step up with samples from the beginning of the epoch, so that all ranks have as many.
        block: Keep so many neighbours together, for files whose records share chunks; see `octavo.shuffle.Permutation`.
        window: How many blocks are mixed at a time.
        order: A `Mixture` of the records, instead of a shuffle of all of them.
        decode: Makes a sample of the bytes of a record; without it, samples are bytes.
        collate_fn: Makes a batch of a list of samples, or of the tensor that `dtype` gives; `octavo.torch.collate` if
            it is not given, which gives what PyTorch's default gives.
        dtype: The element type of records that all have one size: a batch is then read straight into one tensor.
        shape: The shape of such a record; one-dimensional if it is not given.
        pin_memory: Put batches into pinned memory, for copies to a CUDA device.
        prefetch: The most batches in memory beyond the one that the loop has; twice the threads if it is not given.
        threads: How many batches are made at a time; half as many as there are CPUs, 2 to 8 (4 with `dtype`), if it is
            not given: reading a batch uses other CPUs by itself. More help a `decode` that lets go of the interpreter's
            lock.
    """

    def __init__(
        self,
        source: Location | Reader,
        *,
        batch_size: int,
        shuffle: bool = True,
        seed: int = 0,
        rank: int | None = None,
        world_size: int | None = None,
        drop_last: bool = False,
        pad: bool = False,
        block: int | None = None,
        window: int = 64,
        order: orders.Mixture | None = None,
        decode: Callable[[bytes], Any] | None = None,
        collate_fn: Callable[[Any], Any] | None = None,
        dtype: Any = None,
        shape: SupportsIndex | Sequence[SupportsIndex] | None = None,
        pin_memory: bool = False,
        prefetch: int | None = None,
        threads: int | None = None,
    ) -> None:
        check_callable(decode=decode, collate_fn=collate_fn)
        check_switches(pin_memory=pin_memory)
        self._threads = _usual_threads(dtype) if threads is None else at_least_one("threads", threads)
        self._prefetch = 2 * self._threads if prefetch is None else at_least_one("prefetch", prefetch)
        self._reader, self._is_own = open_source(source)
        self._is_closed = False
        self._iterations: weakref.WeakSet[Iteration] = weakref.WeakSet()
        try:
            self._sampler = BatchSampler(
                _numbers(self._reader, order),
                batch_size,
                shuffle=shuffle,
                seed=seed,
                rank=rank,
                world_size=world_size,
                drop_last=drop_last,
                pad=pad,
                block=block,
                window=window,
            )
            size = fixed_size(self._reader, dtype, shape, decode)
            self._make = BatchMaker(
                self._reader, decode=decode, collate_fn=collate_fn, size=size, pin_memory=pin_memory and can_pin()
            )
        except BaseException:
            self.close()
            raise

    def __iter__(self) -> Iteration:
        """Go through an epoch."""
        if self._is_closed:
            raise ClosedError("the loader was closed")
        iteration = Iteration(self._sampler, self._make, threads=self._threads, ahead=self._prefetch)
        self._iterations.add(iteration)
        return iteration

    def __len__(self) -> int:
        """Batches of a whole epoch on this rank."""
        return len(self._sampler)

    @property
    def reader(self) -> Reader:
        """What the records are read from."""
        return self._reader

    @property
    def batch_sampler(self) -> BatchSampler:
        """Which records come when. Its epoch and state are those of the loader: Lightning sets the epoch here."""
        return self._sampler

    @property
    def batch_size(self) -> int:
        """Samples in a batch of this rank."""
        return self._sampler.batch_size or 1

    @property
    def epoch(self) -> int:
        """The epoch that is under way, or comes next if none is."""
        return self._sampler.epoch

    def set_epoch(self, epoch: int) -> None:
        """Let the next `for` loop begin this epoch; if a state was just loaded for it, where that one says.

        Of an epoch that was over in that state, nothing is left: the next loop is empty.
        """
        self._sampler.set_epoch(epoch)

    def state_dict(self) -> dict[str, int]:
        """Where the loop that began last stands: a few integers, the same on all ranks."""
        return self._sampler.state_dict()

    def load_state_dict(self, state: Mapping[str, int]) -> None:
        """Let the next `for` loop go on from a state; from one at the end of an epoch, with the next epoch."""
        self._sampler.load_state_dict(state)

    def close(self) -> None:
        """End all loops and their threads, and close the files if this loader has opened them."""
        self._is_closed = True
        for iteration in list(self._iterations):
            iteration.close()
        if self._is_own:
            self._reader.close()

    def __getstate__(self) -> dict[str, Any]:
        """Pickle where the records are, the options and the place; loops stay behind."""
        return {name: value for name, value in vars(self).items() if name != "_iterations"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _iterations=weakref.WeakSet(), _is_own=True)

    def __copy__(self) -> Self:
        """A copy has its own place and its own files."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        share = f", rank {self._sampler.rank} of {self._sampler.world_size}" if self._sampler.world_size > 1 else ""
        return f"<octavo.torch.Loader, batches of {self.batch_size} over {self._reader!r}{share}>"


def _numbers(reader: Reader, order: orders.Mixture | None) -> int | orders.Mixture:
    if order is None:
        return len(reader)
    if not isinstance(order, orders.Mixture):
        raise RecordTypeError(f"order is an octavo.shuffle.Mixture, not {type(order).__name__}")
    if order.size != len(reader):
        raise OptionError(f"the order is of {order.size} records; there are {len(reader)} here")
    return order


def _usual_threads(dtype: object) -> int:
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(max(cpus // 2, _FEWEST_THREADS), _MOST_THREADS if dtype is None else _MOST_FOR_TENSORS)

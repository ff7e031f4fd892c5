"""`Sampler` and `BatchSampler`: the orders of `octavo.shuffle` as samplers of PyTorch.

`torchdata.stateful_dataloader.StatefulDataLoader` notes the states of a sampler and of its iterator with every batch,
and brings both back. The iterator's is the one that counts: it tells an epoch that is over from one yet to begin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import torch.utils.data

from octavo import shuffle as orders
from octavo._arguments import at_least_one
from octavo.errors import OptionError, RecordTypeError
from octavo.integrations.torch._arguments import own_rank
from octavo.shuffle import _sampler as base


class StatefulIteration(base.Iteration):
    """An epoch of a sampler, with the state that `StatefulDataLoader` asks for."""

    def state_dict(self) -> dict[str, int]:
        """Where it stands; if it was asked for nothing yet, where it would begin."""
        place = (self.epoch, self.position) if self._has_begun else self._sampler._next  # noqa: SLF001 - of this package
        return self._sampler._state(*place)  # noqa: SLF001 - the same

    def load_state_dict(self, state: Mapping[str, int]) -> None:
        """Begin at once where a state says, so that the next iterator is for the epoch after."""
        # As it is: of an epoch that is over, the loader knows, and asks for another iterator.
        self._sampler._restore(state)  # noqa: SLF001 - of this package
        self.begun = self.epoch, self.position = self._sampler.begin(self)
        self._has_begun = True
        self._items = None  # they follow from the place


class Sampler(orders.Sampler, torch.utils.data.Sampler):  # type: ignore[misc]  # PyTorch is taken as Any
    """Numbers of records one by one, for `DataLoader(sampler=...)`; see `octavo.shuffle.Sampler`.

    Args:
        source: How many records there are; or what has them, such as a data set; or a `Mixture`.
        shuffle: Whether records come in a random order or as they are stored.
        seed: Chooses the order, together with the number of the epoch. A mixture has its own.
        rank: Which share of the numbers is this one's; that of torch.distributed if it is not given.
        world_size: How many shares there are; that of torch.distributed if it is not given.
        drop_last: Leave out the samples that do not go round all ranks.
        pad: Give samples from the beginning of the epoch to the ranks that would have one less.
        block: Keep so many neighbours together, for files whose records share chunks; see `octavo.shuffle.Permutation`.
        window: How many blocks are mixed at a time.
    """

    def __init__(
        self,
        source: Any,
        *,
        shuffle: bool = True,
        seed: int = 0,
        rank: int | None = None,
        world_size: int | None = None,
        drop_last: bool = False,
        pad: bool = False,
        block: int | None = None,
        window: int = 64,
    ) -> None:
        rank, world_size = own_rank(rank, world_size)
        super().__init__(
            source,
            shuffle=shuffle,
            seed=seed,
            rank=rank,
            world_size=world_size,
            drop_last=drop_last,
            pad=pad,
            block=block,
            window=window,
        )

    def __iter__(self) -> StatefulIteration:
        """Go through an epoch."""
        return StatefulIteration(self)


class BatchSampler(orders.Sampler, torch.utils.data.Sampler):  # type: ignore[misc]  # PyTorch is taken as Any
    """Lists of numbers of records, for `DataLoader(batch_sampler=...)`; see `octavo.shuffle.Sampler`.

    Args:
        source: How many records there are; or what has them, such as a data set; or a `Mixture`.
        batch_size: Numbers in a batch of this rank.
        shuffle: Whether records come in a random order or as they are stored.
        seed: Chooses the order, together with the number of the epoch. A mixture has its own.
        rank: Which share of every step is this one's; that of torch.distributed if it is not given.
        world_size: How many shares there are; that of torch.distributed if it is not given.
        drop_last: Leave out the samples that do not fill a batch on every rank.
        pad: Fill the last step up with samples from the beginning of the epoch, so that all ranks have as many.
        block: Keep so many neighbours together, for files whose records share chunks; see `octavo.shuffle.Permutation`.
        window: How many blocks are mixed at a time.
    """

    def __init__(
        self,
        source: Any,
        batch_size: int,
        *,
        shuffle: bool = True,
        seed: int = 0,
        rank: int | None = None,
        world_size: int | None = None,
        drop_last: bool = False,
        pad: bool = False,
        block: int | None = None,
        window: int = 64,
    ) -> None:
        rank, world_size = own_rank(rank, world_size)
        super().__init__(
            source,
            batch_size=at_least_one("batch_size", batch_size),
            shuffle=shuffle,
            seed=seed,
            rank=rank,
            world_size=world_size,
            drop_last=drop_last,
            pad=pad,
            block=block,
            window=window,
        )

    @property
    def sampler(self) -> Self:
        """Itself: Lightning calls `set_epoch` of this part of a batch sampler, and of no other."""
        return self

    def __iter__(self) -> StatefulIteration:
        """Go through an epoch."""
        return StatefulIteration(self)


def sampler_state(loader_state: Mapping[str, Any]) -> dict[str, int]:
    """The sampler's part of the state of a `StatefulDataLoader`, which itself insists on its number of workers.

    Args:
        loader_state: What `StatefulDataLoader.state_dict` gave, of a loader over a `Sampler` or `BatchSampler`.

    Raises:
        RecordTypeError: This is no such state.
        OptionError: Batches were given since the state was noted, so that it does not say how many.
    """
    try:
        main = loader_state["_snapshot"]["_main_snapshot"] if "_snapshot" in loader_state else loader_state
        state = main["_sampler_iter_state"]
        state = dict(state.get("sampler_iter_state", state))
        place = state["epoch"], state["position"]
        if loader_state["_iterator_finished"]:
            place = place[0] + 1, 0
    except (AttributeError, KeyError, TypeError):
        message = "this is no state of a StatefulDataLoader with a sampler of octavo"
        raise RecordTypeError(message) from None
    if loader_state.get("_steps_since_snapshot"):
        message = "some batches were given since the state was noted: take states every snapshot_every_n_steps batches"
        raise OptionError(message)
    return {**state, "epoch": place[0], "position": place[1]}

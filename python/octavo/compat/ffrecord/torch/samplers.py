"""What stands between torch's samplers and an `ffrecord.torch.DataLoader`."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Iterator
from typing import Any, SupportsIndex

import torch.utils.data


class _Wrapping(torch.utils.data.Sampler):  # type: ignore[misc] # torch is not checked
    """A sampler around another, whose attributes are found here too: `set_epoch`, `batch_size`."""

    def __init__(self, sampler: Any) -> None:
        self.sampler = sampler

    def __getattr__(self, name: str) -> Any:
        if name == "sampler" or name.startswith("__"):  # not there yet while it is unpickled, or not to be another's
            message = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(message)
        return getattr(self.sampler, name)


class SkippableSampler(_Wrapping):
    """A batch sampler whose first batches are drawn and dropped: random numbers go on as if they had been used."""

    step = 0

    def set_step(self, step: SupportsIndex) -> None:
        """Begin with batch `step`, in this epoch and in those that follow."""
        step = operator.index(step)
        if step:
            self._check(step)
        self.step = step

    def _check(self, step: int) -> None:
        try:
            batches = len(self.sampler)
        except TypeError as error:
            message = f"step {step} cannot be skipped to: how many batches there are is not known"
            raise AssertionError(message) from error
        if not 0 <= step <= batches:
            message = f"step {step} is none of the {batches} batches"
            raise AssertionError(message)

    def __iter__(self) -> Iterator[list[int]]:
        return itertools.islice(iter(self.sampler), self.step, None)

    def __len__(self) -> int:
        return len(self.sampler) - self.step


class OneByOneSampler(_Wrapping):
    """Every number as a list of one: what a data set of batches is asked with where there are no batches."""

    @classmethod
    def over(cls, sampler: Iterable[Any]) -> OneByOneSampler:
        """Such a sampler; itself, if it is one: frameworks make new loaders from the samplers of old ones."""
        return sampler if isinstance(sampler, cls) else cls(sampler)

    def __iter__(self) -> Iterator[list[int]]:
        return ([index] for index in self.sampler)

    def __len__(self) -> int:
        return len(self.sampler)

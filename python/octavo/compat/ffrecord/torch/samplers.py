"""What stands between torch's samplers and an `ffrecord.torch.DataLoader`."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import torch.utils.data


class SkippableSampler(torch.utils.data.Sampler):  # type: ignore[misc] # torch is not checked
    """A batch sampler whose first batches are drawn and dropped: random numbers go on as if they had been used."""

    def __init__(self, sampler: Any) -> None:
        self.sampler = sampler
        self.step = 0

    def set_step(self, step: int) -> None:
        """Begin with batch `step`, in this epoch and in those that follow."""
        batches = len(self.sampler)
        if not 0 <= step <= batches:
            message = f"step {step} is none of the {batches} batches"
            raise AssertionError(message)
        self.step = step

    def __iter__(self) -> Iterator[list[int]]:
        return itertools.islice(iter(self.sampler), self.step, None)

    def __len__(self) -> int:
        return len(self.sampler) - self.step


class OneByOneSampler(torch.utils.data.Sampler):  # type: ignore[misc] # torch is not checked
    """Every number as a list of one: what a data set of batches is asked with where there are no batches."""

    def __init__(self, sampler: Any) -> None:
        self.sampler = sampler

    @classmethod
    def over(cls, sampler: Iterable[Any]) -> OneByOneSampler:
        """Such a sampler; itself, if it is one: frameworks make new loaders from the samplers of old ones."""
        return sampler if isinstance(sampler, cls) else cls(sampler)

    def __iter__(self) -> Iterator[list[int]]:
        return ([index] for index in self.sampler)

    def __len__(self) -> int:
        return len(self.sampler)

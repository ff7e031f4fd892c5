"""`DataLoader`: torch's own, with whole batches read at once and steps that can be skipped.

Nothing of torch is replaced: its fetcher asks a data set that has `__getitems__` for a whole batch.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, SupportsIndex

import torch.utils.data

from octavo.compat.ffrecord.torch.dataset import Dataset
from octavo.compat.ffrecord.torch.samplers import OneByOneSampler, SkippableSampler


class DataLoader(torch.utils.data.DataLoader):  # type: ignore[misc] # torch is not checked
    """Loads batches of an `ffrecord.torch.Dataset`, or of any other data set of torch.

    Args are those of torch's loader, and `skippable`: whether `set_step` can be used. Frameworks that put their own
    samplers into a loader, such as Lightning, need it to be False.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = False,  # noqa: FBT001, FBT002 - as the original has it
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False,  # noqa: FBT001, FBT002 - as the original has it
        drop_last: bool = False,  # noqa: FBT001, FBT002 - as the original has it
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = 2,
        persistent_workers: bool = False,
        skippable: bool = True,
        multiprocessing_context: Any = None,
        **torch_options: Any,
    ) -> None:
        if multiprocessing_context is None and num_workers > 0 and sys.platform == "linux":
            multiprocessing_context = "fork"  # as in the original: a data set and its transforms need not be picklable
        super().__init__(
            dataset,
            batch_size=batch_size,
            shuffle=shuffle,
            sampler=sampler,
            batch_sampler=batch_sampler,
            num_workers=num_workers,
            collate_fn=collate_fn,
            pin_memory=pin_memory,
            drop_last=drop_last,
            timeout=timeout,
            worker_init_fn=worker_init_fn,
            generator=generator,
            prefetch_factor=prefetch_factor if num_workers > 0 else None,
            persistent_workers=persistent_workers,
            multiprocessing_context=multiprocessing_context,
            **torch_options,
        )
        self.skippable = skippable
        # Around torch's guard against changed samplers: what is put in here is what it was made of.
        if skippable:
            if self.batch_sampler is None:
                message = "batch_size=None gives no batches that could be skipped: pass skippable=False"
                raise AssertionError(message)
            object.__setattr__(self, "batch_sampler", SkippableSampler(self.batch_sampler))
        elif self.batch_sampler is None and isinstance(dataset, Dataset):
            object.__setattr__(self, "sampler", OneByOneSampler.over(self.sampler))

    def set_step(self, step: SupportsIndex) -> None:
        """Skip the first `step` batches, without reading them, until another step is set."""
        if not self.skippable:
            message = "This dataloader is not skippable"
            raise AssertionError(message)
        self.batch_sampler.set_step(step)

"""What a data set, a sampler and a loader have in common: hooks, and which part of the records is this process's."""

from __future__ import annotations

import torch

from octavo.errors import OptionError, RecordTypeError


def own_rank(rank: int | None, world_size: int | None) -> tuple[int, int]:
    """Rank and world size: what was given, or else that of torch.distributed, or else of a job of one process."""
    if (rank is None) != (world_size is None):
        raise OptionError("rank and world_size belong together: give both, or neither for those of torch.distributed")
    if rank is not None and world_size is not None:
        return rank, world_size
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return 0, 1


def check_callable(**hooks: object) -> None:
    """A hook is something that can be called, or absent."""
    for name, hook in hooks.items():
        if hook is not None and not callable(hook):
            raise RecordTypeError(f"{name} is a function, not {type(hook).__name__}")

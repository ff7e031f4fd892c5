"""`collate`: what `torch.utils.data.default_collate` gives, quicker where samples hold NumPy arrays.

The original makes a tensor of every array and stacks the tensors. Here, arrays of one shape and type are copied into
the memory of one tensor, which takes a fraction of the time if they are small; everything else goes the original's way.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch.utils.data import _utils

from octavo.integrations.torch._fixed_size import Rows

try:
    import numpy as np

    _stack_as_torch_does = _utils.collate.default_collate_fn_map.get(np.ndarray)
except ImportError:  # torch works without NumPy, and then its table has no arrays either
    _stack_as_torch_does = None


_SMALL_BYTES = 16384
"""Of an array. Smaller ones are joined without letting go of the interpreter's lock in between: NumPy does so for each
of them, and where other threads wait for the lock that takes longer than the copy."""


def collate(batch: Any) -> Any:
    """Samples put together as `torch.utils.data.default_collate` does it; what is one tensor already is left alone.

    A tensor that is made of small arrays cannot be enlarged in place (`resize_`), as its memory is Python's.
    """
    return collate_into(batch, pinned=False)


def collate_into(batch: Any, *, pinned: bool) -> Any:
    """The same; arrays go to pinned memory at once if it is asked for, all else stays where it is."""
    if isinstance(batch, torch.Tensor):
        return batch
    if isinstance(batch, Rows) and batch.tensor is not None:
        return batch.tensor
    # Looked up at every call: programs register types of their own there, and may have their own idea of arrays.
    table = _utils.collate.default_collate_fn_map
    if _stack_as_torch_does is not None and table.get(np.ndarray) is _stack_as_torch_does:
        table = {**table, np.ndarray: partial(_stack, pinned=pinned)}
    return _utils.collate.collate(batch, collate_fn_map=table)


def _stack(arrays: Sequence[Any], *, pinned: bool, collate_fn_map: Any) -> Any:
    if not _are_alike(arrays):
        return _stack_as_torch_does(arrays, collate_fn_map=collate_fn_map)
    first = arrays[0]
    shape, dtype = (len(arrays), *first.shape), torch.from_numpy(np.empty(0, first.dtype)).dtype
    if first.nbytes <= _SMALL_BYTES:
        with contextlib.suppress(TypeError):  # the elements of one do not lie one after the other
            return torch.frombuffer(bytearray().join(arrays), dtype=dtype).view(shape)
    stacked = torch.empty(shape, dtype=dtype, pin_memory=pinned)
    np.concatenate(arrays, out=stacked.numpy().reshape(-1, *first.shape[1:]))
    return stacked


def _are_alike(arrays: Sequence[Any]) -> bool:
    """Whether these are plain arrays of one shape and of one type of numbers, with something in them."""
    first, count = arrays[0], len(arrays)
    if not first.shape or not first.size or first.dtype.kind not in "biufc" or not first.dtype.isnative:
        return False
    return (
        set(map(type, arrays)) == {np.ndarray}
        and [array.dtype for array in arrays].count(first.dtype) == count
        and [array.shape for array in arrays].count(first.shape) == count
    )

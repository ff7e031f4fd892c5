"""From the numbers of a batch to the batch: what a loader's threads do."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch.utils.data import _utils

from octavo import Reader
from octavo.integrations.torch._collate import collate_into
from octavo.integrations.torch._decode import names_of, read_samples
from octavo.integrations.torch._fixed_size import FixedSize


class BatchMaker:
    """Reads, decodes and collates a batch, and pins it if it is to be pinned. Any thread may call it."""

    def __init__(
        self,
        reader: Reader,
        *,
        decode: Callable[[bytes], Any] | None,
        collate_fn: Callable[[Any], Any] | None,
        size: FixedSize | None,
        pin_memory: bool,
    ) -> None:
        self._reader = reader
        self._decode = decode
        self._collate_fn = collate_fn
        self._size = size
        # Pinned memory belongs to a device, and a new thread would choose the first one of all.
        self._device = torch.cuda.current_device() if pin_memory else None

    def __call__(self, numbers: memoryview) -> Any:
        """Make the batch of these records."""
        if self._device is not None:
            torch.cuda.set_device(self._device)
        is_pinned = self._device is not None
        if self._size is not None and self._collate_fn is None:
            return self._size.read(self._reader, numbers, pinned=is_pinned)
        samples = self._samples(numbers)
        try:
            collate_fn = self._collate_fn
            batch = collate_into(samples, pinned=is_pinned) if collate_fn is None else collate_fn(samples)
            return _utils.pin_memory.pin_memory(batch) if is_pinned else batch
        except Exception as error:
            error.add_note(f"octavo: this was the batch of {names_of(self._reader, numbers)}")
            raise

    def _samples(self, numbers: memoryview) -> Any:
        if self._size is not None:
            return self._size.read(self._reader, numbers)
        return read_samples(self._reader, numbers, self._decode)


def can_pin() -> bool:
    """Whether there is a device to pin memory for; a warning if not, as in `torch.utils.data.DataLoader`."""
    if has_device():
        return True
    warnings.warn("pin_memory is True, but there is no CUDA device: batches are not pinned", stacklevel=3)
    return False


def has_device() -> bool:
    """Whether there is a CUDA device. PyTorch itself warns where a driver is broken, or another framework has it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(torch.cuda.is_available())

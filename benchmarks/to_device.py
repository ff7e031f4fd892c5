"""Shuffled epochs of records of one size through pinned tensors onto a CUDA device, against one plain copy to it."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import ffrecord

ROUNDS = 3
WORD = np.dtype("<i8")


@dataclasses.dataclass(frozen=True)
class Setting:
    """How a loader is set."""

    batch_size: int
    threads: int
    prefetch: int


@dataclasses.dataclass(frozen=True)
class Epoch:
    """The best epoch of a setting: bytes per second."""

    setting: Setting
    rate: float


SETTINGS = (
    *(Setting(size, threads, 2 * threads) for size, threads in itertools.product((256, 1_024, 4_096), (1, 2, 4, 8))),
    Setting(4_096, 4, 4),
    Setting(4_096, 4, 16),
)


def has_device() -> bool:
    """Whether there is a CUDA device."""
    return bool(importlib.import_module("torch").cuda.is_available())


def copy_rate(total_bytes: int) -> float:
    """One pinned buffer to the device: bytes per second, in the best of some rounds."""
    torch = importlib.import_module("torch")
    host = torch.empty(total_bytes, dtype=torch.uint8, pin_memory=True).fill_(1)
    device = torch.empty_like(host, device="cuda")
    return max(total_bytes / _seconds(lambda: device.copy_(host, non_blocking=True)) for _ in range(ROUNDS + 1))


def epochs(path: Path, settings: tuple[Setting, ...]) -> Iterator[Epoch]:
    """Every setting: one epoch whose sum is compared with the file's, then some that are timed."""
    torch = importlib.import_module("torch")
    place = "cuda" if has_device() else "cpu"
    total_bytes, expected = _sum_of(path)
    for setting in settings:
        with contextlib.closing(_loader(path, setting)) as loader:
            found = sum(int(batch.to(place).view(torch.int64).sum()) for batch in loader)
            if found % 2**64 != expected:
                raise ValueError(f"{setting}: these are not the records of an epoch")
            seconds = min(_seconds(lambda: _go_through(loader, place)) for _ in range(ROUNDS))
        yield Epoch(setting, total_bytes / seconds)


def _loader(path: Path, setting: Setting) -> Any:
    return importlib.import_module("octavo.torch").Loader(
        path, dtype="uint8", pin_memory=has_device(), **dataclasses.asdict(setting)
    )


def _go_through(loader: Any, place: str) -> None:
    for batch in loader:
        batch.to(place, non_blocking=True)


def _seconds(run: Any) -> float:
    torch = importlib.import_module("torch")
    start = time.perf_counter()
    run()
    if has_device():
        torch.cuda.synchronize()
    return time.perf_counter() - start


def _sum_of(path: Path) -> tuple[int, int]:
    """The bytes of all records, and the sum of their words, in which no order shows but every record does."""
    offsets, lengths, _ = ffrecord.read_index(path)
    words = np.memmap(path, WORD, "r", int(offsets[0]))
    return int(lengths.sum()), int(words.sum()) % 2**64

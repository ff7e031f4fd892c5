"""Which pages of a file are in memory, and how to get them out of it."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Iterable
from pathlib import Path

from tests.faults.samples import PAGE_BYTES

_libc = ctypes.CDLL(None, use_errno=True)


def drop(*paths: str | Path) -> None:
    """Takes clean pages that nobody has mapped out of the page cache."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def load(path: str | Path, size: int) -> None:
    """Brings the first bytes of a file into the page cache, and nothing behind them."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
        for offset in range(0, size, 16 * PAGE_BYTES):
            os.pread(descriptor, min(16 * PAGE_BYTES, size - offset), offset)
    finally:
        os.close(descriptor)


def resident_pages(path: str | Path) -> int:
    """How many pages of the file are in the page cache."""
    size = os.path.getsize(path)
    states = (ctypes.c_ubyte * (-(-size // PAGE_BYTES)))()
    with open(path, "rb") as file, mmap.mmap(file.fileno(), size, flags=mmap.MAP_PRIVATE) as mapped:
        place = ctypes.c_char.from_buffer(mapped)
        try:
            if _libc.mincore(ctypes.byref(place), ctypes.c_size_t(size), states) != 0:
                raise OSError(ctypes.get_errno(), "mincore")
        finally:
            del place
    return sum(state & 1 for state in states)


def can_drop(paths: Iterable[str | Path]) -> bool:
    """Whether the file system lets go of pages at all; one in memory does not."""
    sample = list(paths)[:1]
    drop(*sample)
    return all(resident_pages(path) == 0 for path in sample)

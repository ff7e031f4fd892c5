"""Keeping a process small that reads large records now and then."""

from __future__ import annotations

import contextlib
import ctypes

_M_ARENA_MAX, _M_MMAP_THRESHOLD = -8, -3  # malloc.h of glibc
_LARGE_BYTES = 1 << 20


def give_back_large_blocks() -> None:
    """Have the C library give large blocks back to the system when they are freed. For a process of one's own only.

    glibc would keep them: each large block that is freed raises the size from which on blocks are given back, up to
    32 MiB, and every thread has a heap of its own to keep them in. Elsewhere this does nothing.
    """
    with contextlib.suppress(OSError, AttributeError, TypeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)
        mallopt(_M_ARENA_MAX, 2)

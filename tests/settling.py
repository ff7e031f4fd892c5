"""Counts that other tests of the same process may still bring down: their servers and runners end a moment later."""

from __future__ import annotations

import os
import time
from collections.abc import Callable


def open_descriptors() -> int:
    """How many this process has open, where the system lists them."""
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def settles(count: Callable[[], int], at_most: int, patience_s: float = 10.0) -> None:
    """The count comes down to this, sooner or later."""
    until = time.monotonic() + patience_s
    while (found := count()) > at_most and time.monotonic() < until:
        time.sleep(0.05)
    assert found <= at_most

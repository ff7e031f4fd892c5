"""Waiting for what comes true by itself: servers and runners of other tests of the same process end a moment later."""

from __future__ import annotations

import gc
import os
import time
import warnings
from collections.abc import Callable

PATIENCE_S = 60  # a machine that is busy with other tests


def open_descriptors() -> int:
    """How many this process has open, where the system lists them."""
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def comes_true(condition: Callable[[], bool]) -> bool:
    """Whether it does, sooner or later; once is enough, for other threads open and close things as well."""
    until = time.monotonic() + PATIENCE_S
    while not (is_true := condition()) and time.monotonic() < until:
        time.sleep(0.02)
    return is_true


def settles(count: Callable[[], int], at_most: int) -> None:
    """The count comes down to this, sooner or later."""
    assert comes_true(lambda: count() <= at_most), f"{count()} are left, and {at_most} were there before"


def collect_leftovers() -> None:
    """What runners that have ended left open, before the collector meets it in the middle of another test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # theirs
        gc.collect()

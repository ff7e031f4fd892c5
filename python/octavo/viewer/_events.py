"""What long work tells the page: events, of which those about progress come a few times a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeAlias

Event: TypeAlias = dict[str, Any]
Emit: TypeAlias = Callable[[Event], None]
"""Sends an event. It raises `Cancelled` when nobody listens any more."""
Work: TypeAlias = Callable[[Emit], None]

_EVERY_S = 0.1


class Cancelled(Exception):  # noqa: N818 - it is no error
    """The page does not want the result any more."""


class Pace:
    """Lets progress through that is worth being told."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._last = 0.0

    def __call__(self, done: int, total: int) -> None:
        """Tell how far the work is, if it is time to; but listen for the wish to end each time."""
        now = time.monotonic()
        is_due = now - self._last >= _EVERY_S or done == total
        self._last = now if is_due else self._last
        self._emit({"progress": [done, total]} if is_due else {})

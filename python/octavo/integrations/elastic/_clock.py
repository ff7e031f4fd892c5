"""The time by which leases end."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator


class ListeningClock:
    """Seconds in which the dispatcher could hear its workers: time stands still while it does something else.

    Whoever is kept waiting by a slow disk or store has reported in time.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._deaf_s = 0.0
        self._stopped_at: float | None = None

    def now(self) -> float:
        """The time."""
        return (self._clock() if self._stopped_at is None else self._stopped_at) - self._deaf_s

    @contextlib.contextmanager
    def stopped(self) -> Iterator[None]:
        """Within this, no time passes."""
        if self._stopped_at is not None:
            yield
            return
        self._stopped_at = began = self._clock()
        try:
            yield
        finally:
            self._deaf_s += self._clock() - began
            self._stopped_at = None

"""How time is spent and taken."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

from octavo._bench._figures import Rate

Work: TypeAlias = Callable[[], tuple[int, int]]
"""Something to be timed; it says how many records and bytes it was about."""


class Budget:
    """The time for everything, of which each measurement gets a share."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def share(self, part: float) -> float:
        """Seconds for a measurement, little if the time is nearly over."""
        return max(0.0, min(self.seconds * part, self._end - time.monotonic()))

    @property
    def is_over(self) -> bool:
        """Whether nothing more should be begun."""
        return time.monotonic() >= self._end


def rate_of(work: Work, seconds: float) -> Rate:
    """Do the work again and again for about so long, and once at least."""
    return rates_of([work], seconds)[0]


def rates_of(works: Sequence[Work], seconds: float) -> list[Rate]:
    """Do all of these in turn, round after round, so that what else the machine does meets them alike.

    The first round fetches and wakes what the others then find, so it counts only if it is the only one.
    """
    end = time.perf_counter() + seconds
    rounds: list[list[tuple[float, float]]] = [[] for _ in works]
    while True:
        began = time.perf_counter()
        for work, so_far in zip(works, rounds, strict=True):
            so_far.append(_timed(work))
        ended = time.perf_counter()
        if ended + (ended - began) / 2 >= end:
            return [best_of(each[1:] or each) for each in rounds]


def _timed(work: Work) -> tuple[float, float]:
    began = time.perf_counter()
    records, size = work()
    took = max(time.perf_counter() - began, 1e-9)
    return records / took, size / took


def best_of(rounds: Sequence[tuple[float, float]]) -> Rate:
    """The best of rounds, which are records and bytes a second."""
    records, size = max(rounds)
    return Rate(records, size, tuple(rate for rate, _ in rounds))

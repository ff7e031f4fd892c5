"""What a server was asked for, when, and what it sent."""

from __future__ import annotations

import dataclasses
import threading


@dataclasses.dataclass
class Exchange:
    """A request and its reply."""

    method: str
    target: str
    """Path and query, as sent."""
    span: str | None
    """The Range header, as sent."""
    began: float
    ended: float = float("inf")
    """When the reply was about to be sent, so that a request that waited for it has begun later."""
    status: int = 0
    body_bytes: int = 0
    """Bytes of the body that were sent."""


class Traffic:
    """The exchanges of a server since `clear`; several threads note theirs."""

    def __init__(self) -> None:
        self._noted: list[Exchange] = []
        self._turn = threading.Lock()

    def note(self, exchange: Exchange) -> None:
        with self._turn:
            self._noted.append(exchange)

    def clear(self) -> None:
        with self._turn:
            self._noted = []

    def exchanges(self, method: str | None = None, containing: str = "") -> list[Exchange]:
        with self._turn:
            noted = list(self._noted)
        return [one for one in noted if method in {None, one.method} and containing in one.target]

    def body_bytes(self, containing: str = "") -> int:
        return sum(one.body_bytes for one in self.exchanges(containing=containing))

    def rounds(self, containing: str = "") -> int:
        """Round trips one after the other: the longest chain of requests that each began after the last had ended."""
        count, end = 0, float("-inf")
        for one in sorted(self.exchanges(containing=containing), key=lambda one: one.ended):
            if one.began >= end:
                count, end = count + 1, one.ended
        return count

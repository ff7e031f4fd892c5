"""Whatever a server does, a call comes to an end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

import pytest

Result = TypeVar("Result")


class _Call(threading.Thread, Generic[Result]):
    def __init__(self, action: Callable[[], Result]) -> None:
        super().__init__(daemon=True)
        self._action = action
        self.result: list[Result] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result.append(self._action())
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
            self.error = error


def within(seconds: float, action: Callable[[], Result]) -> Result:
    """What `action` gives or raises; the test fails if it does neither in time."""
    call = _Call(action)
    call.start()
    call.join(seconds)
    if call.is_alive():
        pytest.fail(f"no end after {seconds} s")
    if call.error is not None:
        raise call.error
    return call.result[0]

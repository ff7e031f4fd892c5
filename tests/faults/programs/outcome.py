"""How a program tells its test what it has seen."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

E = TypeVar("E", bound=BaseException)


def say(what: object) -> None:
    """Writes a line for the test to read, at once."""
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def error_of(kind: type[E], call: Callable[[], object]) -> E:
    """The error of this kind that a call must raise."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError("there was no error")

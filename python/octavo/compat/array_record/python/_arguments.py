"""What the original takes as arguments."""

from __future__ import annotations

import operator
import os
from typing import Any

# In place of a path that was not given, to be refused in the original's words.
NOT_GIVEN: Any = None


def as_text(value: object, name: str) -> str:
    """A path or a text of options: `str`, `bytes`, or anything that stands for a path."""
    if isinstance(value, str | bytes | os.PathLike):
        return os.fsdecode(value)
    raise TypeError(f"__init__(): incompatible constructor arguments: {name} is a str, not {type(value).__name__}")


def is_number(key: Any) -> bool:
    """Whether this stands for an integer."""
    try:
        operator.index(key)
    except TypeError:
        return False
    return True


def may_be_numbers(numbers: Any) -> bool:
    """Whether these can be record numbers to the original: a sequence, and nothing below zero in it."""
    if isinstance(numbers, str | bytes | dict) or not hasattr(numbers, "__getitem__"):
        return False
    try:
        if hasattr(numbers, "min"):
            return len(numbers) == 0 or bool(numbers.min() >= 0)
        return min(map(operator.index, numbers), default=0) >= 0
    except (TypeError, ValueError):
        return False

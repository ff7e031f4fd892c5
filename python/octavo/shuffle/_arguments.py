"""What the arguments of orders have in common."""

from __future__ import annotations

import contextlib
import operator
import os
from typing import Any

from octavo.errors import OptionError, RecordTypeError

LARGEST = 2**63 - 1
"""Record numbers are signed 64-bit integers wherever they go."""


def whole(name: str, value: Any, *, at_least: int = 0, at_most: int = LARGEST) -> int:
    """A whole number within bounds."""
    try:
        number = operator.index(value)
    except TypeError:
        message = f"{name} is an integer, not {type(value).__name__}"
        raise RecordTypeError(message) from None
    if isinstance(value, bool) or not at_least <= number <= at_most:
        message = f"{name} is {value!r}; allowed are integers in the range [{at_least}..{at_most}]"
        raise OptionError(message)
    return number


def whole_seed(seed: Any) -> int:
    """64 bits that decide on an order."""
    return whole("seed", seed, at_most=2**64 - 1)


def size_of(source: Any) -> int:
    """How many records a source has: a number, or anything with a length."""
    if isinstance(source, str | bytes | bytearray | memoryview | os.PathLike):
        message = f"an order is of what octavo.open gives for {source!r}, not of the name"
        raise RecordTypeError(message)
    with contextlib.suppress(TypeError):  # an array of no dimensions has a length that cannot be asked for
        return whole("size", len(source))
    try:
        return whole("size", source)
    except RecordTypeError:
        message = f"what is put into an order is a size or something with a length, not {type(source).__name__}"
        raise RecordTypeError(message) from None


def whole_epoch(epoch: Any) -> int:
    """The number of an epoch, which more can follow."""
    return whole("epoch", epoch, at_most=2**62)


def blocks_of(block: Any, window: Any) -> tuple[int, int] | None:
    """Records a block and blocks a window, if there are to be blocks."""
    window = whole("window", window, at_least=1)
    return None if block is None else (whole("block", block, at_least=1), window)

"""Decoding a batch, and what an error in it says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

_NAMED = 8


def decode_all(decode: Callable[[bytes], Any], records: list[bytes], numbers: Sequence[SupportsIndex]) -> list[Any]:
    """A sample of each record; an error says which one it was."""
    samples: list[Any] = []
    try:
        for record in records:  # not a comprehension: what is there already tells where an error has struck
            samples.append(decode(record))  # noqa: PERF401
    except Exception as error:
        error.add_note(f"octavo: this was decode() of record {numbers[len(samples)]}")
        raise
    return samples


def naming(numbers: Sequence[SupportsIndex]) -> str:
    """These records in a message."""
    named = ", ".join(str(number) for number in numbers[:_NAMED])
    return f"records {named}, and {len(numbers) - _NAMED} more" if len(numbers) > _NAMED else f"records {named}"

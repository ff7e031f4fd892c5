"""Numbers at which arithmetic goes wrong, put into every field of a file in turn.

A sweep takes a small sound file and gives, for each of its fields and each of these numbers, the file with that lie.
Checksums are computed anew, so that whoever reads it has to doubt the number itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import TypeAlias

Case: TypeAlias = tuple[str, bytes]
"""What is wrong, and the bytes of the file."""

_POWERS = (31, 32, 53, 63, 64)


def edges(true: int, *near: int, bits: int = 64) -> list[int]:
    """Other values that a field of so many bits can have; `near` are places and sizes that it might be mistaken for."""
    powers = {(1 << power) + step for power in _POWERS for step in (-1, 0)}
    others = {true + step for step in (-1, 1)} | {side + step for side in near for step in (-1, 0, 1)}
    # Such a number, added to where it is used, comes out a little above zero.
    around = {(1 << bits) - one for one in (true, *near)}
    return sorted(value for value in powers | others | around | {0, 1, 2} if 0 <= value < 1 << bits and value != true)


def patched(content: bytes, place: int, width: int, value: int) -> bytes:
    """With another little-endian number at that place."""
    return content[:place] + value.to_bytes(width, "little") + content[place + width :]


@dataclasses.dataclass(frozen=True)
class Field:
    """A little-endian number of a file."""

    name: str
    place: int
    width: int = 8


def swept(content: bytes, fields: list[Field], mend: Callable[[bytes, Field], bytes], *near: int) -> Iterator[Case]:
    """Every field with every edge; `mend` computes the checksums anew."""
    for field in fields:
        true = int.from_bytes(content[field.place : field.place + field.width], "little")
        for value in edges(true, len(content), field.place, *near, bits=8 * field.width):
            yield f"{field.name} = {value}", mend(patched(content, field.place, field.width, value), field)

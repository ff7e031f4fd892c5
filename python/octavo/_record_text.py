"""A record as text, as a dump, and the numbers in it."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # what text does not have
_DUMP_WIDTH = 16


def text_of(record: bytes) -> str | None:
    """The record as text; None if it is not UTF-8, or has other controls than tabs and ends of lines."""
    try:
        text = record.decode()
    except UnicodeDecodeError:
        return None
    return None if _CONTROLS.search(text) else text


def dump_lines(record: bytes, most_bytes: int | None) -> Iterator[str]:
    """Offset, bytes and characters, sixteen a line."""
    shown = record[:most_bytes]
    digits = max(4, len(f"{max(len(shown) - 1, 0):x}"))
    for at in range(0, len(shown), _DUMP_WIDTH):
        row = shown[at : at + _DUMP_WIDTH]
        characters = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row)  # noqa: PLR2004 - what ASCII prints
        yield f"{at:0{digits}x}  {row[:8].hex(' '):<23}  {row[8:].hex(' '):<23}  {characters}"


def short_float(value: float) -> float:
    """The number with the fewest digits that is the same in 32 bits: 0.1, not 0.10000000149011612."""
    for digits in range(6, 9):
        short = float(f"{value:.{digits}g}")
        if struct.pack("<f", short) == struct.pack("<f", value):
            return short
    return float(f"{value:.9g}")

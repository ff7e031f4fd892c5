"""Texts of options, read from the tables of docs/spec/array_record.md: regular expressions and exact fractions.

Nothing here knows in what order octavo looks at things: a text has one meaning, or none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

Item: TypeAlias = tuple[str, str]

ASCII_SPACE = "[ \t\n\v\f\r]*"
_INTEGER = re.compile(rf"{ASCII_SPACE}([+-]?[0-9]+){ASCII_SPACE}")
_DECIMAL = re.compile(r"([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?")
_HEXADECIMAL = re.compile(r"0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?(?:[pP]([+-]?[0-9]+))?")
_LETTERS = {"B": 0, "k": 10, "K": 10, "M": 20, "G": 30, "T": 40, "P": 50, "E": 60}
_FAR = 25_000  # an exponent beyond this makes zero or infinity of any text that is tried here
_MOST = 2**64 - 1

CODECS = {"uncompressed": "none", "brotli": "brotli", "zstd": "zstd", "snappy": "snappy"}
_LEVELS = {"brotli": (6, 0, 11), "zstd": (3, -131072, 22), "snappy": (1, 1, 2)}
_WINDOWS = {"brotli": (None, 10, 30), "zstd": (20, 10, 31)}


class NoMeaningError(ValueError):
    """The text says nothing that is allowed."""


def integer(text: str, least: int, most: int) -> int:
    """A decimal integer of a range."""
    found = _INTEGER.fullmatch(text)
    digits = found[1] if found else ""
    sign, digits = (-1 if digits.startswith("-") else 1), digits.lstrip("+-").lstrip("0")
    if found is None or len(digits) > len(str(_MOST)) or not least <= sign * int(digits or "0") <= most:
        raise NoMeaningError(text)
    return sign * int(digits or "0")


def size(text: str, least: int, most: int, *, casual: bool) -> int:
    """A number of bytes, as the original reads it, or else as people write it."""
    for number, exponent in _ways_to_cut(text, casual=casual):
        real = _real(number)
        if real is None or real < 0:  # a zero may have a sign
            continue
        found = _MOST if math.isinf(real) else min(math.floor(Fraction(real) * 2**exponent + Fraction(1, 2)), _MOST)
        if not least <= found <= most:
            raise NoMeaningError(text)
        return found
    raise NoMeaningError(text)


def _ways_to_cut(text: str, *, casual: bool) -> list[tuple[str, int]]:
    """A number and a power of two; the first way that leaves a number counts."""
    ways = [_cut_strictly(text)]
    if casual:
        bare = text.strip()
        lower = bare.lower()
        for letter in "kmgtpe":
            for unit in (letter, letter + "i", letter + "b", letter + "ib"):
                is_exponent = unit in {"e", "ei"}  # begun, and not a unit
                if bare.isascii() and lower.endswith(unit) and not is_exponent:
                    ways.append((bare[: -len(unit)], _LETTERS[letter.upper()]))
        if lower.endswith("b"):
            ways.append((bare[:-1], 0))
        if len(ways) == 1:  # nothing but spaces that the original does not know
            ways.append(_cut_strictly(bare))
    return ways


def _cut_strictly(text: str) -> tuple[str, int]:
    return (text[:-1], _LETTERS[text[-1]]) if text[-1:] in _LETTERS else (text, 0)


def _real(text: str) -> float | None:
    """The nearest double."""
    bare = re.fullmatch(rf"{ASCII_SPACE}([+-]?)(.*?){ASCII_SPACE}", text, re.DOTALL)
    sign, digits = (bare[1], bare[2]) if bare else ("", "")
    factor = -1.0 if sign == "-" else 1.0
    if re.fullmatch("inf(inity)?", digits, re.IGNORECASE | re.ASCII):
        return factor * math.inf
    base, power, found = 16, 2, _HEXADECIMAL.fullmatch(digits)
    if found is None:
        base, power, found = 10, 10, _DECIMAL.fullmatch(digits)
    if found is None or not (found[1] or found[2]):
        return None
    mantissa = sum(int(digit, base) * base**place for place, digit in enumerate(reversed(found[1] + (found[2] or ""))))
    value = Fraction(mantissa, base ** len(found[2] or ""))
    try:
        return factor * float(value * Fraction(power) ** integer_near(found[3] or "0"))
    except OverflowError:
        return factor * math.inf


def integer_near(text: str) -> int:
    """An integer, or one that is as good as it where it is out of sight."""
    digits = text.lstrip("+-").lstrip("0") or "0"
    distance = _FAR if len(digits) > len(str(_FAR)) else min(int(digits), _FAR)
    return -distance if text.startswith("-") else distance


def items(text: str) -> list[Item]:
    """Keys and values."""
    found = [re.fullmatch("([^:]*)(?::(.*))?", item, re.DOTALL) for item in text.split(",") if item]
    return [(item[1], item[2] or "") for item in found if item]


def choice(words: dict[str, Any]) -> Callable[[str], Any]:
    """A reader of one of some words."""

    def read(text: str) -> Any:
        if text not in words:
            raise NoMeaningError(text)
        return words[text]

    return read


def number(least: int, most: int, **words: Any) -> Callable[[str], Any]:
    """A reader of an integer, or of one of some words."""
    return lambda text: words[text] if text in words else integer(text, least, most)


def size_reader(least: int, most: int, auto: int, *, casual: bool) -> Callable[[str], int]:
    """A reader of a size, or of `auto`."""
    return lambda text: auto if text == "auto" else size(text, least, most, casual=casual)


def codec_and_window(codec: str | None, level: str | None, window: str | None) -> tuple[str, int | None, int | None]:
    """Codec, level and window that these values of their keys mean; None for keys that are not there."""
    name = CODECS[codec or "zstd"]
    if name not in _LEVELS:
        if level or window is not None:
            raise NoMeaningError(level or window)
        return name, None, None
    default, least, most = _LEVELS[name]
    found = default if not level else integer(level, least, most)
    if name not in _WINDOWS:
        if window is not None:
            raise NoMeaningError(window)
        return name, found, None
    usual, least, most = _WINDOWS[name]
    return name, found, usual if window in {None, "auto"} else integer(window or "", least, most)

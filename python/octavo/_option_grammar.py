"""The grammar of ArrayRecord's option texts (`group_size:1,zstd:3`), and of sizes such as `64MB`.

A table of `Option`s says which keys a text may have and what each takes; `read_items` follows it to the letter of the
original, error texts included. The tables themselves are in `_options.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from octavo.errors import OptionError

INT32_MAX = 2**31 - 1
UINT64_MAX = 2**64 - 1

Item: TypeAlias = tuple[str, str]

_SPACE = " \t\n\v\f\r"  # the original knows ASCII only; str.strip() alone would take off more
_INTEGER = re.compile(r"([+-]?)0*([0-9]{1,10})")  # more digits are beyond every range, and int() has a limit of its own
_REAL = re.compile(
    r"""[+-]?(?: inf(?:inity)?
        | 0x(?: [0-9a-f]+(?:\.[0-9a-f]*)? | \.[0-9a-f]+ )(?:p[+-]?[0-9]+)?
        | (?: [0-9]+(?:\.[0-9]*)? | \.[0-9]+ )(?:e[+-]?[0-9]+)? )""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_SCALES = {"B": 1, "k": 2**10, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50, "E": 2**60}
# As in 64MB, 16MiB, 4kb, 1 g. An "e" alone is an exponent that somebody forgot to finish.
_CASUAL_UNIT = re.compile(r"(?:([kmgtp])i?b?|(e)i?b|b)\Z", re.IGNORECASE | re.ASCII)


class Values(Protocol):
    """A set of values that an option may have."""

    @property
    def described(self) -> str:
        """The set in the words of the original's error texts."""

    def read(self, text: str) -> Any:
        """The value that `text` stands for; ValueError if the set does not have it."""


@dataclass(frozen=True)
class Words:
    """Words with a meaning each; the empty word is a key without a value."""

    meanings: Mapping[str, Any]

    @property
    def described(self) -> str:
        """As in `(empty), true, false`."""
        return ", ".join(word or "(empty)" for word in self.meanings)

    def read(self, text: str) -> Any:
        """What the word means."""
        if text not in self.meanings:
            raise ValueError(text)
        return self.meanings[text]


@dataclass(frozen=True)
class Integers:
    """Decimal integers of a range."""

    at_least: int
    at_most: int

    @property
    def described(self) -> str:
        """As in `integers in the range [1..2]`."""
        return f"integers in the range [{self.at_least}..{self.at_most}]"

    @property
    def as_levels(self) -> str:
        """As in `the levels 1 to 2`."""
        return f"the levels {self.at_least} to {self.at_most}"

    def read(self, text: str) -> int:
        """The number."""
        found = _INTEGER.fullmatch(text.strip(_SPACE))
        if found is None:
            raise ValueError(text)
        return self.check(int(found[1] + found[2]))

    def check(self, number: int) -> int:
        """The same number; ValueError if it is not in the range."""
        if not self.at_least <= number <= self.at_most:
            raise ValueError(number)
        return number


@dataclass(frozen=True)
class Sizes(Integers):
    """Numbers of bytes: reals with a suffix of the original's, or, where `casual`, as people write them."""

    casual: bool = False

    @property
    def described(self) -> str:
        """As in `integers expressed as reals ..., in the range [0..1]`."""
        suffixes = "".join(_SCALES)
        bounds = f"[{self.at_least}..{self.at_most}]"
        return f"integers expressed as reals with optional suffix [{suffixes}], in the range {bounds}"

    def read(self, text: str) -> int:
        """The number of bytes, rounded; from 2^64 on it stays at 2^64 - 1, as in the original."""
        try:
            number = _bytes_in(text)
        except ValueError:
            if not self.casual:
                raise
            number = _bytes_in(_CASUAL_UNIT.sub(_original_unit, text.strip()))
        return self.check(number)


class Anything:
    """Any text at all, for values that are judged later or never."""

    described = ""

    def read(self, text: str) -> str:
        """The text itself."""
        return text


class Option:
    """What a key may have as its value, and beside which keys it cannot stand."""

    def __init__(self, *alternatives: Values, conflicts: Iterable[str] = (), is_first: bool = False) -> None:
        self.alternatives = alternatives
        self.conflicts = tuple(conflicts)
        self.is_first = is_first

    def read(self, key: str, text: str) -> Any:
        """The value that `text` stands for."""
        for values in self.alternatives:
            with suppress(ValueError):
                return values.read(text)
        allowed = ", ".join(values.described for values in self.alternatives)
        raise OptionError(f"Option {key}: invalid value: {text or '(empty)'}, valid values: {allowed}")


def split_items(text: str) -> Iterator[Item]:
    """The keys and values of an options text."""
    for item in text.split(","):
        if item:
            key, _, value = item.partition(":")
            yield key, value


def read_items(items: Iterable[Item], table: Mapping[str, Option]) -> dict[str, Any]:
    """The values by their keys, in the order of the text; OptionError at the first item that is wrong."""
    found: dict[str, Any] = {}
    for key, text in items:
        found[key] = _read_item(key, text, table, found)
    return found


def read_what_fits(items: Iterable[Item], table: Mapping[str, Option]) -> dict[str, Any]:
    """As `read_items`, but what is wrong is left out."""
    found: dict[str, Any] = {}
    for key, text in items:
        with suppress(OptionError):
            found[key] = _read_item(key, text, table, found)
    return found


def _read_item(key: str, text: str, table: Mapping[str, Option], before: Mapping[str, Any]) -> Any:
    if key not in table:
        raise OptionError(f"Unknown option {key}, valid options: {', '.join(table)}")
    if key in before:
        raise OptionError(f"Option {key} is present more than once")
    option = table[key]
    if option.is_first and before:
        raise OptionError(f"Option {key} must be first")
    for other in option.conflicts:
        if other in before:
            raise OptionError(f"Option {key} conflicts with option {other}")
    return option.read(key, text)


def _bytes_in(text: str) -> int:
    scale = _SCALES.get(text[-1:])
    number = _real(text if scale is None else text[:-1]) * (scale or 1)
    if not number >= 0:  # zero may have a sign
        raise ValueError(text)
    if number >= UINT64_MAX:
        return UINT64_MAX
    whole = int(number)
    return whole + int(2 * (number - whole))  # half goes up; round() would take it to the even number


def _real(text: str) -> float:
    digits = text.strip(_SPACE)
    if _REAL.fullmatch(digits) is None:
        raise ValueError(text)
    if "x" not in digits.lower():
        return float(digits)
    try:
        return float.fromhex(digits)
    except OverflowError:
        return -math.inf if digits.startswith("-") else math.inf


def _original_unit(casual: re.Match[str]) -> str:
    return (casual[1] or casual[2] or "B").upper()

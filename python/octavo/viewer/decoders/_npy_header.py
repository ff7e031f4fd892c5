"""The header of a NumPy array file.

The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

It is a literal of Python, written by anybody. It is taken apart into a few kinds of tokens before Python reads it, so
that nothing gets there which costs more than its length: no operators, no deep nesting, no escapes that warn.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from typing import Any, Final

MAGIC: Final = b"\x93NUMPY"
_MOST_HEADER_BYTES = 64 << 10
_MOST_DEPTH = 16
_MOST_DIMENSIONS = 64  # as NumPy 2 allows
_MOST_DIGITS = 20
_STRING = r"""[bu]?'(?:[^'\\\n]|\\[\\'"ntr])*+'|[bu]?"(?:[^"\\\n]|\\[\\'"ntr])*+\""""
_TOKEN: Final = re.compile(
    rf"[ \t\n]*+(?:(?:{_STRING})|(?P<number>\d++L?)|True|False|None"  # the L is how Python 2 wrote integers
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<mark>[,:]))"
)


@dataclasses.dataclass(frozen=True, slots=True)
class NpyHeader:
    """What an array is, and where its values begin."""

    version: str
    descr: Any
    is_fortran: bool
    shape: tuple[int, ...]
    data_at: int


def read_header(record: bytes) -> NpyHeader:
    """The header of the file that begins with these bytes.

    Raises:
        ValueError: It is none.
    """
    if not record.startswith(MAGIC) or len(record) < 10:  # noqa: PLR2004 - up to the length
        raise ValueError("it does not begin as a NumPy array file")
    major, minor = record[6], record[7]
    if major not in (1, 2, 3):
        raise ValueError(f"version {major}.{minor} of the format is not known")
    start = 10 if major == 1 else 12
    length = int.from_bytes(record[8:start], "little")
    if length > _MOST_HEADER_BYTES or start + length > len(record):
        raise ValueError(f"a header of {length:,} bytes does not fit")
    text = record[start : start + length].decode("utf-8" if major == 3 else "latin-1", "replace")  # noqa: PLR2004
    fields = _literal(text)
    if not isinstance(fields, dict) or not {"descr", "fortran_order", "shape"} <= fields.keys():
        raise ValueError("the header does not say descr, fortran_order and shape")
    shape = fields["shape"]
    if not isinstance(shape, tuple) or not all(type(size) is int for size in shape) or len(shape) > _MOST_DIMENSIONS:
        raise ValueError("the shape is not a tuple of integers")
    return NpyHeader(f"{major}.{minor}", fields["descr"], bool(fields["fortran_order"]), shape, start + length)


def _literal(text: str) -> Any:
    text = text.strip(" \t\n\0")
    at = depth = 0
    may_open = True  # at the start, and behind what opens or separates: else it would be a call
    pieces = []
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or len(found["number"] or "") > _MOST_DIGITS or (found["open"] and not may_open):
            raise ValueError(f"the header is not a plain literal at character {at}")
        depth += bool(found["open"]) - bool(found["close"])
        if depth > _MOST_DEPTH:
            raise ValueError("the header is nested too deeply")
        may_open = bool(found["open"] or found["mark"])
        pieces.append(found[0].removesuffix("L") if found["number"] else found[0])
        at = found.end()
    try:
        return ast.literal_eval("".join(pieces))
    except (SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError(f"the header is not a literal: {error}") from error

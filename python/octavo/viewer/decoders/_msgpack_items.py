"""The items of MessagePack one by one.

The format: https://github.com/msgpack/msgpack/blob/master/spec.md

An item is the head of a value: for an array or a map, its values follow. Lengths are compared with what is left before
they are believed, so that four bytes cannot announce four billion values.
"""

from __future__ import annotations

import dataclasses
import re
import struct
from typing import Final

ARRAY, MAP, TEXT, BYTES, EXTENSION, SCALAR = "array", "map", "text", "bytes", "extension", "scalar"

_ONE_BYTE_ITEMS: Final = re.compile(rb"[\x00-\x7f\xe0-\xff\xc0\xc2\xc3]+")
_CONSTANTS: Final = {0xC0: "nil", 0xC2: "false", 0xC3: "true"}
_NUMBERS: Final = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
_WITH_LENGTH: Final = {  # kind, and bytes of the length
    0xC4: (BYTES, 1),
    0xC5: (BYTES, 2),
    0xC6: (BYTES, 4),
    0xC7: (EXTENSION, 1),
    0xC8: (EXTENSION, 2),
    0xC9: (EXTENSION, 4),
    0xD9: (TEXT, 1),
    0xDA: (TEXT, 2),
    0xDB: (TEXT, 4),
    0xDC: (ARRAY, 2),
    0xDD: (ARRAY, 4),
    0xDE: (MAP, 2),
    0xDF: (MAP, 4),
}
_FIXED_EXTENSIONS: Final = {0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD7: 8, 0xD8: 16}
_CHECKED_TEXT_BYTES = 1024


@dataclasses.dataclass(slots=True)
class Item:
    """The head of a value.

    Attributes:
        kind: One of the kinds above.
        value: A number or a word, of a scalar; else what type the extension is.
        length: Bytes of text, bytes and extensions; values of an array, pairs of a map.
        body: Where these bytes or values begin.
        end: Where what follows the item begins; of an array or a map, its first value.
    """

    kind: str
    value: float | str
    length: int
    body: int
    end: int


def item_at(record: bytes, at: int) -> Item:
    """The item that begins there.

    Raises:
        ValueError: There is none, or it does not fit.
    """
    if at >= len(record):
        raise ValueError(f"it ends at byte {at}, where a value should begin")
    lead = record[at]
    if lead <= 0x7F or lead >= 0xE0:  # noqa: PLR2004 - numbers that are their own first byte
        return Item(SCALAR, lead if lead <= 0x7F else lead - 0x100, 0, at, at + 1)  # noqa: PLR2004
    if lead in _CONSTANTS:
        return Item(SCALAR, _CONSTANTS[lead], 0, at, at + 1)
    if lead in _NUMBERS:
        return _number(record, at, _NUMBERS[lead])
    kind, extension, length, body = _sized(record, at, lead)
    is_container = kind in (ARRAY, MAP)
    if length > len(record) - body:  # each value has a byte at least
        raise ValueError(f"a length of {length:,} at byte {at}, where {max(0, len(record) - body):,} bytes are left")
    return Item(kind, extension, length, body, body if is_container else body + length)


def _number(record: bytes, at: int, code: str) -> Item:
    end = at + 1 + struct.calcsize(code)
    if end > len(record):
        raise ValueError(f"a number at byte {at} does not end")
    value = struct.unpack_from(code, record, at + 1)[0]
    return Item(SCALAR, value, 4 if code == ">f" else 0, at, end)


def _sized(record: bytes, at: int, lead: int) -> tuple[str, int, int, int]:
    """Kind, type of extension, length, and where the body is."""
    if lead <= 0x8F:  # noqa: PLR2004
        return MAP, 0, lead & 0x0F, at + 1
    if lead <= 0x9F:  # noqa: PLR2004
        return ARRAY, 0, lead & 0x0F, at + 1
    if lead <= 0xBF:  # noqa: PLR2004
        return TEXT, 0, lead & 0x1F, at + 1
    if lead in _FIXED_EXTENSIONS:
        return EXTENSION, _extension_type(record, at + 1), _FIXED_EXTENSIONS[lead], at + 2
    if lead not in _WITH_LENGTH:
        raise ValueError(f"byte {at} is 0xc1, which is never used")
    kind, width = _WITH_LENGTH[lead]
    body = at + 1 + width
    length = int.from_bytes(record[at + 1 : body], "big")
    if kind == EXTENSION:
        return kind, _extension_type(record, body), length, body + 1
    return kind, 0, length, body


def _extension_type(record: bytes, at: int) -> int:
    return int.from_bytes(record[at : at + 1], "big", signed=True)


def value_end(record: bytes, at: int, most_items: int) -> int:
    """Where the value ends that begins there.

    Raises:
        ValueError: It does not fit, text in it is no text, or it takes more items than that to tell.
    """
    expected = 1
    for _ in range(most_items):
        # Most values of long arrays are of one byte, and are passed all at once.
        if run := _ONE_BYTE_ITEMS.match(record, at, min(at + expected, len(record))):
            expected -= run.end() - at
            at = run.end()
            if not expected:
                return at
        item = item_at(record, at)
        if item.kind == TEXT and item.length <= _CHECKED_TEXT_BYTES:
            record[item.body : item.end].decode()
        if item.kind in (ARRAY, MAP):
            expected += item.length * (2 if item.kind == MAP else 1)
        at = item.end
        expected -= 1
        if not expected:
            return at
    raise ValueError(f"it has more than {most_items:,} items")

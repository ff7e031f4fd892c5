"""Types of the elements of arrays, as NumPy and safetensors name them, and how one element reads."""

from __future__ import annotations

import dataclasses
import re
import struct
from collections.abc import Callable
from typing import Final

from octavo.viewer.decoders._wording import cut, float_text

_MOST_ELEMENT_BYTES = 1 << 12  # of a string
_MOST_CHARACTERS = 64


@dataclasses.dataclass(frozen=True, slots=True)
class Element:
    """The type of the elements: its name, its size, and how one of them reads."""

    name: str
    size: int
    text: Callable[[bytes], str]


def _numbers(name: str, code: str) -> Element:
    """Integers, and floats of 64 bits."""
    unpack = struct.Struct(code).unpack
    return Element(name, struct.calcsize(code), lambda data: str(unpack(data)[0]))


def _short_floats(name: str, code: str) -> Element:
    unpack = struct.Struct(code).unpack
    return Element(name, struct.calcsize(code), lambda data: float_text(unpack(data)[0]))


def _complex(name: str, code: str) -> Element:
    unpack = struct.Struct(code).unpack
    return Element(name, struct.calcsize(code), lambda data: str(complex(*unpack(data))))


def _half_text(data: bytes, order: str) -> str:
    return f"{struct.unpack(order + 'e', data)[0]:.4g}"  # eleven bits are no more digits than that


def _brain_text(data: bytes) -> str:
    return f"{struct.unpack('<f', bytes(2) + data)[0]:.3g}"  # eight bits


_BOOL: Final = Element("bool", 1, lambda data: str(data != b"\x00"))

SAFETENSORS: Final[dict[str, Element]] = {
    "F64": _numbers("F64", "<d"),
    "F32": _short_floats("F32", "<f"),
    "F16": Element("F16", 2, lambda data: _half_text(data, "<")),
    "BF16": Element("BF16", 2, _brain_text),
    "I64": _numbers("I64", "<q"),
    "I32": _numbers("I32", "<i"),
    "I16": _numbers("I16", "<h"),
    "I8": _numbers("I8", "b"),
    "U64": _numbers("U64", "<Q"),
    "U32": _numbers("U32", "<I"),
    "U16": _numbers("U16", "<H"),
    "U8": _numbers("U8", "B"),
    "BOOL": Element("BOOL", 1, _BOOL.text),
}

_DESCR: Final = re.compile(r"([<>|=]?)([biufcSUmM])(\d{0,9})(\[[^\]]{0,16}\])?")
_KINDS: Final = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex", "m": "timedelta", "M": "datetime"}
_INTEGERS: Final = {1: "b", 2: "h", 4: "i", 8: "q"}
_OTHERS: Final[dict[tuple[str, int], tuple[Callable[[str, str], Element], str]]] = {
    ("f", 4): (_short_floats, "f"),
    ("f", 8): (_numbers, "d"),
    ("c", 8): (_complex, "ff"),
    ("c", 16): (_complex, "dd"),
    ("b", 1): (lambda _name, _code: _BOOL, ""),
}


def numpy_element(descr: str) -> Element | None:
    """The element that NumPy describes so; None if it is not one that can be shown."""
    found = _DESCR.fullmatch(descr)
    if found is None:
        return None
    order, kind, digits, unit = found.groups()
    order = ">" if order == ">" else "<"
    size = int(digits or 0)
    if kind in "SU":
        return _strings(kind, size, order) if size <= _MOST_ELEMENT_BYTES else None
    name = f"{_KINDS[kind]}{8 * size}{unit or ''}"
    if kind in "iumM" and size in _INTEGERS:
        code = _INTEGERS[size]
        return _numbers(name, order + (code.upper() if kind == "u" else code))
    if (kind, size) == ("f", 2):
        return Element(name, size, lambda data: _half_text(data, order))
    make, code = _OTHERS.get((kind, size), (None, ""))
    return None if make is None else make(name, order + code)


def _strings(kind: str, size: int, order: str) -> Element:
    if kind == "S":
        return Element(f"bytes of {size}", size, lambda data: cut(repr(data.rstrip(b"\x00")), _MOST_CHARACTERS))
    coding = "utf-32-be" if order == ">" else "utf-32-le"

    def text(data: bytes) -> str:
        return cut(repr(data.decode(coding, "replace").rstrip("\x00")), _MOST_CHARACTERS)

    return Element(f"text of {size}", 4 * size, text)

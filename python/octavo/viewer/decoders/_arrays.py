"""Arrays in bytes: a corner of them as text."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator

from octavo.viewer.blocks import Block, Image, Note, Table, Text
from octavo.viewer.decoders._array_image import PAGE_SIDE, picture_of
from octavo.viewer.decoders._elements import Element

_CORNER = 8  # rows and columns that are shown
_FIRST_VALUES = 64
_UNSIGNED_BYTES = ("uint8", "U8")


@dataclasses.dataclass(frozen=True, slots=True)
class Array:
    """An array, and as many of its bytes as are at hand."""

    element: Element
    shape: tuple[int, ...]
    data: memoryview
    is_fortran: bool = False


def count_of(shape: tuple[int, ...]) -> int:
    """How many elements an array of this shape has."""
    return math.prod(shape)


def preview(array: Array) -> list[Block]:
    """The first values, or a corner of the last two axes. Values that are not at hand are left empty."""
    if not count_of(array.shape):
        return [Note("it has no values")]
    if len(array.shape) < 2:  # noqa: PLR2004 - a row of values
        return [_row_of_values(array)]
    picture = picture_in(array, PAGE_SIDE)
    return [_corner(array)] if picture is None else [picture, _corner(array)]


def picture_in(array: Array, most_side: int) -> Image | None:
    """The image that the array is, if it is one."""
    if array.element.name not in _UNSIGNED_BYTES or array.is_fortran:
        return None
    return picture_of(array.shape, array.data, most_side, "the values as an image")


def _corner(array: Array) -> Table:
    rows, columns = (min(size, _CORNER) for size in array.shape[-2:])
    outer = (0,) * (len(array.shape) - 2)
    cells = tuple((str(y), *(_text_at(array, (*outer, y, x)) or "" for x in range(columns))) for y in range(rows))
    place = ", ".join([*map(str, outer), f":{rows}", f":{columns}"])
    return Table(("", *map(str, range(columns))), cells, f"values [{place}]")


def preview_lines(array: Array) -> str:
    """The same as lines of text."""
    if not count_of(array.shape):
        return ""
    if len(array.shape) < 2:  # noqa: PLR2004 - a row of values
        return _row_of_values(array).text
    return "\n".join("  ".join(row[1:]) for row in _corner(array).rows)


def _row_of_values(array: Array) -> Text:
    count = count_of(array.shape)
    places: Iterator[tuple[int, ...]] = ((at,) for at in range(count)) if array.shape else iter([()])
    texts = (_text_at(array, place) for place in itertools.islice(places, _FIRST_VALUES))
    shown = list(itertools.takewhile(lambda text: text is not None, texts))
    left_out = (count - len(shown)) * array.element.size
    return Text(", ".join(text for text in shown if text is not None) + (", …" if left_out else ""), left_out=left_out)


def _text_at(array: Array, place: tuple[int, ...]) -> str | None:
    """One element as text; None if it is not at hand."""
    at, stride = 0, array.element.size
    axes = list(zip(place, array.shape, strict=True))
    for index, size in axes if array.is_fortran else reversed(axes):
        at += index * stride
        stride *= size
    if at + array.element.size > len(array.data):
        return None
    return array.element.text(bytes(array.data[at : at + array.element.size]))

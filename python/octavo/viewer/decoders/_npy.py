"""NumPy arrays, as `numpy.save` writes them. Arrays of objects are pickles, which run what they like: never loaded."""

from __future__ import annotations

from typing import Any, Final

from octavo._wording import number, size_and_bytes
from octavo.viewer.blocks import Block, Decoder, Facts, Note, Summary, Table
from octavo.viewer.decoders._array_image import CARD_SIDE
from octavo.viewer.decoders._arrays import Array, count_of, picture_in, preview, preview_lines
from octavo.viewer.decoders._elements import Element, numpy_element
from octavo.viewer.decoders._npy_header import MAGIC, NpyHeader, read_header
from octavo.viewer.decoders._wording import cut, extent

_MOST_FIELDS = 100
_MOST_DESCR_CHARACTERS = 200


def recognises(record: bytes) -> bool:
    """Whether it begins as such a file, whatever its header is."""
    return record.startswith(MAGIC)


def decode(record: bytes) -> list[Block]:
    """What the header says, and a corner of the values."""
    return array_blocks(record, len(record))


def array_blocks(file: bytes, total_bytes: int) -> list[Block]:
    """The same for the beginning of a file that is so long in all."""
    header = read_header(file)
    element = element_of(header)
    stored = total_bytes - header.data_at
    rows = [
        ("type", type_text(header)),
        ("shape", extent(*header.shape)),
        ("values", number(count_of(header.shape))),
        ("order", "Fortran: the first axis varies fastest" if header.is_fortran else "C: the last axis varies fastest"),
        ("bytes", size_and_bytes(stored)),
        ("version of the format", header.version),
    ]
    blocks: list[Block] = [Facts(tuple(rows))]
    if has_objects(header.descr):
        blocks.append(Note("the values are Python objects in a pickle, which is never loaded", "warning"))
    elif isinstance(header.descr, list):
        blocks.append(_fields(header.descr))
    elif element is None:
        blocks.append(Note("values of this type are not shown"))
    else:
        blocks.extend(_values(header, element, memoryview(file)[header.data_at :], stored))
    return blocks


def _values(header: NpyHeader, element: Element, data: memoryview, stored: int) -> list[Block]:
    expected = count_of(header.shape) * element.size
    array = Array(element, header.shape, data, header.is_fortran)
    if stored == expected:
        return preview(array)
    relation = "fewer" if stored < expected else "more"
    note = (
        f"{number(stored)} bytes of values are stored, {relation} than the {number(expected)} that the header announces"
    )
    return [Note(note, "warning"), *preview(array)]


def element_of(header: NpyHeader) -> Element | None:
    """The type of the elements, if they are plain numbers or text."""
    return numpy_element(header.descr) if isinstance(header.descr, str) else None


def type_text(header: NpyHeader) -> str:
    """The type as NumPy names it; its description, if that is no plain one."""
    if has_objects(header.descr):
        return "object"
    if isinstance(header.descr, list):
        return f"record of {len(header.descr)} fields"
    element = element_of(header)
    return cut(str(header.descr), _MOST_DESCR_CHARACTERS) if element is None else element.name


def has_objects(descr: Any) -> bool:
    """Whether there are Python objects among the values."""
    if isinstance(descr, str):
        return "O" in descr
    return isinstance(descr, list | tuple) and any(has_objects(part) for part in _types_in(descr))


def _types_in(descr: list[Any] | tuple[Any, ...]) -> list[Any]:
    """Of (name, type) and (name, type, shape) the type; of a list of these, and of (type, shape), the parts."""
    if isinstance(descr, list):
        return [field[1] if isinstance(field, tuple) and len(field) > 1 else field for field in descr]
    return list(descr[:1])


def _fields(descr: list[Any]) -> Table:
    rows = tuple(
        (cut(str(field[0]), _MOST_DESCR_CHARACTERS), cut(str(field[1:]), _MOST_DESCR_CHARACTERS))
        for field in descr[:_MOST_FIELDS]
        if isinstance(field, tuple) and field
    )
    return Table(("field", "type"), rows, "fields", max(0, len(descr) - _MOST_FIELDS))


def summarise(record: bytes) -> Summary:
    """Type and shape, and the first values."""
    header = read_header(record)
    element = None if has_objects(header.descr) else element_of(header)
    line = f"{type_text(header)}, {extent(*header.shape)}"
    if element is None:
        return Summary(line)
    array = Array(element, header.shape, memoryview(record)[header.data_at :], header.is_fortran)
    return Summary(line, preview_lines(array), picture_in(array, CARD_SIDE))


DECODER: Final = Decoder("npy", "NumPy array", recognises, decode, summarise)

"""NumPy arrays in a zip archive, as `numpy.savez` writes them. Little of each is unpacked, and little of all."""

from __future__ import annotations

from typing import Final

from octavo._wording import number, plural, size
from octavo.viewer.blocks import Block, Decoder, Image, Note, Section, Summary, Table
from octavo.viewer.decoders import _npy
from octavo.viewer.decoders._bounds import TABLE_ROWS
from octavo.viewer.decoders._npy_header import read_header
from octavo.viewer.decoders._wording import extent
from octavo.viewer.decoders._zip import Member, beginning, directory, first_name

_SUFFIX = ".npy"
_PREVIEW_BYTES = 1 << 20  # of an array that are unpacked to show a corner of it
_HEADER_BYTES = 4 << 10  # and to tell its type and shape
_PREVIEWS = 16
_SUMMARY_ARRAYS = 8


def recognises(record: bytes) -> bool:
    """Whether it is a zip archive that begins with an array."""
    return first_name(record).endswith(_SUFFIX)


def decode(record: bytes) -> list[Block]:
    """All arrays in a table, and corners of the first ones."""
    listed = directory(record, TABLE_ROWS)
    rows = tuple(
        (_name(member), *_type_and_shape(record, member), size(member.bytes), size(member.packed_bytes))
        for member in listed.members
    )
    columns = ("name", "type", "shape", "bytes", "in the archive")
    table = Table(columns, rows, plural(listed.total, "array"), listed.total - len(listed.members))
    sections = [Section(_name(member), tuple(_corner(record, member))) for member in listed.members[:_PREVIEWS]]
    if listed.total > _PREVIEWS:
        return [table, Note(f"values of the first {_PREVIEWS} arrays are shown"), *sections]
    return [table, *sections]


def _name(member: Member) -> str:
    return member.name.removesuffix(_SUFFIX)


def _type_and_shape(record: bytes, member: Member) -> tuple[str, str]:
    try:
        header = read_header(beginning(record, member, _HEADER_BYTES))
    except ValueError as error:
        return str(error), ""
    return _npy.type_text(header), extent(*header.shape)


def _corner(record: bytes, member: Member) -> list[Block]:
    try:
        return _npy.array_blocks(beginning(record, member, _PREVIEW_BYTES), member.bytes)
    except ValueError as error:
        return [Note(f"not decoded: {error}", "warning")]


def summarise(record: bytes) -> Summary:
    """How many arrays there are, and what the first ones are."""
    listed = directory(record, _SUMMARY_ARRAYS)
    lines = [
        f"{_name(member)}: {', '.join(filter(None, _type_and_shape(record, member)))}" for member in listed.members
    ]
    names = ", ".join(_name(member) for member in listed.members)
    if listed.total > len(listed.members):
        lines.append(f"… {number(listed.total - len(listed.members))} more")
    return Summary(
        f"{plural(listed.total, 'array')}: {names}", "\n".join(lines), _first_picture(record, listed.members)
    )


def _first_picture(record: bytes, members: tuple[Member, ...]) -> Image | None:
    for member in members:
        if _type_and_shape(record, member)[0] != "uint8":
            continue
        if picture := _npy.summarise(beginning(record, member, _PREVIEW_BYTES)).image:
            return picture
    return None


DECODER: Final = Decoder("npz", "NumPy arrays", recognises, decode, summarise)

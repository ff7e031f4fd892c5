"""Damage in files that store records in chunks, or one by one with a checksum each."""

from __future__ import annotations

import functools
import itertools
from typing import NamedTuple

from tests.naive import recordio, riegeli, tfrecord
from tests.unit.layouts import Layout


class Piece(NamedTuple):
    """Records that a file keeps, or loses, together."""

    offset: int
    data: int
    """Where what their checksum is about begins."""
    records: range


def flipped(content: bytes, place: int) -> bytes:
    """The content with one bit of one byte the other way round."""
    changed = bytearray(content)
    changed[place] ^= 1
    return bytes(changed)


@functools.cache
def pieces(layout: Layout, content: bytes) -> list[Piece]:
    """The pieces of a file that was written at once, seen without octavo."""
    match layout.format:
        case "recordio":
            found = [
                (header.offset, header.offset + recordio.HEADER, header.count)
                for header in recordio.NaiveFile(content).headers
            ]
        case "tfrecord":
            found = [(frame.offset, frame.offset + tfrecord.HEADER, 1) for frame in tfrecord.NaiveFile(content).frames]
        case _:
            found = [
                (place, place + riegeli.CHUNK_HEADER, chunk.num_records)
                for place, chunk in riegeli.chunks_in(content)
                if chunk.num_records
            ]
            found = found[:-2] if layout.format == "array_record" else found
    ends = itertools.accumulate(count for *_, count in found)
    return [
        Piece(offset, data, range(end - count, end)) for (offset, data, count), end in zip(found, ends, strict=True)
    ]


def record_chunks(layout: Layout, content: bytes) -> list[int]:
    """Where its pieces begin."""
    return [piece.offset for piece in pieces(layout, content)]


def index_chunks(content: bytes) -> tuple[int, int]:
    """Where footer and postscript of an ArrayRecord file begin."""
    *_, footer, postscript = (place for place, chunk in riegeli.chunks_in(content) if chunk.num_records)
    return footer, postscript


def damage_chunks(layout: Layout, content: bytes, *numbers: int) -> bytes:
    """The same file with a wrong bit in the data of these pieces."""
    found = pieces(layout, content)
    for number in numbers:
        content = flipped(content, found[number].data)
    return content

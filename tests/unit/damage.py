"""Damage in files that store records in chunks."""

from __future__ import annotations

from tests.naive.riegeli import CHUNK_HEADER, chunks_in
from tests.unit.layouts import Layout


def flipped(content: bytes, place: int) -> bytes:
    """The content with one bit of one byte the other way round."""
    changed = bytearray(content)
    changed[place] ^= 1
    return bytes(changed)


def record_chunks(layout: Layout, content: bytes) -> list[int]:
    """Where the chunks of records begin in a file that was written at once."""
    places = [place for place, chunk in chunks_in(content) if chunk.num_records]
    return places[:-2] if layout.format == "array_record" else places


def index_chunks(content: bytes) -> tuple[int, int]:
    """Where footer and postscript of an ArrayRecord file begin."""
    *_, footer, postscript = (place for place, chunk in chunks_in(content) if chunk.num_records)
    return footer, postscript


def damage_chunks(layout: Layout, content: bytes, *numbers: int) -> bytes:
    """The same file with a wrong bit in the data of these chunks of records."""
    places = record_chunks(layout, content)
    for number in numbers:
        content = flipped(content, places[number] + CHUNK_HEADER)
    return content

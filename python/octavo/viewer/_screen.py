"""The JSON of records: cards of a screen, and one record in full."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from octavo.viewer._contents import Content, Contents, Damaged, Large
from octavo.viewer._opened import Opened
from octavo.viewer._pieces import PIECE_BYTES, pieces
from octavo.viewer.blocks import Block, Hex, Image, Note
from octavo.viewer.decoders import Decoders
from octavo.viewer.decoders._as_json import blocks_as_json, media
from octavo.viewer.decoders._suffixes import suffix_of

_HEAD_BYTES = 4096  # of a large record, shown as hex
PART_BYTES = 64 << 10
"""The most of a record that the page asks for at a time."""


@dataclasses.dataclass(frozen=True)
class Download:
    """A record as a file."""

    name: str
    """Nothing that a browser or a desktop would run."""
    size: int
    parts: Iterator[bytes]


class Screen:
    """Records of a data set as the page shows them."""

    def __init__(self, opened: Opened, decoders: Decoders) -> None:
        self._opened = opened
        self._decoders = decoders
        self._contents = Contents(opened)

    def cards(self, numbers: Sequence[int], decoder: str | None) -> list[dict[str, Any]]:
        """A card for each of these records."""
        with self._contents.turn(numbers):
            contents = self._contents.several(numbers)
            return [self._card(number, one, decoder) for number, one in zip(numbers, contents, strict=True)]

    def _card(self, number: int, content: Content, decoder: str | None) -> dict[str, Any]:
        card = {"number": number, **_status(content), "kind": None, "summary": "", "snippet": "", "image": None}
        card["name"] = self._opened.names.get(number)
        if isinstance(content, bytes):
            kind, summary = self._decoders.summarise(content, decoder)
            card |= {"kind": kind.name, "summary": summary.text, "snippet": summary.snippet}
            if image := summary.image:
                src = _address(number, "image", decoder)
                card["image"] = {"src": src, "width": image.width, "height": image.height}
        return card

    def record(self, number: int, decoder: str | None) -> dict[str, Any]:
        """All that is known of a record."""
        with self._contents.turn([number]):
            return self._record(number, self._contents.one(number), decoder)

    def _record(self, number: int, content: Content, decoder: str | None) -> dict[str, Any]:
        file, record_in_file = self._opened.file_of(number)
        path = self._opened.reader.paths[file]
        shown = {
            "number": number,
            **_status(content),
            "kind": None,
            "guess": None,
            "name": self._opened.names.get(number),
            "file": {"number": file, "path": path, "record": record_in_file},
            "downloadable": isinstance(content, bytes),
        }
        blocks: tuple[Block, ...] = ()
        if isinstance(content, bytes):
            decoded = self._decoders.decode(content, decoder)
            blocks = decoded.blocks
            shown |= {"kind": decoded.decoder.name, "guess": self._decoders.guess(content).name}
        elif isinstance(content, Large):
            blocks = self._head_of(number, content)
            shown["downloadable"] = len(blocks) > 1
        shown["blocks"] = blocks_as_json(blocks, lambda place: _address(number, f"media/{place}", decoder))
        return shown

    def _head_of(self, number: int, content: Large) -> tuple[Block, ...]:
        """The first bytes of a large record, where they stand in the file as they are."""
        head = self._opened.reader._part(number, 0, _HEAD_BYTES)  # noqa: SLF001 - part of the package
        size = f"{content.load_bytes:,} bytes"
        if head is None:
            what = f"Its chunk would take {size} of memory, and is not read here: 'octavo get' reads it."
            return (Note(what, "warning"),)
        what = f"It has {size} and is not read as a whole here. Its first bytes, not verified:"
        return Note(what, "warning"), Hex(head, 0, content.record_bytes)

    def thumbnail(self, number: int, decoder: str | None) -> Image | None:
        """The image on a record's card."""
        with self._contents.turn([number]):
            content = self._contents.one(number)
            return self._decoders.summarise(content, decoder)[1].image if isinstance(content, bytes) else None

    def medium(self, number: int, place: int, decoder: str | None) -> tuple[bytes, str] | None:
        """Content and type of an image or a sound of a record."""
        with self._contents.turn([number]):
            content = self._contents.one(number)
            found = media(self._decoders.decode(content, decoder).blocks) if isinstance(content, bytes) else []
        if place >= len(found):
            return None
        return found[place].content, found[place].media_type

    def part(self, number: int, offset: int, length: int) -> bytes | None:
        """Some bytes of a record; None if it cannot be read."""
        with self._contents.turn([number]):
            content = self._contents.one(number)
        if isinstance(content, bytes):
            return content[offset : offset + length]
        if isinstance(content, Large):
            return self._opened.reader._part(number, offset, length)  # noqa: SLF001 - part of the package
        return None

    def download(self, number: int) -> Download | None:
        """A record as a file; None if it cannot be read."""
        with self._contents.turn([number]):
            content = self._contents.one(number)
            if isinstance(content, bytes):
                suffix = suffix_of(content, self._decoders.guess(content))
                return Download(f"record-{number}{suffix}", len(content), pieces(content))
        if not isinstance(content, Large) or content.record_bytes is None or self.part(number, 0, 1) is None:
            return None
        return Download(f"record-{number}.bin", content.record_bytes, self._parts(number, content.record_bytes))

    def _parts(self, number: int, size: int) -> Iterator[bytes]:
        for offset in range(0, size, PIECE_BYTES):
            yield self._opened.reader._part(number, offset, PIECE_BYTES) or b""  # noqa: SLF001 - part of the package

    def has_decoder(self, name: str) -> bool:
        """Whether a decoder has this name."""
        return any(name == known for known, _ in self._decoders.names)


def _status(content: Content) -> dict[str, Any]:
    if isinstance(content, bytes):
        return {"status": "ok", "bytes": len(content), "reason": None}
    if isinstance(content, Damaged):
        return {"status": "damaged", "bytes": None, "reason": content.reason}
    if isinstance(content, Large):
        reason = "too large to be read on its own"
        return {"status": "large", "bytes": content.record_bytes, "reason": reason}
    return {"status": "later", "bytes": None, "reason": None}


def _address(number: int, what: str, decoder: str | None) -> str:
    """Relative to the page."""
    return f"api/record/{number}/{what}" + (f"?as={quote(decoder, safe='')}" if decoder else "")

"""Blocks as JSON, in which media are addresses, and media by the number that is part of their address."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from octavo.viewer.blocks import Audio, Block, Facts, Hex, Image, Note, Section, Table, Text


def media(blocks: Iterable[Block]) -> list[Image | Audio]:
    """Images and audio of the blocks and of their sections, in the order in which they are shown."""
    return list(_media(blocks))


def _media(blocks: Iterable[Block]) -> Iterator[Image | Audio]:
    for block in blocks:
        if isinstance(block, Image | Audio):
            yield block
        elif isinstance(block, Section):
            yield from _media(block.blocks)


def blocks_as_json(blocks: Iterable[Block], src: Callable[[int], str]) -> list[dict[str, Any]]:
    """The blocks as values for JSON; `src` gives the address of the image or audio with that place in `media`."""
    numbers = itertools.count()

    def as_json(block: Block) -> dict[str, Any]:  # noqa: PLR0911 - one for each kind
        match block:
            case Text(text, language, left_out):
                return {"type": "text", "text": text, "language": language, "left_out": left_out}
            case Image(_, media_type, width, height, title):
                size = {"width": width, "height": height}
                return {"type": "image", "src": src(next(numbers)), **size, "title": title, "media_type": media_type}
            case Audio(_, media_type, title, facts):
                address = src(next(numbers))
                return {"type": "audio", "src": address, "title": title, "facts": facts, "media_type": media_type}
            case Hex(content, offset, total):
                shown = base64.b64encode(content).decode()
                return {"type": "hex", "offset": offset, "total": total, "base64": shown}
            case Facts(rows, title):
                return {"type": "facts", "title": title, "rows": [list(row) for row in rows]}
            case Table(columns, rows, title, left_out):
                cells = {"columns": list(columns), "rows": [list(row) for row in rows]}
                return {"type": "table", "title": title, **cells, "left_out": left_out}
            case Note(text, level):
                return {"type": "note", "text": text, "level": level}
            case Section(title, inner):
                return {"type": "section", "title": title, "blocks": [as_json(one) for one in inner]}

    return [as_json(block) for block in blocks]

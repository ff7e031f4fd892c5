"""How much of a record is shown at most, held for every block: those of the built-in decoders and those of others.

Here, too, text becomes what every encoder of JSON can write: halves of surrogate pairs are shown as escapes.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence

from octavo.viewer.blocks import Audio, Block, Facts, Hex, Image, Note, Section, Summary, Table, Text
from octavo.viewer.decoders._wording import cut

TEXT_BYTES = 256 << 10  # of a text; characters, if they were cut before they were counted
HEX_BYTES = 64 << 10
TABLE_ROWS = 1000
TABLE_COLUMNS = 64
CELL_CHARACTERS = 4096
BLOCKS = 256
LINE_CHARACTERS = 160  # of a card
SNIPPET_CHARACTERS = 600

_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")  # what would break a line, or not be seen at all


def within_bounds(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The blocks, each cut to what may be shown of it.

    Raises:
        TypeError: One of them is no block.
    """
    shown: list[Block] = []
    for block in blocks:
        if len(shown) == BLOCKS:
            shown.append(Note(f"only the first {BLOCKS} parts are shown"))
            break
        shown.append(_block(block))
    return tuple(shown)


def _block(block: Block) -> Block:  # noqa: PLR0911 - one for each kind
    match block:
        case Text(text):
            shown = _sound(text[:TEXT_BYTES])
            return dataclasses.replace(block, text=shown, left_out=block.left_out + max(0, len(text) - TEXT_BYTES))
        case Image(content, title=title):
            return dataclasses.replace(block, content=_bytes(content), title=one_line(title))
        case Audio(content, title=title, facts=facts):
            return dataclasses.replace(block, content=_bytes(content), title=one_line(title), facts=one_line(facts))
        case Hex(content, offset, total):
            total = offset + len(content) if total is None else total
            return Hex(_bytes(content[:HEX_BYTES]), offset, total)
        case Facts(rows, title):
            return Facts(tuple((_cell(name), _cell(value)) for name, value in rows[:TABLE_ROWS]), _cell(title))
        case Table(columns, rows, title, left_out):
            left_out += max(0, len(rows) - TABLE_ROWS)
            return Table(_row(columns), tuple(map(_row, rows[:TABLE_ROWS])), _cell(title), left_out)
        case Note(text, level):
            return Note(_cell(text), level)
        case Section(title, inner):
            return Section(_cell(title), within_bounds(inner))
        case _:
            raise TypeError(f"a decoder returns blocks, not {type(block).__name__}")


def card(summary: Summary) -> Summary:
    """The summary, cut to what a card has room for."""
    snippet = _sound(cut(summary.snippet, SNIPPET_CHARACTERS))
    return Summary(one_line(summary.text), snippet, summary.image)


def one_line(text: str, most: int = LINE_CHARACTERS) -> str:
    """The text in one line that is no longer than that."""
    return cut(" ".join(_UNSEEN.sub(" ", _sound(text[: 4 * most])).split()), most)


def _bytes(content: bytes) -> bytes:
    """The content; that of other decoders may be a buffer of another type."""
    return content if type(content) is bytes else bytes(memoryview(content))


def _row(cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(_cell(cell) for cell in cells[:TABLE_COLUMNS])


def _cell(text: str) -> str:
    return _sound(cut(text, CELL_CHARACTERS))


def _sound(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()

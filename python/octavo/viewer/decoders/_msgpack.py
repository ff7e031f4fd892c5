"""MessagePack: maps and arrays as indented text, and the images, audio and texts among their bytes."""

from __future__ import annotations

import datetime as dt
import json
import struct
from typing import Final

from octavo._wording import number, plural
from octavo.viewer.blocks import Block, Decoder, Note, Section, Summary, Text
from octavo.viewer.decoders import _text
from octavo.viewer.decoders._bounds import TEXT_BYTES
from octavo.viewer.decoders._embedded import embedded, thumbnail, value_text
from octavo.viewer.decoders._msgpack_items import ARRAY, BYTES, EXTENSION, MAP, TEXT, Item, item_at, value_end
from octavo.viewer.decoders._wording import float_text

_RECOGNISED_ITEMS = 20_000
_SKIPPED_ITEMS = 200_000
_FEWEST_BYTES = 3  # labels of one or two bytes would be taken for empty arrays
_CONTAINERS: Final = (*range(0x80, 0xA0), *range(0xDC, 0xE0))
_MOST_DEPTH = 64
_TEXT_VALUE_BYTES = 4 << 10  # of one text among others
_SECTIONS = 16
_SUMMARY_CHARACTERS = 600
_TIMESTAMP = -1
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def recognises(record: bytes) -> bool:
    """Whether it is a map or an array that ends where the record ends."""
    if len(record) < _FEWEST_BYTES or record[0] not in _CONTAINERS:
        return False
    try:
        return value_end(record, 0, _RECOGNISED_ITEMS) == len(record)
    except ValueError:
        return False


def decode(record: bytes) -> list[Block]:
    """The value in lines, as many as are shown, and a section for what does not fit into one."""
    printer = _Printer(record, TEXT_BYTES, most_sections=_SECTIONS)
    problem = printer.print_value()
    notes: list[Block] = [] if problem is None else [Note(f"not all of it is MessagePack: {problem}", "warning")]
    return [*notes, Text("".join(printer.pieces), left_out=len(record) - printer.at), *printer.sections]


def summarise(record: bytes) -> Summary:
    """What it is, the first lines, and the first image."""
    item = item_at(record, 0)
    counted = {MAP: f"map of {plural(item.length, 'pair')}", ARRAY: f"array of {plural(item.length, 'value')}"}
    printer = _Printer(record, _SUMMARY_CHARACTERS, most_sections=0)
    printer.print_value()
    text = "".join(printer.pieces)
    return Summary(f"{counted.get(item.kind, item.kind)}: {text}", text, thumbnail(printer.first_image or b""))


class _Enough(Exception):  # noqa: N818 - nothing is wrong
    """There is as much text as is shown."""


class _Printer:
    """A value as indented text, until there is enough of it."""

    def __init__(self, record: bytes, most_characters: int, *, most_sections: int) -> None:
        self.record = record
        self.at = 0
        self.left = most_characters
        self.pieces: list[str] = []
        self.sections: list[Section] = []
        self.most_sections = most_sections
        self.first_image: bytes | None = None

    def print_value(self) -> str | None:
        """Print the value that the record is; why it could not be printed to its end, if that is so."""
        try:
            self._value(0, "")
        except _Enough:
            return None
        except ValueError as error:
            return str(error)
        rest = len(self.record) - self.at
        return f"{plural(rest, 'byte')} follow after its end" if rest else None

    def _value(self, depth: int, path: str) -> None:
        item = item_at(self.record, self.at)
        if item.kind in (ARRAY, MAP):
            self._container(item, depth, path)
            return
        self.at = item.end
        self._put(self._scalar(item, path))

    def _container(self, item: Item, depth: int, path: str) -> None:
        opening, closing = "{}" if item.kind == MAP else "[]"
        if depth >= _MOST_DEPTH:
            self._put(f"{opening}… nested too deeply to be shown …{closing}")
            self.at = value_end(self.record, self.at, _SKIPPED_ITEMS)
            return
        self.at = item.body
        self._put(opening)
        indent = "\n" + "  " * (depth + 1)
        for index in range(item.length):
            self._put(indent if not index else "," + indent)
            name = str(index)
            if item.kind == MAP:
                before = len(self.pieces)
                self._value(depth + 1, path)
                name = "".join(self.pieces[before:]).strip('"')
                self._put(": ")
            self._value(depth + 1, f"{path}.{name}" if path else name)
        self._put(indent[:-2] + closing if item.length else closing)

    def _scalar(self, item: Item, path: str) -> str:
        content = self.record[item.body : item.end] if item.kind in (BYTES, TEXT, EXTENSION) else b""
        if item.kind == TEXT:
            shown = _text.head(content, _TEXT_VALUE_BYTES)
            left_out = len(content) - len(shown)
            words = json.dumps(shown.decode("utf-8", "replace"), ensure_ascii=False)
            return f"{words} … {plural(left_out, 'byte')} more" if left_out else words
        if item.kind == BYTES:
            self._look_at(content, path)
            return value_text(content)
        if item.kind == EXTENSION:
            return _extension_text(int(item.value), content)
        if isinstance(item.value, float) and item.length:
            return float_text(item.value)
        return str(item.value)

    def _look_at(self, content: bytes, path: str) -> None:
        """Give bytes that are more than bytes a section of their own."""
        if self.first_image is None and thumbnail(content):
            self.first_image = content
        if len(self.sections) < self.most_sections and (block := embedded(content, path)):
            self.sections.append(Section(path, (block,)))

    def _put(self, piece: str) -> None:
        self.pieces.append(piece)
        self.left -= len(piece)
        if self.left <= 0:
            raise _Enough


def _extension_text(kind: int, content: bytes) -> str:
    if kind == _TIMESTAMP and (moment := _timestamp(content)):
        return moment
    return f"extension {kind}: {value_text(content)}"


def _timestamp(content: bytes) -> str | None:
    """A moment, of which there are three forms; None if it is none of them."""
    if len(content) == 4:  # noqa: PLR2004 - seconds
        nanoseconds, seconds = 0, int.from_bytes(content, "big")
    elif len(content) == 8:  # noqa: PLR2004 - 30 bits of nanoseconds, 34 of seconds
        nanoseconds, seconds = divmod(int.from_bytes(content, "big"), 1 << 34)
    elif len(content) == 12:  # noqa: PLR2004 - both in full
        nanoseconds, seconds = struct.unpack(">Iq", content)
    else:
        return None
    try:
        moment = _EPOCH + dt.timedelta(seconds=seconds)
    except OverflowError:
        return f"timestamp {number(seconds)} s"
    fraction = f".{nanoseconds:09d}" if nanoseconds else ""
    return f"timestamp {moment:%Y-%m-%dT%H:%M:%S}{fraction}Z"


DECODER: Final = Decoder("msgpack", "MessagePack", recognises, decode, summarise)

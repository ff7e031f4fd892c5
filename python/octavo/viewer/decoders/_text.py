"""Text: UTF-8 without controls other than tabs and ends of lines. HTML and SVG are text too, and never more than that.

A long record is recognised by its first and last bytes, and as much of it is decoded as is shown.
"""

from __future__ import annotations

import codecs
from typing import Final

from octavo._record_text import text_of
from octavo._wording import plural
from octavo.viewer.blocks import Block, Decoder, Note, Summary, Text
from octavo.viewer.decoders._bounds import TEXT_BYTES

_LOOKED_AT_BYTES = 64 << 10  # of a record that is longer, at both ends
_SUMMARY_BYTES = 4096
_LONGEST_CHARACTER = 4  # bytes, in UTF-8
_BYTE_ORDER_MARK = "\ufeff"
_MARKUP: Final = (("<!doctype html", "HTML"), ("<html", "HTML"), ("<script", "HTML"), ("<svg", "SVG"))
# Controls are shown as the pictures that Unicode has of them.
_PICTURES: Final = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n\r"} | {0x7F: 0x2421}


def recognises(record: bytes) -> bool:
    """Whether it is text at the beginning and at the end."""
    if len(record) <= 2 * _LOOKED_AT_BYTES:
        return text_of(record) is not None
    return text_of(head(record, _LOOKED_AT_BYTES)) is not None and text_of(_tail(record)) is not None


def head(record: bytes, most_bytes: int) -> bytes:
    """The first bytes of a record, without a character that they would cut in two."""
    if len(record) <= most_bytes:
        return record
    end = most_bytes
    while end > most_bytes - _LONGEST_CHARACTER and record[end] & 0xC0 == 0x80:  # noqa: PLR2004 - within a character
        end -= 1
    return record[:end]


def _tail(record: bytes) -> bytes:
    start = len(record) - _LOOKED_AT_BYTES
    while start < len(record) - _LOOKED_AT_BYTES + _LONGEST_CHARACTER and record[start] & 0xC0 == 0x80:  # noqa: PLR2004
        start += 1
    return record[start:]


def markup_of(text: str) -> str | None:
    """HTML or SVG, if the text begins as they do."""
    beginning = text[:1024].lstrip(_BYTE_ORDER_MARK + " \t\r\n").lower()
    for sign, name in _MARKUP:
        if beginning.startswith(sign):
            return name
    if beginning.startswith("<?xml"):
        return "SVG" if "<svg" in beginning else "XML"
    return None


def decode(record: bytes) -> list[Block]:
    """As much of the text as is shown; bytes that are no text stand out."""
    shown = head(record, TEXT_BYTES)
    notes: list[Block] = []
    if record.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = shown.decode("utf-16", "replace")
        notes.append(Note("read as UTF-16"))
    else:
        text = shown.decode("utf-8", "replace")
        if text_of(shown) is None:
            notes.append(
                Note("not all of it is text: what is not UTF-8 is shown as �, controls as pictures", "warning")
            )
    if markup := markup_of(text):
        notes.append(Note(f"{markup}, shown as text"))
    return [*notes, Text(text.translate(_PICTURES), left_out=len(record) - len(shown))]


def summarise(record: bytes) -> Summary:
    """The first line that is not empty, and the first lines."""
    if not record:
        return Summary("empty")
    text = head(record, _SUMMARY_BYTES).decode("utf-8", "replace").translate(_PICTURES)
    if markup := markup_of(text):
        return Summary(f"{markup}, shown as text", text)
    first = next((line for line in text.splitlines() if line.strip()), f"blank, {plural(len(record), 'byte')}")
    return Summary(first, text)


DECODER: Final = Decoder("text", "Text", recognises, decode, summarise)

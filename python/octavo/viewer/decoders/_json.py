"""JSON: an object or an array, set out in lines. Numbers, strings and keys stay as they are written.

Nothing is parsed into values: 1e400 and twenty digits stay what they are, and a key that comes twice is shown twice.
"""

from __future__ import annotations

import json
from typing import Final

from octavo._record_text import text_of
from octavo.viewer.blocks import Block, Decoder, Note, Summary, Text
from octavo.viewer.decoders import _text
from octavo.viewer.decoders._bounds import TEXT_BYTES, one_line
from octavo.viewer.decoders._json_layout import JsonError, laid_out

_BLANKS = b" \t\r\n"
_WHOLE_BYTES = 64 << 10  # of a record that is checked to its end; of a longer one, the beginning
_CHECKED_BYTES = 8 << 10
_LAID_OUT_CHARACTERS = TEXT_BYTES - 1024  # room for the last piece
_ANY_NUMBER = 1 << 30  # of characters: what was cut before bounds them
_SUMMARY_BYTES = 4 << 10


def recognises(record: bytes) -> bool:
    """Whether it begins as an object or an array, and goes on as JSON does: to its end, if that is near."""
    start = record[:256].lstrip(_BLANKS)[:1]
    if start not in (b"{", b"["):
        return False
    if len(record) > _WHOLE_BYTES:
        return _begins_as_json(record)
    text = text_of(record)
    if text is None:
        return False
    try:
        json.loads(text, parse_int=len, parse_float=len, parse_constant=_refuse)  # numbers stay as they are
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _begins_as_json(record: bytes) -> bool:
    if record[-256:].rstrip(_BLANKS)[-1:] not in (b"}", b"]"):
        return False
    text = text_of(_text.head(record, _CHECKED_BYTES))
    if text is None:
        return False
    try:
        laid_out(text, _ANY_NUMBER, is_whole=False)
    except JsonError:
        return False
    return True


def decode(record: bytes) -> list[Block]:
    """As many lines as are shown. What turns out to be no JSON is shown as text, with where it ends to be JSON."""
    shown = _text.head(record, TEXT_BYTES)
    try:
        text = shown.decode().removeprefix("\ufeff")
        lines = laid_out(text, _LAID_OUT_CHARACTERS, is_whole=len(shown) == len(record))
    except UnicodeDecodeError as error:
        return [Note(f"not set out as JSON: byte {error.start:,} is not UTF-8", "warning"), *_text.decode(record)]
    except JsonError as error:
        return [Note(f"not set out as JSON: {error}", "warning"), *_text.decode(record)]
    left_out = len(record) - len(shown) + len(text[lines.consumed :].encode())
    return [Text(lines.text, "json", left_out)]


def summarise(record: bytes) -> Summary:
    """The beginning in one line, and in several."""
    text = _text.head(record, _SUMMARY_BYTES).decode("utf-8", "replace")
    try:
        snippet = laid_out(text, _SUMMARY_BYTES, is_whole=False).text
    except JsonError:
        snippet = text
    return Summary(one_line(text), snippet)


DECODER: Final = Decoder("json", "JSON", recognises, decode, summarise)

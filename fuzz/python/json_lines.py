"""JSON lines: what a line means, what a field is, and that what is written is what is read.

The twin is Python's own parser, asked for pairs and for numbers as texts, and what docs/guide/containers.md says of
envelopes. octavo has two ways to read a line, one of them for lines that are too long or too deep; both are asked.
"""

from __future__ import annotations

import base64
import binascii
import io
import itertools
import json
from typing import Any

from fuzz.python.comparing import REFUSED, Refused, agree, answer_of
from octavo._convert import _json_text, _jsonl
from octavo.errors import FormatError

_COLUMN = "a"
_ENVELOPES = ("octavo.text", "octavo.base64")
_BOM = b"\xef\xbb\xbf"
_NOT_TEXT = (_json_text.NotJsonError, UnicodeDecodeError)

SEEDS = (
    b"",
    b'{"a": 1, "b": [true, null, -0.5e+3], "a": "\\u00e9\\n"}\n[]\n\n{}\r\n',
    b'\xef\xbb\xbf{"octavo.text":"two\\nlines"}\n{"octavo.base64":"/wA="}',
    b'{"octavo.text": "\\ud83d\\ude00", "x": 1}\n{"octavo.\\u0074ext" :"\\ud800"}',
    b'{"octavo.base64":"/w\\u0041="}\n{"octavo.base64":"not base64"}',
    b'[NaN, Infinity, -Infinity, 0.1, 1e5, [[[[[["deep"]]]]]], {"a": {"a": {"a": {"a": []}}}}]',
    b'"\xc3\xa9\\"\\\\\\/\\b"\n  12  \ntrue',
    b'{"a": 123456789012345678901234567890}\n{"a": {"b": "c"} , "a":[ 1 , 2 ] }',
    b"\xff\xfe\n\x00",
)
WORDS = (
    *(b'"octavo.text"', b'"octavo.base64"', b'"a"', b":", b",", b"[", b"]", b"{", b"}", b'"', b"\\u0061", b"\\ud800"),
    *(
        b"\\udc00",
        b"\\n",
        b"\\",
        b"NaN",
        b"-Infinity",
        b"true",
        b"null",
        b"1e9",
        b"-0",
        b"01",
        b".5",
        b"\n",
        b"\r\n",
        b" ",
    ),
    *(
        b"[[[[[[[[",
        b"]]]]]]]]",
        b'{"a":{"a":',
        b"/wA=",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\x1f",
        b"\x7f",
        b"\xc2\x85",
    ),
)


def check(data: bytes) -> None:
    """Read the bytes as a file of lines, as a line, as a field; write them as records."""
    lines = [line.removesuffix(b"\r") for line in _lines_of(data)]
    _check_source(data, lines)
    for line in lines[:20]:
        _check_line(line)
    _check_line(data)
    _check_writing(data)


def _lines_of(data: bytes) -> list[bytes]:
    return [line for line in data.removeprefix(_BOM).split(b"\n") if line.strip()]


def _check_source(data: bytes, lines: list[bytes]) -> None:
    if data.startswith(b"\x1f\x8b"):
        return  # it would be unzipped
    for column in (None, _COLUMN):
        meant = [_meaning(line) if column is None else _field(line, column) for line in lines]
        expected: list[bytes | Refused] | Refused = REFUSED if REFUSED in meant else meant
        agree("records of lines", answer_of(lambda column=column: _records_of(data, column), FormatError), expected)  # type: ignore[misc]
    agree("number of lines", _jsonl.JsonlSource(io.BytesIO(data)).count(), len(lines))


def _records_of(data: bytes, column: str | None) -> list[bytes]:
    source = _jsonl.JsonlSource(io.BytesIO(data), column=column)
    return list(itertools.chain.from_iterable(block.records for block in source.blocks()))


def _check_line(line: bytes) -> None:
    if b"\n" not in line:
        meant = _meaning(line)
        agree("meaning", answer_of(lambda: _jsonl.meaning(line), _NOT_TEXT), meant)
        agree("meaning of a long line", answer_of(lambda: _jsonl._meaning_of_long(line), _NOT_TEXT), meant)  # noqa: SLF001
        field = _field(line, _COLUMN)
        agree("field", answer_of(lambda: _jsonl._field(line, _COLUMN), _NOT_TEXT), field)  # noqa: SLF001
        agree("field of a long line", answer_of(lambda: _jsonl._field_as_written(line, _COLUMN), _NOT_TEXT), field)  # noqa: SLF001
    _check_looking_through(line)


def _check_looking_through(text: bytes) -> None:
    """Where a value ends, and what an object's members are, without building them."""
    pairs = _parsed(text)

    def looked_through() -> bool:
        _json_text.check_utf8(text)
        _json_text.check_end(text, _json_text.end_of_value(text))
        return True

    agree("whether it is JSON", answer_of(looked_through, _NOT_TEXT), REFUSED if pairs is REFUSED else True)
    if isinstance(pairs, Pairs):
        found = [(json.loads(key), _parsed(text[start:end])) for key, start, end in _json_text.members(text)]
        agree("members", repr(found), repr([(key, value) for key, value in pairs]))


class Pairs(list[tuple[str, Any]]):
    """An object, with its members as they stand there."""


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text.decode(), object_pairs_hook=Pairs, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return REFUSED


def _meaning(line: bytes) -> bytes | Refused:
    value = _parsed(line)
    if isinstance(value, Refused):
        return value
    if isinstance(value, Pairs) and len(value) == 1 and value[0][0] in _ENVELOPES and _is_text(line, value[0][1]):
        key, content = value[0][0], str(value[0][1])
        try:
            return content.encode() if key == "octavo.text" else _from_base64(content)
        except ValueError:
            return line
    return line


def _from_base64(text: str) -> bytes:
    """What the text stands for, if an encoder would write it so: what decoders take differs between Pythons."""
    found = base64.b64decode(text, validate=True)
    if base64.b64encode(found).decode() != text:
        raise binascii.Error
    return found


def _is_text(line: bytes, value: object) -> bool:
    """Whether a value is a string, and not a number that was left as it is written."""
    return isinstance(value, str) and line.rstrip(b" \t\r\n}").endswith(b'"')


def _field(line: bytes, column: str) -> bytes | Refused:
    value = _parsed(line)
    if not isinstance(value, Pairs) or column not in dict(value):
        return REFUSED
    texts = _texts_of_members(line)
    spelled = texts[max(at for at, (key, _) in enumerate(value) if key == column)]
    if not spelled.startswith(b'"'):
        return spelled
    try:
        return str(json.loads(spelled)).encode()
    except UnicodeEncodeError:
        return REFUSED


def _texts_of_members(line: bytes) -> list[bytes]:
    """How each value of an object is written, found by Python's parser alone: what it leaves behind begins there."""
    decoder = json.JSONDecoder(parse_int=str, parse_float=str)
    text = line.decode()
    at = text.index("{") + 1
    found: list[bytes] = []
    while True:
        at += len(text[at:]) - len(text[at:].lstrip(" \t\n\r"))
        if text[at] == "}":
            return found
        if text[at] == ",":
            at += 1
            continue
        _, end = decoder.raw_decode(text, at)
        at = text.index(":", end) + 1
        at += len(text[at:]) - len(text[at:].lstrip(" \t\n\r"))
        _, end = decoder.raw_decode(text, at)
        found.append(text[at:end].encode())
        at = end


def _check_writing(data: bytes) -> None:
    """Any bytes at all are a record, and their line means them."""
    half = len(data) // 2
    for record in {data, data[:half], data[half:]}:
        pieces = (record, b"\n") if _jsonl._is_its_own_line(record) else tuple(_jsonl._envelope(record))  # noqa: SLF001
        line = b"".join(pieces)
        agree("line ends", (line.count(b"\n"), line[-1:]), (1, b"\n"))
        agree("record, written and read", _records_of(_BOM + line, None), [record])
        agree("record, read by the twin", _meaning(line[:-1]), record)

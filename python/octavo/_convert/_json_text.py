"""JSON text, looked through without building what it says.

Python's own parser is quicker, and is asked first. But it makes objects of everything, many times the size of the
text, and stops at some depth. What is here takes a byte for each level, and pieces of a megabyte. Both accept the same
texts: JSON, and `NaN`, `Infinity` and `-Infinity`, which Python's writer gives out.
"""

from __future__ import annotations

import codecs
import functools
import io
import json
import re
from collections.abc import Iterator

SPACE = b" \t\n\r"
_PIECE_BYTES = 1 << 20

_SP = rb"[ \t\n\r]*"
_NUMBER = rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_WORD = rb"true|false|null|NaN|-?Infinity"
_ESCAPE = rb'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})'
_SKIP = re.compile(_SP)
_VALUE = re.compile(_SP + rb'(?:(?P<open>[\[{"])|' + _WORD + b"|" + _NUMBER + rb")")
_NEXT = re.compile(_SP + rb"([,\]}:])")
_QUOTE = re.compile(_SP + rb'"')
# Repeated groups are counted: each repetition takes memory of its own.
_IN_STRING = re.compile(rb'(?:[^"\\\x00-\x1f]*' + _ESCAPE + rb'){1,1024}|[^"\\\x00-\x1f]*(?P<end>")')

# Most values are simple, or hold simple ones, down to some depth. Many of them are passed with one match.
_STRING = rb'"[^"\\\x00-\x1f]*(?:' + _ESCAPE + rb'[^"\\\x00-\x1f]*){0,256}"'
_MEMBER = _STRING + _SP + b":" + _SP
_DEPTH = 3


def _item(depth: int) -> bytes:
    simple = b"|".join((_STRING, _WORD, _NUMBER))
    if not depth:
        return b"(?:" + simple + b")"
    inner = _item(depth - 1)
    # Behind each item comes the closing bracket, or a comma and no closing bracket.
    array = rb"\[" + _SP + b"(?:" + inner + _SP + b"(?:," + _SP + rb"(?!\])|(?=\]))){0,256}\]"
    an_object = rb"\{" + _SP + b"(?:" + _MEMBER + inner + _SP + b"(?:," + _SP + rb"(?!\})|(?=\}))){0,256}\}"
    return b"(?:" + b"|".join((simple, array, an_object)) + b")"


@functools.cache
def _run(bracket: int) -> re.Pattern[bytes]:
    """Items with commas behind them, in an array or in an object."""
    before = _MEMBER if bracket == ord("{") else b""
    return re.compile(b"(?:" + _SP + before + _item(_DEPTH) + _SP + b",){1,256}")


# Text with escapes in it, in pieces that end behind one; a pair of surrogates is one.
_PAIR = rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPED = re.compile(rb"(?:[^\\]{0,8192}(?:" + _PAIR + rb"|\\u[0-9a-fA-F]{4}|\\[^u])){1,256}|[^\\]+")

_CLOSING = {ord("["): b"]", ord("{"): b"}"}
_encode_string = json.JSONEncoder(ensure_ascii=False).encode


class NotJsonError(ValueError):
    """The text is not JSON, for a reason."""


def end_of_value(text: bytes, at: int = 0) -> int:
    """Where the value that begins at `at`, or behind spaces there, ends."""
    above = bytearray()  # the brackets that are open
    while True:
        at, opened = _value(text, at)
        if opened and not (closed := _empty(text, at, opened)):
            above.append(opened)
            at = _next_value(text, at, opened)
            continue
        at = closed if opened else at
        while above:
            follows = _NEXT.match(text, at)
            if follows is None or follows[1] not in {b",", _CLOSING[above[-1]]}:
                raise NotJsonError(f"',' or '{_CLOSING[above[-1]].decode()}' is missing at byte {at}")
            at = follows.end()
            if follows[1] == b",":
                at = _next_value(text, at, above[-1])
                break
            above.pop()
        else:
            return at


def end_of_string(text: bytes, at: int) -> int:
    """Where the string ends whose first quote stands before `at`: behind its last quote."""
    while piece := _IN_STRING.match(text, at):
        at = piece.end()
        if piece.lastgroup:
            return at
    raise NotJsonError(f"a string is not as it should be at byte {at}")


def is_key(spelled: bytes, name: str) -> bool:
    """Whether a key, as it is written in quotes, is this name."""
    return json.loads(spelled) == name if b"\\" in spelled else spelled[1:-1] == name.encode("utf-8", "surrogatepass")


def members(text: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Of a text that is one object: each key as it is written, and where its value begins and ends."""
    at = _skip(text, 0)
    if text[at : at + 1] != b"{":
        raise NotJsonError("not an object")
    if closed := _empty(text, at + 1, ord("{")):
        at = closed
    else:
        at += 1
        while True:
            start = _skip(text, at)
            value = _skip(text, _key(text, start))
            key = text[start : text.rindex(b":", start, value)].rstrip(SPACE)
            at = end_of_value(text, value)
            yield key, value, at
            follows = _NEXT.match(text, at)
            if follows is None or follows[1] not in b",}":
                raise NotJsonError(f"',' or '}}' is missing at byte {at}")
            at = follows.end()
            if follows[1] == b"}":
                break
    check_end(text, at)


def check_end(text: bytes, at: int) -> None:
    """Nothing but spaces may follow."""
    if (at := _skip(text, at)) != len(text):
        raise NotJsonError(f"something follows the value at byte {at}")


def check_utf8(text: bytes) -> None:
    """Raise UnicodeDecodeError if it is not UTF-8, without making a text of all of it."""
    for _ in _decoded(text):
        pass


def unescaped(text: bytes, start: int, end: int) -> bytes | None:
    """The UTF-8 of the string that has its quotes there; None if it has half a surrogate pair."""
    start, end = start + 1, end - 1
    if text.find(b"\\", start, end) < 0:
        return text[start:end]
    meant = io.BytesIO()  # unlike a join it needs the memory once
    try:
        for piece in _ESCAPED.finditer(text, start, end):
            meant.write(json.loads(b'"%b"' % piece[0]).encode())
    except UnicodeEncodeError:
        return None
    return meant.getvalue()


def escaped(text: bytes) -> Iterator[bytes]:
    """Pieces of what stands between the quotes, for UTF-8 text."""
    for piece in _decoded(text):
        yield _encode_string(piece)[1:-1].encode()


def _decoded(text: bytes) -> Iterator[str]:
    if len(text) <= _PIECE_BYTES:
        yield text.decode()
        return
    decoder, view = codecs.getincrementaldecoder("utf-8")(), memoryview(text)
    for start in range(0, len(view), _PIECE_BYTES):
        yield decoder.decode(view[start : start + _PIECE_BYTES], final=start + _PIECE_BYTES >= len(view))


def _next_value(text: bytes, at: int, bracket: int) -> int:
    """Where a value is looked at more closely, in a bracket where one has to follow."""
    while run := _run(bracket).match(text, at):
        at = run.end()
    return _key(text, at) if bracket == ord("{") else at


def _value(text: bytes, at: int) -> tuple[int, int]:
    """Behind a value, or behind the bracket that it opens with, and which that is."""
    value = _VALUE.match(text, at)
    if value is None:
        raise NotJsonError(f"a value is missing at byte {_skip(text, at)}")
    if value.lastgroup is None:
        return value.end(), 0
    if value["open"] == b'"':
        return end_of_string(text, value.end()), 0
    return value.end(), value["open"][0]


def _empty(text: bytes, at: int, opened: int) -> int:
    """Behind the bracket that closes at once; 0 if something comes before it."""
    at = _skip(text, at)
    return at + 1 if text[at : at + 1] == _CLOSING[opened] else 0


def _key(text: bytes, at: int) -> int:
    """Behind a key and its colon."""
    quote = _QUOTE.match(text, at)
    if quote is None:
        raise NotJsonError(f"a key in quotes is missing at byte {_skip(text, at)}")
    at = end_of_string(text, quote.end())
    colon = _NEXT.match(text, at)
    if colon is None or colon[1] != b":":
        raise NotJsonError(f"':' is missing at byte {at}")
    return colon.end()


def _skip(text: bytes, at: int) -> int:
    return _SKIP.match(text, at).end()  # type: ignore[union-attr]  # it matches everywhere

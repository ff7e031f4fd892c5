"""JSON lines: every record comes back as it was, whatever it looks like; short and long lines are judged alike."""

from __future__ import annotations

import binascii
import json
import sys
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from octavo._convert import _json_text as json_text
from octavo._convert import _jsonl
from tests.convert import shelf

thorough = settings(max_examples=100, deadline=None, derandomize=True)

keys = st.sampled_from([
    '"octavo.text"', '"octavo.base64"', r'"octavo\u002etext"', r'"\u006fctavo.base64"', '"octavo.texT"', '"a"', '""',
])  # fmt: skip
values = st.sampled_from([
    '"x"', '""', '"/w=="', '"QQ=="', '"QR=="', '"QQ"', r'"\/w=="', r'"\ud800"', r'"\ud83d\ude00"', '"a\\nb"',
    "1", "null", '{"octavo.text":"x"}', "[]", '"é"', "[[]]",
])  # fmt: skip
spaces = st.sampled_from(["", "", "", " ", "\t", "\n", "\r", "  "])


@st.composite
def envelopes(draw: st.DrawFn) -> bytes:
    """Objects that are envelopes, or nearly."""
    pairs = draw(st.lists(st.tuples(keys, values), max_size=2))
    space = lambda: draw(spaces)  # noqa: E731 - short
    inner = ",".join(f"{space()}{key}{space()}:{space()}{value}{space()}" for key, value in pairs)
    return f"{space()}{{{inner}}}{space()}".encode()


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
documents = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=4), inner))
texts = st.one_of(
    st.builds(lambda value, ascii_only, indent: json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode(
        "utf-8", "surrogatepass"), documents, st.booleans(), st.sampled_from([None, 1])),
    st.text('{}[]",:0123456789.eE+-tfn\\u/ \t\nabrulsNI', max_size=12).map(str.encode),
    envelopes(),
)  # fmt: skip
records = st.lists(st.one_of(st.binary(max_size=12), texts, st.sampled_from(shelf.HARD_RECORDS)), max_size=8)


@thorough
@given(records)
@example(shelf.HARD_RECORDS)
@example([b'{"octavo.text":"a","octavo.text":"b"}', b'{"octavo.text":"x"}\r', b'{"octavo.text":"\\ud800"}'])
def test_every_record_comes_back(given: list[bytes]) -> None:
    lines = shelf.written("jsonl", given)
    assert shelf.read("jsonl", lines) == given
    assert lines.count(b"\n") == len(given)
    for line in lines.splitlines():
        json.loads(line)


@thorough
@given(records, st.integers(0, 9), st.none() | st.integers(0, 9))
def test_a_part_is_that_part_of_all(given: list[bytes], start: int, stop: int | None) -> None:
    lines = shelf.written("jsonl", given)
    assert shelf.read("jsonl", lines, start, stop) == given[start:stop]


def naive_meaning(line: bytes) -> bytes | None:
    """What a line means, the simple way; None if it is not JSON."""
    pairs: list[Any] = []

    def keep(found: list[tuple[str, Any]]) -> dict[str, Any]:
        pairs[:] = found  # of the outermost object, which ends last
        return dict(found)

    try:
        value = json.loads(line.decode(), object_pairs_hook=keep)
    except ValueError:
        return None
    if not isinstance(value, dict) or len(pairs) != 1 or not isinstance(pairs[0][1], str):
        return line
    try:
        if pairs[0][0] == "octavo.text":
            return pairs[0][1].encode()
        if pairs[0][0] == "octavo.base64":
            return binascii.a2b_base64(pairs[0][1], strict_mode=True)
    except ValueError:
        pass
    return line


def looked_through(line: bytes) -> bytes | None:
    try:
        return _jsonl._meaning_of_long(line)
    except ValueError:
        return None


@thorough
@given(st.one_of(texts, st.binary(max_size=10), st.builds(bytes.__add__, texts, texts)))
@example(b"-")
@example(b"[1,]")
@example(b'{"a":1,}')
@example(b"01")
@example(b'"\x1f"')
@example(b'"\xc3"')
@example(b'{"a" 1}')
@example(b"[" * 300 + b"]" * 300)
@example(b"[" * 300 + b"]" * 299)
@example(b'[[1,2,[3]],{}, [ ], {"a": {"b": [1, {}]}}]')
def test_short_and_long_lines_are_judged_alike(line: bytes) -> None:
    expected = naive_meaning(line)
    assert looked_through(line) == expected
    if expected is None:
        with pytest.raises(ValueError):  # noqa: PT011 - two kinds of it
            _jsonl.meaning(line)
    else:
        assert _jsonl.meaning(line) == expected


@pytest.mark.parametrize(
    "record",
    [
        b"[" * 200_000 + b"]" * 200_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b"9" * 100_000,
        b"[" + b"9" * 100_000 + b".5e7]",
        b"NaN",
        b'{"x": [NaN, -Infinity, 1e999]}',
    ],
    ids=["arrays", "objects", "integer", "float", "nan", "infinity"],
)
def test_json_that_python_cannot_parse_is_a_line(record: bytes) -> None:
    assert shelf.written("jsonl", [record]) == record + b"\n"
    assert shelf.read("jsonl", record) == [record]


def test_deep_text_that_is_not_json_is_put_into_an_envelope() -> None:
    assert shelf.written("jsonl", [b"[" * 100_000]).startswith(b'{"octavo.text":"[[[')


@pytest.mark.parametrize("size", [1 << 20, (9 << 20) + 1])
@pytest.mark.parametrize("piece", ["é\n", '"\\', "\U0001f600", "[1],", '{"a":"b\\n"},'])
def test_long_text_comes_back(size: int, piece: str) -> None:
    encoded = piece.encode()
    for record in (encoded * (size // len(encoded)), b"[" + encoded * (size // len(encoded)) + b"0]"):
        assert shelf.read("jsonl", shelf.written("jsonl", [record, b"1", record])) == [record, b"1", record]


def test_long_bytes_come_back() -> None:
    record = bytes(range(256)) * 40_000
    assert shelf.read("jsonl", shelf.written("jsonl", [record, record[1:], record[2:]])) == [
        record,
        record[1:],
        record[2:],
    ]


def test_json_is_written_as_it_is_and_all_else_in_an_envelope() -> None:
    records = [b'{"a": 1}', b"two\nlines", b"\xff", b"", b' "x"', b"word"]
    assert shelf.written("jsonl", records).decode().splitlines() == [
        '{"a": 1}',
        '{"octavo.text":"two\\nlines"}',
        '{"octavo.base64":"/w=="}',
        '{"octavo.text":""}',
        '{"octavo.text":" \\"x\\""}',
        '{"octavo.text":"word"}',
    ]


def test_other_spellings_of_an_envelope_mean_the_same() -> None:
    lines = b'{ "octavo.text" : "a\\u0062" }\n {"octavo\\u002ebase64":"\\/w=="}\r\n'
    assert shelf.read("jsonl", lines) == [b"ab", b"\xff"]


def test_what_only_resembles_an_envelope_is_a_record() -> None:
    lines = [b'{"octavo.base64":"?"}', b'{"octavo.text":1}', b'{"octavo.text":"a","b":1}', b'["octavo.text","a"]']
    assert shelf.read("jsonl", b"\n".join(lines)) == lines


@thorough
@given(value=st.dictionaries(st.sampled_from(["t", "u", 'q"', "ü"]), documents), ascii_only=st.booleans())
def test_fields_are_found_alike_in_short_and_long_lines(value: dict[str, Any], *, ascii_only: bool) -> None:
    line = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    for column in ("t", 'q"', "ü"):
        outcomes = []
        for take in (_jsonl._field, _jsonl._field_as_written):
            try:
                outcomes.append(take(line, column))
            except ValueError:
                outcomes.append(b"refused")
        assert outcomes[0] == outcomes[1]


def test_looking_through_text_takes_no_frame_for_a_level() -> None:
    depth = sys.getrecursionlimit() * 3
    assert json_text.end_of_value(b'[{"a":' * depth + b"1" + b"}]" * depth) == 9 * depth - depth + 1

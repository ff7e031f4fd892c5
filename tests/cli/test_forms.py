"""What a record looks like."""

from __future__ import annotations

import json
import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo import _record_text, _tf_example
from octavo.cli import _forms

HARMFUL = [b"\x1b[2J", b"\x9b2J", b"\xc2\x9b2J", b"\x07", b"\x00", b"a\rb", b"a\nb", "\u202ereversed".encode(), b"\x7f"]


@pytest.mark.parametrize("record", HARMFUL)
def test_no_form_lets_a_record_reach_the_terminal(record):
    example = {"name": [record], record.decode("utf-8", "replace"): [1]}
    lines = [
        _forms.text_line(record),
        *_record_text.dump_lines(record, None),
        _forms.json_line(0, record),
        _forms.json_line(0, b'["%s"]' % record),
        *_forms.text_lines(record.decode("utf-8", "replace")),
        *_forms.example_lines(example, full=True),
        *_forms.example_lines(_tf_example.SequenceExample(example, {"steps": [[record]]}), full=False),
    ]
    for line in lines:
        assert line.isprintable(), line


def test_a_line_of_text_keeps_tabs_and_escapes_what_is_no_text():
    assert _forms.text_line("a\tb\né\r".encode() + b"\xff") == "a\tb\\né\\r\\xff"


@pytest.mark.parametrize(
    ("text", "lines"),
    [("a", ["a"]), ("a\n", ["a"]), ("a\n\nb", ["a", "", "b"]), ("\n", [""]), ("a\u2028b", ["a\\u2028b"])],
)
def test_text_has_its_own_lines(text, lines):
    assert _forms.text_lines(text) == lines


@pytest.mark.parametrize(
    ("record", "is_text"),
    [(b"", True), (b"a\tb\r\n", True), ("é中".encode(), True), (b"\xff", False), (b"a\0", False), (b"\x1b[1m", False)],
)
def test_text_is_utf_8_without_controls(record, is_text):
    assert (_record_text.text_of(record) is not None) == is_text


def test_a_dump_shows_offsets_bytes_and_characters():
    assert list(_record_text.dump_lines(b"0123456789abcdef\x00\xff", None)) == [
        "0000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef",
        "0010  00 ff                                             ..",
    ]
    assert list(_record_text.dump_lines(bytes(100_000), None))[-1].startswith("18690  00")
    assert len(list(_record_text.dump_lines(bytes(1000), 33))) == 3
    assert list(_record_text.dump_lines(b"", None)) == []


@pytest.mark.parametrize(
    ("record", "kind", "value"),
    [
        (b"", "text", ""),
        (b"plain", "text", "plain"),
        (b"12", "text", "12"),
        (b'"quoted"', "text", '"quoted"'),
        (b"[1, 2", "text", "[1, 2"),
        (b"[NaN]", "text", "[NaN]"),
        (b'{"a": Infinity}', "text", '{"a": Infinity}'),
        (b"[" * 100_000, "text", "[" * 100_000),
        (b'{"a": [1, null]}', "json", {"a": [1, None]}),
        (b' \n{"a":\r\n\t1}\n', "json", {"a": 1}),
        ('["é", "\U0001f600", "\u202e"]'.encode(), "json", ["é", "\U0001f600", "\u202e"]),
        (b"\xff\x00", "base64", "/wA="),
        (b"\x00text", "base64", "AHRleHQ="),
        (_tf_example.encode({"a": [1], "b": [b"x", b"\xff"]}), "example", {"a": [1], "b": ["x", {"base64": "/w=="}]}),
        (
            _tf_example.encode({"f": [0.1, math.inf, -math.inf, math.nan]}),
            "example",
            {"f": [0.1, "Infinity", "-Infinity", "NaN"]},
        ),
    ],
)
def test_a_record_is_one_line_of_json_that_says_what_it_is(record, kind, value):
    line = _forms.json_line(7, record)
    assert "\n" not in line
    assert line.isascii()
    assert json.loads(line) == {"record": 7, "bytes": len(record), kind: value}


def test_a_sequence_example_has_a_key_of_its_own():
    record = b"\n\r\n\x0b\n\x02id\x12\x05\x1a\x03\n\x01\x01" + b"\x12\x07\n\x05\n\x01t\x12\x00"
    assert json.loads(_forms.json_line(0, record))["sequence_example"] == {
        "context": {"id": [1]},
        "feature_lists": {"t": []},
    }


def test_numbers_of_json_stay_as_they_are_written():
    record = b'{"long": 1.00000000000000000001, "large": ' + b"9" * 900 + b', "twice": 1, "twice": 2, "huge": 1e999}'
    assert record.decode() in _forms.json_line(0, record)


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_json_tells_every_byte(record):
    told = json.loads(_forms.json_line(0, record))
    assert told["bytes"] == len(record)
    if "text" in told:
        assert told["text"].encode() == record


def test_features_are_shown_by_name_kind_and_value():
    example: _tf_example.Features = {
        "image": [b"\xff\xd8" + bytes(998)],
        "label": [-7],
        "name": ["café".encode(), b"x" * 40],
        "none": [],
        "scores": [0.1, 2.5, math.inf],
        "tokens": list(range(1000)),
    }
    assert _forms.example_lines(example, full=False) == [
        "image   bytes [1]      <ff d8 00 00 00 00 00 00 00 00 00 00 00 00 00 00>... 1,000 bytes",
        "label   int64 [1]      -7",
        f'name    bytes [2]      "café", "{"x" * 32}"... 40 bytes',
        "none    empty",
        "scores  float [3]      0.1, 2.5, inf",
        "tokens  int64 [1,000]  0, 1, 2, 3, 4, 5, 6, 7, ... 992 more",
    ]
    whole = _forms.example_lines(example, full=True)
    assert whole[0].endswith("00 00>")
    assert whole[2].endswith(f'"{"x" * 40}"')
    assert whole[5].endswith(" 998, 999")


@settings(deadline=None)
@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_short_float_is_the_same_in_32_bits(value):
    short = _record_text.short_float(value)
    assert struct.pack("<f", short) == struct.pack("<f", value)
    assert len(repr(short)) <= len(repr(value))


def test_what_has_no_features_is_no_example():
    assert _forms.example_of(b"") is None
    assert _forms.example_of(b"\n\x00") is None
    assert _forms.example_of(b"text") is None

"""JSON: set out in lines, with every number, string and key as it is written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.viewer.blocks import Note, Text
from octavo.viewer.decoders._json_layout import JsonError, laid_out

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=30,
)
CONTAINERS = st.lists(VALUES, max_size=6) | st.dictionaries(st.text(), VALUES, max_size=6)


@settings(max_examples=200, deadline=None)
@given(CONTAINERS, st.booleans(), st.sampled_from([None, 0, 3]))
def test_lines_are_those_of_json_itself(value, ensure_ascii, indent):
    text = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)
    expected = json.dumps(value, ensure_ascii=ensure_ascii, indent=2)
    layout = laid_out(text, 1 << 20, is_whole=True)
    assert layout.text == expected
    assert layout.consumed == len(text)


@settings(max_examples=200, deadline=None)
@given(CONTAINERS, st.data())
def test_every_beginning_of_json_is_one(value, data):
    text = json.dumps(value, ensure_ascii=False)
    cut = text[: data.draw(st.integers(1, len(text)))]
    layout = laid_out(cut, 1 << 20, is_whole=False)
    assert layout.consumed <= len(cut)
    whole = laid_out(text, 1 << 20, is_whole=True).text
    assert whole.startswith(layout.text.rstrip())


@settings(max_examples=300, deadline=None)
@given(st.text('{}[],:"0123456789.eE+-truefalsn \n\\u', max_size=30).map("[".__add__))
def test_what_json_refuses_is_refused(text):
    def accepts():
        try:
            json.loads(text, parse_constant=lambda _constant: 1 / 0)
        except (ValueError, ZeroDivisionError):
            return False
        return True

    try:
        laid_out(text, 1 << 20, is_whole=True)
    except JsonError:
        assert not accepts()
    else:
        assert accepts()


def test_numbers_and_keys_stay_as_they_are_written(decoders):
    record = b'{"a": 1e400, "a": 12345678901234567890123, "b": -0.10, "\\u00e9": "\\/"}'
    assert decoders.decode(record).blocks == (
        Text('{\n  "a": 1e400,\n  "a": 12345678901234567890123,\n  "b": -0.10,\n  "\\u00e9": "\\/"\n}', "json"),
    )


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        (b"{}", "json"),
        (b" \n[]\r\n", "json"),
        (b"[1]", "json"),
        (b"[" + b"1" * 10_000 + b"]", "json"),
        (b"1", "text"),
        (b'"text"', "text"),
        (b"[NaN]", "text"),
        (b"[1,]", "text"),
        (b"{'a': 1}", "text"),
        (b'{"a": 1}\n{"a": 2}\n', "text"),
        (b"[1] [2]", "text"),
        (b"[", "text"),
        (b"[" * 1_000_000, "text"),
        (b"[" * 1_000_000 + b"]" * 1_000_000, "text"),
        (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, "text"),
        (b"[[(citation needed)]]", "text"),
        (b"[1, \x00]", "hex"),
        (b'["\xff"]', "hex"),
    ],
    ids=lambda value: value[:20] if isinstance(value, bytes) else value,
)
def test_only_objects_and_arrays_that_are_whole_are_json(decoders, record, kind):
    assert decoders.guess(record).name == kind


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        (b'{"a": "' + b"x" * 300_000 + b'"}', "json"),
        (b"[" + b"[1, 2],\n" * 30_000 + b"3]", "json"),
        (b'{"a": 1}\n' * 30_000, "text"),
        (b"[" + b"word " * 30_000 + b"]", "text"),
        (b"[" + b"1," * 100_000, "text"),
    ],
    ids=lambda value: value[:20] if isinstance(value, bytes) else value,
)
def test_a_long_record_is_recognised_by_its_beginning_and_end(decoders, record, kind):
    assert decoders.guess(record).name == kind


def test_a_long_record_is_shown_in_part(decoders):
    record = b"[" + b"1234567,\n" * 500_000 + b"8]"
    (shown,) = decoders.decode(record).blocks
    assert shown.text.startswith("[\n  1234567,\n  1234567,")
    assert len(shown.text) <= 256 << 10
    original = record[: len(record) - shown.left_out].decode()
    assert "".join(shown.text.split()) == "".join(original.split())


def test_a_long_string_is_shown_up_to_where_it_is_cut(decoders):
    record = b'{"a": "' + "é".encode() * 500_000 + b'"}'
    (shown,) = decoders.decode(record).blocks
    assert shown.text.startswith('{\n  "a": "éééé')
    assert shown.left_out == len(record) - (256 << 10) + ((256 << 10) - 7) % 2


def test_what_turns_out_to_be_no_json_is_shown_as_text(decoders):
    decoded = decoders.decode(b"[1, 2, oops]", "json")
    assert decoded.blocks == (
        Note("not set out as JSON: at character 7: unexpected 'o'", "warning"),
        Text("[1, 2, oops]"),
    )
    note, text, *_ = decoders.decode(b"[1, \xff]", "json").blocks
    assert note == Note("not set out as JSON: byte 4 is not UTF-8", "warning")
    assert isinstance(text, Note)
    assert decoders.summarise(b"[1, \xff]", "json")[1].text == "[1, �]"


def test_lines_of_deep_values_do_not_grow_forever(decoders):
    text = "[" * 900 + "]" * 900
    (shown,) = decoders.decode(text.encode()).blocks
    assert shown.language == "json"
    assert max(map(len, shown.text.split("\n"))) < 100


def test_a_card_shows_one_line_and_several(decoders):
    summary = decoders.summarise(b'{"a":\n  [1,   2]}')[1]
    assert summary.text == '{"a": [1, 2]}'
    assert summary.snippet == '{\n  "a": [\n    1,\n    2\n  ]\n}'

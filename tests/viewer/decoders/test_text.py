"""Text, and what is only text here: HTML and SVG."""

from __future__ import annotations

import pytest

from octavo.viewer.blocks import Note, Text


@pytest.mark.parametrize("record", [b"", b"a", "é中\U0001f600\r\n\t".encode(), b"\xef\xbb\xbfmarked"])
def test_text_is_shown_as_it_is(decoders, record):
    assert decoders.decode(record).blocks == (Text(record.decode()),)


@pytest.mark.parametrize(
    "record", [b"\xff", b"a\x00", b"\x1b[1m", b"\xc2\x9b", b"a" * 200_000 + b"\xff", b"\x00" + b"a" * 200_000]
)
def test_what_is_not_utf_8_or_has_controls_is_none(decoders, record):
    assert decoders.guess(record).name == "hex"


@pytest.mark.parametrize("size", range(131_070, 131_080))
@pytest.mark.parametrize("character", ["é", "中", "\U0001f600"])
def test_a_character_on_the_border_of_what_is_looked_at_is_whole(decoders, character, size):
    record = (b"a" * (size % 7) + character.encode() * 200_000)[: 4 * size]
    record = record[: len(record) - (len(record) - size % 7) % len(character.encode())]
    assert decoders.guess(record).name == "text"
    (shown,) = decoders.decode(record).blocks
    assert "�" not in shown.text
    assert len(shown.text.encode()) + shown.left_out == len(record)


def test_a_long_text_is_shown_in_part(decoders):
    (shown,) = decoders.decode(b"a" * (64 << 20)).blocks
    assert (len(shown.text), shown.left_out) == (256 << 10, (64 << 20) - (256 << 10))


@pytest.mark.parametrize(
    ("record", "name"),
    [
        (b"<!DOCTYPE html><script>alert(1)</script>", "HTML"),
        (b"\n <HTML onload=alert(1)>", "HTML"),
        (b"<script>alert(1)</script>", "HTML"),
        (b"\xef\xbb\xbf<html>", "HTML"),
        (b'<svg onload="alert(1)"/>', "SVG"),
        (b'<?xml version="1.0"?>\n<!-- --><svg xmlns="http://www.w3.org/2000/svg"/>', "SVG"),
        (b'<?xml version="1.0"?><note/>', "XML"),
    ],
)
def test_markup_is_text_and_says_so(decoders, record, name):
    assert decoders.decode(record).blocks == (Note(f"{name}, shown as text"), Text(record.decode()))
    assert decoders.summarise(record)[1].text == f"{name}, shown as text"


def test_a_card_shows_the_first_line_that_is_not_empty(decoders):
    summary = decoders.summarise(b"\n\n  first\tline \nsecond")[1]
    assert summary.text == "first line"
    assert summary.snippet == "\n\n  first\tline \nsecond"


@pytest.mark.parametrize(("record", "text"), [(b"", "empty"), (b" \n", "blank, 2 bytes")])
def test_a_card_of_nothing_says_so(decoders, record, text):
    assert decoders.summarise(record)[1].text == text


def test_bytes_that_are_no_text_stand_out_if_text_is_asked_for(decoders):
    note, shown = decoders.decode(b"a\x00b\xffc\x7f", "text").blocks
    assert note.level == "warning"
    assert shown.text == "a␀b�c␡"


@pytest.mark.parametrize("coding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read_if_text_is_asked_for(decoders, coding):
    note, shown = decoders.decode("\ufeffwörter".encode(coding), "text").blocks
    assert note.text == "read as UTF-16"
    assert shown.text == "wörter"

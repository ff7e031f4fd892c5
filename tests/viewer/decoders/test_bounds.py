"""Blocks of other decoders: cut to what may be shown, and always text that can be written as JSON."""

from __future__ import annotations

from typing import Any, cast

import pytest

from octavo.viewer.blocks import Audio, Block, Facts, Hex, Image, Note, Section, Table, Text
from octavo.viewer.decoders._bounds import one_line, within_bounds


def bounded(block: Block) -> Any:
    (shown,) = within_bounds([block])
    return shown


def test_text_is_cut_and_says_so():
    shown = bounded(Text("a" * (300 << 10), "json", 5))
    assert shown == Text("a" * (256 << 10), "json", 5 + (44 << 10))


def test_bytes_are_cut_and_say_so():
    assert bounded(Hex(bytes(100_000))) == Hex(bytes(64 << 10), 0, 100_000)
    assert bounded(Hex(b"abc", 10)) == Hex(b"abc", 10, 13)
    assert bounded(Hex(b"abc", 10, 500)) == Hex(b"abc", 10, 500)


def test_tables_are_cut_and_say_so():
    shown = bounded(Table(("c",) * 100, (("x" * 10_000,) * 100,) * 1500, "t", 7))
    assert (len(shown.columns), len(shown.rows), len(shown.rows[0]), shown.left_out) == (64, 1000, 64, 507)
    assert len(shown.rows[0][0]) == 4096


def test_facts_are_cut():
    shown = bounded(Facts((("name", "x" * 10_000),) * 1500, "t"))
    assert (len(shown.rows), len(shown.rows[0][1])) == (1000, 4096)


def test_more_blocks_than_are_shown_are_told():
    shown = within_bounds([Note("n")] * 1000)
    assert len(shown) == 257
    assert shown[-1] == Note("only the first 256 parts are shown")
    assert len(bounded(Section("s", (Note("n"),) * 1000)).blocks) == 257


@pytest.mark.parametrize(
    "block",
    [
        Text("\ud800"),
        Note("\ud800"),
        Facts((("\ud800", "\ud800"),), "\ud800"),
        Table(("\ud800",), (("\ud800",),), "\ud800"),
        Section("\ud800", (Text("\ud800"),)),
        Image(b"", "image/png", 1, 1, "\ud800"),
        Audio(b"", "audio/wav", "\ud800", "\ud800"),
    ],
    ids=lambda block: type(block).__name__,
)
def test_halves_of_surrogate_pairs_are_shown_as_escapes(block):
    text = repr(bounded(block))
    assert "ud800" in text
    assert "\\\\ud800" in text.replace("'\\ud800'", "half")
    assert "half" not in text.replace("'\\ud800'", "half")


@pytest.mark.parametrize("buffer", [bytearray(b"abc"), memoryview(b"abc")])
def test_content_becomes_bytes(buffer):
    assert type(bounded(Image(cast("bytes", buffer), "image/png", 1, 1)).content) is bytes
    assert bounded(Hex(cast("bytes", buffer))) == Hex(b"abc", 0, 3)


def test_content_that_is_no_buffer_is_refused():
    with pytest.raises(TypeError):
        within_bounds([Audio(cast("bytes", 5), "audio/wav")])


@pytest.mark.parametrize(
    ("text", "line"),
    [("a\nb\tc", "a b c"), ("  a  ", "a"), ("a\u2028b\x00c\x9b", "a b c"), ("x" * 200, "x" * 159 + "…"), ("", "")],
)
def test_a_line_is_one(text, line):
    assert one_line(text) == line

"""MessagePack: values as indented text, and what is in their bytes."""

from __future__ import annotations

import datetime as dt
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.viewer.blocks import Image, Note, Section, Text
from octavo.viewer.decoders._msgpack_items import value_end
from tests.viewer.decoders import contents


def text_of(decoded):
    return next(block.text for block in decoded.blocks if isinstance(block, Text))


def test_a_value_is_shown_in_lines(decoders):
    decoded = decoders.decode(contents.MESSAGEPACK)
    assert decoded.decoder.name == "msgpack"
    lines = '{\n  "a": [\n    1,\n    -2,\n    1.5\n  ],\n  "b": nil,\n  "c": <00 ff>\n}'
    assert decoded.blocks == (Text(lines),)
    summary = decoders.summarise(contents.MESSAGEPACK)[1]
    assert summary.text == 'map of 3 pairs: { "a": [ 1, -2, 1.5 ], "b": nil, "c": <00 ff> }'
    assert summary.snippet == lines


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (b"\x7f", "127"),
        (b"\xe0", "-32"),
        (b"\xc0", "nil"),
        (b"\xc2", "false"),
        (b"\xc3", "true"),
        (b"\xca" + struct.pack(">f", 0.1), "0.1"),
        (b"\xcb" + struct.pack(">d", 0.1), "0.1"),
        (b"\xcb" + struct.pack(">d", float("nan")), "nan"),
        (b"\xcc\xff", "255"),
        (b"\xcd\xff\xff", "65535"),
        (b"\xce" + b"\xff" * 4, "4294967295"),
        (b"\xcf" + b"\xff" * 8, "18446744073709551615"),
        (b"\xd0\x80", "-128"),
        (b"\xd1\x80\x00", "-32768"),
        (b"\xd2" + b"\xff" * 4, "-1"),
        (b"\xd3\x80" + bytes(7), "-9223372036854775808"),
        (b"\xa3\xe2\x82\xac", '"€"'),
        (b"\xd9\x01a", '"a"'),
        (b"\xda\x00\x01a", '"a"'),
        (b"\xdb\x00\x00\x00\x01a", '"a"'),
        (b"\xc4\x01\xff", "<ff>"),
        (b"\xc5\x00\x01\xff", "<ff>"),
        (b"\xc6\x00\x00\x00\x01\xff", "<ff>"),
        (b"\x80", "{}"),
        (b"\x90", "[]"),
        (b"\xdc\x00\x00", "[]"),
        (b"\xde\x00\x00", "{}"),
        (b"\xdd" + bytes(4), "[]"),
        (b"\xdf" + bytes(4), "{}"),
        (b"\xd4\x05\xff", "extension 5: <ff>"),
        (b"\xd5\x80\xff\xff", "extension -128: <ff ff>"),
        (b"\xc7\x03\x07abc", 'extension 7: "abc"'),
        (b"\xc8\x00\x01\x07\xff", "extension 7: <ff>"),
        (b"\xc9\x00\x00\x00\x01\x07\xff", "extension 7: <ff>"),
        (b"\xd6\xff" + struct.pack(">I", 0), "timestamp 1970-01-01T00:00:00Z"),
        (b"\xd7\xff" + struct.pack(">Q", 5 << 34 | 86_400), "timestamp 1970-01-02T00:00:00.000000005Z"),
        (b"\xc7\x0c\xff" + struct.pack(">Iq", 0, -1), "timestamp 1969-12-31T23:59:59Z"),
        (b"\xc7\x0c\xff" + struct.pack(">Iq", 0, 1 << 62), "timestamp 4,611,686,018,427,387,904 s"),
        (b"\xc7\x01\xff\xff", "extension -1: <ff>"),
    ],
)
def test_every_kind_of_item_is_read(decoders, item, text):
    record = b"\x92\x01" + item
    assert text_of(decoders.decode(record, "msgpack")) == f"[\n  1,\n  {text}\n]"
    assert decoders.guess(record).name == "msgpack"


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 64) - 1)
    | st.floats()
    | st.text(max_size=40)
    | st.binary(max_size=40),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=5), inner, max_size=20),
    max_leaves=40,
)


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_what_the_original_writes_ends_where_it_ends(value):
    original = pytest.importorskip("msgpack", reason="needs msgpack")
    packed = original.packb(value)
    assert value_end(packed + b"\x01", 0, 10_000) == len(packed)


def test_what_the_original_writes_is_read(decoders):
    original = pytest.importorskip("msgpack", reason="needs msgpack")
    moment = dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)
    value = {"t": moment, "e": original.ExtType(5, b"\xff"), "l": list(range(20)), 3: {"x": "y" * 300}}
    text = text_of(decoders.decode(original.packb(value, datetime=True)))
    assert '"t": timestamp 2026-01-02T03:04:05Z' in text
    assert '"e": extension 5: <ff>' in text
    assert "    19\n  ]" in text
    assert f'3: {{\n    "x": "{"y" * 300}"' in text


def test_images_within_are_shown(decoders):
    picture = contents.png()
    record = b"\x82\xa1n\x01\xa5image\xc5" + struct.pack(">H", len(picture)) + picture
    text, section = decoders.decode(record).blocks
    assert f"<PNG image, 3 × 2, {len(picture)} bytes>" in text.text  # noqa: RUF001
    assert section == Section("image", (Image(picture, "image/png", 3, 2, "image"),))
    assert decoders.summarise(record)[1].image == Image(picture, "image/png", 3, 2)


@pytest.mark.parametrize(
    "record",
    [
        b"\x80",
        b"\x91\x01",
        contents.MESSAGEPACK[:-1],
        contents.MESSAGEPACK + b"\x01",
        b"\x92\x01\xc1",
        b"\x92\x01\xa1\xff",
        b"\xdd\xff\xff\xff\xff\x01",
        b"\xdf\xff\xff\xff\xff\x01",
        b"\xdd\xff",
        b"\x92\x01\xc6\xff\xff\xff\xff",
        b"\x92\x01\xc9\xff\xff\xff\xff",
        b"\x92\x01\xd8\x01",
        b"\x92\x01\xcb\x00",
        b"\x91" * 100_000,
        b"\x91" * 100_000 + b"\x01",
        b"\xcd\x01\x02",
    ],
)
def test_what_is_no_whole_map_or_array_is_not_recognised(decoders, record):
    assert decoders.guess(record).name != "msgpack"
    assert decoders.decode(record, "msgpack").blocks
    assert decoders.summarise(record, "msgpack")[1].text


def test_what_follows_or_is_missing_is_told(decoders):
    more = decoders.decode(contents.MESSAGEPACK + b"xy", "msgpack")
    assert more.blocks[0] == Note("not all of it is MessagePack: 2 bytes follow after its end", "warning")
    less = decoders.decode(contents.MESSAGEPACK[:-4], "msgpack")
    assert "it ends at byte 20, where a value should begin" in less.blocks[0].text
    assert '"b": nil' in text_of(less)


def test_deep_values_are_shown_in_part(decoders):
    record = b"\x91" * 5000 + b"\x01"
    assert decoders.guess(record).name == "msgpack"
    assert "nested too deeply to be shown" in text_of(decoders.decode(record))


def test_long_values_are_shown_in_part(decoders):
    record = b"\xdd" + struct.pack(">I", 1 << 20) + b"\x01" * (1 << 20)
    assert decoders.guess(record).name == "msgpack"
    (shown,) = decoders.decode(record).blocks
    assert len(shown.text) <= 256 << 10
    assert shown.left_out == len(record) - 5 - shown.text.count("1")
    text = b"\x91\xdb" + struct.pack(">I", 1 << 20) + "é".encode() * (1 << 19)
    assert "1,044,480 bytes more" in text_of(decoders.decode(text))

"""Bytes of anybody's making: no decoder fails, none takes much memory, and what they return is always bounded."""

from __future__ import annotations

import json
import struct
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.viewer.blocks import Audio, Block, Facts, Hex, Image, Note, Section, Table, Text
from octavo.viewer.decoders import BUILT_IN, Decoders
from octavo.viewer.decoders._as_json import blocks_as_json, media
from tests.viewer.decoders import contents

DECODERS = Decoders()
NAMES = [None, *(decoder.name for decoder in BUILT_IN)]
MAGICS = [record[:length] for record in contents.VALID.values() for length in (1, 4, 8, 12)]


def check_block(block: Block, record: bytes) -> None:
    match block:
        case Text(text):
            assert len(text) <= 256 << 10
        case Image(content) | Audio(content):
            assert len(content) <= max(len(record), 2 << 20)
        case Hex(content):
            assert len(content) <= 64 << 10
        case Facts(rows) | Table(rows=rows):
            assert len(rows) <= 1000
            assert all(len(cell) <= 5000 for row in rows for cell in row)
        case Section(_, inner):
            for one in inner:
                check_block(one, record)
        case Note(text):
            assert text


def look_at(record: bytes, *names: str | None) -> None:
    """Everything that a server does with a record."""
    for name in names or NAMES:
        decoded = DECODERS.decode(record, name)
        for block in decoded.blocks:
            check_block(block, record)
        shown = json.dumps(
            blocks_as_json(decoded.blocks, str), ensure_ascii=False
        ).encode()  # no half of a surrogate pair
        assert len(shown) < 32 << 20
        assert len(media(decoded.blocks)) <= 300
        _, summary = DECODERS.summarise(record, name)
        assert len(summary.text) <= 160
        assert "\n" not in summary.text
        assert len(summary.snippet) <= 650
        (summary.text + summary.snippet).encode()


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_make_a_decoder_fail(record):
    look_at(record)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(MAGICS), st.binary(max_size=200))
def test_no_bytes_after_a_known_beginning_make_a_decoder_fail(magic, rest):
    look_at(magic + rest)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(list(contents.VALID.values())), st.data())
def test_no_part_of_a_record_makes_a_decoder_fail(record, data):
    look_at(record[: data.draw(st.integers(0, len(record)))])


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(list(contents.VALID.values())), st.data())
def test_no_flipped_bits_make_a_decoder_fail(record, data):
    changed = bytearray(record)
    for at in data.draw(st.lists(st.integers(0, min(len(record), 300) - 1), min_size=1, max_size=4)):
        changed[at] = data.draw(st.integers(0, 255))
    look_at(bytes(changed))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(list(contents.VALID.values())), st.sampled_from(list(contents.VALID.values())), st.data())
def test_no_polyglot_makes_a_decoder_fail(first, second, data):
    at = data.draw(st.integers(0, min(len(first), 64)))
    look_at(first[:at] + second + first[at:])


@pytest.mark.parametrize("name", contents.VALID)
def test_every_byte_of_a_header_may_be_anything(name):
    record = contents.VALID[name]
    for at in range(min(len(record), 64)):
        for value in (0, 0x7F, 0x80, 0xFF):
            look_at(record[:at] + bytes([value]) + record[at + 1 :], None, contents.KINDS[name])


LONG = 16 << 20
BOMBS: dict[str, Callable[[], bytes]] = {
    "zeros": lambda: bytes(LONG),
    "ones": lambda: b"\xff" * LONG,
    "text": lambda: b"a" * LONG,
    "lines": lambda: b"\n" * LONG,
    "blanks": lambda: b" " * LONG + b"{",
    "open brackets": lambda: b"[" * LONG,
    "open braces": lambda: b'{"a":' * (LONG // 5),
    "nested arrays": lambda: b"[" * (LONG // 2) + b"]" * (LONG // 2),
    "a long array": lambda: b"[" + b"0," * (LONG // 2) + b"0]",
    "a long string": lambda: b'["' + b"\\u0000" * (LONG // 6) + b'"]',
    "a long number": lambda: b"[" + b"1" * LONG + b"]",
    "quotes": lambda: b"[" + b'"",' * (LONG // 3) + b'""]',
    "half of a surrogate pair": lambda: b'["' + b"\\ud800" * 100 + b'"]',
    "html": lambda: b"<html>" + b"<script>alert(1)</script>" * (LONG // 25),
    "a jpeg of fill": lambda: b"\xff\xd8" + b"\xff" * LONG,
    "a jpeg of comments": lambda: b"\xff\xd8" + b"\xff\xfe\x00\x02" * (LONG // 4),
    "a jpeg of headers": lambda: contents.jpeg(before=contents.jpeg()[20:39] * (LONG // 19)),
    "a gif of small blocks": lambda: b"GIF89a\x01\x00\x01\x00\x00\x00\x00" + b"!\x00" + b"\x01a" * (LONG // 2),
    "a gif of frames": lambda: contents.gif(frames=LONG // 30),
    "a gif of empty blocks": lambda: b"GIF89a\x01\x00\x01\x00\x00\x00\x00" + b"!\x00\x00" * (LONG // 3),
    "a webp of chunks": lambda: b"RIFF\x00\x00\x00\x00WEBP" + b"VP8X\x00\x00\x00\x00" * (LONG // 8),
    "a wav of chunks": lambda: b"RIFF\x00\x00\x00\x00WAVE" + b"LIST\x00\x00\x00\x00" * (LONG // 8),
    "ogg pages": lambda: contents.ogg_page(b"\x01vorbis" + bytes(23)) * (LONG // 60),
    "id3": lambda: b"ID3\x04\x00\x00\x00\x00\x00\x00" * (LONG // 10),
    "mpeg sync": lambda: b"\xff\xfb\x90\x00" * (LONG // 4),
    "safetensors, of empty objects": lambda: contents.safetensors(b'{"data_offsets":[' + b"{}," * 340_000 + b"{}]}"),
    "safetensors, nested": lambda: contents.safetensors(b'{"data_offsets":' + b"[" * 500_000 + b"]" * 500_000 + b"}"),
    "safetensors, of many": lambda: contents.safetensors(
        {str(at): {"dtype": "F32", "shape": [], "data_offsets": [0, 0]} for at in range(12_000)}
    ),
    "msgpack, nested": lambda: b"\x91" * LONG + b"\x01",
    "msgpack, nested maps": lambda: b"\x81\x01" * (LONG // 2) + b"\x01",
    "msgpack, of keys": lambda: b"\x81" * LONG,
    "msgpack, of small arrays": lambda: b"\xdd" + struct.pack(">I", LONG // 2) + b"\x91\x01" * (LONG // 2),
    "msgpack, of bytes": lambda: b"\xdd" + struct.pack(">I", LONG // 8) + b"\xc4\x06GIF89a" * (LONG // 8),
    "an example of empty features": lambda: b"\x0a\x80\x80\x80\x08" + b"\x0a\x00" * (LONG // 2),
    "an example of examples": lambda: (b"\x0a\x04\x0a\x02\x0a\x00") * (LONG // 6),
    "an example of lists": lambda: contents.sequence_example({}, {"a": [[]] * 1_000_000}),
    "an example of images": lambda: contents.example(images=[contents.png()] * 20_000),
    "a zip of end records": lambda: b"PK\x03\x04" + bytes(22) + b"\x05\x00\x00\x00x.npy" + b"PK\x05\x06" * (LONG // 4),
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_bomb_takes_more_than_a_few_times_what_it_shows(name):
    record = BOMBS[name]()
    look_at(record)
    tracemalloc.start()
    try:
        DECODERS.summarise(record)
        most_bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        DECODERS.decode(record)
        most_bytes_decoded = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most_bytes < 32 << 20
    assert most_bytes_decoded < 48 << 20


@pytest.mark.parametrize("name", contents.VALID)
def test_nothing_is_ever_shown_as_what_could_run(name):
    for block in media(DECODERS.decode(contents.VALID[name] + b"<script>alert(1)</script>").blocks):
        assert block.media_type.partition("/")[0] in {"image", "audio"}
        assert "svg" not in block.media_type

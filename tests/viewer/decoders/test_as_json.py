"""Blocks as JSON, and media by their number."""

from __future__ import annotations

import base64
import json

import pytest

from octavo.viewer.blocks import MEDIA_TYPES, Audio, Block, Facts, Hex, Image, Note, Section, Table, Text
from octavo.viewer.decoders._as_json import blocks_as_json, media

FIRST = Image(b"1", "image/png", 3, 2, "first")
SECOND = Audio(b"2", "audio/wav", "second", "mono")
THIRD = Image(b"3", "image/gif", 1, 1)
BLOCKS: list[Block] = [
    Text("a", "json", 5),
    FIRST,
    Section("inner", (Note("n", "warning"), SECOND)),
    Hex(b"\x00\xff", 16, 100),
    Facts((("name", "value"),), "facts"),
    Table(("a", "b"), (("1", "2"),), "table", 3),
    THIRD,
]


def test_blocks_become_json():
    expected = [
        {"type": "text", "text": "a", "language": "json", "left_out": 5},
        {"type": "image", "src": "m/0", "width": 3, "height": 2, "title": "first", "media_type": "image/png"},
        {
            "type": "section",
            "title": "inner",
            "blocks": [
                {"type": "note", "text": "n", "level": "warning"},
                {"type": "audio", "src": "m/1", "title": "second", "facts": "mono", "media_type": "audio/wav"},
            ],
        },
        {"type": "hex", "offset": 16, "total": 100, "base64": base64.b64encode(b"\x00\xff").decode()},
        {"type": "facts", "title": "facts", "rows": [["name", "value"]]},
        {"type": "table", "title": "table", "columns": ["a", "b"], "rows": [["1", "2"]], "left_out": 3},
        {"type": "image", "src": "m/2", "width": 1, "height": 1, "title": "", "media_type": "image/gif"},
    ]
    assert json.loads(json.dumps(blocks_as_json(BLOCKS, "m/{}".format))) == expected


def test_media_are_numbered_as_they_are_shown():
    assert media(BLOCKS) == [FIRST, SECOND, THIRD]


@pytest.mark.parametrize(
    "media_type", ["text/html", "image/svg+xml", "application/pdf", "", "image/png; charset=x", "audio/wav"]
)
def test_an_image_is_never_served_as_anything_else(media_type):
    with pytest.raises(ValueError, match="never served"):
        Image(b"", media_type, 1, 1)


@pytest.mark.parametrize("media_type", ["text/html", "image/png", "video/mp4"])
def test_audio_is_never_served_as_anything_else(media_type):
    with pytest.raises(ValueError, match="never served"):
        Audio(b"", media_type)


def test_media_types_are_images_and_audio_that_run_nothing():
    assert {media_type.partition("/")[0] for media_type in MEDIA_TYPES} == {"image", "audio"}
    assert not [media_type for media_type in MEDIA_TYPES if "xml" in media_type or "html" in media_type]


def test_sections_do_not_nest():
    with pytest.raises(ValueError, match="sections do not nest"):
        Section("outer", (Section("inner", ()),))

"""Images: what their headers say, and which of them a browser gets."""

from __future__ import annotations

import io
import struct

import pytest

from octavo.viewer.blocks import Facts, Hex, Image, Note
from octavo.viewer.decoders._image_headers import measure
from tests.viewer.decoders import contents


def facts_of(decoded):
    return {name: value for block in decoded.blocks if isinstance(block, Facts) for name, value in block.rows}


@pytest.mark.parametrize(
    ("record", "media_type", "size"),
    [
        (contents.png(3, 2), "image/png", (3, 2)),
        (contents.jpeg(5, 4), "image/jpeg", (5, 4)),
        (contents.jpeg(5, 4, marker=0xC2), "image/jpeg", (5, 4)),
        (contents.jpeg(5, 4, before=b"\xff\xff\xff\xfe\x00\x04ab"), "image/jpeg", (5, 4)),
        (contents.gif(7, 6), "image/gif", (7, 6)),
        (contents.webp_lossy(9, 8), "image/webp", (9, 8)),
        (contents.webp_lossless(11, 10), "image/webp", (11, 10)),
        (contents.webp_extended(13, 12), "image/webp", (13, 12)),
    ],
)
def test_an_image_is_shown_as_it_is_stored(decoders, record, media_type, size):
    image = decoders.decode(record).blocks[0]
    assert image == Image(record, media_type, *size)
    assert decoders.summarise(record)[1].image == image


@pytest.mark.parametrize("format_name", ["PNG", "JPEG", "GIF", "WEBP"])
@pytest.mark.parametrize("mode", ["RGB", "L"])
@pytest.mark.parametrize("options", [{}, {"progressive": True, "lossless": True}])
def test_sizes_are_those_that_pillow_wrote(decoders, format_name, mode, options):
    pillow = pytest.importorskip("PIL.Image", reason="needs Pillow")
    file = io.BytesIO()
    pillow.new(mode, (123, 45), 7).save(file, format_name, **options)
    image = decoders.decode(file.getvalue()).blocks[0]
    assert (image.width, image.height) == (123, 45)
    assert image.media_type == f"image/{format_name.lower()}"


@pytest.mark.parametrize("format_name", ["GIF", "WEBP"])
def test_frames_of_animations_are_counted(decoders, format_name):
    pillow = pytest.importorskip("PIL.Image", reason="needs Pillow")
    frames = [pillow.new("RGB", (20, 10), colour) for colour in ("red", "green", "blue")]
    file = io.BytesIO()
    frames[0].save(file, format_name, save_all=True, append_images=frames[1:], duration=50)
    assert facts_of(decoders.decode(file.getvalue()))["frames"] == "3"


@pytest.mark.parametrize(
    ("record", "size"),
    [
        (contents.gif(7, 6, frame=(20_000, 5)), (20_000, 6)),
        (contents.gif(7, 6, frame=(7, 30_000)), (7, 30_000)),
        (
            contents.webp_extended(13, 12, [(b"VP8L", b"\x2f" + struct.pack("<I", 999 | 1999 << 14) + bytes(8))]),
            (1000, 2000),
        ),
        (contents.webp_extended(13, 12, [(b"ANMF", bytes(6) + b"\xff\xff\x00\x0f\x00\x00" + bytes(12))]), (65_536, 16)),
        (contents.jpeg(5, 4, before=contents.jpeg(800, 2)[20:39]), (800, 4)),
    ],
)
def test_the_largest_size_counts(record, size):
    header = measure(record)
    assert header is not None
    assert (header.width, header.height) == size


@pytest.mark.parametrize(
    "record",
    [
        contents.png(100_000, 100_000, pixels=b"\x00"),
        contents.jpeg(65_000, 65_000),
        contents.gif(50_000, 50_000),
        contents.gif(10, 10, frame=(60_000, 60_000)),
        contents.webp_extended(1 << 24, 1 << 24),
    ],
)
def test_an_image_that_unfolds_too_far_is_not_shown(decoders, record):
    decoded = decoders.decode(record)
    note, facts, dump = decoded.blocks
    assert isinstance(note, Note)
    assert "more than 64 megapixels" in note.text
    assert isinstance(facts, Facts)
    assert dump == Hex(record[: 64 << 10], 0, len(record))
    summary = decoders.summarise(record)[1]
    assert summary.image is None
    assert "too large for a preview" in summary.text


def test_a_file_that_is_too_long_is_not_shown(decoders):
    record = contents.png() + bytes(32 << 20)
    assert not [block for block in decoders.decode(record).blocks if isinstance(block, Image)]
    assert "33.6 MB are more than" in decoders.decode(record).blocks[0].text


@pytest.mark.parametrize(
    ("record", "is_shown"), [(contents.png(5000, 5000, pixels=b"\x00"), False), (contents.jpeg(5000, 5000), True)]
)
def test_previews_are_of_smaller_images_than_pages(decoders, record, is_shown):
    assert isinstance(decoders.decode(record).blocks[0], Image)
    assert (decoders.summarise(record)[1].image is not None) == is_shown


@pytest.mark.parametrize(
    "record",
    [
        contents.png(0, 5),
        contents.png(1 << 31, 5, pixels=b"\x00"),
        contents.png()[:20],
        b"\xff\xd8\xff",
        b"\xff\xd8\xff\xd9" + bytes(50),
        contents.jpeg(0, 0),
        b"GIF89a",
        contents.gif(0, 0, frame=(0, 0)),
        b"RIFF\x04\x00\x00\x00WEBP",
        contents.webp([(b"VP8 ", bytes(20))]),
    ],
)
def test_what_has_no_size_is_no_image(decoders, record):
    assert decoders.guess(record).name != "image"
    decoded = decoders.decode(record, "image")
    assert decoded.problem == "not decoded as Image: the header is not that of a PNG, JPEG, GIF or WebP image"


def test_a_polyglot_is_the_image_that_it_begins_as(decoders):
    record = b"GIF89a/*\x10\x00\x00\x00\x00" + b"*/=1;alert(document.domain)//<script>alert(1)</script>"
    decoded = decoders.decode(record)
    assert decoded.decoder.name == "image"
    assert decoded.blocks[0].media_type == "image/gif"
    assert "does not end as it should" in facts_of(decoded)["frames"]


@pytest.mark.parametrize(
    "record", [b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', b"BM" + bytes(60)]
)
def test_what_could_run_or_is_unknown_is_no_image(decoders, record):
    assert not [block for block in decoders.decode(record).blocks if isinstance(block, Image)]

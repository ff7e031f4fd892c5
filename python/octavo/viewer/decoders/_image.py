"""Images that browsers show: PNG, JPEG, GIF, WebP. Their pixels are never decoded here, only their headers are read.

A small file can unfold into a bitmap that takes all memory of a browser, so what is announced decides what is shown.
"""

from __future__ import annotations

from typing import Final

from octavo._wording import size
from octavo.viewer.blocks import Block, Decoder, Facts, Hex, Image, Note, Summary
from octavo.viewer.decoders._bounds import HEX_BYTES
from octavo.viewer.decoders._image_headers import ImageHeader, is_image, measure
from octavo.viewer.decoders._wording import extent

_MOST_BYTES = 32 << 20
_MOST_PIXELS = 64_000_000
_MOST_CARD_BYTES = 8 << 20
_MOST_CARD_PIXELS = 16_000_000


def decode(record: bytes) -> list[Block]:
    """The image, and what its header tells; the bytes, if it is too large to be shown."""
    header = measure(record)
    if header is None:
        raise ValueError("the header is not that of a PNG, JPEG, GIF or WebP image")
    facts = Facts((("format", header.format), ("size", dimensions(header)), *header.facts))
    if reason := refusal(record, header):
        return [Note(f"not shown: {reason}", "warning"), facts, Hex(record[:HEX_BYTES], 0, len(record))]
    return [image_of(record, header), facts]


def refusal(record: bytes, header: ImageHeader) -> str | None:
    """Why the image is not given to a browser; None if it is."""
    if header.width * header.height > _MOST_PIXELS:
        return f"{dimensions(header)} are more than {_MOST_PIXELS // 1_000_000} megapixels"
    if len(record) > _MOST_BYTES:
        return f"{size(len(record))} are more than {size(_MOST_BYTES)}"
    return None


def dimensions(header: ImageHeader) -> str:
    """Width and height for people."""
    return f"{extent(header.width, header.height)} pixels"


def image_of(record: bytes, header: ImageHeader, title: str = "") -> Image:
    """The block of an image that `refusal` has nothing against."""
    return Image(record, header.media_type, header.width, header.height, title)


def thumbnail_of(record: bytes, header: ImageHeader) -> Image | None:
    """The image for a card, if it is small enough for many of them on a page. JPEG is decoded in a smaller size."""
    most_pixels = _MOST_PIXELS if header.format == "JPEG" else _MOST_CARD_PIXELS
    if len(record) > _MOST_CARD_BYTES or header.width * header.height > most_pixels:
        return None
    return image_of(record, header)


def summarise(record: bytes) -> Summary:
    """Format and size, and the image itself."""
    header = measure(record)
    if header is None:
        return Summary("an image whose header is not whole")
    line = f"{header.format}, {extent(header.width, header.height)}"
    image = thumbnail_of(record, header)
    return Summary(line if image else f"{line}, too large for a preview", image=image)


DECODER: Final = Decoder("image", "Image", is_image, decode, summarise)

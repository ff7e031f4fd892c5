"""Arrays of bytes that are images: grey, RGB or RGBA, with the channels last or first. A PNG is made of them.

Of an array with more axes the first image is shown, and of a large image only every second, third... row and column.
"""

from __future__ import annotations

import struct
import zlib
from typing import Final, NamedTuple

from octavo.viewer.blocks import Image

CARD_SIDE = 128  # pixels
PAGE_SIDE = 512
_SMALLEST_SIDE = 8  # what is smaller is rather a table
_LARGEST_SIDE = 1 << 14
_COLOUR_TYPES: Final = {1: 0, 3: 2, 4: 6}  # by the number of channels, as PNG has them


class _Layout(NamedTuple):
    height: int
    width: int
    channels: int
    is_planar: bool


def picture_of(shape: tuple[int, ...], data: memoryview, most_side: int, title: str = "") -> Image | None:
    """The image that an array of unsigned bytes is; None if its shape is not that of one, or values are missing."""
    layout = _layout_of(shape)
    if layout is None or layout.height * layout.width * layout.channels > len(data):
        return None
    step = -(-max(layout.height, layout.width) // most_side)
    rows = [_row(layout, data, y, step) for y in range(0, layout.height, step)]
    width = len(rows[0]) // layout.channels
    content = _png(width, len(rows), _COLOUR_TYPES[layout.channels], rows)
    return Image(content, "image/png", width, len(rows), title)


def _layout_of(shape: tuple[int, ...]) -> _Layout | None:
    if len(shape) < 2:  # noqa: PLR2004 - rows and columns
        return None
    before, height, width = (1, *shape)[-3:]
    if width in _COLOUR_TYPES and _are_sides(before, height):  # these are rows, columns and channels
        return _Layout(before, height, width, is_planar=False)
    if not _are_sides(height, width):
        return None
    return _Layout(height, width, 3, is_planar=True) if before == 3 else _Layout(height, width, 1, is_planar=False)  # noqa: PLR2004


def _are_sides(height: int, width: int) -> bool:
    return _SMALLEST_SIDE <= min(height, width) <= max(height, width) <= _LARGEST_SIDE


def _row(layout: _Layout, data: memoryview, y: int, step: int) -> bytes:
    """Every so many pixels of a row, channel by channel."""
    height, width, channels, is_planar = layout
    if is_planar:
        starts = [(channel * height + y) * width for channel in range(channels)]
        planes = [bytes(data[start : start + width : step]) for start in starts]
    else:
        row = data[y * width * channels : (y + 1) * width * channels]
        planes = [bytes(row[channel :: channels * step]) for channel in range(channels)]
    pixels = bytearray(channels * len(planes[0]))
    for channel, plane in enumerate(planes):
        pixels[channel::channels] = plane
    return bytes(pixels)


def _png(width: int, height: int, colour_type: int, rows: list[bytes]) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\x00" + row for row in rows), 1)  # no filter; made anew for each request
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

"""Sizes of images, from their headers: PNG, JPEG, GIF and WebP.

Where a file names several sizes, the largest counts, because that is what somebody has to make room for.
"""

from __future__ import annotations

import dataclasses
import struct
from typing import Final

from octavo._wording import plural

_PNG = b"\x89PNG\r\n\x1a\n"
_GIFS = (b"GIF87a", b"GIF89a")
_JPEG = b"\xff\xd8\xff"
_PNG_COLOURS: Final = {0: "grey", 2: "RGB", 3: "palette", 4: "grey and alpha", 6: "RGB and alpha"}
_JPEG_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # of what else is there, none has a size
_JPEG_PROGRESSIVE: Final = frozenset({0xC2, 0xC6, 0xCA, 0xCE})
_JPEG_COLOURS: Final = {1: "grey", 3: "colour", 4: "four colours"}
_RECOGNISED_GIF_BYTES = 4 << 10
_MOST_PARTS = 4096  # segments of a JPEG, chunks of a WebP, before anything is shown
_MOST_GIF_BLOCKS = 1 << 15  # of 255 bytes: as many as 8 MiB have


@dataclasses.dataclass(frozen=True, slots=True)
class ImageHeader:
    """What the header of an image says."""

    format: str
    media_type: str
    width: int
    height: int
    facts: tuple[tuple[str, str], ...] = ()


def is_image(record: bytes) -> bool:
    """Whether it is an image whose size can be told. Of a GIF, only the beginning is looked at: it has many blocks."""
    return measure(record[:_RECOGNISED_GIF_BYTES] if record.startswith(_GIFS) else record) is not None


def measure(record: bytes) -> ImageHeader | None:
    """What the header says; None if it is none, or has no size."""
    try:
        header = _measure(record)
    except (struct.error, IndexError):
        return None  # it ends before it has told
    return header if header is not None and header.width and header.height else None


def _measure(record: bytes) -> ImageHeader | None:
    if record.startswith(_PNG):
        return _png(record)
    if record.startswith(_JPEG):
        return _jpeg(record)
    if record.startswith(_GIFS):
        return _gif(record)
    return _webp(record) if _is_webp(record) else None


def _png(record: bytes) -> ImageHeader | None:
    length, kind, width, height, bits, colour = struct.unpack_from(">I4sIIBB", record, len(_PNG))
    if (length, kind) != (13, b"IHDR") or max(width, height) >= 1 << 31:
        return None
    facts = ("colour", f"{_PNG_COLOURS.get(colour, f'type {colour}')}, {plural(bits, 'bit')}")
    return ImageHeader("PNG", "image/png", width, height, (facts,))


def _jpeg(record: bytes) -> ImageHeader | None:
    """Segments up to the first scan: a header of a frame behind it is an error to who decodes."""
    width = height = 0
    facts: tuple[tuple[str, str], ...] = ()
    at = 2
    for _ in range(_MOST_PARTS):
        if record[at] != 0xFF:  # noqa: PLR2004 - a marker
            break
        marker = record[at + 1]
        if marker == 0xFF:  # noqa: PLR2004 - a byte that only fills
            at += 1
            continue
        if marker in (0xDA, 0xD9):  # a scan, the end
            break
        (length,) = struct.unpack_from(">H", record, at + 2)
        if marker in _JPEG_FRAMES:
            bits, high, wide, components = struct.unpack_from(">BHHB", record, at + 4)
            width, height = max(width, wide), max(height, high)
            way = "progressive" if marker in _JPEG_PROGRESSIVE else "sequential"
            colours = _JPEG_COLOURS.get(components, plural(components, "component"))
            facts = (("colour", f"{colours}, {plural(bits, 'bit')}"), ("coding", way))
        at += 2 + length
    return ImageHeader("JPEG", "image/jpeg", width, height, facts)


def _gif(record: bytes) -> ImageHeader:
    """The logical screen, and every frame: some who decode make room for a frame that sticks out."""
    width, height, flags = struct.unpack_from("<HHB", record, 6)
    at = 13 + _gif_colours(flags)
    frames, is_whole, left = 0, False, _MOST_GIF_BLOCKS
    while left > 0:
        kind = record[at : at + 1]
        if kind == b"!":
            at += 2
        elif kind == b"," and at + 10 <= len(record):
            left_edge, top, wide, high, flags = struct.unpack_from("<HHHHB", record, at + 1)
            width, height = max(width, left_edge + wide), max(height, top + high)
            frames += 1
            at += 11 + _gif_colours(flags)
        else:
            is_whole = kind == b";"
            break
        while left > 0 and at < len(record) and record[at]:  # blocks of data, the last of which is empty
            at += 1 + record[at]
            left -= 1
        at += 1
        left -= 1
    more = "" if is_whole else ", and it does not end as it should" if left > 0 else " or more"
    facts = (("frames", f"{frames:,}{more}"),)
    return ImageHeader("GIF", "image/gif", width, height, facts)


def _gif_colours(flags: int) -> int:
    """Bytes of a table of colours."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _is_webp(record: bytes) -> bool:
    return record.startswith(b"RIFF") and record.startswith(b"WEBP", 8)


def _webp(record: bytes) -> ImageHeader:
    width = height = frames = 0
    ways = []
    at = 12
    for _ in range(_MOST_PARTS):
        if at + 8 > len(record):
            break
        kind, length = struct.unpack_from("<4sI", record, at)
        if kind == b"ANMF":
            frames += 1
        wide, high, way = _webp_part(kind, record[at + 8 : at + 8 + min(length, 16)])
        width, height = max(width, wide), max(height, high)
        if way:
            ways.append(way)
        at += 8 + length + length % 2
    facts = [("coding", ", ".join(dict.fromkeys(ways)))] if ways else []
    if frames:
        facts.append(("frames", f"{frames:,}"))
    return ImageHeader("WebP", "image/webp", width, height, tuple(facts))


def _webp_part(kind: bytes, part: bytes) -> tuple[int, int, str]:
    """Width, height and way of coding that a chunk tells; zeros if it tells none."""
    if kind == b"VP8X" and len(part) >= 10:  # noqa: PLR2004 - flags, reserved, 24 bits each
        return int.from_bytes(part[4:7], "little") + 1, int.from_bytes(part[7:10], "little") + 1, ""
    if kind == b"VP8L" and len(part) >= 5 and part[0] == 0x2F:  # noqa: PLR2004 - signature, 14 bits each
        bits = int.from_bytes(part[1:5], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, "lossless"
    if kind == b"VP8 " and len(part) >= 10 and part[3:6] == b"\x9d\x01\x2a":  # noqa: PLR2004 - tag, start code, 14 bits each
        wide, high = struct.unpack_from("<HH", part, 6)
        return wide & 0x3FFF, high & 0x3FFF, "lossy"
    if kind == b"ANMF" and len(part) >= 12:  # noqa: PLR2004 - where it is, and 24 bits each
        left, top = (2 * int.from_bytes(part[i : i + 3], "little") for i in (0, 3))
        wide, high = (int.from_bytes(part[i : i + 3], "little") + 1 for i in (6, 9))
        return left + wide, top + high, ""
    return 0, 0, ""

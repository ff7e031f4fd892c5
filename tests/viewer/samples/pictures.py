"""Pictures as files: PNG and GIF written by hand, one small JPEG and one small WebP as they are."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Pixels: TypeAlias = npt.NDArray[np.uint8]
"""Rows of pixels of three bytes."""

JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqm"
    "x5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAAQABgD"
    "AREAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAwX/xAAXEAADAQAAAAAAAAAAAAAAAAAAAgRh/8QAFwEBAQEBAAAAAAAAAAAAAAAAAwQCBv/E"
    "ABcRAAMBAAAAAAAAAAAAAAAAAAABAgP/2gAMAwEAAhEDEQA/AJST4WOw40HSfA3ZXGg6T4G7LI0HSfA3ZzMaDpPgbssjQdJ8MOyuND//2Q=="
)
"""24 x 16 pixels."""
WEBP = base64.b64decode(
    "UklGRmIAAABXRUJQVlA4IFYAAADQAwCdASoYABAAPzmOvlOvKqcisAgB4CcJbDuAGMeQswAGzh639AAA/tpc4xQOKDnZ9kJNLBE6MK9zxer1MRRL"
    "+udkOpS8FAhms/LOBRQQpSY+WgAAAA=="
)
"""24 x 16 pixels."""


def png(pixels: Pixels) -> bytes:
    """The pixels, eight bits a channel."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    return png_of(width, height, zlib.compress(rows, 9))


def png_of(width: int, height: int, compressed: bytes) -> bytes:
    """A PNG whose header says so much, whatever its data holds."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", compressed), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_png_chunk(kind, content) for kind, content in parts)


def _png_chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def gif(width: int, height: int) -> bytes:
    """Stripes of four colors. Codes are as wide as they begin: the table is cleared before it would make them wider."""
    palette = bytes.fromhex("20304a e07a5f 81b29a f2cc8f")
    colors = [x * 4 // width for _ in range(height) for x in range(width)]
    clear, end, code_bits = 4, 5, 3
    codes: list[int] = []
    for number, color in enumerate(colors):
        if number % 2 == 0:
            codes.append(clear)
        codes.append(color)
    codes.append(end)
    bits = sum(code << code_bits * place for place, code in enumerate(codes))
    data = bits.to_bytes((len(codes) * code_bits + 7) // 8, "little")
    blocks = b"".join(bytes([len(piece)]) + piece for piece in (data[at : at + 255] for at in range(0, len(data), 255)))
    screen = struct.pack("<HHBBB", width, height, 0x91, 0, 0) + palette
    return b"GIF89a" + screen + b"," + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x02" + blocks + b"\0;"


def landscape(seed: int, width: int = 160, height: int = 120) -> Pixels:
    """Hills under a sun or a moon: no two seeds give the same."""
    chance = np.random.default_rng(seed)
    down = np.floor(np.linspace(0, 12, height))[:, None, None] / 12  # few colors, so that pictures of them are small
    above, horizon = _sky(chance)
    picture = above * (1 - down) + horizon * down + np.zeros((height, width, 3))
    y, x = np.mgrid[0:height, 0:width]
    _blend(picture, _disc(x, y, chance, width, height), np.array([255, 244, 214]))
    near = np.array(chance.uniform((20, 50, 50), (70, 110, 90)))
    for layer in range(3):
        part = (layer + 1) / 3
        ridge = height * (0.45 + 0.16 * layer) + _waves(np.arange(width), chance, height * 0.1, width)
        _blend(picture, np.clip(y - ridge[None, :], 0, 1), near * part + horizon * (1 - part) * 0.8)
    return _pixels(picture)


def plot(seed: int, width: int = 160, height: int = 120) -> Pixels:
    """Three curves on a grid."""
    chance = np.random.default_rng(seed)
    picture = np.full((height, width, 3), 250.0)
    picture[:: height // 6] = picture[:, :: width // 8] = 228
    y = np.arange(height)[:, None]
    for color in ((31, 119, 180), (214, 96, 77), (60, 150, 90)):
        curve = height / 2 + _waves(np.arange(width), chance, height * 0.28, width)
        steep = 1 + np.abs(np.gradient(curve))[None, :]
        _blend(picture, np.clip(1.8 - np.abs(y - curve[None, :]) / steep, 0, 1), np.array(color))
    return _pixels(picture)


def _sky(chance: np.random.Generator) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    skies = [
        ((64, 120, 190), (236, 224, 200)),
        ((38, 44, 92), (240, 150, 110)),
        ((18, 24, 52), (92, 104, 150)),
        ((110, 170, 190), (250, 236, 190)),
        ((90, 70, 130), (250, 190, 150)),
    ]
    above, horizon = skies[chance.integers(len(skies))]
    return np.array(above, dtype=float), np.array(horizon, dtype=float)


def _disc(x: Any, y: Any, chance: np.random.Generator, width: int, height: int) -> npt.NDArray[Any]:
    center = chance.uniform(0.15, 0.85) * width, chance.uniform(0.12, 0.35) * height
    far = np.hypot(x - center[0], y - center[1])
    return np.asarray(np.clip(chance.uniform(0.05, 0.11) * width - far, 0, 1))


def _waves(x: Any, chance: np.random.Generator, tall: float, width: int) -> npt.NDArray[Any]:
    waves = [np.sin(x / width * 6.3 * chance.uniform(0.5, 3) + chance.uniform(0, 6.3)) / n for n in (1, 2, 3)]
    return np.asarray(sum(waves) * tall / 1.8)


def _blend(picture: npt.NDArray[Any], strength: npt.NDArray[Any], color: npt.NDArray[Any]) -> None:
    picture += strength[..., None] * (color - picture)


def _pixels(picture: npt.NDArray[Any]) -> Pixels:
    return np.asarray(np.clip(picture, 0, 255), dtype=np.uint8)

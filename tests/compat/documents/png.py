"""Just enough of PNG for a figure of our own, and a stand-in for OpenCV where that is not installed."""

from __future__ import annotations

import importlib.util
import struct
import sys
import types
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def encode(pixels: Pixels) -> bytes:
    """Red, green and blue of every pixel, 8 bits each, without filters."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")


def decode(data: bytes) -> Pixels:
    """The pixels of what `encode` gives."""
    assert data.startswith(_SIGNATURE)
    chunks = dict(_chunks(data[len(_SIGNATURE) :]))
    width, height = struct.unpack_from(">II", chunks[b"IHDR"])
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any(), "rows are filtered"
    return rows[:, 1:].reshape(height, width, 3)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _chunks(rest: bytes) -> list[tuple[bytes, bytes]]:
    found = []
    while rest:
        (size,) = struct.unpack_from(">I", rest)
        found.append((rest[4:8], rest[8 : 8 + size]))
        rest = rest[12 + size :]
    return found


def stand_in_for_opencv() -> None:
    """Gives `import cv2` a module if there is none. OpenCV has blue before green before red in memory."""
    if importlib.util.find_spec("cv2") is not None:
        return
    module: Any = types.ModuleType("cv2")
    module.IMREAD_COLOR = 1
    module.imdecode = lambda buffer, _flags: decode(buffer.tobytes())[:, :, ::-1]
    module.imwrite = lambda name, image: bool(Path(name).write_bytes(encode(image[:, :, ::-1])))
    sys.modules["cv2"] = module


def read(name: str) -> Pixels:
    """The pixels of a file, by whoever wrote it."""
    cv2 = importlib.import_module("cv2")
    image: Pixels = cv2.imdecode(np.frombuffer(Path(name).read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    return image[:, :, ::-1]

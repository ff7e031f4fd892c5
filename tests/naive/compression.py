"""The compression wrapper of Riegeli chunks (`docs/spec/array_record.md`, section 4), by the package cramjam."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from tests.naive.protobuf import Cursor, Damaged, varint

CODEC_BYTES = {"none": b"\0", "brotli": b"b", "zstd": b"z", "snappy": b"s"}
CODEC_NAMES = {codec[0]: name for name, codec in CODEC_BYTES.items()}
DEFAULT_LEVELS = {"brotli": 6, "zstd": 3}

cramjam: Any = importlib.import_module("cramjam") if importlib.util.find_spec("cramjam") else None
AVAILABLE = [name for name in CODEC_BYTES if name == "none" or cramjam]


def compress(codec: str, data: bytes, level: int | None = None) -> bytes:
    """One compressed block."""
    if codec == "none":
        return data
    level = DEFAULT_LEVELS.get(codec) if level is None else level
    match codec:
        case "zstd":
            stream = cramjam.zstd.compress(data, level)
        case "brotli":
            stream = cramjam.brotli.compress(data, level)
        case "snappy":
            stream = cramjam.snappy.compress_raw(data)
    return varint(len(data)) + bytes(stream)


def decompress(codec: str, block: bytes) -> bytes:
    """What was compressed to `block`."""
    if codec == "none":
        return block
    cursor = Cursor(block)
    size = cursor.varint()
    try:
        match codec:
            case "zstd":
                data = bytes(cramjam.zstd.decompress(cursor.rest()))
            case "brotli":
                data = bytes(cramjam.brotli.decompress(cursor.rest()))
            case "snappy":
                data = bytes(cramjam.snappy.decompress_raw(cursor.rest()))
    except cramjam.DecompressionError as error:
        raise Damaged(f"a {codec} stream: {error}") from error
    if len(data) != size:
        raise Damaged(f"{size} bytes were compressed, {len(data)} came back")
    return data


def codec_named(byte: int) -> str:
    """The codec that a chunk's first byte stands for."""
    if byte not in CODEC_NAMES:
        raise Damaged(f"no codec has the byte {byte:#04x}")
    return CODEC_NAMES[byte]

"""Arrays, tensors and messages as files, written by hand."""

from __future__ import annotations

import io
import json
import math
import struct
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any


def npy(shape: Sequence[int], values: Sequence[float] | None = None) -> bytes:
    """An array of 32-bit floats: 0, 1, 2 and so on, if no values are given."""
    count = math.prod(shape)
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}".encode()
    header = header.ljust(-(-(len(header) + 11) // 64) * 64 - 11) + b"\n"
    content = struct.pack(f"<{count}f", *(range(count) if values is None else values))
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content


def npz(arrays: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in arrays.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), content)
    return file.getvalue()


def safetensors(tensors: Mapping[str, Sequence[int]], metadata: Mapping[str, str]) -> bytes:
    """Tensors of these shapes, of 32-bit floats that count up."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    content = b""
    for name, shape in tensors.items():
        count = math.prod(shape)
        begin = len(content)
        content += struct.pack(f"<{count}f", *(number / 8 for number in range(count)))
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [begin, len(content)]}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + content


def msgpack(value: Any) -> bytes:
    """Maps, lists, text, bytes, integers and floats, each in one of the ways there are."""
    match value:
        case int():
            return bytes([value]) if 0 <= value < 128 else b"\xd3" + struct.pack(">q", value)
        case float():
            return b"\xcb" + struct.pack(">d", value)
        case str():
            return b"\xda" + struct.pack(">H", len(value.encode())) + value.encode()
        case bytes():
            return b"\xc5" + struct.pack(">H", len(value)) + value
        case dict():
            inside = (msgpack(key) + msgpack(item) for key, item in value.items())
            return b"\xde" + struct.pack(">H", len(value)) + b"".join(inside)
    return b"\xdc" + struct.pack(">H", len(value)) + b"".join(map(msgpack, value))

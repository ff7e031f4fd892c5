"""Records of every kind, made by hand: each is as small as its format allows, and what is in it is known."""

from __future__ import annotations

import io
import json
import struct
import zlib

import numpy as np

from octavo import _tf_example


def png(width=3, height=2, *, pixels=b""):
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = pixels or (b"\x00" + b"\xc8\x03\x04" * width) * height
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    )


def jpeg(width=5, height=4, *, marker=0xC0, before=b""):
    """Only headers: nobody decodes it here."""
    frame = struct.pack(">BHHB", 8, height, width, 3) + b"\x01\x11\x00\x02\x11\x01\x03\x11\x01"
    app0 = b"\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
    sof = b"\xff" + bytes([marker]) + struct.pack(">H", len(frame) + 2) + frame
    return b"\xff\xd8" + app0 + before + sof + b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00\xff\xd9"


def gif(width=7, height=6, *, frame=None, frames=1):
    wide, high = frame or (width, height)
    body = (
        b"!\xf9\x04\x00\x00\x00\x00\x00" + b"," + struct.pack("<HHHHB", 0, 0, wide, high, 0) + b"\x02\x02\x4c\x01\x00"
    )
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6) + body * frames + b";"


def webp(chunks):
    body = b"WEBP" + b"".join(
        kind + struct.pack("<I", len(part)) + part + b"\0" * (len(part) % 2) for kind, part in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body


def webp_lossy(width=9, height=8):
    return webp([(b"VP8 ", b"\x30\x01\x00\x9d\x01\x2a" + struct.pack("<HH", width, height) + bytes(8))])


def webp_lossless(width=11, height=10):
    return webp([(b"VP8L", b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14) + bytes(6))])


def webp_extended(width=13, height=12, more=()):
    sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return webp([(b"VP8X", bytes(4) + sizes), *more])


def wav(seconds=2, rate=8000, channels=1, *, tag=1, announced=None):
    data = bytes(int(seconds * rate) * channels * 2)
    fmt = struct.pack("<HHIIHH", tag, channels, rate, rate * channels * 2, channels * 2, 16)
    length = len(data) if announced is None else announced
    chunks = b"fmt " + struct.pack("<I", 16) + fmt + b"data" + struct.pack("<I", length) + data
    return b"RIFF" + struct.pack("<I", len(chunks) + 4) + b"WAVE" + chunks


def flac(rate=44_100, channels=2, bits=16, samples=88_200):
    packed = rate << 44 | (channels - 1) << 41 | (bits - 1) << 36 | samples
    return b"fLaC\x80\x00\x00\x22" + struct.pack(">HH", 4096, 4096) + bytes(6) + packed.to_bytes(8, "big") + bytes(16)


MPEG_FRAME = b"\xff\xfb\x90\x00" + bytes(413)  # MPEG 1 layer 3, 128 kbit/s, 44.1 kHz, stereo: 417 bytes


def mp3(frames=10, *, tag=False, announced=0):
    first = MPEG_FRAME
    if announced:
        first = MPEG_FRAME[:36] + b"Xing" + struct.pack(">II", 1, announced) + MPEG_FRAME[48:]
    return (b"ID3\x04\x00\x00\x00\x00\x01\x00" + bytes(128) if tag else b"") + first + MPEG_FRAME * (frames - 1)


def ogg_page(packet, samples=0, serial=7):
    head = b"OggS\x00\x02" + struct.pack("<qIIIB", samples, serial, 0, 0, 1)
    return head + bytes([len(packet)]) + packet


def vorbis(rate=16_000, channels=1, seconds=3):
    packet = b"\x01vorbis" + struct.pack("<IBI", 0, channels, rate) + bytes(14)
    return ogg_page(packet) + ogg_page(b"x" * 50, rate * seconds)


def opus(channels=2, seconds=4, skipped=312):
    packet = b"OpusHead\x01" + struct.pack("<BHIhB", channels, skipped, 44_100, 0, 0)
    return ogg_page(packet) + ogg_page(b"x" * 50, 48_000 * seconds + skipped)


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def npy_with(header, data=b"", version=1):
    text = header if isinstance(header, bytes) else header.encode()
    return b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(2 if version == 1 else 4, "little") + text + data


def npz(*, compressed=True, **arrays):
    file = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, **arrays)
    return file.getvalue()


def safetensors(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def example(**features):
    return _tf_example.encode(features)


def sequence_example(context, lists):
    """`lists` are lists of features, each a list of values."""

    def entry(name, value):
        return _tf_example._field(1, _tf_example._field(1, name.encode()) + _tf_example._field(2, value))

    steps = {
        name: b"".join(_tf_example._field(1, _tf_example._encode_feature(name, values)) for values in features)
        for name, features in lists.items()
    }
    listed = b"".join(entry(name, value) for name, value in steps.items())
    return _tf_example.encode(context) + _tf_example._field(2, listed)


# {a: [1, -2, 1.5], b: nil, c: two bytes}
MESSAGEPACK = b"\x83\xa1a\x93\x01\xfe\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00\xa1b\xc0\xa1c\xc4\x02\x00\xff"

VALID = {
    "png": png(),
    "jpeg": jpeg(),
    "gif": gif(),
    "webp lossy": webp_lossy(),
    "webp lossless": webp_lossless(),
    "webp extended": webp_extended(),
    "wav": wav(0.01),
    "flac": flac(),
    "mp3": mp3(3),
    "mp3 with a tag": mp3(2, tag=True),
    "vorbis": vorbis(),
    "opus": opus(),
    "npy": npy(np.arange(12, dtype="<f4").reshape(3, 4)),
    "npz": npz(x=np.zeros((2, 3)), y=np.arange(5)),
    "safetensors": safetensors({"w": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}}, bytes(8)),
    "json": b'{"a": [1, 2.5e3, "\\u00e9"], "b": {"c": null}}',
    "text": "one\ntwo é\n".encode(),
    "example": example(label=[3], image=[png()], weights=[0.5, 0.25], caption=["a text that is long " * 8]),
    "sequence": sequence_example({"label": [3]}, {"frames": [[png()], [b"\xff\x00"]], "ids": [[1, 2], [3]]}),
    "msgpack": MESSAGEPACK,
    "hex": b"\x00\x01\xff\xfe",
}
KINDS = {name: name for name in ("npy", "npz", "safetensors", "json", "text", "example", "msgpack", "hex")}
KINDS |= dict.fromkeys(("png", "jpeg", "gif", "webp lossy", "webp lossless", "webp extended"), "image")
KINDS |= dict.fromkeys(("wav", "flac", "mp3", "mp3 with a tag", "vorbis", "opus"), "audio") | {"sequence": "example"}

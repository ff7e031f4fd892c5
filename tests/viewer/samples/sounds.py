"""Sounds as files, written by hand: WAV and FLAC are tones, MP3 and OGG are silence, which needs no encoder."""

from __future__ import annotations

import functools
import io
import math
import struct
import wave

RATE = 8000


def tone(seconds: float, hertz: float = 440.0) -> list[int]:
    """Samples of 16 bits that fade out."""
    count = int(seconds * RATE)
    return [int(12000 * (1 - n / count) * math.sin(2 * math.pi * hertz * n / RATE)) for n in range(count)]


def wav(samples: list[int]) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(RATE)
        writer.writeframes(struct.pack(f"<{len(samples)}h", *samples))
    return file.getvalue()


def flac(samples: list[int], block: int = 512) -> bytes:
    """One channel, nothing predicted: every frame holds its samples as they are."""
    rate_channels_bits_count = RATE << 44 | 0 << 41 | 15 << 36 | len(samples)
    information = struct.pack(">HH6xQ16x", block, block, rate_channels_bits_count)
    frames = (samples[at : at + block] for at in range(0, len(samples), block))
    stream = b"".join(_flac_frame(number, frame) for number, frame in enumerate(frames))
    return b"fLaC" + bytes([0x80]) + len(information).to_bytes(3, "big") + information + stream


def _flac_frame(number: int, samples: list[int]) -> bytes:
    size_follows, rate_8_khz, bits_16 = 0x70, 0x04, 0x08
    assert number < 128, "the number of a frame is written as one byte"
    head = bytes([0xFF, 0xF8, size_follows | rate_8_khz, bits_16, number]) + struct.pack(">H", len(samples) - 1)
    verbatim = b"\x02"
    frame = head + bytes([_crc(head, 0x07, 8)]) + verbatim + struct.pack(f">{len(samples)}h", *samples)
    return frame + struct.pack(">H", _crc(frame, 0x8005, 16))


def mp3(seconds: float) -> bytes:
    """MPEG-1 Layer III, 44.1 kHz, 128 kbit/s: frames whose side information says that nothing follows."""
    frame = b"\xff\xfb\x90\xc4" + bytes(417 - 4)
    return frame * math.ceil(seconds * 44100 / 1152)


def ogg(seconds: float) -> bytes:
    """Opus in OGG: packets of 20 ms that say silence."""
    packets = math.ceil(seconds * 50)
    head = b"OpusHead" + struct.pack("<BBHIhB", 1, 1, 0, 48000, 0, 0)
    tags = b"OpusTags" + struct.pack("<I", 6) + b"octavo" + struct.pack("<I", 0)
    pages = [_ogg_page(2, 0, 0, [head]), _ogg_page(0, 0, 1, [tags])]
    for page, first in enumerate(range(0, packets, 50)):
        held = min(50, packets - first)
        is_last = first + held == packets
        pages.append(_ogg_page(4 if is_last else 0, (first + held) * 960, page + 2, [b"\xf8\xff\xfe"] * held))
    return b"".join(pages)


def _ogg_page(flags: int, granule: int, number: int, packets: list[bytes]) -> bytes:
    before = b"OggS" + struct.pack("<BBqII", 0, flags, granule, 1, number)
    after = bytes([len(packets), *map(len, packets)]) + b"".join(packets)
    return before + struct.pack("<I", _crc(before + bytes(4) + after, 0x04C11DB7, 32)) + after


def _crc(content: bytes, polynomial: int, bits: int) -> int:
    """The checksum that starts from zero and takes the highest bit first, as FLAC and OGG have it."""
    table, mask = _table(polynomial, bits), (1 << bits) - 1
    value = 0
    for byte in content:
        value = (value << 8 & mask) ^ table[value >> bits - 8 ^ byte]
    return value


@functools.cache
def _table(polynomial: int, bits: int) -> list[int]:
    table = []
    for value in range(256):
        value <<= bits - 8  # noqa: PLW2901 - it is worked on, bit by bit
        for _ in range(8):
            value = value << 1 ^ (polynomial if value >> bits - 1 else 0)  # noqa: PLW2901 - the same
            value &= (1 << bits) - 1  # noqa: PLW2901 - the same
        table.append(value)
    return table

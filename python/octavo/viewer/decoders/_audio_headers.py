"""What the headers of WAV, FLAC and OGG say about rate, channels and duration. MP3 has a module of its own."""

from __future__ import annotations

import dataclasses
import struct
from typing import Final

from octavo._wording import duration, number, plural

_WAV_CODINGS: Final = {1: "PCM", 2: "ADPCM", 3: "float", 6: "A-law", 7: "µ-law", 0x11: "IMA ADPCM", 0x55: "MP3"}
_WAV_EXTENSIBLE = 0xFFFE  # the coding is the first of its sub-format
_MOST_CHUNKS = 256
_OGG_TAIL_BYTES = 64 << 10  # a page has no more than 65,307
_OPUS_RATE = 48_000  # that of its clock, whatever was recorded
_CHANNELS: Final = {1: "mono", 2: "stereo"}


@dataclasses.dataclass(frozen=True, slots=True)
class AudioHeader:
    """What the header of audio says. Zeros and empty texts are not known."""

    format: str
    media_type: str
    coding: str = ""
    rate: int = 0
    channels: int = 0
    seconds: float = 0
    is_estimate: bool = False
    """Whether the duration was concluded from the size."""

    def rows(self) -> tuple[tuple[str, str], ...]:
        """Name and value of what is known."""
        rows = (
            ("format", self.format),
            ("coding", self.coding),
            ("rate", f"{number(self.rate)} Hz" if self.rate else ""),
            ("channels", _CHANNELS.get(self.channels, plural(self.channels, "channel")) if self.channels else ""),
            ("duration", ("about " if self.is_estimate else "") + duration(self.seconds) if self.seconds else ""),
        )
        return tuple((name, value) for name, value in rows if value)

    def line(self) -> str:
        """What is known beside the format, in one line."""
        return ", ".join(value for _, value in self.rows()[1:])


def wav(record: bytes) -> AudioHeader | None:
    """RIFF with a WAVE in it, whose chunks say what follows."""
    if not (record.startswith(b"RIFF") and record.startswith(b"WAVE", 8)):
        return None
    coding, rate, channels, byte_rate, seconds = "", 0, 0, 0, 0.0
    at = 12
    for _ in range(_MOST_CHUNKS):
        if at + 8 > len(record):
            break
        kind, length = struct.unpack_from("<4sI", record, at)
        if kind == b"fmt " and length >= 16 and at + 24 <= len(record):  # noqa: PLR2004 - the oldest form of it
            tag, channels, rate, byte_rate, _, bits = struct.unpack_from("<HHIIHH", record, at + 8)
            if tag == _WAV_EXTENSIBLE and length >= 26 and at + 34 <= len(record):  # noqa: PLR2004 - up to the sub-format
                (tag,) = struct.unpack_from("<H", record, at + 32)
            coding = f"{bits}-bit {_WAV_CODINGS.get(tag, f'coding {tag:#x}')}"
        elif kind == b"data":
            stored = min(length, len(record) - at - 8)  # writers of streams leave the length at its largest
            seconds = stored / byte_rate if byte_rate else 0.0
            break
        at += 8 + length + length % 2
    return AudioHeader("WAV", "audio/wav", coding, rate, channels, seconds)


def flac(record: bytes) -> AudioHeader | None:
    """The first block is always the one about the stream."""
    if not record.startswith(b"fLaC") or len(record) < 42 or record[4] & 0x7F:  # noqa: PLR2004 - up to its end
        return None
    packed = int.from_bytes(record[18:26], "big")  # 20 bits of rate, 3 of channels, 5 of bits, 36 of samples
    rate, samples = packed >> 44, packed & 0xF_FFFF_FFFF
    coding = f"{(packed >> 36 & 0x1F) + 1}-bit"
    return AudioHeader("FLAC", "audio/flac", coding, rate, (packed >> 41 & 7) + 1, samples / rate if rate else 0.0)


def ogg(record: bytes) -> AudioHeader | None:
    """The first page tells the coding, and the last how many samples there were."""
    if not record.startswith(b"OggS") or len(record) < 28:  # noqa: PLR2004 - a page with a segment
        return None
    start = 27 + record[26]
    packet = record[start : start + 64]
    if packet.startswith(b"\x01vorbis"):
        channels, rate = struct.unpack_from("<BI", packet, 11)
        return AudioHeader("OGG", "audio/ogg", "Vorbis", rate, channels, _ogg_seconds(record, rate, 0))
    if packet.startswith(b"OpusHead"):
        channels, skipped, rate = struct.unpack_from("<BHI", packet, 9)
        seconds = _ogg_seconds(record, _OPUS_RATE, skipped)
        return AudioHeader("OGG", "audio/ogg", "Opus", rate or _OPUS_RATE, channels, seconds)
    if packet.startswith(b"\x7fFLAC"):
        return AudioHeader("OGG", "audio/ogg", "FLAC")
    return None


def _ogg_seconds(record: bytes, rate: int, skipped: int) -> float:
    """How long until the last page ends; 0 if that cannot be told."""
    at = record.rfind(b"OggS", max(0, len(record) - _OGG_TAIL_BYTES))
    if at <= 0 or at + 18 > len(record) or not rate or record[at + 14 : at + 18] != record[14:18]:
        return 0.0  # the last page is the first, or of another stream
    samples: int = struct.unpack_from("<q", record, at + 6)[0]
    return max(0, samples - skipped) / rate

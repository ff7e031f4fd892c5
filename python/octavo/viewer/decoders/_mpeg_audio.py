"""MP3, which has no header of the whole: frames one after the other, and perhaps a tag before them."""

from __future__ import annotations

import struct
from typing import Final

from octavo.viewer.decoders._audio_headers import AudioHeader

_KBITS: Final = {  # by version 1 or not, and layer; ISO 11172-3 section 2.4.2.3, ISO 13818-3 section 2.4.2.3
    (True, 1): (0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (True, 2): (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (True, 3): (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (False, 1): (0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (False, 2): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (False, 3): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_RATES: Final = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}
_MONO = 3
_TAG_BYTES = 10  # before the content of an ID3 tag


class _Frame:
    """The header of a frame: four bytes."""

    def __init__(self, bits: int) -> None:
        self.version = bits >> 19 & 3
        self.layer = 4 - (bits >> 17 & 3)
        is_first = self.version == 3  # noqa: PLR2004 - as MPEG 1 is written
        self.bit_rate = _KBITS[is_first, self.layer][bits >> 12 & 15] * 1000
        self.rate = _RATES[self.version][bits >> 10 & 3]
        self.channels = 1 if bits >> 6 & 3 == _MONO else 2
        self.is_first = is_first
        self.samples = 384 if self.layer == 1 else 576 if self.layer == 3 and not is_first else 1152  # noqa: PLR2004
        slot = 4 if self.layer == 1 else 1
        self.bytes = (self.samples // 8 // slot * self.bit_rate // self.rate + (bits >> 9 & 1)) * slot


def _frame_at(record: bytes, at: int) -> _Frame | None:
    (bits,) = struct.unpack_from(">I", record, at)
    if bits >> 21 != 0x7FF or bits >> 17 & 3 == 0 or bits >> 19 & 3 == 1:  # noqa: PLR2004 - the sync, and what is reserved
        return None
    if not 0 < bits >> 12 & 15 < 15 or bits >> 10 & 3 == 3:  # noqa: PLR2004 - free and bad bit rates, a reserved rate
        return None
    return _Frame(bits)


def mpeg(record: bytes) -> AudioHeader | None:
    """Two frames, the second where the first says that it ends; or one behind an ID3 tag."""
    start = _tag_end(record)
    if not record.startswith((b"\xff", b"ID3")):
        return None
    frame = _frame_at(record, start)
    if frame is None:
        return None
    end = start + frame.bytes
    if not start and (end + 4 > len(record) or _frame_at(record, end) is None):
        return None
    frames = _announced_frames(record, start, frame)
    seconds = frames * frame.samples / frame.rate if frames else (len(record) - start) * 8 / frame.bit_rate
    coding = f"MPEG {'1' if frame.is_first else '2'} layer {frame.layer}"
    name = "MP3" if frame.layer == 3 else f"MP{frame.layer}"  # noqa: PLR2004
    return AudioHeader(name, "audio/mpeg", coding, frame.rate, frame.channels, seconds, is_estimate=not frames)


def _tag_end(record: bytes) -> int:
    """Where the frames start: behind an ID3 tag, whose length has seven bits a byte."""
    if not record.startswith(b"ID3") or len(record) < _TAG_BYTES:
        return 0
    length = 0
    for byte in record[6:10]:
        length = length << 7 | byte & 0x7F
    return _TAG_BYTES + length + (_TAG_BYTES if record[5] & 0x10 else 0)


def _announced_frames(record: bytes, start: int, frame: _Frame) -> int:
    """How many frames there are, if the first is one that says so, as those of variable bit rate do."""
    mono = frame.channels == 1
    side = (17 if mono else 32) if frame.is_first else (9 if mono else 17)
    at = start + 4 + side
    if record[at : at + 4] not in (b"Xing", b"Info") or len(record) < at + 12:
        return 0
    flags, frames = struct.unpack_from(">II", record, at + 4)
    return frames if flags & 1 else 0

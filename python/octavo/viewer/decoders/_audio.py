"""Audio that browsers play: WAV, FLAC, MP3, OGG. Only headers are read; the samples are for the browser."""

from __future__ import annotations

import struct
from typing import Final

from octavo.viewer.blocks import Audio, Block, Decoder, Facts, Summary
from octavo.viewer.decoders._audio_headers import AudioHeader, flac, ogg, wav
from octavo.viewer.decoders._mpeg_audio import mpeg

_READERS: Final = (wav, flac, ogg, mpeg)


def listen(record: bytes) -> AudioHeader | None:
    """What the header says; None if it is that of no audio."""
    for read in _READERS:
        try:
            header = read(record)
        except (struct.error, IndexError):
            continue  # it ends before it has told
        if header is not None:
            return header
    return None


def recognises(record: bytes) -> bool:
    """Whether it begins as audio does."""
    return listen(record) is not None


def audio_of(record: bytes, header: AudioHeader, title: str = "") -> Audio:
    """The block of the audio."""
    return Audio(record, header.media_type, title, header.line())


def decode(record: bytes) -> list[Block]:
    """A player, and what the header tells."""
    header = listen(record)
    if header is None:
        raise ValueError("the header is not that of WAV, FLAC, MP3 or OGG audio")
    return [audio_of(record, header), Facts(header.rows())]


def summarise(record: bytes) -> Summary:
    """Format, rate, channels and duration."""
    header = listen(record)
    return Summary("audio whose header is not whole" if header is None else f"{header.format}, {header.line()}")


DECODER: Final = Decoder("audio", "Audio", recognises, decode, summarise)

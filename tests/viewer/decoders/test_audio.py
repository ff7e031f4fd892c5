"""Audio: what its headers say about it."""

from __future__ import annotations

import io
import struct
import wave

import pytest

from octavo.viewer.blocks import Audio
from octavo.viewer.decoders import _audio
from tests.viewer.decoders import contents


@pytest.mark.parametrize(
    ("record", "media_type", "facts"),
    [
        (contents.wav(2, 8000), "audio/wav", "16-bit PCM, 8,000 Hz, mono, 2 s"),
        (contents.wav(1, 44_100, 6, tag=3), "audio/wav", "16-bit float, 44,100 Hz, 6 channels, 1 s"),
        (contents.wav(1, announced=0xFFFFFFFF), "audio/wav", "16-bit PCM, 8,000 Hz, mono, 1 s"),
        (contents.wav(1, tag=0x1234), "audio/wav", "16-bit coding 0x1234, 8,000 Hz, mono, 1 s"),
        (contents.flac(), "audio/flac", "16-bit, 44,100 Hz, stereo, 2 s"),
        (contents.flac(samples=0), "audio/flac", "16-bit, 44,100 Hz, stereo"),
        (contents.mp3(), "audio/mpeg", "MPEG 1 layer 3, 44,100 Hz, stereo, about 261 ms"),
        (contents.mp3(announced=1000), "audio/mpeg", "MPEG 1 layer 3, 44,100 Hz, stereo, 26.1 s"),
        (contents.mp3(1, tag=True), "audio/mpeg", "MPEG 1 layer 3, 44,100 Hz, stereo, about 26.1 ms"),
        (contents.vorbis(), "audio/ogg", "Vorbis, 16,000 Hz, mono, 3 s"),
        (contents.opus(), "audio/ogg", "Opus, 44,100 Hz, stereo, 4 s"),
        (contents.ogg_page(b"\x7fFLAC" + bytes(40)), "audio/ogg", "FLAC"),
    ],
)
def test_audio_is_played_as_it_is_stored(decoders, record, media_type, facts):
    assert decoders.decode(record).blocks[0] == Audio(record, media_type, "", facts)
    assert decoders.summarise(record)[1].text.endswith(facts)


@pytest.mark.parametrize("channels", [1, 2])
def test_facts_are_those_that_were_written(decoders, channels):
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(channels)
        writer.setsampwidth(3)
        writer.setframerate(48_000)
        writer.writeframes(bytes(3 * channels * 24_000))
    name = {1: "mono", 2: "stereo"}[channels]
    assert decoders.decode(file.getvalue()).blocks[0].facts == f"24-bit PCM, 48,000 Hz, {name}, 500 ms"


def test_an_extensible_wav_names_its_coding():
    record = bytearray(contents.wav(1, tag=0xFFFE))
    record[16:20] = struct.pack("<I", 40)
    record[36:36] = struct.pack("<HHIH", 22, 16, 4, 3) + bytes(14)
    header = _audio.listen(bytes(record))
    assert header is not None
    assert header.coding == "16-bit float"


@pytest.mark.parametrize(
    "record",
    [
        b"RIFF\x04\x00\x00\x00AVI ",
        b"fLaC",
        b"fLaC\x01" + bytes(50),
        b"OggS",
        contents.ogg_page(b"\x80theora" + bytes(30)),
        contents.MPEG_FRAME,
        contents.MPEG_FRAME + bytes(50),
        contents.MPEG_FRAME[:-1] + contents.MPEG_FRAME,
        b"\xff\xf1\x50\x80" + bytes(1000),
        b"ID3",
        b"ID3\x04\x00\x00\x7f\x7f\x7f\x7f" + bytes(100),
        b"ID3 is a tag of MP3 files",
        b"\xff\xff\xff\xff" * 200,
    ],
)
def test_what_only_begins_as_audio_is_none(decoders, record):
    assert decoders.guess(record).name != "audio"
    assert decoders.decode(record, "audio").problem is not None


@pytest.mark.parametrize(
    "record", [contents.wav(0), contents.wav(1)[:30], contents.wav(1, rate=0), contents.vorbis(rate=0)]
)
def test_what_is_not_known_is_not_told(decoders, record):
    audio = decoders.decode(record).blocks[0]
    assert isinstance(audio, Audio)
    assert " s" not in audio.facts


@pytest.mark.parametrize(
    ("head", "frame_bytes", "name"),
    [
        (b"\xff\xfb\x90\x00", 417, "MPEG 1 layer 3"),
        (b"\xff\xfb\x92\x00", 418, "MPEG 1 layer 3"),
        (b"\xff\xf3\x80\xc0", 208, "MPEG 2 layer 3"),
        (b"\xff\xe3\x80\xc0", 417, "MPEG 2 layer 3"),
        (b"\xff\xfd\x90\x00", 522, "MPEG 1 layer 2"),
        (b"\xff\xff\x90\x00", 312, "MPEG 1 layer 1"),
    ],
)
def test_the_second_frame_is_where_the_first_ends(head, frame_bytes, name):
    header = _audio.listen(head + bytes(frame_bytes - 4) + head + bytes(1000))
    assert header is not None
    assert header.coding == name
    assert _audio.listen(head + bytes(frame_bytes - 5) + head + bytes(1000)) is None

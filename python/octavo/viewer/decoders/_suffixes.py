"""What the file of a downloaded record is called at its end. None of these is run by whoever opens it."""

from __future__ import annotations

from octavo.viewer.blocks import Audio, Decoder, Image

_OF_KIND = {
    "npy": ".npy",
    "npz": ".npz",
    "safetensors": ".safetensors",
    "json": ".json",
    "text": ".txt",
    "msgpack": ".msgpack",
}
_OF_MEDIA = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/webp": ".webp",
    "image/gif": ".gif",
    "audio/wav": ".wav",
    "audio/flac": ".flac",
    "audio/mpeg": ".mp3",
    "audio/ogg": ".ogg",
}


def suffix_of(record: bytes, decoder: Decoder) -> str:
    """The suffix for what a record was recognised as."""
    if decoder.name in {"image", "audio"}:
        media = [block for block in decoder.decode(record) if isinstance(block, Image | Audio)]
        return _OF_MEDIA[media[0].media_type] if media else ".bin"
    return _OF_KIND.get(decoder.name, ".bin")

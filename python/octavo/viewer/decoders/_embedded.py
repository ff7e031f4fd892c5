"""Bytes within a record: images, audio and long text there are shown as if they were records of their own."""

from __future__ import annotations

from octavo._record_text import text_of
from octavo._wording import plural
from octavo.viewer.blocks import Block, Image, Note, Text
from octavo.viewer.decoders import _audio, _image, _json, _text
from octavo.viewer.decoders._image_headers import measure
from octavo.viewer.decoders._wording import cut, extent

_SHORT_BYTES = 64
_HEX_BYTES = 16
_TEXT_BYTES = 16 << 10


def embedded(value: bytes, title: str = "") -> Block | None:
    """What is worth a block of its own: an image, audio, or text that is more than a line."""
    if header := measure(value):
        if reason := _image.refusal(value, header):
            return Note(f"{header.format} image, not shown: {reason}", "warning")
        return _image.image_of(value, header, title)
    if sound := _audio.listen(value):
        return _audio.audio_of(value, sound, title)
    if len(value) <= _SHORT_BYTES or not _text.recognises(value):
        return None
    if _json.recognises(value) and len(value) <= _TEXT_BYTES:
        return next((block for block in _json.decode(value) if isinstance(block, Text)), None)
    shown = _text.head(value, _TEXT_BYTES)
    return Text(shown.decode("utf-8", "replace"), left_out=len(value) - len(shown))


def thumbnail(value: bytes) -> Image | None:
    """The image that the bytes are, if it is small enough for a card."""
    header = measure(value)
    return None if header is None else _image.thumbnail_of(value, header)


def value_text(value: bytes) -> str:
    """Bytes in a few words: what they are, text in quotes, or the first of them."""
    if header := measure(value):
        return f"<{header.format} image, {extent(header.width, header.height)}, {plural(len(value), 'byte')}>"
    if sound := _audio.listen(value):
        return f"<{sound.format} audio, {plural(len(value), 'byte')}>"
    text = text_of(_text.head(value, _SHORT_BYTES))
    size = f" ({plural(len(value), 'byte')})" if len(value) > _SHORT_BYTES else ""
    if text is not None:
        return _quoted(text + "…" if size else text) + size
    dots = " …" if len(value) > _HEX_BYTES else ""
    return f"<{value[:_HEX_BYTES].hex(' ')}{dots}>" + (f" ({plural(len(value), 'byte')})" if dots else "")


def _quoted(text: str) -> str:
    return '"' + cut(text, 2 * _SHORT_BYTES).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'

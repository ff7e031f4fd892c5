"""Which record format a file's first bytes are of, where its name says nothing, or something else.

A guess, for messages and for telling folders of record files from other folders: the core decides when a file is
opened, by more than this. The layouts are in docs/spec.
"""

from __future__ import annotations

import os
import stat
import struct
import zlib
from typing import TYPE_CHECKING

from octavo._location import format_of_name
from octavo.errors import FormatError
from octavo.storage._file_object import FileObject

if TYPE_CHECKING:
    from octavo.storage import SpanSource

_HEAD_BYTES = 512
_RIEGELI = bytes.fromhex("83af70d10d884a3f")  # docs/spec/riegeli.md#first-bytes; ArrayRecord's as well
_RECORDIO = bytes.fromhex("04030201")  # docs/spec/recordio.md, in all dialects
_FFRECORD_HEAD = struct.Struct("<Iq")
_FFRECORD_UNFINISHED = b"octavo\0S"  # docs/spec/partial.md#blocks-of-an-ffrecord-write
_FFRECORD_OF_NOTHING = bytes.fromhex("69df22650000000000000000")
_OFFSET = struct.Struct("<q")
_LENGTH_BYTES, _TFRECORD_HEAD_BYTES = 8, 12
_ANY_DEFLATE = 32 + zlib.MAX_WBITS  # zlib tells gzip from its own streams

_SUFFIX_NAMES = {
    "ffrecord": "FFRecord",
    "array_record": "ArrayRecord",
    "riegeli": "Riegeli",
    "recordio": "RecordIO",
    "tfrecord": "TFRecord",
}
PROPER_NAMES = {**_SUFFIX_NAMES, "riegeli": "ArrayRecord or Riegeli"}
"""The formats that are told apart here, as they are written in text."""


def format_of_content(path: str) -> str | None:
    """The format that a local file's first bytes are of; None for everything else, also for what cannot be read.

    ArrayRecord files are Riegeli files, as far as their beginning tells.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # reading a pipe might wait for ever
            return None
        with open(path, "rb", buffering=0) as file:
            return format_of_source(FileObject(file))
    except (OSError, ValueError):
        return None


def format_of_source(source: SpanSource) -> str | None:
    """The same of anything that is read by spans."""
    head = _read(source, 0, _HEAD_BYTES)
    if head.startswith(_RIEGELI):
        return "riegeli"
    if head.startswith(_RECORDIO):
        return "recordio"
    if _is_tfrecord(head) or _is_tfrecord(_inflated(head)):
        return "tfrecord"
    return "ffrecord" if head.startswith(_FFRECORD_UNFINISHED) or _is_ffrecord(head, source) else None


def name_another_format(error: FormatError) -> None:
    """Let an error about a file that is plainly not what its suffix says tell so, instead of what that leads to."""
    path = error.path or ""
    named = format_of_name(path)
    if named is None or not os.path.isfile(path):
        return
    found = format_of_content(path)
    if found in {"riegeli", named}:  # Riegeli's signature outweighs a suffix
        return
    if found is None and not is_text(path):
        return
    looks = "text" if found is None else PROPER_NAMES[found]
    remedy = "" if found is None else f"; pass format='{found}', or rename it"
    what = f"it is no {_SUFFIX_NAMES[named]} file, whatever its suffix says"
    error.args = (f"{path}: {what}: it looks like {looks}{remedy}",)


def is_text(path: str) -> bool:
    """Whether a local file begins like one that people can read."""
    try:
        with open(path, "rb", buffering=0) as file:
            head = file.read(_HEAD_BYTES)
    except (OSError, ValueError):
        return False
    return bool(head) and all(byte in b"\t\n\r\f" or 0x20 <= byte < 0x7F for byte in head)  # noqa: PLR2004 - printable


def _read(source: SpanSource, offset: int, length: int) -> bytes:
    """As much as there is of it."""
    (found,) = source.read_spans([(offset, max(min(length, source.size - offset), 0))])
    return bytes(found)


def _is_tfrecord(head: bytes) -> bool:
    """The length of the first record has a checksum of its own."""
    if len(head) < _TFRECORD_HEAD_BYTES:
        return False
    expected = int.from_bytes(head[_LENGTH_BYTES:_TFRECORD_HEAD_BYTES], "little")
    crc = _crc32c(head[:_LENGTH_BYTES])
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) % 2**32 == expected  # docs/spec/tfrecord.md#checksum


def _is_ffrecord(head: bytes, source: SpanSource) -> bool:
    """There is no magic number; but the first of the offsets, however many there are, is known beforehand."""
    if len(head) < _FFRECORD_HEAD.size:
        return False
    _, count = _FFRECORD_HEAD.unpack_from(head)
    header_bytes = _FFRECORD_HEAD.size + 12 * count
    if count <= 0 or header_bytes > source.size:
        return head == _FFRECORD_OF_NOTHING
    return _read(source, _FFRECORD_HEAD.size + 4 * count, _OFFSET.size) == _OFFSET.pack(header_bytes)


def _inflated(head: bytes) -> bytes:
    try:
        return zlib.decompressobj(_ANY_DEFLATE).decompress(head, _TFRECORD_HEAD_BYTES)
    except zlib.error:
        return b""


def _crc32c(data: bytes) -> int:
    """Bit by bit: it is for eight bytes."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF

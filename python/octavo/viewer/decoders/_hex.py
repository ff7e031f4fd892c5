"""Anything: the bytes as such. Kinds of content that are known but not decoded are named by how they begin."""

from __future__ import annotations

from typing import Final

from octavo._record_text import dump_lines
from octavo._wording import plural
from octavo.viewer.blocks import Block, Decoder, Facts, Hex, Summary
from octavo.viewer.decoders._bounds import HEX_BYTES

_SNIPPET_BYTES = 96

_BEGINNINGS: Final = (
    (0, b"\x1f\x8b\x08", "gzip data"),
    (0, b"\x28\xb5\x2f\xfd", "zstd data"),
    (0, b"\xfd7zXZ\x00", "xz data"),
    (0, b"BZh", "bzip2 data"),
    (0, b"\x04\x22\x4d\x18", "lz4 data"),
    (0, b"\xff\x06\x00\x00sNaPpY", "snappy data"),
    (0, b"PK\x03\x04", "a zip archive"),
    (257, b"ustar", "a tar archive"),
    (0, b"%PDF-", "a PDF document"),
    (0, b"II*\x00", "a TIFF image"),
    (0, b"MM\x00*", "a TIFF image"),
    (4, b"ftypavif", "an AVIF image"),
    (4, b"ftypheic", "a HEIC image"),
    (4, b"ftyp", "an MP4 file"),
    (0, b"\x1a\x45\xdf\xa3", "a Matroska or WebM file"),
    (0, b"\xff\x0a", "a JPEG XL image"),
    (0, b"\x00\x00\x00\x0cJXL ", "a JPEG XL image"),
    (0, b"\x00\x00\x00\x0cjP  ", "a JPEG 2000 image"),
    (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (0, b"PAR1", "a Parquet file"),
    (0, b"ARROW1\x00\x00", "an Arrow file"),
    (0, b"SQLite format 3\x00", "an SQLite database"),
    (0, b"\x7fELF", "an ELF program"),
    (0, b"\x00asm", "a WebAssembly module"),
)
_PICKLE_PROTOCOLS = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")


def kind_of(record: bytes) -> str | None:
    """What the record seems to be, by its first bytes; None if they are those of nothing known."""
    for offset, beginning, kind in _BEGINNINGS:
        if record.startswith(beginning, offset):
            return kind
    if record.startswith(_PICKLE_PROTOCOLS) and record.endswith(b"."):
        return "a pickle, which is never loaded"
    return None


def decode(record: bytes) -> list[Block]:
    """The first bytes, and what they may be the beginning of."""
    kind = kind_of(record)
    named: list[Block] = [Facts((("looks like", kind),))] if kind else []
    return [*named, Hex(record[:HEX_BYTES], 0, len(record))]


def summarise(record: bytes) -> Summary:
    """What it may be, and a dump of the first bytes."""
    size = plural(len(record), "byte")
    kind = kind_of(record)
    return Summary(f"{kind}, {size}" if kind else size, "\n".join(dump_lines(record, _SNIPPET_BYTES)))


DECODER: Final = Decoder("hex", "Bytes", lambda _record: True, decode, summarise)

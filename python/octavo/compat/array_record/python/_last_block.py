"""A second look at a file that has no postscript, to say what is wrong there in the original's words."""

from __future__ import annotations

import os

from octavo._core import highway_hash

CORRUPTED = "Corrupted Riegeli/records file"

_BLOCK_BYTES = 65536
_BLOCK_HEADER_BYTES = 24
_CHUNK_HEADER_BYTES = 40


def damage(path: str) -> str:
    """What the original says about the place where the postscript should begin."""
    try:
        with open(path, "rb") as file:
            start = file.seek(0, os.SEEK_END) - _BLOCK_BYTES
            file.seek(start)
            head = file.read(_BLOCK_HEADER_BYTES + _CHUNK_HEADER_BYTES)
    except OSError:
        return CORRUPTED
    to_next_block = -start % _BLOCK_BYTES
    if to_next_block >= _BLOCK_BYTES - _BLOCK_HEADER_BYTES:
        return f"Invalid chunk boundary: {start}; at byte {start}"
    if to_next_block == 0:
        if wrong := _damage_of_block_header(head[:_BLOCK_HEADER_BYTES], start):
            return wrong
        head = head[_BLOCK_HEADER_BYTES:]
    elif to_next_block < _CHUNK_HEADER_BYTES:
        return CORRUPTED
    if wrong := _mismatch(head[:_CHUNK_HEADER_BYTES]):
        return f"{CORRUPTED}: chunk header hash mismatch {wrong}, chunk at {start}"
    has_records = any(head[25:32])
    return "Invalid postscript" if has_records else CORRUPTED


def _damage_of_block_header(header: bytes, start: int) -> str:
    if wrong := _mismatch(header):
        return f"{CORRUPTED}: block header hash mismatch {wrong}, block at {start}"
    before = int.from_bytes(header[8:16], "little")
    if before == 0:
        return ""
    implied = f"implies a different previous chunk boundary: {start - before}"
    return f"Invalid Riegeli/records file: chunk boundary is {start} but block header at {start} {implied}"


def _mismatch(header: bytes) -> str:
    """The two hashes, if a header does not begin with the hash of the rest of it."""
    stored, computed = int.from_bytes(header[:8], "little"), highway_hash(header[8:])
    return "" if stored == computed else f"(computed 0x{computed:016x}, stored 0x{stored:016x})"

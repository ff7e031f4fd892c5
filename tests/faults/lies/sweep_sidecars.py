"""Sidecars whose every number lies, under a hash that is right (`docs/spec/octx.md`)."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from tests.faults.lies.edges import Case, Field, swept
from tests.faults.lies.sidecar import FIELDS, HEAD, signed

_BLOCK_HEAD = struct.Struct("<I3BB3Q")


def sidecars(sound: bytes, file_bytes: int) -> Iterator[Case]:
    """The fields of the head, and those of the first block of entries."""
    head = [Field(name, 16 + 8 * number) for number, name in enumerate(FIELDS)]
    head += [Field(f"byte {place} of the head", place, 1) for place in range(8, 16)]
    block = [Field("frame bytes", HEAD, 4), *(Field(f"width {at}", HEAD + 4 + at, 1) for at in range(4))]
    block += [Field(f"base {at}", HEAD + 8 + 8 * at) for at in range(3)]
    has_block = len(sound) - 8 >= HEAD + _BLOCK_HEAD.size
    yield "the truth", sound
    yield from swept(sound[:-8], head + block * has_block, lambda lying, _: signed(lying), file_bytes)

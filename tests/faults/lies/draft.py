"""ArrayRecord files made to harm. Every hash in them is right, so that whoever reads them has to believe or to doubt.

A lie is a function that gives a file's bytes. It spoils something of a file that would otherwise hold `RECORDS`: a
reader gives exactly those records, or an error.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Callable, Sequence
from typing import TypeAlias

from tests.naive.array_record import Entry, footer_records, postscript_record
from tests.naive.highway_hash import highway_hash
from tests.naive.riegeli import Chunk, Container, chunks_in, simple_chunk, with_hash

Lie: TypeAlias = Callable[[], bytes]

GROUP_SIZE = 4
RECORDS = [b"record %d of a file that lies" % number for number in range(10)]
GROUPS = [RECORDS[start : start + GROUP_SIZE] for start in range(0, len(RECORDS), GROUP_SIZE)]
TEXT = "group_size:4,transpose:false,pad_to_block_boundary:false,uncompressed,max_parallelism:1"

HUGE = {"2^31": 1 << 31, "2^32": 1 << 32, "2^40": 1 << 40, "2^63": 1 << 63, "2^64-1": (1 << 64) - 1}


@dataclasses.dataclass(frozen=True)
class Forged(Chunk):
    """A chunk whose header says something else than what is there."""

    claims: tuple[tuple[str, int], ...] = ()

    @property
    def header(self) -> bytes:
        """Its hash is right, whatever it says."""
        fields = {
            "data_size": len(self.data),
            "data_hash": highway_hash(self.data),
            "kind": self.kind[0],
            "num_records": self.num_records,
            "decoded_size": self.decoded_size,
            **dict(self.claims),
        }
        counts = fields["kind"] | (fields["num_records"] & (1 << 56) - 1) << 8
        values = (fields["data_size"], fields["data_hash"], counts, fields["decoded_size"])
        return with_hash(struct.pack("<4Q", *values))


def forged(chunk: Chunk, **claims: int) -> Forged:
    """That chunk with another header."""
    return Forged(chunk.kind, chunk.data, chunk.num_records, chunk.decoded_size, tuple(claims.items()))


@dataclasses.dataclass
class Draft:
    """A file in the making: everything that can be said falsely in it."""

    chunks: list[Chunk] = dataclasses.field(default_factory=lambda: [simple_chunk(group) for group in GROUPS])
    entries: Callable[[list[Entry]], Sequence[Entry]] = list
    lines: Callable[[list[Entry]], list[bytes]] = lambda entries: footer_records(entries, TEXT)
    footer: Callable[[Chunk], Chunk] = lambda chunk: chunk
    points_to: Callable[[int, int], int] = lambda footer, _: footer
    postscript: Callable[[int], Chunk] = lambda offset: simple_chunk([postscript_record(offset)] * 3)
    tail: bytes = b""

    def encode(self) -> bytes:
        """The bytes of the file."""
        container = Container()
        true = [Entry(container.append(chunk), chunk.decoded_size, chunk.num_records) for chunk in self.chunks]
        footer_offset = container.append(self.footer(simple_chunk(self.lines(list(self.entries(true))))))
        container.pad_to_block()
        container.append(self.postscript(self.points_to(footer_offset, len(container.content))))
        container.pad_to_block()
        return bytes(container.content) + self.tail


SOUND = Draft().encode()
_NAMES = ("signature", "first", "second", "last", "footer", "padding", "postscript", "last padding")
PLACES = {name: begin for name, (begin, _) in zip(_NAMES, chunks_in(SOUND), strict=True)}
"""Where chunks begin in a file that does not lie."""


def later(make: Callable[..., bytes], *arguments: object) -> Lie:
    """The lie that `make` tells with these arguments."""
    return lambda: make(*arguments)

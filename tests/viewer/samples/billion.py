"""A billion records that nobody stored: an ArrayRecord file whose bytes are made when they are asked for.

Every chunk has a block of its own, and the headers among its bytes speak of nothing but distances: so it looks the same
wherever it stands. Only the footer, which lists the chunks, is kept. octavo has no part in it, for a source is read on
the engine's own threads: one that waits there for the engine may wait for ever.
"""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import octavo
from tests.naive import array_record as naive
from tests.naive.compression import compress
from tests.naive.protobuf import varints
from tests.naive.riegeli import BLOCK, Chunk, Container, simple_chunk, simple_chunk_of

RECORD_COUNT = 1_000_000_000
GROUP_SIZE = 10_000


def record_of(number: int) -> bytes:
    """What record `number` holds; all are of one size."""
    return b'{"record": %10d, "of": "a billion"}' % number


RECORD_BYTES = len(record_of(0))


class Billion:
    """A source of spans, as in `octavo.storage.SpanSource`. It keeps what it was asked for, a list of spans a call."""

    def __init__(self, record_count: int = RECORD_COUNT, group_size: int = GROUP_SIZE) -> None:
        assert record_count % group_size == 0, "all chunks are alike"
        self.name = "billion.array_record"
        self._group_size = group_size
        chunk_count = record_count // group_size
        footer_at = BLOCK + chunk_count * BLOCK
        footer = _blocks(simple_chunk(_footer(chunk_count, group_size), "zstd"))
        postscript = _blocks(simple_chunk([naive.postscript_record(footer_at)] * 3))
        self._parts: list[tuple[int, Callable[[int, int], bytes]]] = [
            (BLOCK, lambda start, stop: _first_block()[start:stop]),
            (chunk_count * BLOCK, self._chunks),
            (len(footer), lambda start, stop: footer[start:stop]),
            (len(postscript), lambda start, stop: postscript[start:stop]),
        ]
        self._starts = [0, *itertools.accumulate(size for size, _ in self._parts)]
        self.size = self._starts[-1]
        self._lock = threading.Lock()
        self.calls: list[list[tuple[int, int]]] = []

    def open(self, **options: Any) -> octavo.Reader:
        return octavo.open([self], format="array_record", **options)

    def read_spans(self, spans: list[tuple[int, int]]) -> list[bytes]:
        with self._lock:
            self.calls.append(spans)
        return [self._read(offset, offset + length) for offset, length in spans]

    def _read(self, start: int, stop: int) -> bytes:
        found = []
        for begin, (size, part) in zip(self._starts, self._parts, strict=False):
            if start < begin + size and stop > begin:
                found.append(part(max(start - begin, 0), min(stop - begin, size)))
        return b"".join(found)

    def _chunks(self, start: int, stop: int) -> bytes:
        numbers = range(start // BLOCK, -(-stop // BLOCK))
        joined = b"".join(_blocks(self._chunk(number)) for number in numbers)
        return joined[start - numbers.start * BLOCK : stop - numbers.start * BLOCK]

    def _chunk(self, number: int) -> Chunk:
        first, count = number * self._group_size, self._group_size
        values = b"".join(map(record_of, range(first, first + count)))
        sizes = compress("zstd", bytes([RECORD_BYTES]) * count)
        return simple_chunk_of("zstd", sizes, compress("zstd", values), count, len(values))


def _footer(chunk_count: int, group_size: int) -> Sequence[bytes]:
    options = naive.Options(group_size=group_size, pad_to_block_boundary=True)
    metadata = naive.metadata_record(chunk_count, chunk_count * group_size, options.text)
    about_all = b"\x10" + varints(group_size * RECORD_BYTES) + b"\x18" + varints(group_size)
    return [metadata, *(b"\x08" + varints(BLOCK + number * BLOCK) + about_all for number in range(chunk_count))]


@functools.cache
def _first_block() -> bytes:
    """A signature, and padding."""
    container = Container()
    container.pad_to_block()
    return bytes(container.content)


def _blocks(chunk: Chunk) -> bytes:
    """The chunk, and padding, in blocks of their own."""
    container = Container()
    container.content[:] = _first_block()
    container.append(chunk)
    container.pad_to_block()
    return bytes(container.content[BLOCK:])

"""The floors: the native crate in `floors/` behind the same verbs, told where every record lies.

They know offsets and lengths beforehand, check nothing and decode nothing: no reader can be expected to be quicker by
the same means. The letters are those of `benchmarks/README.md`.
"""

from __future__ import annotations

import contextlib
import importlib
import mmap
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import ffrecord
from benchmarks.engines.base import Engine, Run

QUEUE_DEPTH = 256


class _Spans:
    """An open file and the place of every record in it."""

    def __init__(self, path: Path, flags: int = 0) -> None:
        self.offsets, self.lengths, _ = ffrecord.read_index(path)
        self.fd = os.open(path, os.O_RDONLY | flags)
        self.memory: Any = None
        self.ring: Any = None

    def of(self, records: list[int]) -> tuple[ffrecord.Int64s, ffrecord.Int64s]:
        chosen = np.asarray(records, dtype=np.int64)
        return self.offsets[chosen], self.lengths[chosen]


class _Floor(Engine):
    module = "octavo_floors"
    distribution = "octavo-floors"
    suffix = ".ffr"

    def open(self, path: Path) -> _Spans:
        return _Spans(path)

    def close(self, reader: _Spans) -> None:
        os.close(reader.fd)


class FloorCopy(_Floor):
    """(a) Allocate bytes objects and copy from plain warm memory, with large pages where the system has them."""

    name = "floor-copy"
    operations = frozenset({"single", "batch", "read_all", "iterate"})

    def open(self, path: Path) -> _Spans:
        spans = _Spans(path)
        # numpy asks for large pages; the view is cheaper to export anew in every call than the array itself.
        spans.memory = np.fromfile(path, dtype=np.uint8).data
        return spans

    def fetch(self, reader: _Spans, records: list[int]) -> list[bytes]:
        return _native().alloc_copy(reader.memory, *reader.of(records))  # type: ignore[no-any-return]

    def single(self, reader: _Spans, order: list[int]) -> Run:
        return _one_by_one(_native().copy_one, reader.memory, reader, order)

    def batch(self, reader: _Spans, batches: list[list[int]]) -> Run:
        return _batch_by_batch(_native().alloc_copy, reader.memory, reader, batches)

    def read_all(self, reader: _Spans) -> Run:
        return lambda: _native().alloc_copy(reader.memory, reader.offsets, reader.lengths)

    def iterate(self, reader: _Spans) -> Run:
        return self.read_all(reader)


class FloorMap(FloorCopy):
    """(a) over the file's own pages: what a reader that maps the file pays for memory, small pages included."""

    name = "floor-map"
    operations = frozenset({"single", "batch"})

    def open(self, path: Path) -> _Spans:
        spans = _Spans(path)
        spans.memory = mmap.mmap(spans.fd, 0, mmap.MAP_SHARED | mmap.MAP_POPULATE, mmap.PROT_READ)
        return spans

    def close(self, reader: _Spans) -> None:
        reader.memory.close()
        super().close(reader)


class FloorPreadOne(_Floor):
    """(b) One pread per record, one call per record."""

    name = "floor-pread-one"
    operations = frozenset({"single"})

    def fetch(self, reader: _Spans, records: list[int]) -> list[bytes]:
        return [_native().pread_one(reader.fd, int(reader.offsets[r]), int(reader.lengths[r])) for r in records]

    def single(self, reader: _Spans, order: list[int]) -> Run:
        return _one_by_one(_native().pread_one, reader.fd, reader, order)


class FloorPreadBatch(_Floor):
    """(b) One pread per record, one call per batch."""

    name = "floor-pread-batch"
    operations = frozenset({"batch"})

    def fetch(self, reader: _Spans, records: list[int]) -> list[bytes]:
        return _native().pread_batch(reader.fd, *reader.of(records))  # type: ignore[no-any-return]

    def batch(self, reader: _Spans, batches: list[list[int]]) -> Run:
        return _batch_by_batch(_native().pread_batch, reader.fd, reader, batches)


class FloorUring(_Floor):
    """(c) io_uring with a deep queue through the page cache, into bytes objects."""

    name = "floor-uring"
    operations = frozenset({"batch"})

    def open(self, path: Path) -> _Spans:
        spans = _Spans(path)
        spans.ring = _native().Ring(QUEUE_DEPTH)
        return spans

    def fetch(self, reader: _Spans, records: list[int]) -> list[bytes] | None:
        return reader.ring.read(reader.fd, *reader.of(records))  # type: ignore[no-any-return]

    def batch(self, reader: _Spans, batches: list[list[int]]) -> Run:
        return _batch_by_batch(reader.ring.read, reader.fd, reader, batches)


class FloorUringDirect(FloorUring):
    """(d) The same past the page cache: aligned covers of the spans, reads only, no bytes objects."""

    name = "floor-uring-direct"

    def open(self, path: Path) -> _Spans:
        spans = _Spans(path, os.O_DIRECT)
        spans.ring = _native().Ring(QUEUE_DEPTH)
        return spans

    def fetch(self, reader: _Spans, records: list[int]) -> None:
        offsets, lengths = reader.of(records)
        if reader.ring.count(reader.fd, offsets, lengths, _native().direct_align(reader.fd)) < int(lengths.sum()):
            raise ValueError(f"{self.name}: fewer bytes than asked for")

    def batch(self, reader: _Spans, batches: list[list[int]]) -> Run:
        align = _native().direct_align(reader.fd)

        def count(fd: int, offsets: ffrecord.Int64s, lengths: ffrecord.Int64s) -> int:
            return reader.ring.count(fd, offsets, lengths, align)  # type: ignore[no-any-return]

        return _batch_by_batch(count, reader.fd, reader, batches)


class FloorOpen(Engine):
    """Read the metadata and verify its checksum: the least that opening an FFRecord file can be."""

    name = "floor-open"
    module = "zlib"
    distribution = "zlib"
    suffix = ".ffr"
    operations = frozenset({"open"})

    def open(self, path: Path) -> int:
        with contextlib.closing(path.open("rb", buffering=0)) as file:
            count = int.from_bytes(os.pread(file.fileno(), 8, 4), "little")
            return zlib.crc32(os.pread(file.fileno(), 8 + 12 * count, 4))

    def fetch(self, reader: Any, records: list[int]) -> None:
        """Nothing to check: it opens and no more."""


FLOORS: tuple[Engine, ...] = (
    FloorCopy(),
    FloorMap(),
    FloorPreadOne(),
    FloorPreadBatch(),
    FloorUring(),
    FloorUringDirect(),
    FloorOpen(),
)


def _one_by_one(read: Callable[[Any, int, int], bytes], source: Any, spans: _Spans, order: list[int]) -> Run:
    offsets, lengths = (numbers.tolist() for numbers in spans.of(order))

    def run() -> None:
        for offset, length in zip(offsets, lengths, strict=True):
            read(source, offset, length)

    return run


def _batch_by_batch(read: Callable[..., object], source: Any, spans: _Spans, batches: list[list[int]]) -> Run:
    pairs = [spans.of(batch) for batch in batches]

    def run() -> None:
        for offsets, lengths in pairs:
            read(source, offsets, lengths)

    return run


def _native() -> Any:
    return importlib.import_module("octavo_floors")

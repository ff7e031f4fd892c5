"""Parts of files that are read as one bundle: cut by bytes, where chunks begin.

Cutting opens a file once. A part knows its bytes where a part of a file can be opened by itself (RecordIO, TFRecord),
so that no bundle looks through what belongs to others.
"""

from __future__ import annotations

import contextlib
import dataclasses
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise

import octavo
from octavo import Reader
from octavo._open import Format
from octavo.errors import SourceChangedError
from octavo.integrations.beam._files import input_of


@dataclasses.dataclass(frozen=True)
class Part:
    """Records `start` to `stop` of a file; small and picklable."""

    path: str
    start: int
    stop: int
    byte_count: int
    """About how many bytes of the file these records take."""
    format: str
    check_data: bool
    span: tuple[int, int] | None
    """The bytes to open, if not all of the file."""
    skip: int
    """Records of what is opened that come before the first."""
    is_splittable: bool
    """Whether a part of this part can be read without reading all of it."""

    @contextlib.contextmanager
    def open(self) -> Iterator[Reader]:
        """A reader of these records, and of up to `skip` before and any number behind them."""
        spans = {} if self.span is None else {"spans": (self.span,)}
        with (
            input_of(self.path) as source,
            # Records are read once and in order, so that there is nothing to keep for later.
            Reader([source], format=self.format, check_data=self.check_data, cache_bytes=0, **spans) as reader,
        ):
            if len(reader) < self.skip + self.stop - self.start:
                message = f"{self.path}: the file has fewer records than when it was split into bundles"
                raise SourceChangedError(message, path=self.path)
            yield reader

    def first_chunk_from(self, reader: Reader, record: int) -> int:
        """The first record at or behind `record` with which a chunk begins, or `stop`; counted in the file."""
        if record >= self.stop:
            return self.stop
        chunk = self.chunk_of(reader, record)
        if chunk == record:
            return record
        rest = range(record, self.stop)
        return record + bisect_right(rest, chunk, key=lambda number: self.chunk_of(reader, number))

    def chunk_of(self, reader: Reader, record: int) -> int:
        """The first record of the chunk that a record is in, both counted in the file."""
        ahead = self.start - self.skip  # of what was opened, in the file
        begin = reader._chunk_start(record - ahead) + ahead  # noqa: SLF001 - part of octavo
        return max(begin, self.start)


def cut(path: str, *, format: Format | None, check_data: bool, bundle_bytes: int, min_bytes: int) -> Iterator[Part]:
    """The parts of a file, of about `bundle_bytes` each and at least `min_bytes`; none if it has no records.

    Args:
        path: The file.
        format: Its format, if that cannot be told from content or name.
        check_data: Whether the parts verify checksums.
        bundle_bytes: The size to aim at.
        min_bytes: What is smaller stays with its neighbour.
    """
    with input_of(path) as source, octavo.open(source, format=format, check_data=check_data, cache_bytes=0) as reader:
        # A compressed TFRecord file has to be decompressed from its beginning, whoever wants some of it.
        is_splittable = not (reader.info.format == "tfrecord" and reader.info.codec in {"gzip", "zlib"})
        edges = _edges(reader, max(bundle_bytes, min_bytes, 1), min_bytes) if is_splittable else [0, len(reader)]
        for start, stop in pairwise(edges):
            if start == stop:
                continue
            found = reader._parts_of(start, stop) if is_splittable else None  # noqa: SLF001 - part of octavo
            skip, span = (start, None) if found is None else (found[0], found[1][0][1:])
            is_whole = (start, stop) == (0, len(reader))
            byte_count = reader.info.total_bytes if is_whole else _end(reader, stop - 1) - _begin(reader, start)
            yield Part(
                path, start, stop, byte_count, reader.info.format, check_data, span, skip, is_splittable=is_splittable
            )


def _edges(reader: Reader, bundle_bytes: int, min_bytes: int) -> list[int]:
    """Numbers of the records with which parts begin, and the number of records."""
    total = len(reader)
    edges = [0]
    while total:
        target = _begin(reader, edges[-1]) + bundle_bytes
        if target + min_bytes >= _end(reader, total - 1):
            break
        # The first record of a chunk that begins there or later: records of a chunk have its place.
        behind = range(edges[-1] + 1, total)
        edge = behind.start + bisect_left(behind, target, key=lambda record: _begin(reader, record))
        if edge == total:
            break
        edges.append(edge)
    return [*edges, total]


def _begin(reader: Reader, record: int) -> int:
    return reader._place(record)[0]  # noqa: SLF001 - part of octavo


def _end(reader: Reader, record: int) -> int:
    return sum(reader._place(record))  # noqa: SLF001 - part of octavo

"""`octavo.Partition`: a run of records that is one task."""

from __future__ import annotations

import dataclasses
import os
import sys
from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, Any, SupportsIndex, cast

from octavo._arguments import at_least_one
from octavo.errors import OptionError, SourceChangedError, UnsupportedError
from octavo.storage import StoredObject

if TYPE_CHECKING:
    from collections.abc import Callable

    from octavo._reader import Reader


@dataclasses.dataclass(frozen=True)
class Partition:
    """Records `start` to `stop` of a data set, and where to find them. Small, picklable, openable anywhere."""

    start: int
    """Number of the first record in the whole data set."""
    stop: int
    """Number after the last."""
    paths: tuple[str, ...]
    """The files that hold these records, and no others."""
    skip: int
    """Records of those files, or parts of files, that come before the first."""
    options: tuple[tuple[str, Any], ...] = ()
    """How the files were opened."""
    spans: tuple[tuple[int, int], ...] | None = None
    """The bytes of each file that hold these records, where a part of a file can be opened by itself."""
    objects: tuple[StoredObject, ...] = ()
    """The same files, where they are in an object store."""
    stamps: tuple[tuple[int, int, int], ...] = ()
    """What local files are recognised by: size, inode, and number of records."""

    def __len__(self) -> int:
        """How many records."""
        return self.stop - self.start

    def open(self) -> Reader:
        """A reader of exactly these records.

        Raises:
            SourceChangedError: The files are others than those that were cut.
        """
        from octavo._reader import Reader  # noqa: PLC0415 - readers make partitions and partitions make readers

        options = dict(self.options)
        if self.spans is not None:
            options["spans"] = self.spans
        whole = Reader(list(self.objects or self.paths), **options)
        if len(whole) < self.skip + len(self):
            message = f"{self.paths[0]}: the files have fewer records than when they were partitioned"
            raise SourceChangedError(message, path=self.paths[0])
        for path, stamp, found in zip(self.paths, self.stamps, whole._files, strict=False):  # noqa: SLF001 - a friend
            if not self._is_same(path, stamp, found):
                message = f"{path}: this is another file than the one that was partitioned"
                raise SourceChangedError(message, path=path)
        return whole[self.skip : self.skip + len(self)]

    def _is_same(self, path: str, stamp: tuple[int, int, int], found: tuple[str, str, int, int]) -> bool:
        """Whether a file is the one that was cut, a copy of it, or the same with records appended to it."""
        size, inode, records = stamp
        format, _, found_records, found_size = found
        if found_size == size:
            return self.spans is not None or found_records == records
        return found_size > size and format != "ffrecord" and _inode(path) == inode


def cut(reader: Reader, count: SupportsIndex | None, max_records: SupportsIndex | None) -> list[Partition]:
    """The partitions of a reader; see `Reader.partitions`."""
    total = len(reader)  # a closed reader says so before anything else
    if (count is None) == (max_records is None):
        message = "partitions takes either a count or max_records"
        raise OptionError(message)
    inputs = reader._inputs  # noqa: SLF001 - a friend of the class
    are_remote = all(isinstance(one, StoredObject) for one in inputs)
    if not are_remote and not all(isinstance(one, str) for one in inputs):
        message = (
            "only files can be partitioned, all on this machine or all in object stores: bytes and file objects cannot "
            "be opened elsewhere"
        )
        raise UnsupportedError(message)
    first, step, _ = reader._view  # noqa: SLF001
    if step != 1:
        message = "a reader with a step cannot be partitioned; take partitions of the whole and slice those"
        raise UnsupportedError(message)
    starts = reader._file_starts  # noqa: SLF001
    known: list[tuple[int, int, int]] = []
    if not are_remote:
        files_told = zip(inputs, reader._files, strict=True)  # noqa: SLF001
        known = [(size, _inode(str(path)), records) for path, (_, _, records, size) in files_told]
    options = {name: value for name, value in reader._options.items() if name != "spans"}  # noqa: SLF001
    options["format"] = reader._format  # noqa: SLF001
    sorted_options = tuple(sorted(options.items()))
    partitions = []

    def to_chunk(edge: int) -> int:
        return reader._chunk_start(first + edge) - first  # noqa: SLF001

    edges = (
        _edges_by_count(total, count, to_chunk) if count is not None else _edges_by_size(total, max_records, to_chunk)
    )
    for begin, end in pairwise(edges):
        start, stop = first + begin, first + end
        if parts := reader._parts_of(start, stop):  # noqa: SLF001
            skip, files = parts[0], [file for file, _, _ in parts[1]]
            spans: tuple[tuple[int, int], ...] | None = tuple((begin, end) for _, begin, end in parts[1])
        else:
            from_file = bisect_right(starts, start) - 1
            skip, spans = start - starts[from_file], None
            files = list(range(from_file, max(bisect_left(starts, stop), from_file + 1)))
        chosen = [inputs[file] for file in files]
        objects = cast("tuple[StoredObject, ...]", tuple(chosen) if are_remote else ())
        names = tuple(one.name if isinstance(one, StoredObject) else str(one) for one in chosen)
        stamps = () if are_remote else tuple(known[file] for file in files)
        partitions.append(Partition(start, stop, names, skip, sorted_options, spans, objects, stamps))
    return partitions


def _inode(path: str) -> int:
    """Which file has this name now; 0 if none has, for whoever reads it says so better."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


# Tasks may differ by this part of their size if they then begin where chunks do.
_UNEVEN = 8


def _edges_by_count(total: int, count: SupportsIndex, to_chunk: Callable[[int], int]) -> list[int]:
    """Where `count` tasks of about the same size begin, and `total`."""
    parts = at_least_one("count", count, at_most=sys.maxsize)
    edges = [total * number // parts for number in range(parts)]
    moved = [to_chunk(edge) for edge in edges]
    allowed = total // parts // _UNEVEN
    return sorted({near if edge - near <= allowed else edge for edge, near in zip(edges, moved, strict=True)} | {total})


def _edges_by_size(total: int, max_records: SupportsIndex | None, to_chunk: Callable[[int], int]) -> list[int]:
    """Where tasks of at most `max_records` begin, at chunks wherever one begins in reach, and `total`."""
    most = at_least_one("max_records", max_records, at_most=sys.maxsize)
    edges = [0]
    while edges[-1] < total:
        edge = min(edges[-1] + most, total)
        near = to_chunk(edge) if edge < total else edge
        edges.append(near if near > edges[-1] else edge)
    return edges

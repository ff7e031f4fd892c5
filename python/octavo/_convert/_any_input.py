"""The end that is read: record files through readers, other containers through their sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from octavo import _core
from octavo._arguments import Progress
from octavo._closing import Closing
from octavo._convert import _foreign, _stamps
from octavo._convert._source import BLOCK_BYTES, BLOCK_RECORDS, Block, FolderLike, Source
from octavo.storage import StoredObject

if TYPE_CHECKING:
    from octavo._reader import Reader

File: TypeAlias = str | StoredObject
"""A file of a source: a path, or an object. What is neither, such as bytes, has a text for a name."""


class RecordInput(Closing):
    """Record files."""

    reading: Any = "records"
    """In which way sources are read; what was read in another way are other records."""
    folders: tuple[str, ...] = ()
    """Folders all files of which are records, wherever they are below."""
    total_bytes: int | None = None
    """Of sources that are read from their beginning to their end, their size; None where nobody knows."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def stamps_inside(self) -> Any:
        """What the files in `folders` are recognised by."""
        return None

    @property
    def torn_bytes(self) -> int:
        """Bytes at the ends of files that were left out."""
        return sum(count for _, _, count in self.reader._torn)  # noqa: SLF001 - part of the package

    @property
    def record_count(self) -> int | None:
        """How many records there are."""
        return len(self.reader)

    @property
    def paths(self) -> list[str]:
        """The files they are in."""
        return self.reader.paths

    @property
    def files(self) -> list[File]:
        """The same as they are opened."""
        inputs = self.reader._inputs  # noqa: SLF001 - part of the package
        return [one if isinstance(one, StoredObject) else path for one, path in zip(inputs, self.paths, strict=True)]

    def count(self) -> int:
        """How many records there are."""
        return len(self.reader)

    def edges_by_bytes(self, most_bytes: int) -> list[int]:
        """Where runs of at most so many bytes begin, and the end; it takes reading everything."""
        return _core.edges_by_bytes(self.reader, most_bytes)

    def blocks(self, start: int, stop: int | None) -> Iterator[Block]:
        """Records from `start` to `stop`."""
        stop = len(self.reader) if stop is None else stop
        while start < stop:
            most = min(stop - start, BLOCK_RECORDS)
            batch = self.reader._read_block(start, most, BLOCK_BYTES)  # noqa: SLF001 - part of the package
            start += len(batch)
            yield Block(batch.to_list())

    def digest(self, progress: Progress | None = None) -> _core.Digest:
        """Read everything and digest it."""
        total = len(self.reader)
        return _core.digest(self.reader, None if progress is None else lambda done: progress(done, total))

    def close(self) -> None:
        """Close the files."""
        self.reader.close()


class ForeignInput(Closing):
    """A container that is not octavo's own."""

    torn_bytes = 0  # one that was cut off is an error

    def __init__(self, kind: str, inputs: list[File] | IO[bytes], options: dict[str, Any]) -> None:
        is_folder = kind == "folder"
        self.files: list[File] = inputs if isinstance(inputs, list) else []
        # Files in folders are looked at one by one.
        self._stamps = [] if is_folder else [(file, _stamps.of_file(file)) for file in self.files]
        self.source: Source = _foreign.open_source(kind, inputs, **options)
        self.paths = [file if isinstance(file, str) else file.name for file in self.files]
        self.reading: Any = [kind, options]
        self.folders = tuple(self.paths) if is_folder else ()
        self.total_bytes = self.source.total_bytes
        self._kind = kind
        self._options = options
        self._at = 0
        self._coming: Iterator[Block] | None = None
        self._left_over: Block | None = None

    @property
    def record_count(self) -> int | None:
        """How many records there are; None where only reading tells."""
        return self.source.record_count

    def count(self) -> int:
        """How many records there are, whatever it takes to find out."""
        return self.source.count()

    def stamps_inside(self) -> Any:
        """What the files in `folders` are recognised by."""
        return self.source.stamp() if isinstance(self.source, FolderLike) else None

    def check_unchanged(self, number: int | None = None) -> None:
        """Raise if a file, or the one of this number, is not what it was at first: it may be read several times."""
        for file, before in self._stamps if number is None else self._stamps[number : number + 1]:
            _stamps.check(file, before)

    def bytes_before(self, number: int) -> int:
        """Size of all files before one of them."""
        return sum(int(stamp[0]) for _, stamp in self._stamps[:number] if stamp is not None)

    def file(self, number: int) -> ForeignInput:
        """One of the files by itself."""
        return ForeignInput(self._kind, [self.files[number]], self._options)

    def edges_by_bytes(self, most_bytes: int) -> list[int]:
        """Where runs of at most so many bytes begin, and the end; it takes reading everything."""
        return edges_by_bytes(self.source.blocks(), most_bytes)

    def blocks(self, start: int, stop: int | None) -> Iterator[Block]:
        """Records from `start` to `stop`; going on from where the last call ended reads nothing twice."""
        if self._coming is None or start != self._at:
            self._coming, self._at, self._left_over = self.source.blocks(start), start, None
        while stop is None or self._at < stop:
            block = self._left_over or next(self._coming, None)
            self._left_over = None
            if block is None:
                return
            if stop is not None and self._at + len(block.records) > stop:
                block, self._left_over = _cut(block, stop - self._at)
            self._at += len(block.records)
            yield block

    def digest(self, progress: Progress | None = None) -> _core.Digest:
        """Read everything and digest it."""
        digest = _core.Digest()
        tell = teller(self.source, progress)
        for block in self.source.blocks():
            digest.update(block.records)
            tell(digest.record_count, block.position)
        return digest

    def close(self) -> None:
        """Close the files."""
        self.source.close()


class ChainedInput(Closing):
    """Inputs of different kinds, one after the other."""

    total_bytes: int | None = None  # records are counted before they are read

    def __init__(self, parts: list[RecordInput | ForeignInput]) -> None:
        self._parts = parts

    @property
    def record_count(self) -> int | None:
        """How many records there are; None where only reading tells."""
        counts = [part.record_count for part in self._parts]
        return None if None in counts else sum(count or 0 for count in counts)

    @property
    def paths(self) -> list[str]:
        """The files they are in."""
        return [path for part in self._parts for path in part.paths]

    @property
    def files(self) -> list[File]:
        """The same as they are opened."""
        return [file for part in self._parts for file in part.files]

    @property
    def reading(self) -> Any:
        """In which way each of them is read."""
        return [part.reading for part in self._parts]

    @property
    def folders(self) -> tuple[str, ...]:
        """Folders all files of which are records, wherever they are below."""
        return tuple(folder for part in self._parts for folder in part.folders)

    @property
    def torn_bytes(self) -> int:
        """Bytes at the ends of files that were left out."""
        return sum(part.torn_bytes for part in self._parts)

    def stamps_inside(self) -> Any:
        """What the files in `folders` are recognised by."""
        return [part.stamps_inside() for part in self._parts]

    def check_unchanged(self, _number: int | None = None) -> None:
        """Raise if a file is not what it was at first."""
        for part in self._parts:
            if isinstance(part, ForeignInput):
                part.check_unchanged()

    def count(self) -> int:
        """How many records there are, whatever it takes to find out."""
        return sum(self._counts)

    def edges_by_bytes(self, most_bytes: int) -> list[int]:
        """Where runs of at most so many bytes begin, and the end; it takes reading everything."""
        return edges_by_bytes(self.blocks(0, None), most_bytes)

    def blocks(self, start: int, stop: int | None) -> Iterator[Block]:
        """Records from `start` to `stop`."""
        begin = 0
        for part, count in zip(self._parts, self._counts, strict=True):
            end = begin + count
            first, last = max(start, begin), end if stop is None else min(stop, end)
            if first < last:
                yield from part.blocks(first - begin, last - begin)
            begin = end

    @cached_property
    def _counts(self) -> list[int]:
        return [part.count() for part in self._parts]

    def digest(self, progress: Progress | None = None) -> _core.Digest:
        """Read everything and digest it."""
        whole = _core.Digest()
        for part in self._parts:
            whole.join(part.digest(progress))
        return whole

    def close(self) -> None:
        """Close the files."""
        for part in self._parts:
            part.close()


AnyInput: TypeAlias = RecordInput | ForeignInput | ChainedInput


def edges_by_bytes(blocks: Iterator[Block], most_bytes: int) -> list[int]:
    """Where runs of at most so many bytes begin, and the end. A larger record is a run of its own."""
    edges, at, size = [0], 0, 0
    for block in blocks:
        for record in block.records:
            if size + len(record) > most_bytes and edges[-1] != at:
                edges.append(at)
                size = 0
            size += len(record)
            at += 1
    return [*edges, at]


def _cut(block: Block, at: int) -> tuple[Block, Block]:
    names = block.names
    return (
        Block(block.records[:at], names and names[:at], block.position),
        Block(block.records[at:], names and names[at:], block.position),
    )


def teller(source: Source, progress: Progress | None) -> Callable[[int, int | None], None]:
    """What to call with the records and the bytes that are done: progress is told in what is known of the whole."""
    record_count, total_bytes = source.record_count, source.total_bytes

    def tell(records: int, position: int | None) -> None:
        if progress is None:
            return
        if record_count is not None:
            progress(records, record_count)
        elif total_bytes is not None and position is not None:
            progress(min(position, total_bytes), total_bytes)

    return tell

"""The end that is read: record files through readers, other containers through their sources."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from octavo import _core
from octavo._convert import _foreign
from octavo._convert._source import BLOCK_BYTES, BLOCK_RECORDS, Block, Source
from octavo._location import FORMAT_OF_SUFFIX, expand, format_of_name
from octavo._open import Format
from octavo._open import open as open_records
from octavo.errors import OptionError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from octavo._convert import Container
    from octavo._location import Location
    from octavo._reader import Reader

Progress: TypeAlias = Callable[[int, int], object]

RECORD_FORMATS = tuple(dict.fromkeys(FORMAT_OF_SUFFIX.values()))
FOREIGN = ("jsonl", "tar", "parquet", "folder")


class RecordInput:
    """Record files."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    @property
    def record_count(self) -> int | None:
        """How many records there are."""
        return len(self.reader)

    @property
    def paths(self) -> list[str]:
        """The files they are in."""
        return self.reader.paths

    def count(self) -> int:
        """How many records there are."""
        return len(self.reader)

    def edges_by_bytes(self, most_bytes: int) -> list[int]:
        """Where runs of at most so many bytes begin, and the end; it takes reading everything."""
        edges = _core.edges_by_bytes(self.reader, most_bytes)
        return edges if len(edges) > 1 else [0, 0]

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

    def __enter__(self) -> Self:
        """Return the input itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the files."""
        self.reader.close()


class ForeignInput:
    """A container that is not octavo's own."""

    def __init__(self, kind: str, files: Any, paths: list[str], options: dict[str, Any]) -> None:
        self.source: Source = _foreign.open_source(kind, files, **options)
        self.paths = paths
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

    def file(self, number: int) -> ForeignInput:
        """One of the files by itself."""
        path = self.paths[number]
        return ForeignInput(self._kind, [path], [path], self._options)

    def edges_by_bytes(self, most_bytes: int) -> list[int]:
        """Where runs of at most so many bytes begin, and the end; it takes reading everything."""
        edges, at, size = [0], 0, 0
        for block in self.source.blocks():
            for record in block.records:
                if size + len(record) > most_bytes and edges[-1] != at:
                    edges.append(at)
                    size = 0
                size += len(record)
                at += 1
        return [*edges, at]

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

    def __enter__(self) -> Self:
        """Return the input itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the files."""
        self.source.close()


AnyInput: TypeAlias = RecordInput | ForeignInput


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


def open_input(
    location: Location, format: Container | None = None, *, column: str | None = None, layout: str = "auto"
) -> AnyInput:
    """Open whatever a location names; `column` and `layout` are for the containers that have them."""
    if format is not None and format not in (*RECORD_FORMATS, *FOREIGN):
        message = f"format {format!r} is none of: {', '.join((*RECORD_FORMATS, *FOREIGN))}"
        raise OptionError(message)
    kind, inputs = (None, location) if format in RECORD_FORMATS else _kind_of(location)
    kind = format if format in FOREIGN else kind
    if kind is None:
        if column is not None or layout != "auto":
            message = "column and layout are for tar files, JSON lines and Parquet: records have neither"
            raise OptionError(message)
        return RecordInput(open_records(inputs, format=cast("Format | None", format)))
    options = {"column": column, "layout": layout}
    if hasattr(inputs, "read"):
        return ForeignInput(kind, inputs, [], options)
    paths = _foreign_paths(kind, inputs)
    return ForeignInput(kind, paths, paths, options)


def _kind_of(location: Location) -> tuple[str | None, Location]:
    """The foreign container that a location's names tell, or None for records; and the location, looked up once."""
    if isinstance(location, str | os.PathLike):
        path = os.fsdecode(location)
        return _kind_of_directory(path) if os.path.isdir(path) else (_kind_of_path(path), location)
    if isinstance(location, list | tuple) and all(isinstance(one, str | os.PathLike) for one in location):
        kinds = {_kind_of(one)[0] for one in location}
        if len(kinds) > 1:
            named = ", ".join(sorted(kind or "records" for kind in kinds))
            message = f"the sources are of different kinds ({named}); convert them one by one"
            raise OptionError(message)
        return (kinds.pop() if kinds else None), location
    return None, location


def _kind_of_directory(path: str) -> tuple[str | None, Location]:
    """A directory of record files, of files of one other kind and nothing else, or just a folder."""
    names = sorted(os.listdir(path))
    if any(format_of_name(name) for name in names):
        return None, path
    files = [os.path.join(path, name) for name in names]
    kinds = {_foreign.kind_of(one) if os.path.isfile(one) else None for one in files}
    if len(kinds) == 1 and None not in kinds:
        return kinds.pop(), cast("Location", files)
    return "folder", path


def _kind_of_path(path: str) -> str | None:
    first = os.fspath(cast("str", expand(path)[0]))  # a glob and a sharded name tell by their first file
    return None if format_of_name(first) else _foreign.kind_of(first)


def _foreign_paths(kind: str, location: Location) -> list[str]:
    if isinstance(location, list | tuple):
        return [path for one in location for path in _foreign_paths(kind, cast("Location", one))]
    if kind == "folder":
        return [os.path.abspath(os.fsdecode(cast("str", location)))]
    if isinstance(location, str | os.PathLike) and os.path.isdir(location):
        names = (os.path.join(os.fsdecode(location), name) for name in sorted(os.listdir(location)))
        return [os.path.abspath(name) for name in names if _foreign.kind_of(name) == kind]
    return [cast("str", one) for one in expand(location)]

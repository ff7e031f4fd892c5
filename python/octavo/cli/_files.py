"""The files that a command looks into: all as one, or each by itself.

Each by itself means that a file which cannot be opened is told and the others are shown all the same. Few stay open:
the indexes of very many files would fill the memory. FFRecord files are opened together if they can be: that reads
their first bytes and no index, which each by itself would cost.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import octavo
from octavo._location import Input, expand
from octavo._open import Format
from octavo._reader import Info, Reader
from octavo.cli._arguments import STDIN
from octavo.cli._failures import line_of
from octavo.cli._render import shown
from octavo.cli._stdin import without_stdin
from octavo.errors import OctavoError
from octavo.storage import StoredObject

_THREADS = 8  # opening waits for devices more than it computes


@dataclasses.dataclass(frozen=True)
class Opened:
    """A file, or FFRecord files together."""

    inputs: list[Input]
    info: Info
    names: tuple[str, ...]
    """As they are shown."""
    record_counts: tuple[int, ...]
    """Of each file."""
    file_bytes: tuple[int, ...]
    """Of each file."""
    reader: Reader | None
    """None if it was closed again."""


@dataclasses.dataclass(frozen=True)
class Failure:
    """A file that cannot be opened, or a path that means no file."""

    name: str
    """As it is shown."""
    reason: str


@dataclasses.dataclass(frozen=True)
class Files:
    """What there is to look at, in order, and what there would have been."""

    opened: tuple[Opened, ...]
    failures: tuple[Failure, ...]

    @property
    def record_count(self) -> int:
        """Records of all files that could be opened."""
        return sum(one.info.record_count for one in self.opened)

    @property
    def kept(self) -> list[Reader]:
        """The readers that were kept open."""
        return [one.reader for one in self.opened if one.reader is not None]

    def readers(self) -> Iterator[Reader]:
        """All readers, one after the other; those that were closed are opened again for as long as it takes."""
        for one in self.opened:
            if one.reader is not None:
                yield one.reader
                continue
            with Reader(one.inputs, format=one.info.format) as reader:
                yield reader


@contextlib.contextmanager
def open_records(paths: list[str], format: Format | None) -> Iterator[Reader]:
    """All files as one sequence of records; `-` is standard input."""
    with without_stdin(paths) as location, octavo.open(location, format=format) as reader:
        yield reader


@contextlib.contextmanager
def open_each(paths: list[str], format: Format | None, *, keep: int = 0) -> Iterator[Files]:
    """Each file by itself; nothing is raised for one that cannot be opened, unless it is the only one.

    Args:
        paths: What the user has typed; `-` is standard input.
        format: The format, if the user has said it.
        keep: How many of the files, evenly spread, stay open.
    """
    with without_stdin(paths) as location:
        inputs, failures = _inputs([location] if isinstance(location, str) else location)
        only = len(inputs) + len(failures) == 1
        files = _together(inputs, format) or _each(inputs, failures, format, keep=keep, raising=only)
        if paths == [STDIN]:
            files = Files(tuple(dataclasses.replace(one, names=(STDIN,)) for one in files.opened), files.failures)
        try:
            yield files
        finally:
            for reader in files.kept:
                reader.close()


def _inputs(paths: Sequence[str]) -> tuple[list[Input], list[Failure]]:
    inputs: list[Input] = []
    failures: list[Failure] = []
    for path in paths:
        try:
            inputs += expand(path)
        except OctavoError as error:
            if len(paths) == 1:
                raise
            failures.append(Failure(path, line_of(error)))
    return inputs, failures


def _together(inputs: list[Input], format: Format | None) -> Files | None:
    """All files in one reader, if they are FFRecord files; then opening reads nothing but headers."""
    if len(inputs) < 2:  # noqa: PLR2004 - one file is opened by itself
        return None
    try:
        with Reader(inputs[:1], format=format) as first:
            if first.info.format != "ffrecord":
                return None
        reader = Reader(inputs, format=format)
        names = tuple(shown(path) for path in reader.paths)
        counts = tuple(stop - start for start, stop in pairwise(reader._file_starts))  # noqa: SLF001 - part of the package
        sizes = tuple(_size_of(one, path) for one, path in zip(inputs, reader.paths, strict=True))
        return Files((Opened(inputs, reader.info, names, counts, sizes, reader),), ())
    except (OctavoError, OSError):
        return None


def _size_of(one: Input, path: str) -> int:
    return one.size if isinstance(one, StoredObject) else os.path.getsize(path)


def _each(inputs: list[Input], failures: list[Failure], format: Format | None, *, keep: int, raising: bool) -> Files:
    kept = {len(inputs) * at // keep for at in range(keep)} if keep < len(inputs) else set(range(len(inputs)))

    def open_one(at: int) -> Opened | Failure:
        try:
            reader = Reader([inputs[at]], format=format)
            info = reader.info
            name = shown(reader.paths[0])
        except OctavoError as error:
            if raising:
                raise
            return Failure(shown(error.path or str(inputs[at])), line_of(error))
        if at not in kept:
            reader.close()
        left = reader if at in kept else None
        return Opened([inputs[at]], info, (name,), (info.record_count,), (info.total_bytes,), left)

    with ThreadPoolExecutor(min(_THREADS, max(1, len(inputs)))) as threads:
        try:
            found = list(threads.map(open_one, range(len(inputs))))
        except BaseException:
            threads.shutdown(cancel_futures=True)  # Ctrl-C does not wait for thousands of files
            raise
    opened = tuple(one for one in found if isinstance(one, Opened))
    return Files(opened, (*failures, *(one for one in found if isinstance(one, Failure))))

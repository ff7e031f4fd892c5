"""Every kind of place that a file's bytes can be read from, as functions from contents to a reader.

A new backend is one entry here; the shared reader suite and the properties then hold it to what all others do.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import octavo

Opener: TypeAlias = Callable[..., octavo.Reader]

IO_MODES = ("auto", "mmap", "pread", "uring", "direct")
SUFFIXES = {
    "ffrecord": ".ffr",
    "array_record": ".array_record",
    "riegeli": ".riegeli",
    "recordio": ".recordio",
    "tfrecord": ".tfrecord",
}


class Spans:
    """The protocol of `octavo.storage.SpanSource`, and a count of the calls."""

    def __init__(self, content: bytes, name: str = "spans") -> None:
        self.content = content
        self.name = name
        self.size = len(content)
        self.calls = 0

    def read_spans(self, spans: list[tuple[int, int]]) -> list[bytes]:
        self.calls += 1
        return [self.content[offset : offset + length] for offset, length in spans]


class ShortReads(io.BytesIO):
    """A file object that answers every read with less than was asked for, as sockets and pipes do."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(size, 1000) if size and size > 0 else size)


def by_path(mode: str) -> Opener:
    """Files on disk, read in one way. Their suffix tells their format."""

    def open_paths(
        contents: Sequence[bytes], folder: Path, *, format: str = "ffrecord", **options: Any
    ) -> octavo.Reader:
        paths = []
        for number, content in enumerate(contents):
            path = folder / f"part-{number}{SUFFIXES[format]}"
            path.write_bytes(content)
            paths.append(path)
        return octavo.open(paths[0] if len(paths) == 1 else paths, **{"io": mode, **options})

    return open_paths


def by_wrapping(wrap: Callable[[bytes], Any]) -> Opener:
    """Something in memory that holds the bytes."""

    def open_wrapped(contents: Sequence[bytes], folder: Path, **options: Any) -> octavo.Reader:
        del folder
        wrapped = [wrap(content) for content in contents]
        return octavo.open(wrapped[0] if len(wrapped) == 1 else wrapped, **{"format": "ffrecord", **options})

    return open_wrapped


BACKENDS: dict[str, Opener] = {
    **{f"path-{mode}": by_path(mode) for mode in IO_MODES},
    "bytes": by_wrapping(bytes),
    "bytearray": by_wrapping(bytearray),
    "memoryview": by_wrapping(memoryview),
    "file-object": by_wrapping(io.BytesIO),
    "short-reads": by_wrapping(ShortReads),
    "span-source": by_wrapping(Spans),
}

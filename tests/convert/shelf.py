"""Records into containers and out of them again, without what surrounds that in a conversion."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from octavo._convert import _foreign
from octavo._convert._source import Block, Sink, Source

HARD_RECORDS = [
    b"",
    b"x",
    b"\n",
    b"\r",
    b"\r\n",
    b"two\nlines\n",
    b"\0",
    b"\0" * 512,
    b"\xff\xfe",
    b"\xef\xbb\xbf1",
    "schön \u2028 \U0001f600".encode(),
    b"\xed\xa0\x80",
    b"{}",
    b"[]",
    b" {}",
    b"{} ",
    b'{"a": [1, 2.50, null]}',
    b"null",
    b"NaN",
    b"12345678901234567890123456789",
    b'"text"',
    b'{"octavo.text":"inside"}',
    b'{"octavo.base64":"/w=="}',
    b"",
    bytes(range(256)) * 300,
]


def blocks_of(records: Sequence[bytes], names: Sequence[str] | None = None, most: int = 7) -> Iterable[Block]:
    for start in range(0, len(records), most):
        stop = start + most
        yield Block(list(records[start:stop]), None if names is None else list(names[start:stop]))


def fill(sink: Sink, records: Sequence[bytes], names: Sequence[str] | None = None) -> None:
    for block in blocks_of(records, names):
        sink.write(block)
    sink.close()


def write(kind: str, path: Path, records: Sequence[bytes], names: Sequence[str] | None = None, **options: Any) -> Path:
    fill(_foreign.open_sink(kind, str(path), **options), records, names)
    return path


def written(kind: str, records: Sequence[bytes], names: Sequence[str] | None = None, **options: Any) -> bytes:
    """What a stream gets."""
    stream = io.BytesIO()
    fill(_foreign.open_sink(kind, stream, **options), records, names)
    return stream.getvalue()


def source(kind: str, content: Any, **options: Any) -> Source:
    """Of the bytes of a file, a path, or several paths."""
    inputs = [str(path) for path in content] if isinstance(content, list) else content
    return _foreign.open_source(kind, str(inputs) if isinstance(inputs, Path) else inputs, **options)


def read(kind: str, content: Any, start: int = 0, stop: int | None = None, **options: Any) -> list[bytes]:
    found = source(kind, content, **options)
    return [record for block in found.blocks(start, stop) for record in block.records]


def names_in(kind: str, content: Any, **options: Any) -> list[str]:
    found = source(kind, content, **options)
    return [name for block in found.blocks() for name in block.names or []]


class Once(io.RawIOBase):
    """A pipe: it gives a few bytes at a time, and cannot be wound back."""

    name = "<pipe>"

    def __init__(self, content: bytes, most: int = 1 << 20) -> None:
        self._rest = io.BytesIO(content)
        self._most = most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer)
        data = self._rest.read(min(len(view), self._most))
        view[: len(data)] = data
        return len(data)

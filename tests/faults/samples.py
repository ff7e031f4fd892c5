"""Records whose right bytes everybody can compute: the test that writes them and the program that reads them.

The length of a record depends on its number alone, so that two sets of different seeds fill files of the same
layout. No record holds a zero byte: what a lost page reads as is never right.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import octavo
from tests.naive import ffrecord as naive
from tests.naive import recordio

IO_MODES = ("auto", "mmap", "pread", "uring", "direct")
PAGE_BYTES = os.sysconf("SC_PAGESIZE")

EVEN_BYTES = 256
"""The length of every tenth record, for what wants records of one size."""

SHARDS = 1000
SHARD_RECORDS = 6
SHARD_RECORD_BYTES = 4096
"""A data set in many files: record `n` of file `s` is `sized(n, SHARD_RECORD_BYTES, seed=s)`."""

RECORDIO: dict[str, dict[str, Any]] = {
    f"{dialect}-{codec}": {"format": "recordio", "dialect": dialect, "codec": codec} for dialect, codec in recordio.WAYS
}
STREAMS: dict[str, dict[str, Any]] = RECORDIO | {"tfrecord": {"format": "tfrecord"}}
"""Files without an index, to which records or chunks of them are simply added: how each of them is created."""

COMPRESSED: dict[str, dict[str, Any]] = {
    f"tfrecord-{codec}": {"format": "tfrecord", "codec": codec} for codec in ("gzip", "zlib")
}
"""Files that are compressed as a whole: nothing can be added to those."""


def record(number: int, seed: int = 0) -> bytes:
    """Record `number` of a small set: mixed lengths, now and then empty."""
    if number % 97 == 13:
        return b""
    length = EVEN_BYTES if number % 10 == 0 else 150 + number * 37 % 300
    return sized(number, length, seed)


def records(count: int, seed: int = 0) -> list[bytes]:
    """The first records of a small set."""
    return [record(number, seed) for number in range(count)]


def sized(number: int, length: int, seed: int = 0) -> bytes:
    """A record of a given length."""
    stem = b"seed %d record %d|" % (seed, number)
    return (stem * (length // len(stem) + 1))[:length]


def write(path: str | Path, content: Iterable[bytes], *, durable: bool = False) -> None:
    """Writes a file without octavo. Pages of a durable file are clean, so they can be dropped."""
    with open(path, "wb") as file:
        file.write(naive.encode(list(content)))
        if durable:
            file.flush()
            os.fsync(file.fileno())


def write_chunks(path: str | Path, content: Iterable[bytes], *, group_size: int = 256, codec: str = "zstd") -> None:
    """Writes a file whose records share chunks."""
    with octavo.create(path, format="array_record", group_size=group_size, codec=codec) as writer:
        writer.write_many(content)


def write_stream(path: str | Path, content: Iterable[bytes], stream: str, *, group_size: int | None = None) -> None:
    """Writes a file without an index; groups are for RecordIO alone."""
    options = (STREAMS | COMPRESSED)[stream]
    if options["format"] == "recordio":
        options = options | {"group_size": group_size}
    with octavo.create(path, **options) as writer:
        writer.write_many(content)


def write_plainly(path: str | Path, content: Iterable[bytes], *, group_size: int = 256) -> None:
    """Writes a file of the format that its name says, whose layout depends on the lengths of records alone."""
    match os.path.splitext(path)[1]:
        case ".gz":
            write_stream(path, content, "tfrecord-gzip")
        case ".array_record":
            write_chunks(path, content, group_size=group_size, codec="none")
        case ".recordio":
            write_stream(path, content, "go-none", group_size=group_size)
        case ".tfrecord":
            write_stream(path, content, "tfrecord")
        case _:
            write(path, content)

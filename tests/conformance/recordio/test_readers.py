"""The shared reader suite over RecordIO files of every dialect, whose chunks have any number of records."""

from __future__ import annotations

import functools
import itertools
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import octavo
from tests.conformance.backends import BACKENDS
from tests.conformance.reader_suite import ReaderSuite
from tests.naive import recordio as naive


def groups_of(records: Sequence[bytes]) -> list[Sequence[bytes]]:
    """Groups of 1, 2, 3, ... records."""
    edges = itertools.takewhile(lambda edge: edge < len(records), itertools.accumulate(itertools.count()))
    return [records[start:stop] for start, stop in itertools.pairwise([*edges, len(records)])]


@functools.cache
def encode(records: tuple[bytes, ...], dialect: str = "go", codec: str = "none") -> bytes:
    """Many tests share the same few files, and the twin is slow."""
    return naive.encode_groups(groups_of(records), dialect, codec)


@functools.cache
def encode_unbuffered(records: tuple[bytes, ...]) -> bytes:
    return b"".join(naive.encode_unbuffered(group) for group in groups_of(records) if group)


@functools.cache
def encode_mixed(records: tuple[bytes, ...]) -> bytes:
    """Every chunk has another codec than the one before."""
    groups = [group for group in groups_of(records) if group]
    codecs = itertools.cycle(["none", "gzip", "snappy"])
    return b"".join(map(naive.encode_chunk, groups, itertools.repeat("paddle-python"), codecs))


def open_path(content: bytes, folder: Path, **options: Any) -> octavo.Reader:
    return BACKENDS["path-auto"]([content], folder, format="recordio", **options)


@pytest.mark.parametrize("backend", BACKENDS)
class TestEveryBackend(ReaderSuite):
    @pytest.fixture(autouse=True)
    def choose(self, backend: str) -> None:
        self.backend = BACKENDS[backend]

    def open_records(self, records: Sequence[bytes], folder: Path) -> octavo.Reader:
        return self.backend([encode(tuple(records))], folder, format="recordio")


@pytest.mark.parametrize(("dialect", "codec"), naive.WAYS)
class TestEveryDialectAndCodec(ReaderSuite):
    @pytest.fixture(autouse=True)
    def choose(self, dialect: str, codec: str) -> None:
        self.dialect = dialect
        self.codec = codec

    def open_records(self, records, folder):
        return open_path(encode(tuple(records), self.dialect, self.codec), folder)


class TestUnbufferedFrames(ReaderSuite):
    def open_records(self, records, folder):
        return open_path(encode_unbuffered(tuple(records)), folder)


class TestCodecsThatChange(ReaderSuite):
    def open_records(self, records, folder):
        return open_path(encode_mixed(tuple(records)), folder)


class TestSeveralFiles(ReaderSuite):
    """Each of another dialect, and one without records."""

    def open_records(self, records, folder):
        cuts = [0, len(records) // 5, len(records) // 5, len(records) // 2, len(records)]
        contents = [
            encode(tuple(records[start:stop]), dialect)
            for (start, stop), dialect in zip(itertools.pairwise(cuts), naive.DIALECTS, strict=True)
        ]
        return BACKENDS["path-auto"](contents, folder, format="recordio")


class TestReaderThatWasPickled(ReaderSuite):
    def open_records(self, records, folder):
        return pickle.loads(pickle.dumps(open_path(encode(tuple(records), "paddle-cpp", "snappy"), folder)))


class TestReversedSlice(ReaderSuite):
    def open_records(self, records, folder):
        return open_path(encode(tuple(reversed(records))), folder)[::-1]


class TestSmallCache(ReaderSuite):
    def open_records(self, records, folder):
        return open_path(encode(tuple(records), "go", "gzip"), folder, cache_bytes="4k")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"codec": "none"},
        {"codec": "gzip", "dialect": "go", "group_size": 7},
        {"dialect": "paddle-cpp", "max_chunk_bytes": 100},
    ],
    ids=str,
)
class TestWrittenByOctavo(ReaderSuite):
    @pytest.fixture(autouse=True)
    def choose(self, options: dict[str, Any]) -> None:
        self.options = options

    def open_records(self, records, folder):
        path = folder / "written.recordio"
        with octavo.create(path, **self.options) as writer:
            writer.write_many(records)
        return octavo.open(path)


class TestAppendedTo(ReaderSuite):
    def open_records(self, records, folder):
        path = folder / "appended.recordio"
        path.write_bytes(encode(tuple(records[:5])))
        for start in range(5, len(records), 20):
            with octavo.append(path) as writer:
                writer.write_many(records[start : start + 20])
        return octavo.open(path)

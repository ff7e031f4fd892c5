"""The shared reader suite over TFRecord files, uncompressed or not."""

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
from tests.naive import tfrecord as naive


@functools.cache
def encode(records: tuple[bytes, ...], codec: str = "none") -> bytes:
    """Many tests share the same few files, and the twin is slow."""
    return naive.encode(records, codec)


def open_path(content: bytes, folder: Path, **options: Any) -> octavo.Reader:
    return BACKENDS["path-auto"]([content], folder, format="tfrecord", **options)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("codec", ["none", "gzip"])
class TestEveryBackend(ReaderSuite):
    @pytest.fixture(autouse=True)
    def choose(self, backend: str, codec: str) -> None:
        self.backend = BACKENDS[backend]
        self.codec = codec

    def open_records(self, records: Sequence[bytes], folder: Path) -> octavo.Reader:
        return self.backend([encode(tuple(records), self.codec)], folder, format="tfrecord")


class TestZlib(ReaderSuite):
    def open_records(self, records, folder):
        return open_path(encode(tuple(records), "zlib"), folder)


class TestSeveralMembers(ReaderSuite):
    def open_records(self, records, folder):
        return open_path(b"".join(encode((record,), "gzip") for record in records), folder)


class TestSeveralFiles(ReaderSuite):
    """Each compressed in another way, and one without records."""

    def open_records(self, records, folder):
        cuts = [0, len(records) // 5, len(records) // 5, len(records) // 2, len(records)]
        codecs = ["gzip", "none", "zlib", "none"]
        contents = [
            encode(tuple(records[start:stop]), codec)
            for (start, stop), codec in zip(itertools.pairwise(cuts), codecs, strict=True)
        ]
        return BACKENDS["path-auto"](contents, folder, format="tfrecord")


@pytest.mark.parametrize("codec", naive.CODECS)
class TestReaderThatWasPickled(ReaderSuite):
    @pytest.fixture(autouse=True)
    def choose(self, codec: str) -> None:
        self.codec = codec

    def open_records(self, records, folder):
        return pickle.loads(pickle.dumps(open_path(encode(tuple(records), self.codec), folder)))


class TestReversedSlice(ReaderSuite):
    def open_records(self, records, folder):
        return open_path(encode(tuple(reversed(records))), folder)[::-1]


class TestSmallCache(ReaderSuite):
    def open_records(self, records, folder):
        return open_path(encode(tuple(records), "gzip"), folder, cache_bytes="4k")


@pytest.mark.parametrize("codec", ["none", "gzip:1", "zlib"])
class TestWrittenByOctavo(ReaderSuite):
    @pytest.fixture(autouse=True)
    def choose(self, codec: str) -> None:
        self.codec = codec

    def open_records(self, records, folder):
        path = folder / "written.tfrecord"
        with octavo.create(path, codec=self.codec) as writer:
            writer.write_many(records)
        return octavo.open(path)


class TestAppendedTo(ReaderSuite):
    def open_records(self, records, folder):
        path = folder / "appended.tfrecord"
        path.write_bytes(encode(tuple(records[:5])))
        for start in range(5, len(records), 20):
            with octavo.append(path) as writer:
                writer.write_many(records[start : start + 20])
        return octavo.open(path)

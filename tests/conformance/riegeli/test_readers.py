"""The shared reader suite over Riegeli files without a footer, whose chunks have any number of records."""

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
from tests.conformance.codecs import as_parameters
from tests.conformance.reader_suite import ReaderSuite
from tests.naive import riegeli as naive
from tests.naive import transposing


def in_columns(records: Sequence[bytes], codec: str) -> naive.Chunk:
    return naive.Chunk(b"t", transposing.columns(records, codec), len(records), sum(map(len, records)))


@functools.cache
def encode(records: tuple[bytes, ...], codec: str = "none", *, transpose: bool = False, padded: bool = False) -> bytes:
    """Chunks of 1, 2, 3, ... records. Many tests share the same few files, and the twin is slow."""
    edges = itertools.takewhile(lambda edge: edge < len(records), itertools.accumulate(itertools.count()))
    groups = [records[start:stop] for start, stop in itertools.pairwise([*edges, len(records)])]
    return naive.encode(groups, codec, in_columns if transpose else naive.simple_chunk, pad_to_blocks=padded)


def open_path(content: bytes, folder: Path, **options: Any) -> octavo.Reader:
    return BACKENDS["path-auto"]([content], folder, format="riegeli", **options)


@pytest.mark.parametrize("backend", BACKENDS)
class TestEveryBackend(ReaderSuite):
    @pytest.fixture(autouse=True)
    def choose(self, backend: str) -> None:
        self.backend = BACKENDS[backend]

    def open_records(self, records: Sequence[bytes], folder: Path) -> octavo.Reader:
        return self.backend([encode(tuple(records))], folder, format="riegeli")


class TestSeveralFiles(ReaderSuite):
    def open_records(self, records, folder):
        cuts = [0, len(records) // 5, len(records) // 5, len(records) // 2, len(records)]
        contents = [encode(tuple(records[start:stop])) for start, stop in itertools.pairwise(cuts)]
        return BACKENDS["path-auto"](contents, folder, format="riegeli")


@pytest.mark.parametrize("codec", as_parameters())
@pytest.mark.parametrize("transpose", [False, True])
class TestEveryCodec(ReaderSuite):
    @pytest.fixture(autouse=True)
    def choose(self, codec: str, *, transpose: bool) -> None:
        self.codec = codec
        self.transpose = transpose

    def open_records(self, records, folder):
        return open_path(encode(tuple(records), self.codec, transpose=self.transpose), folder)


class TestPaddedToBlocks(ReaderSuite):
    def open_records(self, records, folder):
        return open_path(encode(tuple(records), padded=True), folder)


class TestReaderThatWasPickled(ReaderSuite):
    def open_records(self, records, folder):
        return pickle.loads(pickle.dumps(open_path(encode(tuple(records)), folder)))


class TestReversedSlice(ReaderSuite):
    def open_records(self, records, folder):
        return open_path(encode(tuple(reversed(records))), folder)[::-1]


@pytest.mark.parametrize("options", [{}, {"codec": "none"}, {"codec": "brotli", "transpose": True}, {"group_size": 7}])
class TestWrittenByOctavo(ReaderSuite):
    @pytest.fixture(autouse=True)
    def choose(self, options: dict[str, Any]) -> None:
        self.options = options

    def open_records(self, records, folder):
        path = folder / "written.riegeli"
        with octavo.create(path, **self.options) as writer:
            writer.write_many(records)
        return octavo.open(path)


class TestAppendedTo(ReaderSuite):
    def open_records(self, records, folder):
        path = folder / "appended.riegeli"
        path.write_bytes(encode(tuple(records[:5])))
        for start in range(5, len(records), 20):
            with octavo.append(path) as writer:
                writer.write_many(records[start : start + 20])
        return octavo.open(path)

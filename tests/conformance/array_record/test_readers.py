"""The shared reader suite over ArrayRecord: every backend, one file and several, every kind of chunk."""

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
from tests.conformance.codecs import needs_cramjam
from tests.conformance.reader_suite import ReaderSuite
from tests.naive import array_record as naive
from tests.naive import transposing
from tests.naive.riegeli import Chunk, simple_chunk

ONE_A_CHUNK = naive.Options(codec="none")
SEVEN_A_CHUNK = naive.Options(codec="none", group_size=7)


@functools.cache
def encode(records: tuple[bytes, ...], options: naive.Options) -> bytes:
    """Many tests share the same few files, and the twin is slow."""
    return naive.encode(records, options)


@functools.cache
def encode_unevenly(records: tuple[bytes, ...]) -> bytes:
    """Chunks of 1, 2, 3, ... records, of both kinds by turns."""
    chunks: list[Chunk] = []
    start = 0
    while start < len(records):
        group = records[start : start + len(chunks) + 1]
        if len(chunks) % 2:
            chunks.append(naive.transposed_chunk(group, transposing.columns(group, "none")))
        else:
            chunks.append(simple_chunk(group))
        start += len(group)
    return naive.encode_chunks(chunks)


def open_path(content: bytes, folder: Path, **options: Any) -> octavo.Reader:
    return BACKENDS["path-auto"]([content], folder, format="array_record", **options)


@pytest.mark.parametrize("backend", BACKENDS)
class EveryBackend(ReaderSuite):
    """How records become files is up to the subclass; where those are read from, to the parameter."""

    @pytest.fixture(autouse=True)
    def choose(self, backend: str) -> None:
        self.backend = BACKENDS[backend]

    def files_of(self, records: Sequence[bytes]) -> list[bytes]:
        raise NotImplementedError

    def open_records(self, records: Sequence[bytes], folder: Path) -> octavo.Reader:
        return self.backend(self.files_of(records), folder, format="array_record")


class TestOneFile(EveryBackend):
    def files_of(self, records):
        return [encode(tuple(records), ONE_A_CHUNK)]


class TestSeveralRecordsAChunk(EveryBackend):
    def files_of(self, records):
        return [encode(tuple(records), SEVEN_A_CHUNK)]


class TestSeveralFiles(EveryBackend):
    def files_of(self, records):
        cuts = [0, len(records) // 5, len(records) // 5, len(records) // 2, len(records), len(records)]
        return [encode(tuple(records[start:stop]), SEVEN_A_CHUNK) for start, stop in itertools.pairwise(cuts)]


@needs_cramjam
@pytest.mark.parametrize("codec", ["zstd", "brotli", "snappy"])
@pytest.mark.parametrize(("group_size", "transpose"), [(1, False), (7, False), (65536, True)])
class TestEveryCodec(ReaderSuite):
    @pytest.fixture(autouse=True)
    def choose(self, codec: str, group_size: int, *, transpose: bool) -> None:
        self.options = naive.Options(codec=codec, group_size=group_size, transpose=transpose)

    def open_records(self, records, folder):
        return open_path(encode(tuple(records), self.options), folder)


class TestTransposed(ReaderSuite):
    def open_records(self, records, folder):
        return open_path(encode(tuple(records), naive.Options(codec="none", group_size=7, transpose=True)), folder)


class TestPaddedToBlocks(ReaderSuite):
    def open_records(self, records, folder):
        options = naive.Options(codec="none", group_size=7, pad_to_block_boundary=True)
        return open_path(encode(tuple(records), options), folder)


class TestUnevenChunks(ReaderSuite):
    """The original cannot read these."""

    def open_records(self, records, folder):
        return open_path(encode_unevenly(tuple(records)), folder)


class TestWithoutChecksums(ReaderSuite):
    def open_records(self, records, folder):
        return open_path(encode(tuple(records), SEVEN_A_CHUNK), folder, check_data=False)


class TestWithoutRoomForChunks(ReaderSuite):
    def open_records(self, records, folder):
        return open_path(encode(tuple(records), SEVEN_A_CHUNK), folder, cache_bytes=0)


class TestWithRoomForFewChunks(ReaderSuite):
    def open_records(self, records, folder):
        return open_path(encode(tuple(records), SEVEN_A_CHUNK), folder, cache_bytes="4k")


class TestOffloadedIndex(ReaderSuite):
    def open_records(self, records, folder):
        return open_path(encode(tuple(records), SEVEN_A_CHUNK), folder, index_storage="offloaded")


class TestSliceOfALargerReader(ReaderSuite):
    """A slice must be as good a reader as any."""

    def open_records(self, records, folder):
        padded = (b"before", b"before", *records, b"after")
        return open_path(encode(padded, SEVEN_A_CHUNK), folder)[2:-1]


class TestReversedSlice(ReaderSuite):
    def open_records(self, records, folder):
        return open_path(encode(tuple(reversed(records)), SEVEN_A_CHUNK), folder)[::-1]


class TestReaderThatWasPickled(ReaderSuite):
    def open_records(self, records, folder):
        return pickle.loads(pickle.dumps(open_path(encode(tuple(records), SEVEN_A_CHUNK), folder)))


class TestFormatsSideBySide(ReaderSuite):
    """Files of different chunk sizes and codecs are one data set."""

    def open_records(self, records, folder):
        middle = len(records) // 2
        contents = [
            encode(tuple(records[:middle]), ONE_A_CHUNK),
            encode(tuple(records[middle:]), naive.Options(codec="none", group_size=4, transpose=True)),
        ]
        return BACKENDS["path-auto"](contents, folder, format="array_record")


@pytest.mark.parametrize("options", ["", "group_size:7", "group_size:65536,brotli", "group_size:7,snappy,transpose"])
class TestWrittenByOctavo(ReaderSuite):
    @pytest.fixture(autouse=True)
    def choose(self, options: str) -> None:
        self.options = options

    def open_records(self, records, folder):
        path = folder / "written.array_record"
        with octavo.create(path, options=self.options) as writer:
            writer.write_many(records)
        return octavo.open(path)


class TestAppendedTo(ReaderSuite):
    """Each append but the first adds to a chunk that is not full yet."""

    def open_records(self, records, folder):
        path = folder / "appended.array_record"
        with octavo.create(path, options="group_size:7,zstd") as writer:
            writer.write_many(records[:3])
        for start in range(3, len(records), 20):
            with octavo.append(path) as writer:
                writer.write_many(records[start : start + 20])
        return octavo.open(path)

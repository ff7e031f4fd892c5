"""The shared reader suite over FFRecord, for every backend, for one file and for several."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

import octavo
from tests.conformance.backends import BACKENDS
from tests.conformance.reader_suite import ReaderSuite
from tests.naive import ffrecord as naive


@pytest.mark.parametrize("backend", BACKENDS)
class EveryBackend(ReaderSuite):
    """How records become files is up to the subclass; where those are read from, to the parameter."""

    @pytest.fixture(autouse=True)
    def choose(self, backend: str) -> None:
        self.backend = BACKENDS[backend]

    def files_of(self, records: Sequence[bytes]) -> list[bytes]:
        raise NotImplementedError

    def open_records(self, records: Sequence[bytes], folder: Path) -> octavo.Reader:
        return self.backend(self.files_of(records), folder)


class TestOneFile(EveryBackend):
    def files_of(self, records):
        return [naive.encode(records)]


class TestSeveralFiles(EveryBackend):
    def files_of(self, records):
        cuts = [0, len(records) // 5, len(records) // 5, len(records) // 2, len(records), len(records)]
        return [naive.encode(records[start:stop]) for start, stop in itertools.pairwise(cuts)]


class TestLegacyFile(ReaderSuite):
    def open_records(self, records, folder):
        return BACKENDS["path-auto"]([naive.encode(records, legacy=True)], folder)


class TestGapBeforeTheFirstRecord(ReaderSuite):
    def open_records(self, records, folder):
        # No records have no first one, and a file of none must end with its header.
        return BACKENDS["path-auto"]([naive.encode(records, gap=b"room to grow" if records else b"")], folder)


class TestWithoutChecksums(ReaderSuite):
    def open_records(self, records, folder):
        return BACKENDS["path-auto"]([naive.encode(records)], folder, check_data=False)


class TestSliceOfALargerReader(ReaderSuite):
    """A slice must be as good a reader as any."""

    def open_records(self, records, folder):
        padded = [b"before", b"before", *records, b"after"]
        return BACKENDS["path-auto"]([naive.encode(padded)], folder)[2:-1]


class TestReversedSlice(ReaderSuite):
    def open_records(self, records, folder):
        return BACKENDS["path-auto"]([naive.encode(list(reversed(records)))], folder)[::-1]


class TestReaderThatWasPickled(ReaderSuite):
    def open_records(self, records, folder):
        import pickle

        return pickle.loads(pickle.dumps(BACKENDS["path-auto"]([naive.encode(records)], folder)))

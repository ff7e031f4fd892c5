"""array_record, uncompressed and with one record a chunk: its quickest setting for random access."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.engines.base import Engine, Run, call_each

# Measured: with read-ahead threads, a seek costs most of a millisecond; batches and read_all are the same either way.
OPTIONS = "readahead_buffer_size:0,max_parallelism:0"


class ArrayRecord(Engine):
    """Opened with the options that are quickest in every case here."""

    name = "array_record"
    module = "array_record.python.array_record_module"
    distribution = "array_record"
    suffix = ".array_record"
    operations = frozenset({"single", "batch", "read_all", "iterate", "write", "open", "import"})

    def open(self, path: Path) -> Any:
        return _native().ArrayRecordReader(str(path), OPTIONS)

    def close(self, reader: Any) -> None:
        reader.close()

    def fetch(self, reader: Any, records: list[int]) -> list[bytes]:
        return list(reader.read(records))

    def single(self, reader: Any, order: list[int]) -> Run:
        def run() -> None:
            for record in order:
                reader.seek(record)
                reader.read()

        return run

    def batch(self, reader: Any, batches: list[list[int]]) -> Run:
        return lambda: call_each(reader.read, batches)

    def read_all(self, reader: Any) -> Run:
        run: Run = reader.read_all
        return run

    def iterate(self, reader: Any) -> Run:
        def run() -> None:
            reader.seek(0)
            for _ in range(reader.num_records()):
                reader.read()

        return run

    def write(self, path: Path, records: Iterable[bytes]) -> None:
        writer = _native().ArrayRecordWriter(str(path), "group_size:1,uncompressed")
        for record in records:
            writer.write(record)
        writer.close()


def _native() -> Any:
    return importlib.import_module(ArrayRecord.module)

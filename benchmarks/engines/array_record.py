"""array_record, the original of ArrayRecord files: in several layouts, opened for random access or with read-ahead."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.engines.base import Engine, Run, call_each, subscript_each

# Measured: with read-ahead threads, a seek costs most of a millisecond.
RANDOM_ACCESS = "readahead_buffer_size:0,max_parallelism:0"
# Measured, one record a chunk: iterating and read_all are two to four times quicker; 256k to 16M make no difference.
READ_AHEAD = "readahead_buffer_size:16M"


@dataclasses.dataclass(frozen=True)
class Layout:
    """One way to lay out the records, and the suffix of files written so."""

    suffix: str
    options: str


RAW = Layout(".array_record", "group_size:1,uncompressed")
ZSTD = Layout("-zstd.array_record", "group_size:1,zstd:3")
ZSTD_256 = Layout("-zstd-256.array_record", "group_size:256,zstd:3")


class ArrayRecord(Engine):
    """The native reader and writer."""

    module = "array_record.python.array_record_module"
    distribution = "array_record"
    operations = frozenset({"single", "batch", "read_all", "iterate", "write", "open", "import", "scan_memory"})

    def __init__(self, variant: str = "", layout: Layout = RAW, reader_options: str = RANDOM_ACCESS) -> None:
        self.name = f"array_record:{variant}" if variant else "array_record"
        self.suffix = layout.suffix
        self.writer_options = layout.options
        self.reader_options = reader_options

    def open(self, path: Path) -> Any:
        return importlib.import_module(self.module).ArrayRecordReader(str(path), self.reader_options)

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
        writer = importlib.import_module(self.module).ArrayRecordWriter(str(path), self.writer_options)
        for record in records:
            writer.write(record)
        writer.close()


class ArrayRecordDataSource(Engine):
    """What training code uses: `source[i]`."""

    name = "array_record:data-source"
    module = "array_record.python.array_record_data_source"
    distribution = "array_record"
    suffix = RAW.suffix
    operations = frozenset({"single", "batch"})
    original = ArrayRecord()

    def open(self, path: Path) -> Any:
        return importlib.import_module(self.module).ArrayRecordDataSource(str(path))

    def close(self, reader: Any) -> None:
        reader.__exit__(None, None, None)  # the only way it has

    def fetch(self, reader: Any, records: list[int]) -> list[bytes]:
        return [reader[record] for record in records]

    def single(self, reader: Any, order: list[int]) -> Run:
        return lambda: subscript_each(reader, order)

    def batch(self, reader: Any, batches: list[list[int]]) -> Run:
        return lambda: call_each(reader.__getitems__, batches)


ARRAY_RECORDS: tuple[Engine, ...] = (
    ArrayRecord(),
    ArrayRecord("read-ahead", RAW, READ_AHEAD),
    ArrayRecord("zstd", ZSTD),
    ArrayRecord("zstd-read-ahead", ZSTD, READ_AHEAD),
    ArrayRecord("zstd-256", ZSTD_256),
    ArrayRecord("zstd-256-read-ahead", ZSTD_256, READ_AHEAD),
    ArrayRecordDataSource(),
)

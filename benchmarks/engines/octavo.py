"""octavo, as its users call it: default options, checksums on."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.engines.array_record import RAW, ZSTD, ZSTD_256, ArrayRecord, Layout
from benchmarks.engines.base import Engine, Run, call_each, exhaust, subscript_each


class Octavo(Engine):
    """FFRecord, or ArrayRecord where a layout is given."""

    module = "octavo"
    distribution = "octavo"
    operations = frozenset({"single", "batch", "read_all", "iterate", "write", "open", "import", "scan_memory"})

    def __init__(self, variant: str = "", layout: Layout | None = None, **reader_options: object) -> None:
        self.name = f"octavo:{variant}" if variant else "octavo"
        self.suffix = layout.suffix if layout else ".ffr"
        self.original = ArrayRecord(layout=layout) if layout else None
        self.writer_options = {"options": layout.options} if layout else {}
        self.reader_options = reader_options

    def open(self, path: Path) -> Any:
        return importlib.import_module("octavo").open(path, **self.reader_options)

    def close(self, reader: Any) -> None:
        reader.close()

    def fetch(self, reader: Any, records: list[int]) -> list[bytes]:
        return [*reader.read(records[:-1]), reader[records[-1]]]

    def single(self, reader: Any, order: list[int]) -> Run:
        return lambda: subscript_each(reader, order)

    def batch(self, reader: Any, batches: list[list[int]]) -> Run:
        return lambda: call_each(reader.read, batches)

    def read_all(self, reader: Any) -> Run:
        run: Run = reader.read_all
        return run

    def iterate(self, reader: Any) -> Run:
        return lambda: exhaust(reader)

    def write(self, path: Path, records: Iterable[bytes]) -> None:
        with importlib.import_module("octavo").create(path, **self.writer_options) as writer:
            for record in records:
                writer.write(record)


class OctavoWriteMany(Octavo):
    """One call for all records instead of one call each."""

    operations = frozenset({"write"})

    def write(self, path: Path, records: Iterable[bytes]) -> None:
        with importlib.import_module("octavo").create(path, **self.writer_options) as writer:
            writer.write_many(records)


OCTAVOS: tuple[Engine, ...] = (
    Octavo(),
    Octavo("direct", io="direct"),  # for data sets larger than memory: past the page cache
    OctavoWriteMany("write-many"),
    Octavo("array_record-raw", RAW),
    Octavo("array_record-zstd", ZSTD),
    Octavo("array_record-zstd-uncached", ZSTD, cache_bytes=0),
    Octavo("array_record-zstd-256", ZSTD_256),
    Octavo("array_record-zstd-256-uncached", ZSTD_256, cache_bytes=0),
)

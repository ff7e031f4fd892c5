"""octavo, as its users call it: default options, checksums on."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.engines import pyrecordio, tensorflow
from benchmarks.engines.array_record import RAW, ZSTD, ZSTD_256, ArrayRecord, Layout
from benchmarks.engines.base import Engine, Run, call_each, exhaust, subscript_each

DEFAULTS: Mapping[str, object] = MappingProxyType({})


class Octavo(Engine):
    """FFRecord, or the format of the original that is given."""

    module = "octavo"
    distribution = "octavo"
    operations = frozenset(
        {"single", "batch", "read_all", "iterate", "write", "open", "partitions", "import", "scan_memory"}
    )

    def __init__(
        self,
        variant: str = "",
        original: Engine | None = None,
        writer_options: Mapping[str, object] = DEFAULTS,
        **reader_options: object,
    ) -> None:
        self.name = f"octavo:{variant}" if variant else "octavo"
        self.suffix = original.suffix if original else ".ffr"
        self.original = original
        self.writer_options = writer_options
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

    def partitions(self, path: Path, max_records: int) -> object:
        with self.open(path) as reader:
            return reader.partitions(max_records=max_records)

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


class OctavoSidecar(Octavo):
    """A file of its own with a sidecar index beside it, so that others scan the same records."""

    def __init__(self, variant: str, original: Engine) -> None:
        super().__init__(variant, original)
        self.suffix = f"-sidecar{original.suffix}"

    def prepare(self, path: Path) -> None:
        octavo = importlib.import_module("octavo")
        with octavo.open(path) as reader:
            if reader.info.sidecar:
                return
        octavo.write_index(path)


def _array_record(variant: str, layout: Layout, **reader_options: object) -> Octavo:
    return Octavo(variant, ArrayRecord(layout=layout), {"options": layout.options}, **reader_options)


LIKE_PYRECORDIO = MappingProxyType({"max_chunk_bytes": pyrecordio.DEFAULT_CHUNK_BYTES})

OCTAVOS: tuple[Engine, ...] = (
    Octavo(),
    Octavo("direct", io="direct"),  # for data sets larger than memory: past the page cache
    OctavoWriteMany("write-many"),
    _array_record("array_record-raw", RAW),
    _array_record("array_record-zstd", ZSTD),
    _array_record("array_record-zstd-uncached", ZSTD, cache_bytes=0),
    _array_record("array_record-zstd-256", ZSTD_256),
    _array_record("array_record-zstd-256-uncached", ZSTD_256, cache_bytes=0),
    Octavo("recordio", pyrecordio.CHUNKS_256K),
    Octavo("recordio-uncached", pyrecordio.CHUNKS_256K, cache_bytes=0),
    OctavoWriteMany("recordio-write-many", pyrecordio.CHUNKS_256K),
    Octavo("recordio-1k", pyrecordio.CHUNKS_1K, LIKE_PYRECORDIO),
    OctavoWriteMany("recordio-1k-write-many", pyrecordio.CHUNKS_1K, LIKE_PYRECORDIO),
    OctavoSidecar("recordio-1k-sidecar", pyrecordio.CHUNKS_1K),
    Octavo("recordio-1m", pyrecordio.CHUNKS_1M),
    Octavo("tfrecord", tensorflow.PLAIN),
    OctavoWriteMany("tfrecord-write-many", tensorflow.PLAIN),
    OctavoSidecar("tfrecord-sidecar", tensorflow.PLAIN),
    Octavo("tfrecord-gzip", tensorflow.GZIP),
    OctavoSidecar("tfrecord-gzip-sidecar", tensorflow.GZIP),
)

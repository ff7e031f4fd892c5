"""pyrecordio, the original of RecordIO's default dialect: pure Python up to 0.0.4, a binding of a Go library since."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.engines.base import Engine, Run, call_each, exhaust

DEFAULT_CHUNK_BYTES = 1024


class Pyrecordio(Engine):
    """Snappy, its only codec: `File` ignores the argument. Limits of its chunks do not count the records' lengths."""

    module = "recordio"
    distribution = "pyrecordio"
    operations = frozenset(
        {"single", "batch", "read_all", "iterate", "write", "open", "partitions", "import", "scan_memory"}
    )

    def __init__(self, variant: str = "", max_chunk_bytes: int = DEFAULT_CHUNK_BYTES) -> None:
        self.name = f"pyrecordio:{variant}" if variant else "pyrecordio"
        self.suffix = f"-{variant}.recordio" if variant else ".recordio"
        self.max_chunk_bytes = max_chunk_bytes

    def open(self, path: Path) -> Any:
        return importlib.import_module("recordio").File(str(path), "r")

    def close(self, reader: Any) -> None:
        reader.close()

    def fetch(self, reader: Any, records: list[int]) -> list[bytes]:
        return [reader.get(record) for record in records]

    def single(self, reader: Any, order: list[int]) -> Run:
        def run() -> None:
            for record in order:
                reader.get(record)

        return run

    def batch(self, reader: Any, batches: list[list[int]]) -> Run:
        return lambda: call_each(lambda batch: self.fetch(reader, batch), batches)

    def read_all(self, reader: Any) -> Run:
        return lambda: list(reader)

    def iterate(self, reader: Any) -> Run:
        return lambda: exhaust(reader)

    def partitions(self, path: Path, max_records: int) -> object:
        with path.open("rb") as file:
            index = importlib.import_module("recordio.recordio.file_index").FileIndex(file)
        tasks, start, end = [], 0, 0
        for records in map(index.chunk_records, range(index.total_chunks())):
            if end > start and end + records - start > max_records:
                tasks.append((start, end))
                start = end
            end += records
        return [*tasks, (start, end)]

    def write(self, path: Path, records: Iterable[bytes]) -> None:
        recordio = importlib.import_module("recordio")
        with recordio.File(str(path), "w", max_chunk_size=self.max_chunk_bytes) as file:
            for record in records:
                file.write(record)


CHUNKS_1K = Pyrecordio()
CHUNKS_256K = Pyrecordio("256k", 256 << 10)
CHUNKS_1M = Pyrecordio("1m", 1 << 20)

PYRECORDIOS: tuple[Engine, ...] = (CHUNKS_1K, CHUNKS_256K, CHUNKS_1M)

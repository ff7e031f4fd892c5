"""bagz: it maps the file and keeps no checksums."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.engines.base import Engine, Run, call_each, exhaust, subscript_each


class Bagz(Engine):
    """Raw records unless a level is given; the reader tells by the suffix."""

    module = "bagz"
    distribution = "bagz"
    operations = frozenset({"single", "batch", "read_all", "iterate", "write", "open", "import"})

    def __init__(self, variant: str = "", *, zstd_level: int | None = None, **reader_options: object) -> None:
        self.name = f"bagz:{variant}" if variant else "bagz"
        self.suffix = ".bag" if zstd_level is None else ".bagz"
        self.zstd_level = zstd_level
        self.reader_options = reader_options

    def open(self, path: Path) -> Any:
        bagz = importlib.import_module("bagz")
        return bagz.Reader(str(path), bagz.Reader.Options(**self.reader_options))

    def fetch(self, reader: Any, records: list[int]) -> list[bytes]:
        return [*reader.read_indices(records[:-1]), reader[records[-1]]]

    def single(self, reader: Any, order: list[int]) -> Run:
        return lambda: subscript_each(reader, order)

    def batch(self, reader: Any, batches: list[list[int]]) -> Run:
        return lambda: call_each(reader.read_indices, batches)

    def read_all(self, reader: Any) -> Run:
        run: Run = reader.read
        return run

    def iterate(self, reader: Any) -> Run:
        return lambda: exhaust(reader)

    def write(self, path: Path, records: Iterable[bytes]) -> None:
        bagz = importlib.import_module("bagz")
        compression = bagz.CompressionNone() if self.zstd_level is None else bagz.CompressionZstd(self.zstd_level)
        with bagz.Writer(str(path), bagz.Writer.Options(compression=compression)) as writer:
            for record in records:
                writer.write(record)


BAGZS: tuple[Engine, ...] = (
    Bagz(),
    Bagz("one-thread", max_parallelism=1),  # measured: by default, a batch is handed to a hundred threads
    Bagz("zstd", zstd_level=3),
    Bagz("zstd-one-thread", zstd_level=3, max_parallelism=1),
)

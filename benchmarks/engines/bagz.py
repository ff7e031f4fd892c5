"""bagz with raw records: it maps the file and keeps no checksums."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.engines.base import Engine, Run, call_each, exhaust, subscript_each


class Bagz(Engine):
    """The suffix `.bag` (not `.bagz`) means uncompressed."""

    name = "bagz"
    module = "bagz"
    distribution = "bagz"
    suffix = ".bag"
    operations = frozenset({"single", "batch", "read_all", "iterate", "write", "open", "import"})

    def open(self, path: Path) -> Any:
        return importlib.import_module("bagz").Reader(str(path))

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
        with importlib.import_module("bagz").Writer(str(path)) as writer:
            for record in records:
                writer.write(record)

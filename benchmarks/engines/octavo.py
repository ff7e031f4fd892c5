"""octavo, as its users call it: default options, checksums on."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.engines.base import Engine, Run, call_each, exhaust, subscript_each


class Octavo(Engine):
    """Default options."""

    name = "octavo"
    module = "octavo"
    distribution = "octavo"
    suffix = ".ffr"
    operations = frozenset({"single", "batch", "read_all", "iterate", "write", "open", "import"})
    io = "auto"

    def open(self, path: Path) -> Any:
        return importlib.import_module("octavo").open(path, io=self.io)

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
        with importlib.import_module("octavo").create(path) as writer:
            for record in records:
                writer.write(record)


class OctavoDirect(Octavo):
    """For data sets larger than memory: past the page cache."""

    name = "octavo:direct"
    operations = frozenset({"single", "batch"})
    io = "direct"


class OctavoWriteMany(Octavo):
    """One call for all records instead of one call each."""

    name = "octavo:write-many"
    operations = frozenset({"write"})

    def write(self, path: Path, records: Iterable[bytes]) -> None:
        with importlib.import_module("octavo").create(path) as writer:
            writer.write_many(records)

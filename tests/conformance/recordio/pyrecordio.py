"""The original packages, where one is installed: both are called `pyrecordio` and are imported as `recordio`.

The older one (up to 0.0.4) is written in Python and has the dialect `paddle-python`; the newer one calls a library
that is written in Go.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

CODECS = {"none": "no_compression", "snappy": "snappy", "gzip": "gzip"}


class OriginalInPython:
    """The package of ElasticDL."""

    dialect = "paddle-python"
    codecs = tuple(CODECS)

    def __init__(self) -> None:
        reason = "no pyrecordio that is written in Python is installed"
        self.writing: Any = pytest.importorskip("recordio.recordio.writer", reason=reason)
        self.reading: Any = pytest.importorskip("recordio.recordio.file", reason=reason)

    def write(self, path: Path, records: Iterable[bytes], codec: str = "snappy", max_chunk_bytes: int = 1024) -> None:
        with path.open("wb") as file:
            compressor = self.writing.Compressor[CODECS[codec]]
            writer = self.writing.Writer(file, max_chunk_bytes, compressor)
            for record in records:
                writer.write(record)
            writer.flush()

    def read_every_way(self, path: Path) -> list[list[bytes]]:
        """All records, by every way that it has to read them."""
        with self.reading.File(str(path), "r") as file:
            count = file.count()
            by_number = [file.get(number) for number in range(count)]
            return [list(file), by_number, [*file.get_reader(0, count // 2), *file.get_reader(count // 2)]]


class OriginalInGo:
    """The package of wangkuiyi, which writes snappy only and cannot read its gzip."""

    dialect = "go"
    codecs = ("none", "snappy")

    def __init__(self) -> None:
        self.module: Any = pytest.importorskip("recordio", reason="no pyrecordio is installed")
        if not hasattr(self.module, "Scanner"):
            pytest.skip("the pyrecordio that is installed does not call Go")

    def write(self, path: Path, records: Iterable[bytes]) -> None:
        writer = self.module.Writer(str(path))
        for record in records:
            writer.write(record)
        writer.close()

    def read_every_way(self, path: Path) -> list[list[bytes]]:
        index = self.module.Index(str(path))
        count = index.num_records()
        index.close()
        halves = self._scan(path, 0, count // 2) + self._scan(path, count // 2, -1)
        return [self._scan(path, 0, -1), halves]

    def _scan(self, path: Path, start: int, count: int) -> list[bytes]:
        scanner = self.module.Scanner(str(path), start, count)
        found = list(iter(scanner.record, None))
        scanner.close()
        return found

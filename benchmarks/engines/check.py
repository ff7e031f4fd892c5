"""Going through a whole file without an object for each record: to verify it, to digest it, or just to read it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from benchmarks.engines import pyrecordio, tensorflow
from benchmarks.engines.array_record import ZSTD, ZSTD_256, ArrayRecord
from benchmarks.engines.base import Engine

BLOCK_RECORDS, BLOCK_BYTES = 16_384, 4 << 20


class _Check(Engine):
    module = "octavo"
    distribution = "octavo"
    operations = frozenset({"check"})
    what: str

    def __init__(self, format: str, original: Engine | None) -> None:
        self.name = f"octavo:{self.what}-{format}"
        self.suffix = original.suffix if original else ".ffr"
        self.original = original


class Verify(_Check):
    """`octavo.verify`."""

    what = "verify"

    def check(self, path: Path) -> int:
        report: Any = importlib.import_module("octavo").verify(path)
        if not report.ok:
            raise ValueError(f"{path}: damage that is not there: {report.damage[0].reason}")
        return int(report.record_count)


class Digest(_Check):
    """`octavo.digest`."""

    what = "digest"

    def check(self, path: Path) -> int:
        return int(importlib.import_module("octavo").digest(path).record_count)


class Scan(_Check):
    """Blocks of records, each block in one buffer: the least that reading everything takes."""

    what = "scan"

    def check(self, path: Path) -> int:
        at = 0
        with importlib.import_module("octavo").open(path, sidecar=False) as reader:
            while at < len(reader):
                at += len(reader._read_block(at, BLOCK_RECORDS, BLOCK_BYTES))  # noqa: SLF001 - the plainest read
        return at


FORMATS: dict[str, Engine | None] = {
    "ffrecord": None,
    "array_record-zstd": ArrayRecord(layout=ZSTD),
    "array_record-zstd-256": ArrayRecord(layout=ZSTD_256),
    "recordio": pyrecordio.CHUNKS_256K,
    "tfrecord": tensorflow.PLAIN,
}

CHECKS: tuple[Engine, ...] = tuple(
    kind(format, original) for format, original in FORMATS.items() for kind in (Verify, Scan, Digest)
)

"""LitData: chunks of many records, which it maps into memory where they lie on a local disk."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.engines.base import Engine
from benchmarks.engines.stacking import stack

CHUNK_BYTES = "64MB"  # its advice
RECORDS_OF_INPUT = 10_000


class LitData(Engine):
    """`StreamingDataLoader` over what `optimize` wrote."""

    module = "litdata"
    distribution = "litdata"
    suffix = ".litdata"
    operations = frozenset({"epoch"})
    is_optional = True

    def __init__(self, workers: int) -> None:
        self.name = f"litdata:{workers}-workers"
        self.workers = workers

    def write(self, path: Path, records: Iterable[bytes]) -> None:
        everything = list(records)
        starts = range(0, len(everything), RECORDS_OF_INPUT)
        importlib.import_module("litdata").optimize(
            _each,
            [everything[start : start + RECORDS_OF_INPUT] for start in starts],
            str(path),
            chunk_bytes=CHUNK_BYTES,
            num_workers=1,
            verbose=False,
        )

    def epochs(self, path: Path, batch: int) -> Iterable[Any]:
        litdata = importlib.import_module("litdata")
        epochs: Iterable[Any] = litdata.StreamingDataLoader(
            litdata.StreamingDataset(str(path), shuffle=True),
            batch_size=batch,
            num_workers=self.workers,
            persistent_workers=self.workers > 0,
            collate_fn=stack,
        )
        return epochs


def _each(records: list[bytes]) -> Iterator[bytes]:
    yield from records


LITDATAS: tuple[Engine, ...] = tuple(LitData(workers) for workers in (0, 1, 2))

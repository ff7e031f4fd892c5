"""MosaicML Streaming: shards of many records, of which it opens one for each record."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.engines.base import Engine
from benchmarks.engines.stacking import stack

COLUMN = "record"


class MosaicML(Engine):
    """`StreamingDataLoader` over what `MDSWriter` wrote."""

    module = "streaming"
    distribution = "mosaicml-streaming"
    suffix = ".mds"
    operations = frozenset({"epoch"})
    is_optional = True

    def __init__(self, workers: int) -> None:
        self.name = f"mosaicml:{workers}-workers"
        self.workers = workers

    def write(self, path: Path, records: Iterable[bytes]) -> None:
        with importlib.import_module("streaming").MDSWriter(out=str(path), columns={COLUMN: "bytes"}) as writer:
            for record in records:
                writer.write({COLUMN: record})

    def epochs(self, path: Path, batch: int) -> Iterable[Any]:
        streaming = importlib.import_module("streaming")
        epochs: Iterable[Any] = streaming.StreamingDataLoader(
            streaming.StreamingDataset(local=str(path), shuffle=True, batch_size=batch),
            batch_size=batch,
            num_workers=self.workers,
            persistent_workers=self.workers > 0,
            collate_fn=_stack_column,
        )
        return epochs


def _stack_column(samples: list[dict[str, bytes]]) -> Any:
    return stack([sample[COLUMN] for sample in samples])


MOSAICMLS: tuple[Engine, ...] = tuple(MosaicML(workers) for workers in (0, 1, 2))

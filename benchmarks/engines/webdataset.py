"""WebDataset: tar files, read from end to end, with a buffer in which records are shuffled."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.engines.base import Engine
from benchmarks.engines.stacking import stack

SHARD_RECORDS = 10_000
SHUFFLED_RECORDS = 5_000


class WebDataset(Engine):
    """Batches are made in the pipeline, so that workers hand over whole ones: its advice."""

    module = "webdataset"
    distribution = "webdataset"
    suffix = ".webdataset"
    operations = frozenset({"epoch"})
    is_optional = True

    def __init__(self, workers: int) -> None:
        self.name = f"webdataset:{workers}-workers"
        self.workers = workers

    def write(self, path: Path, records: Iterable[bytes]) -> None:
        path.mkdir()
        pattern = str(path / "%06d.tar")
        with importlib.import_module("webdataset").ShardWriter(pattern, maxcount=SHARD_RECORDS, verbose=0) as writer:
            for number, record in enumerate(records):
                writer.write({"__key__": f"{number:08}", "bin": record})

    def epochs(self, path: Path, batch: int) -> Iterable[Any]:
        webdataset = importlib.import_module("webdataset")
        shards = sorted(str(shard) for shard in path.glob("*.tar"))
        records = webdataset.WebDataset(shards, shardshuffle=len(shards)).shuffle(SHUFFLED_RECORDS).to_tuple("bin")
        epochs: Iterable[Any] = webdataset.WebLoader(
            records.batched(batch, collation_fn=_stack_firsts),
            batch_size=None,
            num_workers=self.workers,
            persistent_workers=self.workers > 0,
        )
        return epochs


def _stack_firsts(samples: list[tuple[bytes]]) -> Any:
    return stack([record for (record,) in samples])


WEBDATASETS: tuple[Engine, ...] = tuple(WebDataset(workers) for workers in (0, 1, 2))

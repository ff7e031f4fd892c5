"""Training with Grain: one pipeline, with sixteen threads that read, over octavo and over array_record."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks import ffrecord
from benchmarks.engines.array_record import RAW, ArrayRecord, ArrayRecordDataSource
from benchmarks.engines.base import Engine
from benchmarks.engines.stacking import decode, stack_arrays

THREADS = 16
SEED = 7
BATCHES_AHEAD = 16  # Grain's default, 500, is meant for records


class _Grain(Engine):
    module = "grain"
    distribution = "grain"
    suffix = RAW.suffix
    operations = frozenset({"epoch"})
    is_optional = True
    original: Engine | None = ArrayRecord(layout=RAW)

    def epochs(self, path: Path, batch: int) -> Iterable[Any]:
        """Threads read and decode records, which are put together afterwards: what Grain's guides show."""
        grain = importlib.import_module("grain")
        records = grain.MapDataset.source(self.open(path)).shuffle(seed=SEED).map(decode)
        epochs: Iterable[Any] = records.to_iter_dataset(grain.ReadOptions(num_threads=THREADS)).batch(batch)
        return epochs


class ArrayRecordGrain(_Grain):
    """The pipeline over array_record's own data source."""

    name = "array_record:grain"

    def open(self, path: Path) -> Any:
        return ArrayRecordDataSource().open(path)


class OctavoGrain(_Grain):
    """The same over octavo's."""

    name = "octavo:grain"

    def open(self, path: Path) -> Any:
        return importlib.import_module("octavo.integrations.grain").DataSource(path)


class MemoryGrain(_Grain):
    """The same over a list of all records: what Grain itself takes."""

    name = "floor-grain"
    suffix = ".ffr"
    original = None

    def open(self, path: Path) -> Any:
        return list(ffrecord.iter_records(path))


class OctavoGrainBatches(OctavoGrain):
    """`DataSource.batches`: every thread makes whole batches."""

    name = "octavo:grain-batches"

    def epochs(self, path: Path, batch: int) -> Iterable[Any]:
        options = importlib.import_module("grain").ReadOptions(num_threads=THREADS, prefetch_buffer_size=BATCHES_AHEAD)
        batches = self.open(path).batches(batch, shuffle=True, seed=SEED)
        epochs: Iterable[Any] = batches.map(stack_arrays).to_iter_dataset(options)
        return epochs


GRAINS: tuple[Engine, ...] = (OctavoGrain(), OctavoGrainBatches(), ArrayRecordGrain(), MemoryGrain())

"""Training with PyTorch: its `DataLoader` over octavo and over array_record, and octavo's own loader of threads."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.engines.array_record import RAW, ArrayRecord, ArrayRecordDataSource
from benchmarks.engines.base import Engine
from benchmarks.engines.stacking import decode, stack


class _Torch(Engine):
    module = "torch"
    distribution = "torch"
    operations = frozenset({"epoch"})
    is_optional = True

    def __init__(self, name: str, original: Engine | None = None) -> None:
        self.name = name
        self.suffix = original.suffix if original else ".ffr"
        self.original = original


class _DataLoader(_Torch):
    """`DataLoader(num_workers=0)` over what a subclass opens, shuffled by PyTorch."""

    def epochs(self, path: Path, batch: int) -> Iterable[Any]:
        loader = importlib.import_module("torch.utils.data").DataLoader
        epochs: Iterable[Any] = loader(self.open(path), batch_size=batch, shuffle=True, collate_fn=stack)
        return epochs


class OctavoDataLoader(_DataLoader):
    """Over `octavo.torch.RecordDataset`."""

    def open(self, path: Path) -> Any:
        return importlib.import_module("octavo.torch").RecordDataset(path)


class ArrayRecordDataLoader(_DataLoader):
    """Over the data source of array_record, which has `__getitems__` as well."""

    def open(self, path: Path) -> Any:
        return ArrayRecordDataSource().open(path)


class OctavoSampledDataLoader(_DataLoader):
    """Over the same with octavo's sampler, which resumes in the middle of an epoch, instead of PyTorch's."""

    def epochs(self, path: Path, batch: int) -> Iterable[Any]:
        octavo = importlib.import_module("octavo.torch")
        dataset = octavo.RecordDataset(path)
        batches = octavo.BatchSampler(dataset, batch_size=batch)
        loader = importlib.import_module("torch.utils.data").DataLoader
        epochs: Iterable[Any] = loader(dataset, batch_sampler=batches, collate_fn=stack)
        return epochs


class OctavoLoader(_Torch):
    """`octavo.torch.Loader` with a function for each record."""

    def epochs(self, path: Path, batch: int) -> Iterable[Any]:
        epochs: Iterable[Any] = importlib.import_module("octavo.torch").Loader(path, batch_size=batch, decode=decode)
        return epochs


class OctavoTensorLoader(_Torch):
    """The same told that records have one size: they are read into one tensor."""

    def epochs(self, path: Path, batch: int) -> Iterable[Any]:
        epochs: Iterable[Any] = importlib.import_module("octavo.torch").Loader(path, batch_size=batch, dtype="uint8")
        return epochs


ORIGINAL = ArrayRecord(layout=RAW)

TORCHES: tuple[Engine, ...] = (
    OctavoDataLoader("octavo:dataloader"),
    OctavoDataLoader("octavo:dataloader-array_record", ORIGINAL),
    OctavoSampledDataLoader("octavo:dataloader-sampler"),
    ArrayRecordDataLoader("array_record:dataloader", ORIGINAL),
    OctavoLoader("octavo:loader"),
    OctavoLoader("octavo:loader-array_record", ORIGINAL),
    OctavoTensorLoader("octavo:loader-tensor"),
    OctavoTensorLoader("octavo:loader-tensor-array_record", ORIGINAL),
)

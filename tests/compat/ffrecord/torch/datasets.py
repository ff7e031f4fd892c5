"""Data sets as users write them, in both styles, and what workers run, where started processes can import it."""

from __future__ import annotations

import os
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch.utils.data

from octavo.compat.ffrecord import FileReader, FileWriter
from octavo.compat.ffrecord.torch import Dataset


def write_numbers(path: Path, count: int, first: int = 0) -> Path:
    """A file of pickled numbers."""
    with FileWriter(path, count) as writer:
        for number in range(first, first + count):
            writer.write_one(pickle.dumps(number))
    return path


class OldStyle(Dataset):
    """Leaves reading to the base and defines `process`."""

    def __init__(self, fname: Any, check_data: bool = True, transform: Any = None) -> None:  # noqa: FBT001, FBT002 - as users write it
        super().__init__(fname, check_data)
        self.transform = transform

    def process(self, indices: Any, data: Any) -> list[Any]:
        assert len(indices) == len(data)
        samples = [pickle.loads(one) for one in data]
        return samples if self.transform is None else [self.transform(one) for one in samples]


class NewStyle(Dataset):
    """Has a constructor of its own, which calls no other, and reads by itself."""

    def __init__(self, fname: Any, check_data: bool = True, transform: Any = None) -> None:  # noqa: FBT001, FBT002 - as users write it
        self.reader = FileReader(fname, check_data)
        self.transform = transform

    def __len__(self) -> int:
        return self.reader.n

    def __getitem__(self, indices: Any) -> list[Any]:
        assert isinstance(indices, list)
        data: Any = self.reader.read(indices)
        samples = [pickle.loads(one) for one in data]
        return samples if self.transform is None else [self.transform(one) for one in samples]


class Tensors(OldStyle):
    """Samples that workers send through shared memory: the number, the process that read it, and much else."""

    def process(self, indices: Any, data: Any) -> list[Any]:
        return [torch.tensor([number, os.getpid()] + [0] * 1000) for number in super().process(indices, data)]


class Counted(torch.utils.data.Dataset):  # type: ignore[misc] # torch is not checked
    """A data set of torch's own kind: one sample at a time."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> int:
        return index * 10


class Streamed(torch.utils.data.IterableDataset):  # type: ignore[misc] # torch is not checked
    """Samples that only come in their order."""

    def __iter__(self) -> Any:
        return iter(range(10))


STYLES = {"old": OldStyle, "new": NewStyle}


def negative(number: int) -> int:
    return -number


def as_list(samples: list[Any]) -> list[Any]:
    return samples


def warnings_are_errors(worker: int) -> None:
    """For workers: whatever torch warns of there, nobody would see."""
    warnings.simplefilter("error")
    np.random.seed(worker)  # noqa: NPY002 - what such functions usually do


def process_of_sample(_: int) -> int:
    return os.getpid()

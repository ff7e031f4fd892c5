"""`Dataset`, `Subset` and `ConcatDataset`: indexed with a list of numbers, they return a list of samples."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import torch.utils.data

from octavo.compat.ffrecord.fileio import FileReader
from octavo.compat.ffrecord.torch.registry import ReaderRegistry

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from octavo.compat.ffrecord._fnames import FileName


class Dataset(ReaderRegistry, torch.utils.data.Dataset):  # type: ignore[misc] # torch is not checked
    """Samples out of FFRecord files, a batch at a time.

    Subclasses either define `process` and leave reading to this class, or define `__init__`, `__len__` and
    `__getitem__` of their own, over a `FileReader`.
    """

    def __init__(self, fnames: FileName | Sequence[FileName], check_data: bool = True) -> None:  # noqa: FBT001, FBT002 - as the original has it
        self.fnames = fnames
        self.reader = FileReader(fnames, check_data)

    def __len__(self) -> int:
        return int(self.reader.n)

    def __getitem__(self, indices: Sequence[int]) -> Any:
        if not isinstance(indices, list | tuple):
            message = "indices must be a list of index"
            raise TypeError(message)
        return self.process(indices, self.reader.read(indices))

    def __getitems__(self, indices: list[int]) -> Any:
        """How torch's own loaders ask for a batch."""
        return self[indices]

    def process(self, indices: Sequence[int], data: list[npt.NDArray[np.uint8]]) -> Any:
        """Turn the records with these numbers into samples."""
        raise NotImplementedError

    def __add__(self, other: Dataset) -> ConcatDataset:
        return ConcatDataset([self, other])


class Subset(Dataset):
    """Some samples of a data set, in an order of their own."""

    def __init__(self, dataset: Dataset, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, indices: Sequence[int]) -> Any:
        return self.dataset[[self.indices[number] for number in indices]]


class ConcatDataset(Dataset):
    """Several data sets, numbered one after the other."""

    datasets: list[Dataset]
    cumulative_sizes: list[int]

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """How many samples there are up to and with each data set."""
        return list(itertools.accumulate(len(one) for one in sequence))

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            message = "datasets should not be an empty iterable"
            raise AssertionError(message)
        if not all(isinstance(one, Dataset) for one in self.datasets):
            message = "ConcatDataset takes data sets of ffrecord.torch.Dataset"
            raise AssertionError(message)
        self.cumulative_sizes = self.cumsum(self.datasets)

    def ffreaders(self) -> list[FileReader]:
        """The readers of all data sets."""
        return [reader for one in self.datasets for reader in one.ffreaders()]

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, indices: Sequence[int]) -> list[Any]:
        # One batch for each data set; `places` remembers where its samples belong, duplicates included.
        numbers: dict[int, list[int]] = {}
        places: dict[int, list[int]] = {}
        for place, index in enumerate(indices):
            which, number = self._locate(index)
            numbers.setdefault(which, []).append(number)
            places.setdefault(which, []).append(place)
        samples: list[Any] = [None] * len(indices)
        for which, chosen in numbers.items():
            for place, sample in zip(places[which], self.datasets[which][chosen], strict=True):
                samples[place] = sample
        return samples

    def _locate(self, index: int) -> tuple[int, int]:
        """Which data set, and the number there."""
        count = len(self)
        if index < -count:
            message = f"index {index} counts from the end of {count} samples, which are fewer"
            raise ValueError(message)
        if index >= count:
            message = f"index {index} is out of range: there are {count} samples"
            raise IndexError(message)
        position = index % count
        which = bisect.bisect_right(self.cumulative_sizes, position)
        return which, position - (self.cumulative_sizes[which - 1] if which else 0)

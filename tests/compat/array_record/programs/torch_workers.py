"""PyTorch's DataLoader over the drop-in: `torch_workers.py START_METHOD EPOCHS PATH`.

Every epoch has each record once, nothing warns, and nothing is left open or in shared memory.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
import warnings

import octavo.compat

octavo.compat.activate("array_record")

from array_record.python import array_record_data_source  # noqa: E402 - after the redirection
from torch.utils.data import DataLoader, Dataset  # noqa: E402


class ArrayRecordDataset(Dataset):  # type: ignore[misc]
    """As the user's guide has it."""

    def __init__(self, filename: str) -> None:
        self.data_source = array_record_data_source.ArrayRecordDataSource(filename)

    def __len__(self) -> int:
        return len(self.data_source)

    def __getitem__(self, idx: int) -> bytes:
        record: bytes = self.data_source[idx]
        return record


def open_descriptors() -> int:
    """How many there are in this process."""
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


def orphans_in_shared_memory() -> set[str]:
    """Files that processes which are no more have left: PyTorch puts the process into the name, `torch_PID_...`."""
    names = [name for name in os.listdir("/dev/shm") if name.startswith("torch_")]
    return {name for name in names if not os.path.exists(f"/proc/{name.split('_')[1]}")}


def main(method: str, epochs: int, path: str) -> None:
    """Read the file over and over."""
    orphans = orphans_in_shared_memory()
    expected = sorted(octavo.open(path, format="array_record"))
    keep_workers = method != "fork"  # starting an interpreter with torch takes seconds
    for dataset in (ArrayRecordDataset(path), array_record_data_source.ArrayRecordDataSource(path)):
        loader = DataLoader(
            dataset,
            batch_size=32,
            shuffle=True,
            num_workers=2,
            multiprocessing_context=multiprocessing.get_context(method),
            persistent_workers=keep_workers,
        )
        descriptors = []
        for _ in range(epochs):
            assert sorted(record for batch in loader for record in batch) == expected
            descriptors.append(open_descriptors())
        # PyTorch's queues close theirs a moment later. What is lost adds up: no later epoch would be back at the start.
        assert min(descriptors[-5:]) <= descriptors[1], descriptors
        del loader
    assert orphans_in_shared_memory() <= orphans


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="This process .* is multi-threaded")  # of every fork in Python 3.12
        main(sys.argv[1], int(sys.argv[2]), sys.argv[3])

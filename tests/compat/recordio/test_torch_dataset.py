"""`TorchDataset` in PyTorch's loader."""

from __future__ import annotations

import gc
import os
import pickle

import numpy as np
import pytest

from octavo.compat.recordio import File
from tests import settling

torch = pytest.importorskip("torch")

from octavo.compat.recordio.torch_dataset import TorchDataset  # noqa: E402 - needs torch

RECORDS = [b"%03d" % number for number in range(100)]


@pytest.fixture
def path(tmp_path):
    with File(tmp_path / "x.recordio", "w", max_chunk_size=20) as file:
        for record in RECORDS:
            file.write(record)
    return str(tmp_path / "x.recordio")


def as_list(batch):
    return batch


def test_it_is_a_data_set_of_bytes(path):
    with TorchDataset(path) as dataset:
        assert isinstance(dataset, torch.utils.data.Dataset)
        assert len(dataset) == 100
        assert [dataset[number] for number in range(100)] == list(dataset) == RECORDS
        assert [dataset[np.int64(3)], dataset[torch.tensor(3)]] == [b"003", b"003"]
        assert type(dataset[0]) is bytes


@pytest.mark.parametrize("wrong", [-1, 100, 10**30])
def test_numbers_outside_are_an_index_error(path, wrong):
    with TorchDataset(recordfile_path=path) as dataset, pytest.raises(IndexError):
        dataset[wrong]


@pytest.mark.parametrize("wrong", ["a", 1.0, slice(2)])
def test_what_is_no_number_is_a_type_error(path, wrong):
    with TorchDataset(path) as dataset, pytest.raises(TypeError):
        dataset[wrong]


def test_after_closing_it_is_a_value_error(path):
    dataset = TorchDataset(path)
    assert dataset[0] == b"000"
    dataset.close()
    dataset.close()
    assert len(dataset) == 100
    with pytest.raises(ValueError, match="closed"):
        dataset[0]


def test_a_path_that_is_not_there_is_the_systems_error(path):
    with pytest.raises(FileNotFoundError):
        TorchDataset(path + "-none")


def test_it_survives_pickling(path):
    assert list(pickle.loads(pickle.dumps(TorchDataset(path)))) == RECORDS


class Numbers(TorchDataset):
    def __getitem__(self, index):
        return int(super().__getitem__(index))


def test_a_class_of_ones_own_changes_what_is_read(path):
    loader = torch.utils.data.DataLoader(Numbers(path), batch_size=10)
    assert [int(number) for batch in loader for number in batch] == list(range(100))


@pytest.mark.parametrize("method", [None, "fork", "spawn", "forkserver"])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")  # Python 3.12, of any fork
def test_workers_read_it(path, method):
    dataset = TorchDataset(path)
    assert dataset[0] == b"000"  # used before, as data sets are
    workers = {None: 0, "fork": 2}.get(method, 1)  # those that import PyTorch anew take seconds
    options = {"num_workers": workers, "multiprocessing_context": method}
    loader = torch.utils.data.DataLoader(dataset, batch_size=7, shuffle=True, collate_fn=as_list, **options)
    for _ in range(max(workers, 1)):
        assert sorted(record for batch in loader for record in batch) == RECORDS


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_no_descriptors_are_left_after_many_epochs(path):
    dataset = TorchDataset(path)
    loader = torch.utils.data.DataLoader(dataset, batch_size=50, num_workers=1, collate_fn=as_list)
    counts = []
    for _ in range(20):
        assert sum(map(len, loader)) == 100
        gc.collect()  # PyTorch's own, of the epoch before
        counts.append(settling.open_descriptors())
    settling.settles(settling.open_descriptors, at_most=max(counts[:5]))

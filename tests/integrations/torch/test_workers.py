"""`torch.utils.data.DataLoader` over a `RecordDataset`, with workers of every kind."""

from __future__ import annotations

import gc
import itertools
import os
import re
import sys

import pytest

torch = pytest.importorskip("torch")

from octavo import errors, shuffle  # noqa: E402
from octavo.integrations.torch._batch import has_device  # noqa: E402
from octavo.torch import BatchSampler, RecordDataset, Sampler, collate  # noqa: E402
from tests.integrations.torch.records import (  # noqa: E402
    as_floats,
    lists,
    negative,
    number,
    process_and_number,
    warnings_are_errors,
    write_numbers,
    write_rows,
)
from tests.settling import comes_true, open_descriptors, settles  # noqa: E402

METHODS = torch.multiprocessing.get_all_start_methods()
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")  # Python 3.12


def loader_of(dataset, method, **options):
    return torch.utils.data.DataLoader(
        dataset,
        num_workers=2,
        multiprocessing_context=method,
        worker_init_fn=warnings_are_errors,
        timeout=120,
        **options,
    )


@pytest.mark.parametrize("method", METHODS)
def test_workers_give_the_batches_of_one_process(path, method):
    dataset = RecordDataset(path, decode=negative)
    dataset.__getitems__(list(range(10)))  # a reader that was used before its workers start
    expected = [[-k for k in range(start, min(start + 8, 40))] for start in range(0, 40, 8)]
    assert lists(loader_of(dataset, method, batch_size=8)) == expected


def test_workers_decode_chunks(tmp_path):
    path = write_numbers(tmp_path / "x.array_record", 40, group_size=7, codec="zstd")
    dataset = RecordDataset(path, decode=number)
    dataset.__getitems__([3, 4])
    sampler = BatchSampler(dataset, 8, block=7, window=2)
    assert sorted(itertools.chain(*lists(loader_of(dataset, METHODS[0], batch_sampler=sampler)))) == list(range(40))


def test_workers_that_do_not_persist_have_the_same_epochs(path):
    dataset = RecordDataset(path, decode=number)
    alone = torch.utils.data.DataLoader(dataset, batch_size=8, sampler=Sampler(dataset, seed=5))
    loader = loader_of(dataset, METHODS[0], batch_size=8, sampler=Sampler(dataset, seed=5))
    assert [lists(loader) for _ in range(2)] == [lists(alone) for _ in range(2)]


def test_workers_read_into_one_tensor(tmp_path):
    dataset = RecordDataset(write_rows(tmp_path / "rows.ffr", 10), dtype=torch.float32, shape=(4, 4))
    batches = list(loader_of(dataset, METHODS[-1], batch_size=4, collate_fn=collate))
    assert [batch.shape for batch in batches] == [(4, 4, 4), (4, 4, 4), (2, 4, 4)]
    assert torch.cat(batches)[:, 0, 0].tolist() == list(range(10))


def test_workers_collate_arrays(tmp_path):
    dataset = RecordDataset(write_rows(tmp_path / "rows.ffr", 10), decode=as_floats)
    assert torch.cat(list(loader_of(dataset, METHODS[0], batch_size=4, collate_fn=collate)))[:, 0].tolist() == list(
        range(10)
    )


def test_an_error_in_a_worker_keeps_its_kind(path):
    loader = loader_of(RecordDataset(path), METHODS[0], sampler=[0, 99], batch_size=2)
    with pytest.raises(errors.RecordIndexError, match="99"):
        list(loader)


def test_one_sample_at_a_time(path):
    dataset = RecordDataset(path, decode=number)
    assert list(loader_of(dataset, METHODS[0], batch_size=None)) == list(range(40))


@pytest.mark.filterwarnings("ignore:'pin_memory' argument is set as true but no accelerator:UserWarning")
def test_batches_can_be_pinned(path):
    dataset = RecordDataset(path, decode=number)
    batches = list(loader_of(dataset, METHODS[0], batch_size=8, pin_memory=True))
    assert lists(batches)[0] == list(range(8))
    assert all(batch.is_pinned() == has_device() for batch in batches)


def shared_memory_of(processes: set[int]) -> list[str]:
    """What is left of it: torch calls it torch_PROCESS_..., and others share the folder."""
    owners = {name: re.match(r"torch_(\d+)_", name) for name in os.listdir("/dev/shm")}
    return [name for name, owner in owners.items() if owner is not None and int(owner[1]) in processes]


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and /dev/shm")
@pytest.mark.parametrize("method", METHODS)
def test_twenty_epochs_in_the_order_of_the_sampler_leave_nothing_behind(path, method):
    dataset = RecordDataset(path, decode=process_and_number)
    workers: set[int] = set()

    def run(epochs: int) -> None:
        loader = loader_of(dataset, method, batch_sampler=BatchSampler(dataset, 8), persistent_workers=True)
        expected = shuffle.Sampler(40)
        for _ in range(epochs):
            processes, numbers = torch.cat([batch[:, :2] for batch in loader]).T.tolist()
            assert numbers == list(expected)
            workers.update(processes)

    run(1)  # what a process has once for all it has now
    gc.collect()
    descriptors = open_descriptors()
    run(20)
    gc.collect()
    assert os.getpid() not in workers
    # torch's queues let go of theirs a moment later.
    settles(open_descriptors, descriptors)
    assert comes_true(lambda: shared_memory_of(workers) == [])

"""`ffrecord.torch` with worker processes of every kind: no warnings, nothing left behind."""

from __future__ import annotations

import gc
import itertools
import os
import re
import sys

import pytest

torch = pytest.importorskip("torch")

from octavo.compat.ffrecord.torch import DataLoader, Subset  # noqa: E402
from tests.compat.ffrecord.torch.datasets import (  # noqa: E402
    STYLES,
    Counted,
    OldStyle,
    Streamed,
    Tensors,
    negative,
    process_of_sample,
    warnings_are_errors,
    write_numbers,
)
from tests.settling import comes_true, open_descriptors, settles  # noqa: E402

METHODS = torch.multiprocessing.get_all_start_methods()
FORKED_OR_PERSISTENT = [(method, method != "fork") for method in METHODS]


def batches_of(loader) -> list[list[int]]:
    return [torch.as_tensor(batch).tolist() for batch in loader]


def loader_of(dataset, method: str | None, **options) -> DataLoader:
    return DataLoader(
        dataset,
        num_workers=2,
        multiprocessing_context=method,
        worker_init_fn=warnings_are_errors,
        timeout=120,
        **options,
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("style", STYLES)
def test_workers_give_the_batches_of_one_process(path, style, method):
    dataset = STYLES[style](path, transform=negative)
    dataset[list(range(10))]  # a reader that was used before its workers start
    expected = [[-number for number in range(start, min(start + 8, 40))] for start in range(0, 40, 8)]
    assert batches_of(loader_of(dataset, method, batch_size=8)) == expected


@pytest.mark.parametrize("method", METHODS[:2])
def test_workers_read_subsets_of_sums_of_several_files(tmp_path, method):
    paths = [write_numbers(tmp_path / f"{first}.ffr", 10, first=first) for first in (0, 10, 20)]
    dataset = Subset(OldStyle(paths[:2]) + OldStyle(paths[2]), list(range(29, -1, -1)))
    assert batches_of(loader_of(dataset, method, batch_size=10)) == [
        list(range(start, start - 10, -1)) for start in (29, 19, 9)
    ]


@pytest.mark.parametrize("is_persistent", [False, True])
def test_workers_skip_steps(path, is_persistent):
    loader = loader_of(OldStyle(path), None, batch_size=8, persistent_workers=is_persistent, prefetch_factor=3)
    loader.set_step(3)
    assert batches_of(loader) == [list(range(24, 32)), list(range(32, 40))]
    loader.set_step(0)
    assert len(batches_of(loader)) == 5


@pytest.mark.skipif(sys.platform != "linux", reason="fork is the default on Linux only")
def test_workers_are_forked_unless_something_else_is_asked_for(path):
    dataset = OldStyle(path, transform=lambda number: process_of_sample(number))  # noqa: PLW0108 - no pickle can hold it
    loader = loader_of(dataset, None, batch_size=8)
    assert loader.multiprocessing_context.get_start_method() == "fork"
    processes = {process for batch in batches_of(loader) for process in batch}
    assert len(processes) == 2
    assert os.getpid() not in processes
    assert DataLoader(dataset).multiprocessing_context is None


def test_workers_without_batches_get_lists_of_one(path):
    loader = loader_of(OldStyle(path), None, batch_size=None, skippable=False)
    assert batches_of(loader)[:3] == [[0], [1], [2]]


def test_workers_load_other_data_sets_as_in_torch():
    assert batches_of(loader_of(Counted(5), None, batch_size=2)) == [[0, 10], [20, 30], [40]]
    streamed = batches_of(loader_of(Streamed(), None, batch_size=5))
    assert sorted(itertools.chain(*streamed)) == sorted(list(range(10)) * 2)


def test_an_error_in_a_worker_keeps_its_kind(path):
    loader = loader_of(OldStyle(path), None, sampler=[0, 99], batch_size=2)
    with pytest.raises(IndexError, match=r"'index < n' failed\. index >= number of samples \(99 >= 40\)"):
        list(loader)


def shared_memory_of(processes: set[int]) -> list[str]:
    """What is left of it: torch calls it torch_PROCESS_..., and others share the folder."""
    owners = {name: re.match(r"torch_(\d+)_", name) for name in os.listdir("/dev/shm")}
    return [name for name, owner in owners.items() if owner is not None and int(owner[1]) in processes]


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and /dev/shm")
@pytest.mark.parametrize(("method", "is_persistent"), FORKED_OR_PERSISTENT)
def test_twenty_epochs_leave_no_descriptors_and_no_shared_memory(path, method, is_persistent):
    dataset = Tensors(path)
    workers: set[int] = set()

    def run(epochs: int) -> None:
        loader = loader_of(dataset, method, batch_size=8, shuffle=True, persistent_workers=is_persistent)
        for _ in range(epochs):
            numbers, processes = torch.cat([batch[:, :2] for batch in loader]).T.tolist()
            assert sorted(numbers) == list(range(40))
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

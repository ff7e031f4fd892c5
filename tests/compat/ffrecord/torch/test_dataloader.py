"""`ffrecord.torch.DataLoader`: batches, skipped steps and every argument of torch's loader."""

from __future__ import annotations

import copy
import inspect
import itertools
import pickle
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.utils.data import BatchSampler, DistributedSampler, SequentialSampler, random_split  # noqa: E402

from octavo.compat.ffrecord.torch import DataLoader, Subset  # noqa: E402
from tests.compat.ffrecord.torch.datasets import Counted, NewStyle, OldStyle, Streamed, as_list, write_numbers  # noqa: E402


def batches_of(loader) -> list[Any]:
    return [torch.as_tensor(batch).tolist() for batch in loader]


def samples_of(loader) -> list[int]:
    return [*itertools.chain(*batches_of(loader))]


def seeded(seed: int = 0):
    return torch.Generator().manual_seed(seed)


def test_arguments_are_those_of_the_original():
    names = list(inspect.signature(DataLoader).parameters)
    assert names[:12] == [
        "dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn", "pin_memory",
        "drop_last", "timeout", "worker_init_fn", "generator",
    ]  # fmt: skip
    assert {"prefetch_factor", "persistent_workers", "skippable", "multiprocessing_context"} <= set(names[12:])


def test_batches_are_collated_as_in_torch(dataset):
    loader = DataLoader(dataset, batch_size=16)
    assert isinstance(loader, torch.utils.data.DataLoader)
    assert len(loader) == 3
    assert batches_of(loader) == [list(range(16)), list(range(16, 32)), list(range(32, 40))]


def test_a_batch_is_read_at_once(path):
    asked = []

    class Watched(NewStyle):
        def __getitem__(self, indices):
            asked.append(indices)
            return super().__getitem__(indices)

    list(DataLoader(Watched(path), batch_size=20))
    assert asked == [list(range(20)), list(range(20, 40))]


def test_torchs_own_loader_reads_a_batch_at_once_too(dataset):
    assert batches_of(torch.utils.data.DataLoader(dataset, batch_size=20))[1] == list(range(20, 40))


def test_attributes_are_those_of_torchs_loader(dataset):
    loader = DataLoader(dataset, batch_size=16, drop_last=True, shuffle=True)
    assert (loader.batch_size, loader.drop_last, loader.num_workers) == (16, True, 0)
    assert isinstance(loader.sampler, torch.utils.data.RandomSampler)
    assert isinstance(loader.batch_sampler.sampler, BatchSampler)
    assert loader.batch_sampler.step == 0
    assert len(loader) == 2


def test_collate_fn_gets_the_list_of_samples(dataset):
    assert list(DataLoader(dataset, 20, collate_fn=as_list)) == [list(range(20)), list(range(20, 40))]


def test_shuffling_is_torchs(dataset):
    theirs = torch.utils.data.DataLoader(dataset, batch_size=7, shuffle=True, generator=seeded())
    ours = DataLoader(dataset, batch_size=7, shuffle=True, generator=seeded())
    assert batches_of(ours) == batches_of(theirs)


@pytest.mark.parametrize("skippable", [False, True])
def test_samplers_and_batch_samplers_are_taken(dataset, skippable):
    sampler = torch.utils.data.SubsetRandomSampler(range(5, 10))
    assert sorted(samples_of(DataLoader(dataset, 3, sampler=sampler, skippable=skippable))) == [5, 6, 7, 8, 9]
    chosen = BatchSampler(SequentialSampler(dataset), 25, drop_last=True)
    assert batches_of(DataLoader(dataset, batch_sampler=chosen, skippable=skippable)) == [list(range(25))]
    assert batches_of(DataLoader(dataset, batch_sampler=[[1, 2], [3]], skippable=skippable)) == [[1, 2], [3]]


def test_without_batches_every_sample_is_a_list_of_one(dataset):
    loader = DataLoader(dataset, batch_size=None, skippable=False, sampler=[4, 2], collate_fn=as_list)
    assert list(loader) == [[4], [2]]
    assert len(loader) == 2
    again = DataLoader(dataset, batch_size=None, skippable=False, sampler=loader.sampler, collate_fn=as_list)
    assert list(again) == [[4], [2]]


def test_samplers_are_reached_through_the_loader(dataset):
    sampler = DistributedSampler(dataset, num_replicas=2, rank=0)
    one_by_one = DataLoader(dataset, batch_size=None, sampler=sampler, skippable=False)
    one_by_one.sampler.set_epoch(1)
    batches = BatchSampler(sampler, 4, drop_last=True)
    loader = DataLoader(dataset, batch_sampler=batches)
    assert (sampler.epoch, loader.batch_sampler.batch_size, loader.batch_sampler.drop_last) == (1, 4, True)
    for wrapped in (one_by_one.sampler, loader.batch_sampler):
        with pytest.raises(AttributeError, match="absent"):
            wrapped.absent  # noqa: B018 - looking is the test
        for again in (copy.copy(wrapped), copy.deepcopy(wrapped), pickle.loads(pickle.dumps(wrapped, 0))):
            assert list(again) == list(wrapped)


def test_without_batches_nothing_is_skipped(dataset):
    with pytest.raises(AssertionError):
        DataLoader(dataset, batch_size=None)


def test_steps_are_skipped_until_another_is_set(dataset):
    loader = DataLoader(dataset, batch_size=16)
    loader.set_step(2)
    assert len(loader) == 1
    assert batches_of(loader) == batches_of(loader) == [list(range(32, 40))]
    loader.set_step(0)
    assert len(batches_of(loader)) == len(loader) == 3


def test_all_steps_may_be_skipped_but_no_more(dataset):
    loader = DataLoader(dataset, batch_size=16)
    loader.set_step(3)
    assert (len(loader), batches_of(loader)) == (0, [])
    for step in (-1, 4):
        with pytest.raises(AssertionError):
            loader.set_step(step)
    with pytest.raises(TypeError):
        loader.set_step(1.5)  # type: ignore[arg-type]
    assert len(loader) == 0


def test_a_loader_that_is_not_skippable_says_so(dataset):
    with pytest.raises(AssertionError, match=r"^This dataloader is not skippable$"):
        DataLoader(dataset, skippable=False).set_step(1)


def test_skipped_batches_are_not_read(path):
    read = []

    class Watched(OldStyle):
        def process(self, indices, data):
            read.extend(indices)
            return super().process(indices, data)

    loader = DataLoader(Watched(path), batch_size=10)
    loader.set_step(3)
    list(loader)
    assert read == list(range(30, 40))


def test_skipping_leaves_the_random_numbers_as_they_would_be(dataset):
    whole = DataLoader(dataset, batch_size=4, shuffle=True, generator=seeded())
    first, second = batches_of(whole), batches_of(whole)
    resumed = DataLoader(dataset, batch_size=4, shuffle=True, generator=seeded())
    resumed.set_step(6)
    assert batches_of(resumed) == first[6:]
    resumed.set_step(0)
    assert batches_of(resumed) == second


@pytest.mark.parametrize("num_workers", [0, 2])
def test_resuming_at_epoch_5_step_100_gives_the_batches_of_an_uninterrupted_run(tmp_path, num_workers):
    dataset = OldStyle(write_numbers(tmp_path / "train.ffr", 1000))
    epochs, start_epoch, start_step = 7, 5, 100

    def run(start_epoch: int, start_step: int) -> list[list[int]]:
        generator = torch.Generator()
        loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=num_workers, generator=generator)
        loader.set_step(start_step)
        seen = []
        for epoch in range(start_epoch, epochs):
            generator.manual_seed(epoch)
            seen += batches_of(loader)
            loader.set_step(0)
        return seen

    uninterrupted = run(0, 0)
    assert len(uninterrupted) == 7 * 125
    assert run(start_epoch, start_step) == uninterrupted[5 * 125 + 100 :]


def test_resuming_after_replayed_epochs_needs_no_new_seed(dataset):
    def loader_of():
        return DataLoader(dataset, batch_size=4, shuffle=True, generator=seeded(7))

    uninterrupted = loader_of()
    epochs = [batches_of(uninterrupted) for _ in range(4)]
    resumed = loader_of()
    resumed.set_step(len(epochs[0]))
    assert [batches_of(resumed) for _ in range(3)] == [[], [], []]
    resumed.set_step(5)
    assert batches_of(resumed) == epochs[3][5:]


@pytest.mark.parametrize("skippable", [False, True])
def test_distributed_samplers_share_the_samples(dataset, skippable):
    seen = []
    for rank in range(2):
        sampler = DistributedSampler(dataset, num_replicas=2, rank=rank, seed=3)
        loader = DataLoader(dataset, batch_size=4, sampler=sampler, skippable=skippable)
        loader.sampler.set_epoch(1)
        seen += samples_of(loader)
    assert sorted(seen) == list(range(40))


def test_a_distributed_run_is_resumed_where_it_was(dataset):
    sampler = DistributedSampler(dataset, num_replicas=2, rank=1)
    loader = DataLoader(dataset, batch_size=4, sampler=sampler)
    sampler.set_epoch(5)
    whole = batches_of(loader)
    loader.set_step(3)
    assert batches_of(loader) == whole[3:]


def test_other_data_sets_are_loaded_as_in_torch():
    assert batches_of(DataLoader(Counted(5), batch_size=2)) == [[0, 10], [20, 30], [40]]
    assert batches_of(DataLoader(Counted(3), batch_size=None, skippable=False)) == [0, 10, 20]
    assert batches_of(DataLoader(Streamed(), batch_size=4)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_a_stream_begins_at_its_beginning():
    loader = DataLoader(Streamed(), batch_size=4)
    loader.set_step(0)
    assert len(batches_of(loader)) == 3
    with pytest.raises(AssertionError, match="step 1 cannot be skipped to"):
        loader.set_step(1)


def test_subsets_and_sums_are_loaded(dataset):
    assert batches_of(DataLoader(Subset(dataset, [9, 8, 7]), batch_size=2)) == [[9, 8], [7]]
    assert batches_of(DataLoader(dataset + dataset, batch_size=30))[1] == [*range(30, 40), *range(20)]
    parts = random_split(dataset, [30, 10], generator=seeded())
    seen = [samples_of(DataLoader(part, batch_size=4)) for part in parts]
    assert sorted(itertools.chain(*seen)) == list(range(40))


def test_newer_arguments_of_torch_are_taken(dataset):
    options: dict[str, Any] = {"multiprocessing_context": None, "pin_memory_device": ""}
    if "in_order" in inspect.signature(torch.utils.data.DataLoader).parameters:
        options["in_order"] = True
    assert len(batches_of(DataLoader(dataset, 20, prefetch_factor=None, **options))) == 2
    with pytest.raises(TypeError):
        DataLoader(dataset, no_such_argument=1)

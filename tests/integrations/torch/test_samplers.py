"""`Sampler` and `BatchSampler` in PyTorch's own loader."""

from __future__ import annotations

import itertools

import pytest

torch = pytest.importorskip("torch")

from octavo import errors, shuffle  # noqa: E402
from octavo.torch import BatchSampler, RecordDataset, Sampler  # noqa: E402
from tests.integrations.torch.records import lists, number  # noqa: E402

DataLoader = torch.utils.data.DataLoader


@pytest.fixture
def dataset(path):
    return RecordDataset(path, decode=number)


def test_they_are_samplers_of_torch(dataset):
    assert isinstance(Sampler(dataset), torch.utils.data.Sampler)
    assert isinstance(BatchSampler(dataset, 4), torch.utils.data.Sampler)


def test_both_give_the_order_of_shuffle(dataset):
    expected = [list(epoch) for epoch in itertools.repeat(shuffle.Sampler(40, batch_size=7, seed=3), 3)]
    batches = BatchSampler(dataset, 7, seed=3)
    singles = Sampler(dataset, seed=3)
    assert [lists(DataLoader(dataset, batch_sampler=batches)) for _ in range(3)] == expected
    assert [lists(DataLoader(dataset, batch_size=7, sampler=singles)) for _ in range(3)] == expected


def test_lengths(dataset):
    assert len(DataLoader(dataset, batch_sampler=BatchSampler(dataset, 7))) == 6
    assert len(DataLoader(dataset, batch_sampler=BatchSampler(dataset, 7, drop_last=True))) == 5
    assert len(DataLoader(dataset, batch_size=7, sampler=Sampler(dataset, rank=1, world_size=3))) == 2


def test_ranks_share_an_epoch(dataset):
    shares = [
        lists(DataLoader(dataset, batch_sampler=BatchSampler(dataset, 3, rank=rank, world_size=4))) for rank in range(4)
    ]
    assert sorted(itertools.chain(*itertools.chain(*shares))) == list(range(40))


def test_an_epoch_is_chosen(dataset):
    sampler = BatchSampler(dataset, 8)
    loader = DataLoader(dataset, batch_sampler=sampler)
    epochs = [lists(loader) for _ in range(3)]
    sampler.set_epoch(1)
    assert lists(loader) == epochs[1]
    assert sampler.epoch == 1


def test_unshuffled_numbers_come_as_stored(dataset):
    loader = DataLoader(dataset, batch_sampler=BatchSampler(dataset, 16, shuffle=False))
    assert lists(loader) == [list(range(16)), list(range(16, 32)), list(range(32, 40))]


def test_a_mixture_is_a_source(dataset):
    mixture = shuffle.Mixture([10, 30], [1, 1], seed=4, samples=20)
    numbers = list(itertools.chain(*lists(DataLoader(dataset, batch_sampler=BatchSampler(mixture, 5)))))
    assert len(numbers) == 20
    assert sum(k < 10 for k in numbers) == 10


@pytest.mark.parametrize("used", range(7))
def test_a_loader_that_runs_ahead_is_resumed_by_what_was_used(dataset, used):
    sampler = BatchSampler(dataset, 7, seed=3)
    loader = DataLoader(dataset, batch_sampler=sampler, num_workers=1, prefetch_factor=3)
    before = lists(itertools.islice(loader, used))
    state = sampler.state_after(used)
    resumed = BatchSampler(dataset, 7, seed=3)
    resumed.load_state_dict(state)
    after = lists(DataLoader(dataset, batch_sampler=resumed))
    numbers = shuffle.Sampler(40, batch_size=7, seed=3)
    epoch, next_epoch = list(numbers), list(numbers)
    assert after == (epoch[used:] or next_epoch)
    assert before == epoch[:used]


def test_rank_and_world_size_belong_together(dataset):
    with pytest.raises(errors.OptionError, match="belong together"):
        Sampler(dataset, rank=0)
    with pytest.raises(errors.OptionError, match="belong together"):
        BatchSampler(dataset, 4, world_size=2)


@pytest.mark.parametrize("batch_size", [0, -1, None, "8", 2.0, True])
def test_silly_batch_sizes_are_refused(dataset, batch_size):
    with pytest.raises(errors.OptionError, match="batch_size is"):
        BatchSampler(dataset, batch_size)

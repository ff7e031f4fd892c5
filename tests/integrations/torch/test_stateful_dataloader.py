"""torchdata's `StatefulDataLoader` over our samplers: a state gives exactly what is left."""

from __future__ import annotations

import copy
import itertools
import json

import pytest

torch = pytest.importorskip("torch")
stateful_dataloader = pytest.importorskip("torchdata.stateful_dataloader")

from octavo import errors, shuffle  # noqa: E402
from octavo.torch import BatchSampler, Loader, RecordDataset, Sampler, sampler_state  # noqa: E402
from tests.integrations.torch.records import lists, number, write_numbers  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore:'set_vital' is deprecated:UserWarning"),
    pytest.mark.filterwarnings("ignore:This DataLoader will create:UserWarning"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]
COUNT, BATCH, SEED = 23, 5, 3
EPOCHS = [list(epoch) for epoch in itertools.repeat(shuffle.Sampler(COUNT, batch_size=BATCH, seed=SEED), 4)]
STEPS = range(len(EPOCHS[0]) + 2)  # before the first, after each, and after the end was noticed


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return RecordDataset(write_numbers(tmp_path_factory.mktemp("stateful") / "numbers.ffr", COUNT), decode=number)


def loader_of(dataset, kind, workers, **options):
    if kind == "batches":
        options["batch_sampler"] = BatchSampler(dataset, BATCH, seed=SEED)
    else:
        options.update(batch_size=BATCH, sampler=Sampler(dataset, seed=SEED))
    return stateful_dataloader.StatefulDataLoader(dataset, num_workers=workers, **options)


def run_to(loader, epoch, steps):
    """Go through so many epochs, and so many steps of the next; give back whether its end was noticed."""
    for _ in range(epoch):
        list(loader)
    batches = iter(loader)
    return len([1 for _ in range(steps) if next(batches, None) is None]) > 0


def what_is_left(epoch, steps):
    """The rest of the epoch, and the next one."""
    if steps > len(EPOCHS[epoch]):
        return [EPOCHS[epoch + 1], EPOCHS[epoch + 2]]
    return [EPOCHS[epoch][steps:], EPOCHS[epoch + 1]]


@pytest.mark.parametrize("workers", [0, 1, 3])
@pytest.mark.parametrize("kind", ["batches", "samples"])
def test_epochs_are_those_of_the_sampler(dataset, kind, workers):
    loader = loader_of(dataset, kind, workers, persistent_workers=workers > 0)
    assert [lists(loader) for _ in range(3)] == EPOCHS[:3]


@pytest.mark.parametrize("epoch", [0, 1])
@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("kind", ["batches", "samples"])
def test_a_state_gives_what_is_left(dataset, kind, steps, epoch):
    loader = loader_of(dataset, kind, 0)
    run_to(loader, epoch, steps)
    state = json.loads(json.dumps(loader.state_dict()))
    resumed = loader_of(dataset, kind, 0)
    resumed.load_state_dict(state)
    assert [lists(resumed), lists(resumed)] == what_is_left(epoch, steps)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("steps", STEPS)
def test_a_state_gives_what_is_left_where_workers_run_ahead(dataset, steps, workers):
    loader = loader_of(dataset, "batches", workers)
    run_to(loader, 0, steps)
    resumed = loader_of(dataset, "batches", workers)
    resumed.load_state_dict(copy.deepcopy(loader.state_dict()))
    assert [lists(resumed), lists(resumed)] == what_is_left(0, steps)


def test_persistent_workers_in_their_second_epoch(dataset):
    loader = loader_of(dataset, "samples", 3, persistent_workers=True)
    run_to(loader, 1, 2)
    resumed = loader_of(dataset, "samples", 3, persistent_workers=True)
    resumed.load_state_dict(loader.state_dict())
    assert [lists(resumed), lists(resumed)] == what_is_left(1, 2)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_state_before_anything_was_asked_for(dataset, workers):
    loader = loader_of(dataset, "batches", workers)
    resumed = loader_of(dataset, "batches", workers)
    resumed.load_state_dict(loader.state_dict())
    assert lists(resumed) == lists(loader) == EPOCHS[0]


def test_states_that_are_noted_now_and_then(dataset):
    loader = loader_of(dataset, "batches", 1, snapshot_every_n_steps=2)
    run_to(loader, 0, 3)
    state = loader.state_dict()
    resumed = loader_of(dataset, "batches", 1, snapshot_every_n_steps=2)
    resumed.load_state_dict(state)
    assert lists(resumed) == EPOCHS[0][3:]
    with pytest.raises(errors.OptionError, match="snapshot_every_n_steps"):
        sampler_state(state)


@pytest.mark.parametrize(("before", "after"), [(0, 3), (3, 0), (1, 3)])
@pytest.mark.parametrize("kind", ["batches", "samples"])
@pytest.mark.parametrize("steps", [0, 2, *STEPS[-2:]])
def test_another_number_of_workers(dataset, steps, kind, before, after):
    loader = loader_of(dataset, kind, before)
    run_to(loader, 0, steps)
    sampler = BatchSampler(dataset, BATCH)
    sampler.load_state_dict(sampler_state(loader.state_dict()))
    resumed = stateful_dataloader.StatefulDataLoader(dataset, batch_sampler=sampler, num_workers=after)
    # A sampler knows from the state of the last batch that the epoch is over; a loader of torchdata has to notice.
    assert lists(resumed) == (what_is_left(0, steps)[0] or EPOCHS[1])


def test_another_number_of_ranks_and_another_loader(dataset):
    loader = loader_of(dataset, "batches", 0)
    run_to(loader, 0, 2)
    left = []
    for rank in range(3):
        resumed = Loader(dataset.reader, batch_size=2, decode=number, rank=rank, world_size=3)
        resumed.load_state_dict(sampler_state(loader.state_dict()))
        left += list(itertools.chain(*lists(resumed)))
    assert sorted(left) == sorted(itertools.chain(*EPOCHS[0][2:]))


@pytest.mark.parametrize(
    "state", [None, {}, {"_snapshot": 3}, {"_sampler_iter_state": None, "_iterator_finished": True}]
)
def test_other_states_are_told_apart(state):
    with pytest.raises(errors.RecordTypeError, match="StatefulDataLoader"):
        sampler_state(state)


def test_the_state_of_a_loader_without_our_sampler(dataset):
    loader = stateful_dataloader.StatefulDataLoader(dataset, batch_size=4)
    next(iter(loader))
    with pytest.raises(errors.RecordTypeError, match="StatefulDataLoader"):
        sampler_state(loader.state_dict())

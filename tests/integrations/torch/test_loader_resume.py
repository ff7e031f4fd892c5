"""`Loader`: a state gives exactly what is left, to any number of ranks."""

from __future__ import annotations

import itertools
import json

import pytest

torch = pytest.importorskip("torch")

from octavo import errors, shuffle  # noqa: E402
from octavo.torch import BatchSampler, Loader  # noqa: E402
from tests.integrations.torch.records import lists, number  # noqa: E402
from tests.settling import comes_true  # noqa: E402

pytestmark = pytest.mark.usefixtures("no_thread_is_left")
EPOCHS = [list(epoch) for epoch in itertools.repeat(shuffle.Sampler(40, batch_size=7, seed=3), 4)]


def loader_of(path, **options):
    return Loader(path, decode=number, **{"batch_size": 7, "seed": 3, **options})


@pytest.mark.parametrize("epoch", [0, 1])
@pytest.mark.parametrize("steps", range(7))
def test_a_state_gives_what_is_left(path, steps, epoch):
    loader = loader_of(path)
    for _ in range(epoch):
        list(loader)
    batches = iter(loader)
    before = [next(batches).tolist() for _ in range(steps)]
    state = json.loads(json.dumps(loader.state_dict()))
    resumed = loader_of(path, seed=0)
    resumed.load_state_dict(state)
    loader.close()
    is_over = steps == len(EPOCHS[epoch])
    assert resumed.epoch == epoch + is_over
    after: list[list[list[int]]] = [[]] * is_over + [lists(resumed) for _ in range(resumed.epoch, epoch + 3)]
    assert [before + after[0], *after[1:]] == EPOCHS[epoch : epoch + 3]


@pytest.mark.parametrize("options", [{}, {"drop_last": True}, {"pad": True, "rank": 1, "world_size": 3}])
def test_a_state_at_the_end_of_an_epoch_is_the_beginning_of_the_next(path, options):
    loader = loader_of(path, **options)
    list(loader)
    resumed = loader_of(path, **options)
    resumed.load_state_dict(loader.state_dict())
    assert resumed.epoch == 1
    assert [lists(resumed) for _ in range(resumed.epoch, 3)] == [lists(loader), lists(loader)]


def test_a_finished_epoch_is_not_repeated_by_a_loop_that_counts_from_0(path):
    loader = loader_of(path)
    list(loader)
    resumed = loader_of(path)
    resumed.load_state_dict(loader.state_dict())
    seen = []
    for epoch in range(3):
        resumed.set_epoch(epoch)
        seen.append(lists(resumed))
    assert seen == [[], *EPOCHS[1:3]]


def test_batches_that_were_made_ahead_do_not_count(path):
    made: list[object] = []
    loader = Loader(path, batch_size=2, collate_fn=made.append, prefetch=10)
    batches = iter(loader)
    next(batches)
    assert comes_true(lambda: len(made) == 11)
    assert loader.state_dict()["position"] == 2
    loader.close()


def test_the_state_is_a_few_integers(path):
    state = loader_of(path).state_dict()
    assert all(type(value) is int for value in state.values())
    assert (state["seed"], state["epoch"], state["position"]) == (3, 0, 0)


@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 1), (4, 3), (2, 2)])
@pytest.mark.parametrize("steps", [0, 1, 2])
def test_another_number_of_ranks_gets_what_is_left(path, before, after, steps):
    seen = []
    states = []
    for rank in range(before):
        loader = loader_of(path, batch_size=3, rank=rank, world_size=before)
        seen += lists(itertools.islice(loader, steps))
        states.append(loader.state_dict())
        loader.close()
    assert all(state == states[0] for state in states)
    for rank in range(after):
        loader = loader_of(path, batch_size=5, rank=rank, world_size=after)
        loader.load_state_dict(states[0])
        seen += lists(loader)
    assert sorted(itertools.chain(*seen)) == list(range(40))


def test_a_sampler_goes_on_where_a_loader_stopped(path):
    loader = loader_of(path)
    before = lists(itertools.islice(loader, 2))
    sampler = BatchSampler(40, 7)
    sampler.load_state_dict(loader.state_dict())
    assert before + list(sampler) == EPOCHS[0]
    resumed = loader_of(path)
    resumed.load_state_dict(sampler.state_dict())
    assert [lists(resumed), lists(resumed)] == EPOCHS[1:3]


def test_an_epoch_is_chosen(path):
    loader = loader_of(path)
    loader.set_epoch(2)
    assert loader.epoch == 2
    assert lists(loader) == EPOCHS[2]
    assert lists(loader) == EPOCHS[3]
    loader.set_epoch(0)
    assert lists(loader) == EPOCHS[0]


def test_a_state_is_kept_when_its_epoch_is_set(path):
    loader = loader_of(path)
    loader.load_state_dict({**loader.state_dict(), "epoch": 1, "position": 14})
    loader.set_epoch(1)
    assert lists(loader) == EPOCHS[1][2:]


def test_a_state_can_be_loaded_while_a_loop_runs(path):
    loader = loader_of(path)
    batches = iter(loader)
    first = next(batches).tolist()
    state = loader.state_dict()
    second = next(batches).tolist()
    loader.load_state_dict(state)
    assert [first, *lists(loader)] == EPOCHS[0]
    assert [first, second, *lists(batches)] == EPOCHS[0]


def test_states_of_other_data_are_refused(path):
    loader = loader_of(path)
    state = loader.state_dict()
    with pytest.raises(errors.OptionError, match="39 samples"):
        loader.load_state_dict({**state, "samples": 39})
    with pytest.raises(errors.OptionError, match="another order"):
        loader_of(path, shuffle=False).load_state_dict(state)
    with pytest.raises(errors.RecordTypeError):
        loader.load_state_dict({})

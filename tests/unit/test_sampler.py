"""Samplers: epochs, states, and what they refuse. That no sample is lost is shown in tests/property/test_sampler.py."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from octavo.errors import OptionError, RecordTypeError
from octavo.shuffle import Mixture, Permutation, Sampler


def test_numbers_come_one_by_one_or_in_batches():
    order = list(Permutation(10, seed=3))
    assert list(Sampler(10, seed=3)) == order
    assert list(Sampler(10, seed=3, batch_size=4)) == [order[:4], order[4:8], order[8:]]
    assert list(Sampler(10, shuffle=False, batch_size=4)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_ranks_are_dealt_the_order_in_turn():
    order = list(Permutation(10, seed=3))
    assert [list(Sampler(10, seed=3, rank=rank, world_size=4)) for rank in range(4)] == [
        order[rank::4] for rank in range(4)
    ]


def test_each_loop_is_the_next_epoch():
    sampler = Sampler(10, seed=3)
    assert [list(sampler) for _ in range(3)] == [list(Permutation(10, seed=3, epoch=epoch)) for epoch in range(3)]


def test_a_loop_that_was_left_is_an_epoch_too():
    sampler = Sampler(10, seed=3, batch_size=2)
    next(iter(sampler))
    assert (sampler.epoch, sampler.position) == (0, 2)
    assert next(iter(sampler)) == Permutation(10, seed=3, epoch=1)[:2].tolist()
    assert (sampler.epoch, sampler.position) == (1, 2)


def test_an_iterator_that_nobody_asks_changes_nothing():
    sampler = Sampler(10, seed=3)
    iter(sampler)
    unused = iter(sampler)
    assert list(sampler) == list(Permutation(10, seed=3))
    assert list(unused) == list(Permutation(10, seed=3, epoch=1))


def test_an_epoch_can_be_chosen():
    sampler = Sampler(10, seed=3)
    sampler.set_epoch(7)
    assert (sampler.epoch, sampler.position) == (7, 0)
    assert list(sampler) == list(Permutation(10, seed=3, epoch=7))
    sampler.set_epoch(7)
    assert list(sampler) == list(Permutation(10, seed=3, epoch=7))
    assert list(sampler) == list(Permutation(10, seed=3, epoch=8))


def test_a_state_goes_on_in_the_middle_of_an_epoch():
    sampler = Sampler(10, seed=3, batch_size=4)
    iteration = iter(sampler)
    next(iteration)
    state = sampler.state_dict()
    assert {name: state[name] for name in ("seed", "epoch", "position", "samples")} == {
        "seed": 3,
        "epoch": 0,
        "position": 4,
        "samples": 10,
    }
    rest = list(iteration)
    again = Sampler(10, batch_size=4)
    again.load_state_dict(state)
    again.set_epoch(0)  # as loops over epochs do; a position just loaded for that epoch stays
    assert list(again) == rest
    assert list(again) == list(sampler)
    assert again.seed == 3


def test_setting_another_epoch_forgets_the_position():
    sampler = Sampler(10, seed=3)
    sampler.load_state_dict({**sampler.state_dict(), "position": 5})
    sampler.set_epoch(1)
    assert list(sampler) == list(Permutation(10, seed=3, epoch=1))


def at_the_end(**options):
    """A sampler that has loaded the state of one that went through an epoch."""
    sampler = Sampler(10, seed=3, batch_size=5)
    list(sampler)
    assert (sampler.epoch, sampler.position) == (0, 10)
    again = Sampler(10, **{"batch_size": 5, **options})
    again.load_state_dict(sampler.state_dict())
    return again


def epochs(**options):
    sampler = Sampler(10, seed=3, **options)
    return [list(sampler) for _ in range(3)]


@pytest.mark.parametrize("ending", [{}, {"drop_last": True}, {"pad": True}])
def test_the_state_of_a_finished_epoch_is_the_beginning_of_the_next(ending):
    again = at_the_end(rank=1, world_size=2, batch_size=2, **ending)
    assert (again.epoch, again.position) == (1, 0)
    assert [list(again) for _ in range(again.epoch, 3)] == epochs(rank=1, world_size=2, batch_size=2, **ending)[1:]


def test_the_state_after_the_last_batch_is_the_beginning_of_the_next_epoch():
    sampler = Sampler(10, seed=3, batch_size=5)
    again = Sampler(10, batch_size=5)
    again.load_state_dict(sampler.state_after(2))
    assert [list(again) for _ in range(again.epoch, 3)] == epochs(batch_size=5)[1:]


def test_loops_that_count_from_0_find_a_finished_epoch_empty():
    again = at_the_end()
    seen = []
    for epoch in range(3):
        again.set_epoch(epoch)
        again.set_epoch(epoch)  # Lightning says it twice, to the sampler and to the batch sampler
        seen.append(list(again))
    assert seen == [[], *epochs(batch_size=5)[1:]]


def test_loops_that_count_from_the_loaded_epoch_begin_it():
    again = at_the_end()
    again.set_epoch(again.epoch)
    assert list(again) == epochs(batch_size=5)[1]
    again.set_epoch(0)
    assert list(again) == epochs(batch_size=5)[0], "by now, somebody has asked for it"


def test_a_finished_epoch_can_be_repeated():
    state = {**at_the_end().state_dict(), "epoch": 0, "position": 0}
    again = Sampler(10, batch_size=5)
    again.load_state_dict(state)
    assert list(again) == epochs(batch_size=5)[0]


def test_what_fills_no_step_is_the_end_of_an_epoch_that_drops_it():
    state = Sampler(10, seed=3, batch_size=4).state_after(2)
    again = Sampler(10, batch_size=2, world_size=2, drop_last=True)
    again.load_state_dict(state)
    assert (again.epoch, again.position) == (1, 0)
    exact = Sampler(10, batch_size=2, rank=1, world_size=2)
    exact.load_state_dict(state)
    assert (exact.epoch, exact.position) == (0, 8)


def test_an_epoch_of_nothing_has_a_beginning_and_no_end():
    sampler = Sampler(0, batch_size=4)
    list(sampler)
    sampler.load_state_dict(sampler.state_dict())
    assert (sampler.epoch, sampler.position) == (0, 0)


def test_the_last_batch_ends_the_epoch_whether_or_not_more_is_asked_for():
    for ending in ({}, {"drop_last": True}, {"pad": True}):
        sampler = Sampler(10, batch_size=3, rank=1, world_size=2, **ending)
        iteration = iter(sampler)
        for _ in range(len(sampler)):
            next(iteration)
        assert sampler.position == 10


@pytest.mark.parametrize("steps", range(6))
def test_the_state_after_some_steps_is_that_of_a_sampler_that_took_them(steps):
    ahead, behind = Sampler(20, batch_size=4, seed=1), Sampler(20, batch_size=4, seed=1)
    list(ahead)
    iteration = iter(behind)
    for _ in range(steps):
        next(iteration)
    assert ahead.state_after(steps) == behind.state_dict()


def test_the_state_after_some_steps_counts_from_where_the_loop_began():
    sampler = Sampler(20, batch_size=4, seed=1)
    sampler.load_state_dict(sampler.state_after(2))
    assert sampler.position == 8
    list(sampler)
    assert sampler.state_after(1)["position"] == 12
    assert sampler.state_after(3)["position"] == 20


@pytest.mark.parametrize(("options", "most"), [({}, 3), ({"drop_last": True}, 2), ({"rank": 1, "world_size": 2}, 2)])
def test_more_steps_than_an_epoch_has_are_refused(options, most):
    sampler = Sampler(11, batch_size=4, seed=1, **options)
    assert sampler.state_after(most)["position"] == 11
    with pytest.raises(OptionError, match=f"steps is {most + 1}, but only {most} are left of this epoch"):
        sampler.state_after(most + 1)


def test_steps_need_no_state():
    sampler = Sampler(10, seed=3, batch_size=4, rank=1, world_size=2)
    steps = [(numbers.tolist(), position) for numbers, position in sampler.steps(5, 2)]
    order = Permutation(10, seed=3, epoch=5)
    assert steps == [(order[3::2].tolist(), 10)]
    assert sampler.position == 0


def test_the_first_ranks_have_what_is_left_over():
    batches = [list(Sampler(10, shuffle=False, batch_size=2, rank=rank, world_size=4)) for rank in range(4)]
    assert batches == [[[0, 4], [8]], [[1, 5], [9]], [[2, 6]], [[3, 7]]]


def test_a_mixture_brings_its_order():
    mixture = Mixture([3, 7], [1, 1], seed=5, samples=12)
    sampler = Sampler(mixture, batch_size=5)
    assert [number for batch in sampler for number in batch] == mixture.take(0, range(12)).tolist()
    assert sampler.size == 12
    assert sampler.seed == 5
    state = sampler.state_dict()
    again = Sampler(Mixture([3, 7], [1, 1], samples=12), batch_size=5)
    again.load_state_dict(state)
    assert list(again) == list(sampler)


def test_a_sampler_can_be_pickled_in_the_middle():
    sampler = Sampler(10, seed=3, batch_size=4)
    next(iter(sampler))
    again = pickle.loads(pickle.dumps(sampler))
    assert again.state_dict() == sampler.state_dict()
    assert list(again) == list(sampler)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"batch_size": 0}, OptionError, "batch_size is 0"),
        ({"rank": 2, "world_size": 2}, OptionError, r"rank is 2; allowed are integers in the range \[0..1\]"),
        ({"rank": -1}, OptionError, "rank is -1"),
        ({"world_size": 0}, OptionError, "world_size is 0"),
        ({"seed": "a"}, RecordTypeError, "seed is an integer, not str"),
        ({"drop_last": True, "pad": True}, OptionError, "not both"),
        ({"shuffle": "yes"}, RecordTypeError, "shuffle is True or False"),
        ({"shuffle": False, "block": 4}, OptionError, "block is for records that are shuffled"),
    ],
)
def test_what_cannot_be_sampled_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        Sampler(10, **options)


@pytest.mark.parametrize("options", [{"shuffle": False}, {"seed": 1}, {"block": 4}])
def test_a_mixture_cannot_be_shuffled_otherwise(options):
    with pytest.raises(OptionError, match="a mixture has its own seed"):
        Sampler(Mixture([5]), **options)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (Sampler(11), "of an epoch of 11 samples; there are 10 here"),
        (Sampler(10, shuffle=False), "another order"),
        (Sampler(10, block=2), "another order"),
        (Sampler(Mixture([10])), "another order"),
    ],
)
def test_a_state_of_other_samples_is_refused(other, message):
    with pytest.raises(OptionError, match=message):
        Sampler(10).load_state_dict(other.state_dict())


@pytest.mark.parametrize("state", [{}, {"epoch": 1}, None, [1, 2]])
def test_what_is_no_state_is_refused(state):
    with pytest.raises(RecordTypeError, match="a sampler's state has the integers"):
        Sampler(10).load_state_dict(state)


@pytest.mark.parametrize("change", [{"position": 11}, {"position": -1}, {"epoch": -1}, {"seed": -1}])
def test_a_state_that_cannot_be_is_refused_and_changes_nothing(change):
    sampler = Sampler(10)
    with pytest.raises(OptionError, match=next(iter(change))):
        sampler.load_state_dict({**sampler.state_dict(), "seed": 5, **change})
    assert sampler.state_dict() == Sampler(10).state_dict()


@pytest.mark.parametrize("name", ["seed", "epoch", "position", "samples", "order"])
@pytest.mark.parametrize("wrong", ["10", 10.0, None])
def test_a_state_is_made_of_integers(name, wrong):
    sampler = Sampler(10)
    with pytest.raises(RecordTypeError, match=f"{name} is an integer, not"):
        sampler.load_state_dict({**sampler.state_dict(), name: wrong})


@pytest.mark.parametrize("source", ["train.ffr", b"train.ffr", Path("train.ffr")])
def test_a_name_is_not_what_it_names(source):
    with pytest.raises(RecordTypeError, match=r"what octavo\.open gives"):
        Sampler(source)
    with pytest.raises(RecordTypeError, match=r"what octavo\.open gives"):
        Mixture([source])


def test_an_error_does_not_end_an_epoch():
    sampler = Sampler(2**41, batch_size=2**41)
    iteration = iter(sampler)
    for _ in range(2):
        with pytest.raises(MemoryError):
            next(iteration)
        assert sampler.position == 0


def test_the_state_after_no_steps_is_where_the_loop_began():
    sampler = Sampler(10, batch_size=20, drop_last=True)
    assert sampler.state_after(0) == sampler.state_dict()

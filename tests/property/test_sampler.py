"""A job that is stopped and goes on with other ranks, batches and workers sees exactly the samples that are left."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.shuffle import Mixture, Permutation, Sampler


@dataclass
class Phase:
    """A part of a run: so many ranks with batches of a size, for some steps."""

    world_size: int
    batch_size: int | None
    steps: int


PHASES = st.lists(
    st.builds(
        Phase,
        world_size=st.integers(1, 17),
        batch_size=st.none() | st.integers(1, 40),
        steps=st.integers(0, 12),
    ),
    min_size=1,
    max_size=6,
)
SIZES = st.integers(0, 40) | st.integers(0, 2000)
SEEDS = st.integers(0, 2**64 - 1)
EPOCHS = st.integers(0, 3) | st.integers(0, 2**62)


def as_list(item):
    return item if isinstance(item, list) else [item]


def run_phase(source, phase, state, *, steps, **options):
    """All ranks take some steps together; returns what they saw step by step, and the state they agree on."""
    if state["position"] == state["samples"]:  # the epoch is over: who loads that goes on with the next
        return [], state
    ranks = []
    for rank in range(phase.world_size):
        sampler = Sampler(source, batch_size=phase.batch_size, rank=rank, world_size=phase.world_size, **options)
        sampler.load_state_dict(state)
        ranks.append((sampler, iter(sampler)))
    seen = []
    for _ in range(steps):
        items = [as_list(item) for _, iteration in ranks if (item := next(iteration, None)) is not None]
        seen += [number for item in items for number in item]
    states = [json.loads(json.dumps(sampler.state_dict())) for sampler, _ in ranks]
    assert all(one == states[0] for one in states)
    return seen, states[0]


def begin(source, epoch, **options):
    sampler = Sampler(source, **options)
    sampler.set_epoch(epoch)
    return sampler.state_dict()


@settings(max_examples=400)
@given(size=SIZES, seed=SEEDS, epoch=EPOCHS, phases=PHASES, shuffle=st.booleans())
def test_a_job_that_changes_its_ranks_sees_every_sample_once(size, seed, epoch, phases, shuffle):
    options = {"seed": seed, "shuffle": shuffle}
    state = begin(size, epoch, **options)
    seen: list[int] = []
    for phase in phases:
        some, state = run_phase(size, phase, state, steps=phase.steps, **options)
        seen += some
        assert state["position"] == len(seen)
    rest, state = run_phase(size, Phase(1, 7, 0), state, steps=size // 7 + 2, **options)
    assert sorted(seen + rest) == list(range(size))
    assert (state["epoch"], state["position"]) == (epoch, size)


@settings(max_examples=400)
@given(size=SIZES, seed=SEEDS, epoch=EPOCHS, phases=PHASES)
def test_with_drop_last_only_less_than_a_step_is_left_out(size, seed, epoch, phases):
    options = {"seed": seed, "drop_last": True}
    state = begin(size, epoch, seed=seed)
    seen: list[int] = []
    for number, phase in enumerate(phases):
        last = number + 1 == len(phases)
        step = phase.world_size * (phase.batch_size or 1)
        if state["position"] and size - state["position"] < step:  # as good as over
            sampler = Sampler(size, batch_size=phase.batch_size, world_size=phase.world_size, **options)
            sampler.load_state_dict(state)
            assert (sampler.epoch, sampler.position) == (epoch + 1, 0)
            break
        some, after = run_phase(size, phase, state, steps=size + 1 if last else phase.steps, **options)
        seen += some
        if after["position"] == size:
            assert 0 <= size - len(seen) < step
            break
        assert after["position"] == len(seen)
        state = after
    assert seen == list(dict.fromkeys(seen))
    # Every step is full, so what was seen is the beginning of the epoch's order, in whatever sequence.
    assert sorted(seen) == sorted(Permutation(size, seed=seed, epoch=epoch)[: len(seen)])


@settings(max_examples=300)
@given(size=st.integers(1, 500), seed=SEEDS, phase=st.builds(Phase, st.integers(1, 17), st.integers(1, 40), st.just(0)))
def test_with_pad_all_ranks_have_as_many_and_nothing_is_missing(size, seed, phase):
    ranks = [
        list(Sampler(size, seed=seed, batch_size=phase.batch_size, rank=rank, world_size=phase.world_size, pad=True))
        for rank in range(phase.world_size)
    ]
    assert len({tuple(len(batch) for batch in rank) for rank in ranks}) == 1
    seen = [number for rank in ranks for batch in rank for number in batch]
    assert set(seen) == set(range(size))
    assert len(seen) - size < phase.world_size
    extra = sorted(seen)
    for number in range(size):
        extra.remove(number)
    wanted = [*Permutation(size, seed=seed)] * phase.world_size
    assert extra == sorted(wanted[: len(seen) - size])


@settings(max_examples=200)
@given(
    sizes=st.lists(st.integers(1, 100), min_size=1, max_size=5),
    weights=st.lists(st.integers(1, 50), min_size=5, max_size=5),
    samples=st.integers(1, 700),
    seed=SEEDS,
    epoch=st.integers(0, 5),
    phases=PHASES,
)
def test_a_mixture_gives_its_samples_once_whatever_the_ranks(*, sizes, weights, samples, seed, epoch, phases):
    mixture = Mixture(sizes, weights[: len(sizes)], seed=seed, samples=samples)
    state = begin(mixture, epoch)
    seen: list[int] = []
    for phase in phases:
        some, state = run_phase(mixture, phase, state, steps=phase.steps)
        seen += some
    rest, state = run_phase(mixture, Phase(1, 7, 0), state, steps=samples // 7 + 2)
    assert sorted(seen + rest) == sorted(mixture.take(epoch, range(samples)).tolist())


@settings(max_examples=200)
@given(
    size=st.integers(1, 3000),
    seed=SEEDS,
    block=st.integers(1, 400),
    window=st.integers(1, 20),
    world_size=st.integers(1, 17),
    steps=st.integers(0, 30),
)
def test_blocks_change_the_order_and_nothing_else(*, size, seed, block, window, world_size, steps):
    options = {"seed": seed, "block": block, "window": window}
    seen, state = run_phase(size, Phase(world_size, 8, 0), begin(size, 0, **options), steps=steps, **options)
    rest, _ = run_phase(size, Phase(3, 5, 0), state, steps=size, **options)
    assert sorted(seen + rest) == list(range(size))


@pytest.mark.parametrize("world_size", range(1, 18))
@pytest.mark.parametrize("ending", [{}, {"drop_last": True}, {"pad": True}], ids=["exact", "drop_last", "pad"])
def test_the_length_is_what_is_handed_out(world_size, ending):
    for size in (0, 1, 5, 16, 17, 100, 101):
        for batch_size in (None, 1, 3, 8):
            for rank in range(world_size):
                sampler = Sampler(size, batch_size=batch_size, rank=rank, world_size=world_size, **ending)
                assert len(list(sampler)) == len(sampler)

"""Orders never change: a training run goes on after an update of octavo, and with the very same samples."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

import pytest

from octavo.shuffle import Mixture, Permutation, Sampler
from tests.naive import order as naive


def checksum(numbers: Iterable[int]) -> int:
    return zlib.crc32(b"".join(number.to_bytes(8, "little") for number in numbers))


@pytest.mark.parametrize(
    ("order", "first", "first_thousand"),
    [
        (Permutation(10, seed=0, epoch=0), [7, 1, 3, 9, 8, 2], 3415734325),
        (Permutation(10, seed=0, epoch=1), [0, 6, 4, 1, 5, 7], 3220592807),
        (Permutation(10, seed=1, epoch=0), [9, 3, 6, 7, 1, 5], 3508902483),
        (Permutation(1000, seed=2**64 - 1, epoch=2**40), [201, 737, 909, 721, 351, 958], 949235681),
        (Permutation(2**40, seed=7, epoch=3), [875373847814, 210948975084, 417302239632], 451439159),
        (Permutation(2**63 - 1, seed=7, epoch=3), [8759425148162304523, 856567490934983587], 3231954701),
        (Permutation(100, seed=5, epoch=2, block=8, window=3), [2, 0, 5, 98, 3, 4], 2784187730),
        (Permutation(10**12 + 1, seed=5, epoch=2, block=256), [621091986745, 793103400355], 154493490),
    ],
    ids=repr,
)
def test_a_permutation_is_what_it_was_in_the_first_version(order, first, first_thousand):
    assert order[: len(first)].tolist() == first
    assert checksum(order[:1000]) == first_thousand


def test_a_mixture_is_what_it_was_in_the_first_version():
    mixture = Mixture([5, 1000, 70], [0.5, 0.3, 0.2], seed=9)
    assert mixture.take(0, range(8)).tolist() == [1, 4, 392, 1033, 3, 2, 701, 0]
    assert checksum(mixture.take(3, range(1000))) == 3954463608


@pytest.mark.parametrize(
    ("sampler", "state"),
    [
        (Sampler(100, seed=3, batch_size=7), [3, 0, 0, 100, 4222721585]),
        (Sampler(100, shuffle=False), [0, 0, 0, 100, 95978999]),
        (Sampler(Mixture([5, 7], [1, 2], seed=4)), [4, 0, 0, 12, 2467984599]),
        (Sampler(100, block=8), [0, 0, 0, 100, 2262138265]),
    ],
    ids=["shuffled", "as stored", "mixture", "blocks"],
)
def test_a_state_is_what_it_was_in_the_first_version(sampler, state):
    assert list(sampler.state_dict().values()) == state
    assert list(sampler.state_dict()) == ["seed", "epoch", "position", "samples", "order"]


def test_ranks_are_dealt_what_they_were_in_the_first_version():
    assert next(iter(Sampler(100, batch_size=4, seed=3, rank=2, world_size=5))) == [39, 57, 52, 55]


@pytest.mark.parametrize("size", [1, 2, 3, 255, 256, 257, 1000])
def test_a_permutation_agrees_with_its_naive_twin(size):
    assert list(Permutation(size, seed=5, epoch=9)) == naive.whole(size, 5, 9)


@pytest.mark.parametrize("block", [1, 7, 300, 5000])
@pytest.mark.parametrize("window", [1, 3, 2000])
@pytest.mark.parametrize("size", [1, 1001, 1050])
def test_blocks_agree_with_their_naive_twin(size, block, window):
    order = Permutation(size, seed=5, epoch=9, block=block, window=window)
    assert list(order) == naive.by_blocks(size, 5, 9, block, window)


@pytest.mark.parametrize("weights", [(5, 3, 2), (0, 1, 0), (1, 1, 1), (1, 1000, 0)])
def test_a_mixture_agrees_with_its_naive_twin(weights):
    sizes = (5, 100, 7)
    epochs = naive.mixed(sizes, weights, seed=11, samples=600, epochs=3)
    mixture = Mixture(sizes, weights, seed=11, samples=600)
    for number, epoch in enumerate(epochs):
        assert mixture.take(number, range(600)).tolist() == epoch

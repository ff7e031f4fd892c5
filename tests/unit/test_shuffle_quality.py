"""How random the orders are. Every seed here is fixed, so these tests cannot fail by chance."""

from __future__ import annotations

import itertools
import math

import pytest

from octavo.shuffle import Permutation

np = pytest.importorskip("numpy")

HUGE = 2**40


def excess(counts, expected=None):
    """By how many standard deviations a chi-square statistic is off; |excess| < 4 is what chance gives."""
    counts = np.asarray(counts, dtype=float).ravel()
    expected = counts.mean() if expected is None else expected
    freedom = counts.size - 1
    return (((counts - expected) ** 2 / expected).sum() - freedom) / math.sqrt(2 * freedom)


def taken(size, count, **chosen):
    return np.asarray(Permutation(size, **chosen)[:count])


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_every_order_of_a_few_comes_equally_often(size):
    numbers = dict.fromkeys(itertools.permutations(range(size)), 0)
    for seed in range(100 * math.factorial(size)):
        numbers[tuple(Permutation(size, seed=seed))] += 1
    assert abs(excess(list(numbers.values()))) < 4


@pytest.mark.parametrize("vary", ["seed", "epoch"])
@pytest.mark.parametrize("size", [7, 16, 100, 257])
def test_every_number_comes_to_every_position(size, vary):
    table = np.zeros((size, size))
    for number in range(50 * size):
        table[np.arange(size), taken(size, size, **{vary: number})] += 1
    # A table of permutations has (size - 1)^2 degrees of freedom, which changes the bound by less than it allows.
    assert abs(excess(table) + (2 * size - 1) / math.sqrt(2 * size**2)) < 4


@pytest.mark.parametrize("vary", ["seed", "epoch"])
def test_neighbours_are_strangers(vary):
    """Pairs that follow each other: every one of the 12 * 11 comes equally often."""
    pairs = np.zeros((12, 12))
    for number in range(5000):
        order = taken(12, 12, **{vary: number})
        pairs[order[:-1], order[1:]] += 1
    assert abs(excess(pairs[~np.eye(12, dtype=bool)])) < 4


@pytest.mark.parametrize("size", [HUGE, HUGE + 1, 3 * 2**38, 10**12])
def test_a_huge_order_is_uniform(size):
    numbers = taken(size, 2**18, seed=1)
    assert abs(excess(np.bincount((numbers * 1024.0 / size).astype(int), minlength=1024))) < 4
    assert abs(excess(np.bincount(numbers % 1021, minlength=1021))) < 4
    assert abs(excess(np.bincount(numbers & 255, minlength=256))) < 4
    assert len(np.unique(numbers)) == len(numbers)


@pytest.mark.parametrize("size", [1000, 65_536, 1_000_003, HUGE, 10**12])
def test_an_order_is_not_correlated_with_itself(size):
    numbers = taken(size, min(size, 2**18), seed=2) / size - 0.5
    for lag in (1, 2, 3, 4, 5, 7, 8, 16, 17, 64, 256):
        correlation = (numbers[:-lag] * numbers[lag:]).mean() * 12
        assert abs(correlation) * math.sqrt(len(numbers) - lag) < 4, lag


@pytest.mark.parametrize("stride", [1, 2, 3, 8, 17, 256])
def test_what_the_ranks_of_a_job_see_is_uniform(stride):
    numbers = np.asarray(Permutation(2**20, seed=3)[::stride][: 2**16 // stride * 4])
    pairs = (numbers[:-1] >> 16) * 16 + (numbers[1:] >> 16)
    assert abs(excess(np.bincount(pairs, minlength=256))) < 4


@pytest.mark.parametrize(
    ("which", "bit"), [("seed", 0), ("seed", 1), ("seed", 32), ("seed", 63), ("epoch", 0), ("epoch", 31), ("epoch", 61)]
)
def test_orders_that_differ_in_a_bit_have_nothing_in_common(which, bit):
    one, other = (taken(2**20, 2**16, **{which: chosen}) for chosen in (5, 5 ^ (1 << bit)))
    assert (one == other).sum() < 5
    table = np.bincount((one >> 16) * 16 + (other >> 16), minlength=256)
    assert abs(excess(table)) < 4


@pytest.mark.parametrize("size", [255, 256, 512, 1000])
def test_half_of_all_orders_are_even(size):
    def is_even(order):
        left, cycles = set(range(size)), 0
        while left:
            cycles += 1
            at = left.pop()
            while (at := int(order[at])) in left:
                left.remove(at)
        return (size - cycles) % 2 == 0

    even = sum(is_even(taken(size, size, seed=seed)) for seed in range(400))
    assert abs(even - 200) < 40


def test_as_many_numbers_stay_where_they_were_as_chance_leaves():
    fixed = [int((taken(1000, 1000, seed=seed) == np.arange(1000)).sum()) for seed in range(4000)]
    counts = np.bincount(np.minimum(fixed, 5), minlength=6)
    poisson = [math.exp(-1) / math.factorial(number) for number in range(5)]
    expected = 4000 * np.array([*poisson, 1 - sum(poisson)])
    assert abs(excess(counts, expected)) < 4


def test_an_order_by_blocks_mixes_blocks_and_records():
    numbers = taken(2**20, 2**20, seed=4, block=256, window=16)
    first = numbers[: 256 * 16]
    assert len(np.unique(first // 256)) == 16
    assert abs(excess(np.bincount(first[:1024] % 256 // 16, minlength=16))) < 4
    assert abs(np.corrcoef(np.arange(2**20), numbers)[0, 1]) < 0.05
    assert sorted(numbers.tolist()) == list(range(2**20))

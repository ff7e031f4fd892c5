"""Permutations and mixtures as things to hold, and what they refuse."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest

import octavo
from octavo.errors import OptionError, RecordTypeError
from octavo.shuffle import Mixture, Permutation


def test_a_permutation_is_a_sequence_of_all_numbers():
    order = Permutation(3000, seed=1)
    assert len(order) == 3000
    assert sorted(order) == list(range(3000))
    assert list(order) == [order[position] for position in range(3000)]
    assert order[-1] == order[2999]
    assert next(reversed(order)) == order[-1]
    assert 2999 in order
    assert 3000 not in order
    assert order.count(7) == 1
    assert order.count(-1) == 0


def test_a_slice_gives_64_bit_integers_that_readers_take(write_file):
    reader = octavo.open(write_file([bytes([number]) for number in range(100)]))
    order = Permutation(reader, seed=1)
    numbers = order[90:10:-7]
    assert (numbers.format, numbers.itemsize, numbers.ndim) == ("q", 8, 1)
    assert numbers.tolist() == [order[position] for position in range(90, 10, -7)]
    assert reader.read(numbers) == [bytes([number]) for number in numbers]
    assert bytes(reader.read_batch(numbers)) == bytes(numbers.tolist())
    assert order[5:5].tolist() == []


def test_where_a_number_stands_is_computed():
    order = Permutation(2**62, seed=1)
    assert order.index(order[12345]) == 12345
    assert order.index(order[12345], 12345, 12346) == 12345
    for arguments in ((order[5], 6), (order[5], 0, 5), (-1,), (2**62,), ("a",)):
        with pytest.raises(ValueError, match="is not there"):
            order.index(*arguments)


@pytest.mark.parametrize("position", [5, -6, 2**70])
def test_a_position_outside_is_an_index_error(position):
    with pytest.raises(IndexError, match="there are 5"):
        Permutation(5)[position]


def test_no_numbers_are_an_order_too():
    assert list(Permutation(0)) == []
    assert list(Permutation(0, block=8)) == []
    with pytest.raises(IndexError):
        Permutation(0)[0]


@pytest.mark.parametrize("options", [{}, {"epoch": 3}, {"block": 7, "window": 3}])
def test_a_permutation_is_its_arguments(options):
    order = Permutation(1000, seed=5, **options)
    again = pickle.loads(pickle.dumps(order))
    assert again == order
    assert hash(again) == hash(order)
    assert list(again) == list(order)
    assert eval(repr(order)) == order
    assert order != Permutation(1000, seed=6, **options)
    assert order != list(order)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((-1,), {}, OptionError, "size is -1"),
        ((2**63,), {}, OptionError, "size is"),
        ((None,), {}, RecordTypeError, "a size or something with a length, not NoneType"),
        ((1.5,), {}, RecordTypeError, "not float"),
        ((5,), {"seed": -1}, OptionError, "seed is -1"),
        ((5,), {"seed": 2**64}, OptionError, "seed is"),
        ((5,), {"seed": None}, RecordTypeError, "seed is an integer, not NoneType"),
        ((5,), {"epoch": -1}, OptionError, "epoch is -1"),
        ((5,), {"block": 0}, OptionError, "block is 0"),
        ((5,), {"block": 1, "window": 0}, OptionError, "window is 0"),
        ((5,), {"seed": True}, OptionError, "seed is True"),
    ],
)
def test_what_cannot_be_ordered_is_refused(arguments, options, error, message):
    with pytest.raises(error, match=message):
        Permutation(*arguments, **options)


def test_more_numbers_than_fit_into_memory_are_an_error():
    with pytest.raises(MemoryError):
        Permutation(2**62)[:]


def test_data_sets_come_in_proportion_to_their_weights():
    mixture = Mixture([100, 1000, 10], [0.7, 0.2, 0.1], seed=3, samples=10_000)
    numbers = mixture.take(0, range(10_000)).tolist()
    assert sum(number < 100 for number in numbers) == 7000
    assert sum(number >= 1100 for number in numbers) == 1000
    assert (len(mixture), mixture.size, mixture.seed) == (10_000, 1110, 3)


def test_without_weights_every_record_comes_once_an_epoch():
    mixture = Mixture([17, 1000, 3], seed=3)
    first, second = (mixture.take(epoch, range(1020)).tolist() for epoch in (0, 1))
    assert sorted(first) == sorted(second) == list(range(1020))
    assert first != second


def test_a_data_set_is_used_up_before_it_begins_again():
    mixture = Mixture([5, 1000], [1, 1], seed=3, samples=1000)
    numbers = [number for epoch in range(3) for number in mixture.take(epoch, range(1000)) if number < 5]
    rounds = [numbers[start : start + 5] for start in range(0, 1500, 5)]
    assert all(sorted(one) == [0, 1, 2, 3, 4] for one in rounds)
    assert len({tuple(one) for one in rounds}) > 50


def test_equal_weights_do_not_fall_into_step_with_ranks():
    numbers = Mixture([1000, 1000], [1, 1], samples=2000).take(0, range(0, 2000, 2)).tolist()
    assert 400 < sum(number < 1000 for number in numbers) < 600


@pytest.mark.parametrize(
    ("weights", "shares"),
    [
        ([0.7, 0.2, 0.1], [7, 2, 1]),
        ([2, 4, 6], [1, 2, 3]),
        ([Fraction(1, 3), Fraction(1, 6), Fraction(1, 2)], [2, 1, 3]),
        ([0, 0.0, 1e-300], [0, 0, 1]),
        ([1e-300, 1, 0], [1, 2**62, 0]),
    ],
)
def test_weights_are_what_was_written(weights, shares):
    assert Mixture([1, 1, 1], weights) == Mixture([1, 1, 1], shares)
    assert f"], {shares}," in repr(Mixture([1, 1, 1], weights))


def test_numbers_may_be_numpys():
    np = pytest.importorskip("numpy")
    order = Permutation(np.array(100), seed=np.uint64(3))
    number = np.asarray(order[:5])[2]
    assert (order.index(number), number in order, order.count(number)) == (2, True, 1)
    assert order.count("2") == 0


def test_weights_may_be_large():
    assert Mixture([5, 5], [10**400, 10**400]) == Mixture([5, 5], [1, 1])


def test_weights_may_be_arrays():
    np = pytest.importorskip("numpy")
    assert Mixture(np.array([5, 6]), np.array([0.25, 0.75], np.float32)) == Mixture([5, 6], [1, 3])


@pytest.mark.parametrize(
    ("sizes", "weights", "error", "message"),
    [
        ([5, 5], [1], OptionError, "2 data sets have 1 weights"),
        ([5, 5], [0, 0], OptionError, "above 0"),
        ([], [], OptionError, "above 0"),
        ([5, 0], [1, 1], OptionError, "data set 1 has a weight of 1 and no records"),
        ([5, 5], [1, -1], OptionError, "a weight is -1"),
        ([5, 5], [1, float("nan")], OptionError, "a weight is nan"),
        ([5, 5], [1, float("inf")], OptionError, "a weight is inf"),
        ([5, 5], [1, "1"], RecordTypeError, "a weight is a number, not str"),
        ([5, None], [1, 1], RecordTypeError, "not NoneType"),
        ([2**62, 2**62], [1, 1], OptionError, "more than can be numbered"),
    ],
)
def test_what_cannot_be_mixed_is_refused(sizes, weights, error, message):
    with pytest.raises(error, match=message):
        Mixture(sizes, weights)


def test_a_mixture_is_its_arguments():
    mixture = Mixture([5, 10], [0.25, 0.75], seed=4, samples=20)
    again = pickle.loads(pickle.dumps(mixture))
    assert again == mixture
    assert hash(again) == hash(mixture)
    assert eval(repr(mixture)) == mixture
    assert again.take(1, range(20)).tolist() == mixture.take(1, range(20)).tolist()
    assert mixture != Mixture([5, 10], [0.25, 0.75], seed=5, samples=20)


def test_an_epoch_out_of_reach_is_an_error():
    with pytest.raises(OptionError, match="too far away"):
        Mixture([5, 10]).take(2**61, range(5))
    with pytest.raises(IndexError):
        Mixture([5, 10]).take(0, range(10, 20))

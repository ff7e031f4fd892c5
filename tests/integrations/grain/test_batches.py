"""`DataSource.batches`: lists of records that are read at once."""

from __future__ import annotations

import pickle

import pytest

grain = pytest.importorskip("grain")

from octavo.errors import OptionError, RecordTypeError  # noqa: E402 - after the skip
from octavo.integrations.grain import DataSource  # noqa: E402
from octavo.shuffle import Permutation  # noqa: E402
from tests.integrations.grain.samples import numbers_of, record, write  # noqa: E402


@pytest.fixture
def source(tmp_path) -> DataSource:
    return DataSource(write(tmp_path / "records.ffr", 25))


def test_records_come_as_they_are_stored(source):
    batches = source.batches(10)
    assert [numbers_of(batch) for batch in batches] == [list(range(10)), list(range(10, 20)), list(range(20, 25))]
    assert batches[0][3] == record(3)


def test_the_last_batch_can_be_left_out(source):
    assert len(source.batches(10, drop_remainder=True)) == 2
    assert len(source.batches(26, drop_remainder=True)) == 0
    assert list(source.batches(26, drop_remainder=True)) == []


def test_the_order_is_that_of_a_permutation(source):
    batches = source.batches(10, shuffle=True, seed=5)
    assert numbers_of(batches[1]) == Permutation(25, seed=5)[10:20].tolist()


def test_every_epoch_has_its_own_order(source):
    batches = source.batches(10, shuffle=True, seed=5)
    again = [numbers_of(batch) for batch in batches.repeat(2)]
    assert [number for batch in again[3:] for number in batch] == list(Permutation(25, seed=5, epoch=1))
    assert [len(batch) for batch in again] == [10, 10, 5] * 2
    same = [numbers_of(batch) for batch in batches.repeat(2, reseed_each_epoch=False)]
    assert same[3:] == same[:3] == again[:3]


def test_blocks_stay_together(source):
    batches = source.batches(10, shuffle=True, seed=5, block=5, window=2)
    assert numbers_of(batches[0]) == Permutation(25, seed=5, block=5, window=2)[:10].tolist()


def test_hosts_take_turns(source):
    batches = source.batches(5, shuffle=True)
    shares = [batches[host::2] for host in range(2)]
    numbers = [number for share in shares for batch in share for number in numbers_of(batch)]
    assert [len(share) for share in shares] == [3, 2]
    assert sorted(numbers) == list(range(25))


def test_numbers_below_zero_count_from_the_end(source):
    assert numbers_of(source.batches(10)[-1]) == list(range(20, 25))


def test_batches_are_pickled_with_their_source(source):
    batches = source.batches(10, shuffle=True, seed=5)
    other = pickle.loads(pickle.dumps(batches))
    assert list(other) == list(batches)
    assert str(other) == str(batches)
    assert other.paths == source.paths


def test_what_a_subclass_makes_of_many_records_is_what_is_batched(source):
    class Lengths(DataSource):
        def __getitems__(self, indices):
            return [len(one) for one in super().__getitems__(indices)]

    assert Lengths(source.reader).batches(3)[0] == [len(record(number)) for number in range(3)]


def test_no_records_are_no_batches(source):
    empty = source[:0].batches(10, shuffle=True)
    assert len(empty) == 0
    assert list(empty) == []
    with pytest.raises(IndexError):
        empty[0]


@pytest.mark.parametrize("options", [{"seed": -1}, {"block": 0}, {"window": 0}, {"shuffle": False, "block": 8}])
def test_an_impossible_option_is_refused(source, options):
    with pytest.raises(OptionError):
        source.batches(10, **{"shuffle": True, **options})


@pytest.mark.parametrize("size", [0, -1, 2.5, True])
def test_an_impossible_size_is_refused(source, size):
    with pytest.raises(OptionError, match="batch_size"):
        source.batches(size)


def test_a_switch_is_true_or_false(source):
    with pytest.raises(RecordTypeError, match="shuffle"):
        source.batches(10, shuffle=7)

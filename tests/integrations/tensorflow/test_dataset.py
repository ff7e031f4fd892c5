"""`dataset`: which strings come, in which order, and how many."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

tf = pytest.importorskip("tensorflow")

import octavo  # noqa: E402 - after the skip
from octavo.errors import NotFoundError, OptionError, RecordTypeError  # noqa: E402
from octavo.integrations.tensorflow import dataset  # noqa: E402
from octavo.shuffle import Mixture, Permutation, Sampler  # noqa: E402
from tests.integrations.tensorflow.samples import COUNT, numbers, record, write  # noqa: E402

ALL = list(range(COUNT))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("tensorflow")
    return write(folder / "records.array_record")


def test_records_come_as_strings(path):
    records = dataset(path)
    assert records.element_spec == tf.TensorSpec((), tf.string)
    assert list(records.as_numpy_iterator()) == [record(number) for number in ALL]


def test_batches_come_as_vectors(path):
    batches = dataset(path, batch=64)
    assert batches.element_spec == tf.TensorSpec((None,), tf.string)
    assert [len(batch) for batch in batches] == [64, 64, 64, 8]
    assert numbers(batches) == ALL


def test_full_batches_have_a_static_shape(path):
    batches = dataset(path, batch=64, drop_remainder=True)
    assert batches.element_spec == tf.TensorSpec((64,), tf.string)
    assert numbers(batches) == ALL[:192]


@pytest.mark.parametrize("batch", [None, 7])
def test_the_order_is_that_of_a_permutation(path, batch: int | None):
    found = numbers(dataset(path, shuffle=True, seed=5, batch=batch))
    assert found == list(Permutation(COUNT, seed=5))


@pytest.mark.parametrize("batch", [None, 7])
def test_every_epoch_has_its_own_order(path, batch: int | None):
    found = numbers(dataset(path, shuffle=True, seed=5, batch=batch, epochs=3))
    assert found == [number for epoch in range(3) for number in Permutation(COUNT, seed=5, epoch=epoch)]


def test_repeating_repeats_the_same_order(path):
    found = numbers(dataset(path, shuffle=True, seed=5, batch=10).repeat(2))
    assert found == list(Permutation(COUNT, seed=5)) * 2


def test_blocks_stay_together(path):
    found = numbers(dataset(path, shuffle=True, seed=5, batch=10, block=8, window=4))
    assert found == list(Permutation(COUNT, seed=5, block=8, window=4))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, COUNT),
        ({"epochs": 3}, 3 * COUNT),
        ({"epochs": 0}, 0),
        ({"epochs": None}, -1),
        ({"batch": 64}, 4),
        ({"batch": 64, "epochs": 3}, 12),
        ({"batch": 64, "drop_remainder": True, "epochs": 3}, 9),
        ({"batch": 64, "epochs": None}, -1),
        ({"batch": 64, "world_size": 3, "rank": 2}, 2),
        ({"batch": COUNT + 1, "drop_remainder": True, "epochs": None}, 0),
    ],
)
def test_the_cardinality_is_known_and_true(path, options, expected: int):
    found = dataset(path, shuffle=True, **options)
    assert found.cardinality() == expected
    if expected >= 0:
        assert sum(1 for _ in found) == expected
    else:
        assert sum(1 for _ in found.take(2 * COUNT)) == 2 * COUNT


def test_no_records_are_no_elements(path):
    for options in ({}, {"batch": 4}, {"epochs": None}):
        found = dataset(octavo.open(path)[:0], **options)
        assert found.cardinality() == 0
        assert list(found) == []


@pytest.mark.parametrize("batch", [None, 16])
def test_ranks_share_every_epoch(path, batch: int | None):
    shares = [numbers(dataset(path, shuffle=True, batch=batch, epochs=2, rank=rank, world_size=3)) for rank in range(3)]
    assert sorted(number for share in shares for number in share) == sorted(ALL * 2)


@pytest.mark.parametrize("size", [COUNT - 1, COUNT + 1])
def test_a_sampler_of_other_records_is_refused(path, size):
    with pytest.raises(OptionError, match=f"the sampler is of {size} records; there are {COUNT} here"):
        dataset(path, sampler=Sampler(size, batch_size=16))


def test_a_sampler_says_everything_and_where_to_begin(path):
    sampler = Sampler(COUNT, batch_size=16, seed=3, rank=1, world_size=2)
    whole = numbers(dataset(path, sampler=sampler, epochs=2))
    sampler.load_state_dict(sampler.state_after(3))
    found = dataset(path, sampler=sampler, epochs=2)
    assert found.cardinality() == 4 + 7
    assert numbers(found) == whole[48:]
    assert sampler.position == 96, "it stays where it was"


def test_a_job_goes_on_with_another_number_of_ranks(path):
    def samplers(ranks: int) -> list[Sampler]:
        return [Sampler(COUNT, batch_size=4, seed=3, rank=rank, world_size=ranks) for rank in range(ranks)]

    before = samplers(8)
    seen = [number for one in before for number in numbers(dataset(path, sampler=one).take(3))]
    after = samplers(6)
    for one in after:
        one.load_state_dict(before[0].state_after(3))
    rest = [number for one in after for number in numbers(dataset(path, sampler=one))]
    assert sorted(seen + rest) == ALL


def test_a_sampler_at_the_end_of_its_epoch_goes_on_with_the_next(path):
    sampler = Sampler(COUNT, batch_size=50, seed=3)
    sampler.load_state_dict(sampler.state_after(4))
    assert numbers(dataset(path, sampler=sampler)) == list(Permutation(COUNT, seed=3, epoch=1))


def test_a_sampler_of_a_mixture_mixes_files(path, tmp_path):
    other = write(tmp_path / "other.array_record", 50)
    sampler = Sampler(Mixture([COUNT, 50], [1, 3], seed=1, samples=100), batch_size=20)
    found = numbers(dataset([path, other], sampler=sampler))
    assert len(found) == 100
    assert sum(number >= 50 for number in found) < 25


def test_a_sampler_goes_its_own_way_meanwhile(path):
    sampler = Sampler(COUNT, batch_size=50, seed=3)
    found = dataset(path, sampler=sampler)
    sampler.load_state_dict({**sampler.state_dict(), "seed": 4, "position": 100})
    assert numbers(found) == list(Permutation(COUNT, seed=3))


@pytest.mark.parametrize("name", ["a.ffr", "a.riegeli", "a.recordio", "a.tfrecord", "a.tfrecord.gz"])
def test_every_format_is_read(name: str, tmp_path):
    path = write(tmp_path / name, 30)
    assert sorted(numbers(dataset(path, shuffle=True, batch=8))) == list(range(30))


def test_every_kind_of_location_is_read(path):
    content = path.read_bytes()
    for location in (str(path), [path], content, io.BytesIO(content), octavo.open(path)):
        assert numbers(dataset(location, batch=100)) == ALL


def test_options_reach_the_reader(path):
    with pytest.raises(octavo.errors.OptionError, match="nonsense"):
        dataset(path, io="nonsense")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="check_data: the reader is open already"):
        dataset(octavo.open(path), check_data=False)


def test_a_missing_file_is_an_error_at_once(tmp_path):
    with pytest.raises(NotFoundError):
        dataset(tmp_path / "none.ffr")


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"batch": 0}, OptionError, "batch is 0"),
        ({"batch": 2.5}, OptionError, "batch is 2.5"),
        ({"epochs": -1}, OptionError, "epochs is -1"),
        ({"seed": -1}, OptionError, "seed is -1"),
        ({"rank": 2, "world_size": 2}, OptionError, "rank is 2"),
        ({"num_parallel_calls": 0}, OptionError, "num_parallel_calls is 0"),
        ({"shuffle": 7}, RecordTypeError, "shuffle is True or False"),
        ({"drop_remainder": None}, RecordTypeError, "drop_remainder is True or False"),
        ({"sampler": [1, 2]}, RecordTypeError, "sampler is an octavo.shuffle.Sampler, not list"),
        ({"sampler": Sampler(COUNT), "seed": 3}, OptionError, "a sampler says itself"),
    ],
)
def test_an_impossible_option_is_refused(path, options, kind: type[Exception], message: str):
    with pytest.raises(kind, match=message):
        dataset(path, **options)

"""Data sets inside of TensorFlow: transformations, functions, Keras, errors."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

import octavo  # noqa: E402 - after the skip
from octavo.integrations.tensorflow import dataset  # noqa: E402
from octavo.shuffle import Permutation  # noqa: E402
from tests.integrations.tensorflow.samples import COUNT, number_of, numbers, record, write  # noqa: E402

ALL = list(range(COUNT))


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "records.ffr")


def test_transformations_follow(path):
    found = dataset(path).skip(10).take(100).shuffle(50, seed=1).repeat(2).prefetch(tf.data.AUTOTUNE)
    assert found.cardinality() == 200
    assert sorted(numbers(found)) == sorted(ALL[10:110] * 2)


def test_batches_can_be_cut_in_other_ways(path):
    found = dataset(path, batch=64).unbatch().batch(30).map(tf.strings.length)
    assert [length for lengths in found for length in lengths.numpy()] == [len(record(number)) for number in ALL]


@pytest.mark.parametrize("calls", [1, 4, tf.data.AUTOTUNE])
def test_the_order_does_not_depend_on_who_is_first(path, calls: int):
    options = tf.data.Options()
    options.deterministic = False
    found = dataset(path, shuffle=True, seed=2, batch=3, num_parallel_calls=calls).with_options(options)
    assert numbers(found) == list(Permutation(COUNT, seed=2))


def test_a_function_goes_through_a_data_set_from_outside(path):
    batches = dataset(path, batch=64)

    @tf.function
    def total_length():
        total = tf.constant(0)
        for batch in batches:
            total += tf.reduce_sum(tf.strings.length(batch))
        return total

    expected = sum(len(record(number)) for number in ALL)
    assert [total_length().numpy() for _ in range(2)] == [expected] * 2


def test_a_function_goes_through_a_data_set_of_its_own(path, capfd):
    @tf.function
    def count():
        total = tf.constant(0)
        for batch in dataset(str(path), batch=64):
            total += tf.size(batch)
        return total

    assert [count().numpy() for _ in range(3)] == [COUNT] * 3
    assert "AutoGraph" not in capfd.readouterr().err


def test_data_sets_can_be_zipped_and_interleaved(path):
    first, second = dataset(path, batch=50), dataset(path, shuffle=True, batch=50)
    assert sum(1 for _ in tf.data.Dataset.zip((first, second))) == 4
    mixed = tf.data.Dataset.range(2).interleave(lambda _: dataset(str(path)), cycle_length=2)
    assert sorted(numbers(mixed)) == sorted(ALL * 2)


def test_keras_trains_from_it(tmp_path):
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((256, 4), dtype=np.float32)
    rows = np.concatenate([inputs, inputs @ [[1.0], [-2.0], [0.5], [3.0]]], axis=1, dtype=np.float32)
    path = tmp_path / "rows.ffr"
    with octavo.create(path) as writer:
        writer.write_many(rows)

    def decode(batch):
        values = tf.io.decode_raw(batch, tf.float32)
        return tf.ensure_shape(values[:, :4], (None, 4)), values[:, 4:]

    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile(optimizer=tf.keras.optimizers.SGD(0.1), loss="mse")
    endless = dataset(path, shuffle=True, batch=32, epochs=None).map(decode)
    first = model.fit(endless, epochs=5, steps_per_epoch=8, verbose=0, shuffle=False)
    again = model.fit(dataset(path, shuffle=True, batch=32).map(decode), epochs=2, verbose=0, shuffle=False)
    assert again.history["loss"][-1] < first.history["loss"][0] / 100


def test_a_strategy_takes_it_for_the_devices_of_this_process(path):
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    shared = strategy.experimental_distribute_dataset(dataset(path, shuffle=True, batch=16))
    parts = [part for batch in shared for part in strategy.experimental_local_results(batch)]
    assert sorted(number_of(one) for part in parts for one in part.numpy()) == ALL


def test_a_damaged_record_is_named_in_the_error(path):
    content = bytearray(path.read_bytes())
    content[content.index(record(77))] ^= 1
    found = iter(dataset(bytes(content), batch=25))
    seen = [next(found) for _ in range(3)]
    assert number_of(seen[-1].numpy()[-1]) == 74
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"record 77.*checksum"):
        next(found)
    assert number_of(next(found).numpy()[0]) == 100, "and the next batch can be read"


def test_a_reader_that_is_closed_is_an_error(path):
    reader = octavo.open(path)
    batches = dataset(reader, batch=10)
    reader.close()
    with pytest.raises(tf.errors.InvalidArgumentError, match="closed"):
        next(iter(batches))

"""`tf.data.Dataset.from_generator` over the drop-in, as in the user's guide: `tensorflow_generator.py PATH`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import octavo.compat

octavo.compat.activate("array_record")
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np  # noqa: E402 - after the redirection
import tensorflow as tf  # noqa: E402
from array_record.python import array_record_data_source  # noqa: E402


def create_tf_dataset(filename: str) -> Any:
    """A data set that opens its file anew in every epoch."""

    def generator() -> Iterator[bytes]:
        with array_record_data_source.ArrayRecordDataSource(filename) as source:
            for key in range(len(source)):
                yield source[key]

    return tf.data.Dataset.from_generator(generator, output_signature=tf.TensorSpec(shape=(), dtype=tf.string))


if __name__ == "__main__":
    path = sys.argv[1]
    expected = octavo.open(path, format="array_record").read_all()
    dataset = create_tf_dataset(path).batch(32).prefetch(tf.data.AUTOTUNE)
    for _ in range(2):
        batches = [batch.numpy().tolist() for batch in dataset]
        assert len(batches[0]) == 32
        assert [record for batch in batches for record in batch] == expected
    source = array_record_data_source.ArrayRecordDataSource(path)

    def read(keys: Any) -> Any:
        return tf.numpy_function(lambda keys: np.array(source[keys], dtype=object), [keys], tf.string)

    # Shuffled by TensorFlow, read in batches.
    shuffled = tf.data.Dataset.range(len(source)).shuffle(1000, seed=1).batch(16).map(read)
    assert sorted(record for batch in shuffled for record in batch.numpy().tolist()) == sorted(expected)

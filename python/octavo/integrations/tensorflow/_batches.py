"""The batches of all epochs by number, and the `tf.data.Dataset` that goes through the numbers."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import tensorflow as tf

from octavo.integrations.tensorflow._calls import made, read_in_graph
from octavo.shuffle import Sampler
from octavo.shuffle._arguments import whole

if TYPE_CHECKING:
    import numpy.typing as npt

    from octavo import Reader

_BLOCK_BYTES = 2**20
_MOST_IN_BLOCK = 1024
"""What is read at once where records are handed out one by one."""

_keys = itertools.count()


class Batches:
    """The batches of all epochs by one running number; or blocks, where records are handed out one by one."""

    def __init__(self, reader: Reader, sampler: Sampler, epochs: int | None) -> None:
        self._reader = reader
        self._sampler = sampler
        self._epochs = None if epochs is None else whole("epochs", epochs)
        self._begin = sampler.epoch, sampler.position
        self._length = sampler.batch_size or _records_in_block(reader)
        self._first = self._steps_from(sampler.position)
        self._others = self._steps_from(0)
        self._key = next(_keys)
        made[self._key] = self

    def dataset(self, num_parallel_calls: int) -> tf.data.Dataset:
        """What reads these batches, and keeps their reader open for as long as it lives."""
        key, batch = self._key, self._sampler.batch_size if self._sampler.drop_last else None

        def read(step: tf.Tensor) -> tf.Tensor:
            return tf.ensure_shape(read_in_graph(key, step), [batch])

        count = self._over_all(self._first, self._others)
        steps = tf.data.Dataset.range(count if count >= 0 else tf.int64.max)
        self._live_with(steps)
        found = steps.map(read, num_parallel_calls=num_parallel_calls, deterministic=True)
        if self._sampler.batch_size is None:
            found = found.unbatch()
            count = self._over_all(self._samples_from(self._begin[1]), self._samples_from(0))
        return found.apply(tf.data.experimental.assert_cardinality(count))

    def _live_with(self, steps: tf.data.Dataset) -> None:
        """Stay as long as somebody may read, and no longer."""
        # Data sets hold those that they are made from, and iterators hold their data sets. But a data set that is made
        # while a function is traced goes when that is done, and the graph remains.
        keeper = steps if tf.executing_eagerly() else tf.compat.v1.get_default_graph()
        keeper.octavo_batches = [*getattr(keeper, "octavo_batches", ()), self]

    def _samples_from(self, position: int) -> int:
        return self._sampler.count_from(position)

    def _steps_from(self, position: int) -> int:
        return -(-self._samples_from(position) // self._length)

    def _over_all(self, first: int, others: int) -> int:
        """What all epochs have together of what the first and every other one has; -1 for no end, as in TensorFlow."""
        if self._epochs is None:
            return -1 if others else first
        return first + others * (self._epochs - 1) if self._epochs else 0

    def __getitem__(self, step: int) -> npt.NDArray[np.object_]:
        """The records of a batch."""
        epoch, position = self._begin
        if step >= self._first:
            later, step = divmod(step - self._first, self._others)
            epoch, position = epoch + later + 1, 0
        position += step * self._length * self._sampler.world_size
        _, numbers = next(self._sampler.runs(epoch, position, self._length))
        return np.array(self._reader.read(numbers), dtype=object)


def _records_in_block(reader: Reader) -> int:
    mean = reader._total_bytes // max(len(reader), 1)  # noqa: SLF001 - part of octavo
    return max(1, min(_BLOCK_BYTES // max(mean, 1), _MOST_IN_BLOCK))

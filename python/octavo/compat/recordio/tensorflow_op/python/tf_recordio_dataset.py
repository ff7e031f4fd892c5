"""`RecordIODataset`: the strings of the one chunk at an offset, of any dialect and codec."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from octavo.compat.recordio.recordio.reader import Reader


class RecordIODataset(tf.compat.v1.data.Dataset):  # type: ignore[misc]  # TensorFlow has no types
    """The records of the chunk that begins at byte `offset` of a file.

    It has the methods of TensorFlow 1, which code for the original may call, and those of TensorFlow 2.
    Both arguments may be tensors: `offsets.flat_map(lambda offset: RecordIODataset(path, offset))` reads a whole file.
    """

    def __init__(self, filename: Any, offset: Any = 0) -> None:
        where = tf.data.Dataset.from_tensors((_name(filename), tf.cast(offset, tf.int64)))
        self._chunk = where.flat_map(_records_at)
        super().__init__()

    # How data sets of one's own are made: what they are, and what from.

    def _as_variant_tensor(self) -> Any:
        return self._chunk._variant_tensor  # noqa: SLF001

    def _inputs(self) -> list[Any]:
        return [self._chunk]

    @property
    def element_spec(self) -> Any:
        """A string for each record."""
        return tf.TensorSpec([], tf.string)


def _name(filename: Any) -> Any:
    return tf.convert_to_tensor(os.fspath(filename) if isinstance(filename, os.PathLike) else filename, tf.string)


def _records_at(filename: Any, offset: Any) -> Any:
    records = tf.numpy_function(_read, [filename, offset], tf.string)
    return tf.data.Dataset.from_tensor_slices(tf.ensure_shape(records, [None]))


def _read(filename: bytes, offset: int) -> npt.NDArray[np.object_]:
    """All records at once: one call of Python for a chunk, not one for a record."""
    # As objects: NumPy's own strings lose zeros at the end.
    return np.array(list(Reader(filename, int(offset), encoding=None)), dtype=object)

"""From TensorFlow's graphs into Python and back: batches are called by a number that stands for their data set.

TensorFlow keeps every function of Python that a graph has ever called, and all that the function refers to. So there is
one function here for all data sets, and it refers to none of them.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from typing import TYPE_CHECKING, Protocol

import numpy as np
import tensorflow as tf

from octavo.errors import ClosedError

if TYPE_CHECKING:
    import numpy.typing as npt


class ByStep(Protocol):
    """What can be called from a graph."""

    def __getitem__(self, step: int) -> npt.NDArray[np.object_]:
        """The records of a batch."""


made: weakref.WeakValueDictionary[int, ByStep] = weakref.WeakValueDictionary()
"""The data sets that somebody still has."""


def _read(key: np.int64, step: np.int64) -> npt.NDArray[np.object_]:
    batches = made.get(int(key))
    if batches is None:
        raise ClosedError("this data set is gone: keep a reference to it, or to an iterator, while records are read")
    with _readers:
        return batches[int(step)]


@tf.function(input_signature=[tf.TensorSpec((), tf.int64), tf.TensorSpec((), tf.int64)], autograph=False)  # type: ignore[untyped-decorator]
def read_in_graph(key: tf.Tensor, step: tf.Tensor) -> tf.Tensor:
    """The records of a batch, as a vector of strings; traced once."""
    return tf.numpy_function(_read, [key, step], tf.string, stateful=False)


class _Readers:
    """TensorFlow's threads that are in Python.

    An iterator that is still there when the interpreter ends is destroyed too late: its threads are not let into Python
    any more, and its destructor waits for them for ever. They stop by themselves when all is there that is to be read
    ahead, so at exit it is enough to wait for that.
    """

    def __init__(self) -> None:
        self._inside: set[int] = set()
        self._last = 0.0

    def __enter__(self) -> None:
        self._inside.add(threading.get_ident())

    def __exit__(self, *_: object) -> None:
        self._last = time.monotonic()
        self._inside.discard(threading.get_ident())

    def wait(self) -> None:
        """Until none has come for a while."""
        give_up = time.monotonic() + _AT_MOST_S
        while (now := time.monotonic()) < give_up and (self._inside or now < self._last + _QUIET_S):
            time.sleep(_QUIET_S / 10)


_QUIET_S = 0.1
_AT_MOST_S = 10.0

_readers = _Readers()
atexit.register(_readers.wait)

"""TensorFlow, the original of TFRecord files. It is large: cases that need it are skipped where it is not installed."""

from __future__ import annotations

import functools
import importlib
import itertools
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.engines.base import Engine, Run, exhaust

RECORDS_AT_ONCE = 1_024
SUFFIXES = {"": ".tfrecord", "GZIP": ".tfrecord.gz"}


class TensorFlow(Engine):
    """`TFRecordDataset` as its users loop over it, and `TFRecordWriter`."""

    module = "tensorflow"
    distribution = "tensorflow"
    operations = frozenset({"iterate", "write", "import"})
    is_optional = True

    def __init__(self, variant: str = "", compression: str = "") -> None:
        self.name = f"tensorflow:{variant}" if variant else "tensorflow"
        self.suffix = SUFFIXES[compression]
        self.compression = compression

    def load(self) -> None:
        _tensorflow()

    def open(self, path: Path) -> Any:
        """A description: every loop opens the file anew."""
        return _tensorflow().data.TFRecordDataset(str(path), compression_type=self.compression)

    def fetch(self, reader: Any, records: list[int]) -> list[bytes]:
        """All records up to the last one wanted: there is no random access."""
        found = list(_in_batches(reader.take(max(records) + 1)))
        return [found[record] for record in records]

    def iterate(self, reader: Any) -> Run:
        return lambda: exhaust(self.records(reader))

    def records(self, reader: Any) -> Iterator[bytes]:
        """What a `for` loop goes over."""
        records: Iterator[bytes] = reader.as_numpy_iterator()
        return records

    def write(self, path: Path, records: Iterable[bytes]) -> None:
        with _tensorflow().io.TFRecordWriter(str(path), self.compression) as writer:
            for record in records:
                writer.write(record)


class TensorFlowBatched(TensorFlow):
    """The same, but a thousand records cross into Python at once."""

    operations = frozenset({"iterate"})

    def records(self, reader: Any) -> Iterator[bytes]:
        return _in_batches(reader)


class TensorFlowOne(TensorFlow):
    """The iterator of TensorFlow 1, deprecated: the quickest that it has."""

    operations = frozenset({"iterate"})

    def open(self, path: Path) -> Any:
        io = _tensorflow().compat.v1.io
        options = _tensorflow().io.TFRecordOptions(self.compression)
        return functools.partial(io.tf_record_iterator, str(path), options)

    def fetch(self, reader: Any, records: list[int]) -> list[bytes]:
        found = list(itertools.islice(reader(), max(records) + 1))
        return [found[record] for record in records]

    def records(self, reader: Any) -> Iterator[bytes]:
        records: Iterator[bytes] = reader()
        return records


PLAIN = TensorFlow()
PLAIN_BATCHED = TensorFlowBatched("batched")
PLAIN_ONE = TensorFlowOne("one")
GZIP = TensorFlow("gzip", "GZIP")

TENSORFLOWS: tuple[Engine, ...] = (
    PLAIN,
    PLAIN_BATCHED,
    PLAIN_ONE,
    GZIP,
    TensorFlowBatched("gzip-batched", "GZIP"),
    TensorFlowOne("gzip-one", "GZIP"),
)


def _in_batches(dataset: Any) -> Iterator[bytes]:
    return itertools.chain.from_iterable(dataset.batch(RECORDS_AT_ONCE).as_numpy_iterator())


@functools.cache
def _tensorflow() -> Any:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # nothing between the lines of the tables
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # the same: it announces itself
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")  # nothing here is for a GPU, and looking for one takes seconds
    tensorflow = importlib.import_module("tensorflow")
    tensorflow.get_logger().setLevel("ERROR")
    return tensorflow

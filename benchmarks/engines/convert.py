"""TFRecord to ArrayRecord: `octavo.convert`, and the loops that one writes without it."""

from __future__ import annotations

import importlib
from pathlib import Path

from benchmarks.engines import tensorflow
from benchmarks.engines.array_record import ZSTD, ArrayRecord
from benchmarks.engines.base import Engine


class _Conversion(Engine):
    suffix = tensorflow.PLAIN.suffix
    operations = frozenset({"convert"})
    original = tensorflow.PLAIN
    target = ArrayRecord(layout=ZSTD)

    def needed(self) -> list[Engine]:
        return [*super().needed(), self.target]


class OctavoConvert(_Conversion):
    """Default options, which are those of `ZSTD`; what was written is synced to storage, read back and compared."""

    name = "octavo:convert"
    module = "octavo"
    distribution = "octavo"

    def convert(self, source: Path, target: Path) -> None:
        importlib.import_module("octavo").convert(source, target)


class LoopConvert(_Conversion):
    """A `for` loop of TensorFlow that hands each record to the writer of array_record."""

    module = "tensorflow"
    distribution = "tensorflow"
    is_optional = True

    def __init__(self, name: str, reader: tensorflow.TensorFlow) -> None:
        self.name = name
        self.reader = reader

    def load(self) -> None:
        self.reader.load()
        self.target.load()

    def convert(self, source: Path, target: Path) -> None:
        self.target.write(target, self.reader.records(self.reader.open(source)))


CONVERSIONS: tuple[Engine, ...] = (
    OctavoConvert(),
    LoopConvert("loop:tensorflow", tensorflow.PLAIN),
    LoopConvert("loop:tensorflow-batched", tensorflow.PLAIN_BATCHED),
    LoopConvert("loop:tensorflow-one", tensorflow.PLAIN_ONE),
)

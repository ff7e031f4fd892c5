"""The drop-ins: octavo under the names of the originals, as programs that were written for those call it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.engines import pyrecordio
from benchmarks.engines.array_record import RAW, ZSTD, ArrayRecord, Layout
from benchmarks.engines.base import Engine, Run, call_each, subscript_each


class _DropIn(Engine):
    module = "octavo"
    distribution = "octavo"
    operations = frozenset({"single", "batch"})

    def close(self, reader: Any) -> None:
        reader.close()


class FFRecordDropIn(_DropIn):
    """`ffrecord.FileReader`, whose records are arrays."""

    name = "drop-in:ffrecord"
    suffix = ".ffr"

    def open(self, path: Path) -> Any:
        return importlib.import_module("octavo.compat.ffrecord").FileReader(str(path))

    def fetch(self, reader: Any, records: list[int]) -> list[bytes]:
        return [array.tobytes() for array in [*reader.read(records[:-1]), reader.read_one(records[-1])]]

    def single(self, reader: Any, order: list[int]) -> Run:
        def run() -> None:
            for record in order:
                reader.read_one(record)

        return run

    def batch(self, reader: Any, batches: list[list[int]]) -> Run:
        return lambda: call_each(reader.read, batches)


class OctavoArrays(_DropIn):
    """What `ffrecord.FileReader` is in front of: the unified reader, asked for arrays."""

    name = "octavo:arrays"
    suffix = ".ffr"

    def open(self, path: Path) -> Any:
        return importlib.import_module("octavo").open(path)

    def fetch(self, reader: Any, records: list[int]) -> list[bytes]:
        return [array.tobytes() for array in [*reader.read_arrays(records[:-1]), reader.read_array(records[-1])]]

    def single(self, reader: Any, order: list[int]) -> Run:
        def run() -> None:
            for record in order:
                reader.read_array(record)

        return run

    def batch(self, reader: Any, batches: list[list[int]]) -> Run:
        return lambda: call_each(reader.read_arrays, batches)


class ArrayRecordDropIn(_DropIn):
    """`ArrayRecordDataSource`."""

    def __init__(self, variant: str, layout: Layout) -> None:
        self.name = f"drop-in:{variant}"
        self.suffix = layout.suffix
        self.original = ArrayRecord(layout=layout)

    def open(self, path: Path) -> Any:
        module = importlib.import_module("octavo.compat.array_record.python.array_record_data_source")
        return module.ArrayRecordDataSource(str(path))

    def close(self, reader: Any) -> None:
        reader.__exit__(None, None, None)

    def fetch(self, reader: Any, records: list[int]) -> list[bytes]:
        return [*reader.__getitems__(records[:-1]), reader[records[-1]]]

    def single(self, reader: Any, order: list[int]) -> Run:
        return lambda: subscript_each(reader, order)

    def batch(self, reader: Any, batches: list[list[int]]) -> Run:
        return lambda: call_each(reader.__getitems__, batches)


class RecordIODropIn(_DropIn):
    """`recordio.File`."""

    name = "drop-in:recordio"
    suffix = pyrecordio.CHUNKS_1K.suffix
    original = pyrecordio.CHUNKS_1K
    operations = frozenset({"single"})

    def open(self, path: Path) -> Any:
        return importlib.import_module("octavo.compat.recordio").File(str(path), "r")

    def fetch(self, reader: Any, records: list[int]) -> list[bytes]:
        get: Callable[[int], bytes] = reader.get
        return [get(record) for record in records]

    def single(self, reader: Any, order: list[int]) -> Run:
        def run() -> None:
            for record in order:
                reader.get(record)

        return run


DROP_INS: tuple[Engine, ...] = (
    FFRecordDropIn(),
    OctavoArrays(),
    ArrayRecordDropIn("array_record-raw", RAW),
    ArrayRecordDropIn("array_record-zstd", ZSTD),
    RecordIODropIn(),
)

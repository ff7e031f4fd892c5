"""Reading: the driver cuts the records into partitions, tasks read one each as Arrow batches."""

from __future__ import annotations

import dataclasses
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import BinaryType, LongType, StringType, StructType

import octavo
from octavo import Partition, Reader
from octavo._arguments import at_least_one
from octavo._options import parse_bytes
from octavo.errors import OctavoError, OptionError, UnsupportedError
from octavo.integrations import arrow

_PARTITION_BYTES = "128MB"  # what Spark's own file sources take
_NUMBERS_AT_ONCE = 65_536

_TYPES = {
    ("record", BinaryType): pa.binary(),
    ("record", StringType): pa.string(),
    ("number", LongType): pa.int64(),
    ("path", StringType): pa.string(),
}


@dataclasses.dataclass(frozen=True)
class Columns:
    """What rows consist of."""

    schema: pa.Schema

    @classmethod
    def asked(cls, schema: StructType) -> Columns:
        """The columns of a schema of Spark."""
        names = [field.name for field in schema]
        types = [_TYPES.get((field.name, type(field.dataType))) for field in schema]
        if None in types or not types or len(set(names)) < len(names):
            asked = ", ".join(f"{field.name} {field.dataType.simpleString()}" for field in schema)
            raise OptionError(
                f"the columns ({asked}) cannot be read; a schema has one or more of: record binary (or string), "
                "number bigint, path string"
            )
        kinds = zip(schema, types, strict=True)
        return cls(pa.schema([pa.field(field.name, kind, nullable=field.nullable) for field, kind in kinds]))

    def batches(self, partition: Partition, options: dict[str, Any]) -> Iterator[pa.RecordBatch]:
        """The rows of a partition."""
        with partition.open() as reader:
            start = 0
            for records, count in self._records(reader, options):
                columns = {"record": lambda found=records: found}
                columns["number"] = partial(_numbers, partition.start + start, count)
                columns["path"] = partial(_paths, reader, start, count)
                yield pa.RecordBatch.from_arrays([columns[name]() for name in self.schema.names], schema=self.schema)
                start += count

    def _records(self, reader: Reader, options: dict[str, Any]) -> Iterator[tuple[pa.Array | None, int]]:
        """Records in batches, and how many they are; only how many, if nobody asks for records."""
        if "record" in self.schema.names:
            kind = self.schema.field("record").type
            yield from ((batch.column(0), len(batch)) for batch in arrow.scan(reader, type=kind, **options))
            return
        for start in range(0, len(reader), _NUMBERS_AT_ONCE):
            yield None, min(_NUMBERS_AT_ONCE, len(reader) - start)


class RecordReader(DataSourceReader):  # type: ignore[misc]  # PySpark is taken as Any
    """Spark calls `partitions` in the driver and `read` in tasks, with a copy of this object."""

    def __init__(
        self,
        location: str | list[str],
        opening: dict[str, Any],
        cutting: dict[str, Any],
        batches: dict[str, Any],
        columns: Columns,
    ) -> None:
        self._location = location
        self._opening = opening
        self._cutting = cutting
        self._batches = batches
        self._columns = columns

    def partitions(self) -> Sequence[InputPartition]:
        """One for each task."""
        try:
            with octavo.open(self._location, **self._opening) as reader:
                return [InputPartition(partition) for partition in _cut(reader, **self._cutting)]
        except UnsupportedError as error:
            # It is a NotImplementedError, which Spark takes here for "one partition, without a value".
            raise OctavoError(str(error), path=error.path) from error

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one of them."""
        if partition.value is None:  # Spark's partition where there are none
            return iter(())
        return self._columns.batches(partition.value, self._batches)


def _cut(
    reader: Reader,
    *,
    partitions: int | None = None,
    max_records: int | None = None,
    partition_bytes: str = _PARTITION_BYTES,
) -> list[Partition]:
    if partitions is not None:
        return reader.partitions(at_least_one("partitions", partitions))
    if max_records is not None:
        return reader.partitions(max_records=at_least_one("max_records", max_records, at_most=2**63 - 1))
    most = at_least_one("partition_bytes", parse_bytes(partition_bytes, name="partition_bytes"), at_most=2**63 - 1)
    return reader.partitions(max(1, -(-reader.info.total_bytes // most)))


def _numbers(first: int, count: int) -> pa.Array:
    return pa.Array.from_buffers(pa.int64(), count, [None, pa.py_buffer(array("q", range(first, first + count)))])


def _paths(reader: Reader, start: int, count: int) -> pa.Array:
    """The path of each of `count` records, from number `start` of the reader on."""
    starts, paths = reader._file_starts, reader.paths  # noqa: SLF001 - part of the package
    begin = reader._view[0] + start  # noqa: SLF001 - the same
    inner = [edge for edge in starts[bisect_right(starts, begin) :] if edge < begin + count]
    runs = pairwise([begin, *dict.fromkeys(inner), begin + count])
    return pa.concat_arrays([pa.repeat(paths[bisect_right(starts, a) - 1], b - a).cast(pa.string()) for a, b in runs])

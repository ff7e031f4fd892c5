"""Records as Arrow: streams of record batches for pyarrow, Polars, DuckDB and whatever else reads Arrow.

A batch that the native core has read is an Arrow array as it is, so the records' bytes are not copied on their way. A
`Stream` reads nothing until somebody asks, holds one batch at a time, and begins anew for everyone who asks.

>>> import pyarrow
>>> from octavo.integrations import arrow
>>> pyarrow.table(arrow.scan("train.ffr")).num_rows
100
"""

from __future__ import annotations

import operator
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias

from octavo._arguments import at_least_one, check_switches
from octavo._closing import Closing
from octavo._open import open
from octavo._options import parse_bytes
from octavo._partition import Partition
from octavo._reader import Reader
from octavo.errors import FormatError, OptionError, RecordTypeError

try:
    import pyarrow as pa
except ImportError as error:
    message = "octavo.integrations.arrow needs pyarrow: pip install 'octavo[arrow]'"
    raise ImportError(message) from error

if TYPE_CHECKING:
    from octavo._core import Batch
    from octavo._location import Location

__all__ = ["Stream", "batches", "read", "scan"]

Source: TypeAlias = "Reader | Partition | Location"
Indices: TypeAlias = Iterable[SupportsIndex]
Numbers: TypeAlias = Callable[[], "array[int]"]
Pieces: TypeAlias = Callable[[Reader], Iterator[tuple["Batch", Numbers]]]

_TYPES = {str(kind): kind for kind in (pa.large_binary(), pa.binary(), pa.large_string(), pa.string())}
_TYPES |= {"large_utf8": pa.large_string(), "utf8": pa.string()}


def scan(
    source: Source,
    *,
    batch_size: int = 8192,
    batch_bytes: int | str = "16MB",
    name: str = "record",
    type: str | pa.DataType = "large_binary",  # noqa: A002 - pyarrow's word
    numbers: bool = False,
) -> Stream:
    """All records, in order.

    Args:
        source: Anything that `octavo.open` takes, a reader (a slice is one, too), or a partition.
        batch_size: Records of a batch, at most.
        batch_bytes: A batch ends before its records weigh more than this. A larger record has a batch of its own, and
            of records that share chunks a batch takes whole chunks.
        name: Name of the column.
        type: Its type: `large_binary`, which is how records are read, `binary`, or for text `large_string` and
            `string`, which are checked to be UTF-8.
        numbers: Add a column `number` with the records' numbers: in the reader or the location; of a partition, in
            the whole data set.
    """
    rows = at_least_one("batch_size", batch_size)
    most_bytes = at_least_one("batch_bytes", parse_bytes(batch_bytes, name="batch_bytes"), at_most=2**63 - 1)
    columns = _Columns.chosen(name, type, numbers=numbers)
    reader, first = _reader_of(source)
    return Stream(reader, columns, partial(_in_order, first=first, rows=rows, most_bytes=most_bytes), reader is source)


def batches(
    source: Source,
    indices: Iterable[Indices],
    *,
    name: str = "record",
    type: str | pa.DataType = "large_binary",  # noqa: A002 - pyarrow's word
    numbers: bool = False,
) -> Stream:
    """Records by number, a batch for each list of numbers.

    Args:
        source: As for `scan`. Of a partition, too, the numbers begin at 0.
        indices: Something that gives lists or arrays of record numbers, such as an `octavo.shuffle.Sampler` with a
            batch size. It is gone through anew for each reading of the stream; of an iterator there can be only one.
        name: Name of the column.
        type: Its type, as for `scan`.
        numbers: Add a column `number` with the records' numbers.
    """
    if not isinstance(indices, Iterable):
        raise RecordTypeError(f"batches takes an iterable of lists of record numbers, not {_kind(indices)}")
    columns = _Columns.chosen(name, type, numbers=numbers)
    reader, _ = _reader_of(source)
    chosen = _Once(indices) if isinstance(indices, Iterator) else indices
    return Stream(reader, columns, partial(_by_number, indices=chosen), reader is source)


def read(
    source: Source,
    indices: Indices,
    *,
    name: str = "record",
    type: str | pa.DataType = "large_binary",  # noqa: A002 - pyarrow's word
    numbers: bool = False,
) -> pa.RecordBatch:
    """One batch: the records with these numbers, in this order. For the arguments see `batches`."""
    with batches(source, [indices], name=name, type=type, numbers=numbers) as stream:
        return next(iter(stream))


class Stream(Closing):
    """Record batches that are read when they are asked for. Every reading of the stream begins anew.

    Give it to whatever takes Arrow streams: `pyarrow.table(stream)`, `polars.DataFrame(stream)`, or by its name in a
    query of DuckDB. Iterating gives each `pyarrow.RecordBatch`, and raises octavo's own errors; other programs get
    their message.
    """

    def __init__(self, reader: Reader, columns: _Columns, pieces: Pieces, is_borrowed: bool) -> None:  # noqa: FBT001 - private
        self._reader = reader
        self._columns = columns
        self._pieces = pieces
        self._is_borrowed = is_borrowed

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns."""
        return self._columns.schema

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return starmap(self._columns.batch_of, self._pieces(self._reader))

    def reader(self) -> pa.RecordBatchReader:
        """A reader of pyarrow, which can be read once."""
        return pa.RecordBatchReader.from_batches(self.schema, iter(self))

    def to_table(self) -> pa.Table:
        """All of it in memory."""
        return pa.Table.from_batches(self, self.schema)

    def __arrow_c_schema__(self) -> Any:
        """The schema, for others that speak Arrow."""
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The stream, for others that speak Arrow; columns are cast if they ask for other types."""
        return self.reader().__arrow_c_stream__(requested_schema)

    def close(self) -> None:
        """Close the files, if it was the stream that has opened them."""
        if not self._is_borrowed:
            self._reader.close()

    def __repr__(self) -> str:
        columns = ", ".join(f"{field.name}: {field.type}" for field in self.schema)
        return f"<Arrow stream ({columns}) from {self._reader!r}>"


@dataclass(frozen=True)
class _Columns:
    """What becomes of a batch."""

    schema: pa.Schema

    @classmethod
    def chosen(cls, name: object, column_type: object, *, numbers: bool) -> _Columns:
        check_switches(numbers=numbers)
        if not isinstance(name, str):
            raise RecordTypeError(f"name is a text, not {_kind(name)}")
        if (kind := _TYPES.get(str(column_type))) is None:
            raise OptionError(f"type {str(column_type)!r} is none of: {', '.join(_TYPES)}")
        if numbers and name == "number":
            raise OptionError("the records' numbers are a column called 'number'; choose another name for the records")
        counted = [pa.field("number", pa.int64())] if numbers else []
        return cls(pa.schema([pa.field(name, kind), *counted]))

    def batch_of(self, batch: Batch, numbers: Numbers) -> pa.RecordBatch:
        arrays = [self._records(batch, numbers)]
        if len(self.schema) > 1:
            arrays.append(pa.Array.from_buffers(pa.int64(), len(batch), [None, pa.py_buffer(numbers())]))
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _records(self, batch: Batch, numbers: Numbers) -> pa.Array:
        records, kind = pa.array(batch), self.schema.field(0).type
        if records.type == kind:
            return records
        try:
            return records.cast(kind)  # offsets may become smaller; the bytes stay where they are
        except pa.ArrowInvalid as error:
            raise _refusal(batch, numbers, kind, error) from None


def _refusal(batch: Batch, numbers: Numbers, kind: pa.DataType, error: Exception) -> FormatError:
    """Why a batch cannot have that type: which record it is."""
    for record, number in zip(batch, numbers(), strict=True):
        try:
            str(record, "utf-8")
        except UnicodeDecodeError as reason:
            message = (
                f"record {number} is not UTF-8 text ({reason.reason} at byte {reason.start}); read it as large_binary"
            )
            return FormatError(message, record=number)
    return FormatError(f"records cannot become {kind}: {error}")


def _in_order(reader: Reader, *, first: int, rows: int, most_bytes: int) -> Iterator[tuple[Batch, Numbers]]:
    start, count = 0, len(reader)
    while start < count:
        batch = reader._read_block(start, rows, most_bytes)  # noqa: SLF001 - part of the package
        stop = start + len(batch)
        yield batch, partial(array, "q", range(first + start, first + stop))
        del batch  # whoever has it decides how long it stays
        start = stop


def _by_number(reader: Reader, *, indices: Iterable[Indices]) -> Iterator[tuple[Batch, Numbers]]:
    for one in indices:
        chosen = list(one) if isinstance(one, Iterator) else one  # numbers may be asked for a second time
        yield reader.read_batch(chosen), partial(_from_the_start, chosen, len(reader))


class _Once:
    """What can be gone through only once, and says so the second time instead of being empty."""

    def __init__(self, items: Iterator[Indices]) -> None:
        self._items: Iterator[Indices] | None = items

    def __iter__(self) -> Iterator[Indices]:
        items, self._items = self._items, None
        if items is None:
            raise OptionError("these numbers came from an iterator, which is used up; give a list, or a sampler")
        return items


def _from_the_start(indices: Indices, count: int) -> array[int]:
    """The same numbers, with those that count from the end as others are."""
    return array("q", (number + count if number < 0 else number for number in map(operator.index, indices)))


def _reader_of(source: Source) -> tuple[Reader, int]:
    """A reader, and the number of its first record."""
    if isinstance(source, Reader):
        return source, 0
    if isinstance(source, Partition):
        return source.open(), source.start
    return open(source), 0


def _kind(value: object) -> str:
    return type(value).__name__

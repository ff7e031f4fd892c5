"""Parquet: a column of bytes or text is records; rows of several columns are JSON objects. Needs pyarrow."""

from __future__ import annotations

import contextlib
import itertools
import json
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import IO, Any, NamedTuple, TypeAlias

from octavo._convert._blocks import in_blocks
from octavo._convert._input import Given, Inputs, check_size
from octavo._convert._publish import Target, open_output, refusals
from octavo._convert._source import BLOCK_BYTES, BLOCK_RECORDS, Block
from octavo.errors import DamagedFileError, FormatError, OctavoError, OptionError, UnsupportedError, of_os_error
from octavo.storage import StoredObject
from octavo.storage._reader_file import open_stored

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
except ImportError as error:
    message = "Parquet files need pyarrow: pip install 'octavo[arrow]'"
    raise ImportError(message, name=error.name) from error

Records: TypeAlias = Callable[[pa.RecordBatch, int], Iterator[bytes]]

COLUMN = "record"
_GROUP_BYTES = 64 << 20
_GROUP_ROWS = 1 << 20
_MOST_VALUE_BYTES = (1 << 31) - (8 << 20)  # a page with it and what is before it in its block
_ROWS_AT_ONCE = 64  # where the size of rows is not known
_DICTIONARIES = {"PLAIN_DICTIONARY", "RLE_DICTIONARY"}

_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class _File(NamedTuple):
    """What is known of a file before its records are read."""

    path: str
    handle: str | IO[bytes]
    rows: list[int]
    """How many there are in each group."""


class ParquetSource:
    """Files, one after the other."""

    def __init__(self, inputs: Given, *, column: str | None = None) -> None:
        named = Inputs(inputs)
        self._column = column
        self.total_bytes = named.total_bytes
        handles = [_handle(one) for one in (inputs if isinstance(inputs, Sequence) else [inputs])]
        self._files = list(map(self._look_at, named.names, handles))
        self.record_count: int | None = sum(sum(file.rows) for file in self._files)

    def count(self) -> int:
        """How many records there are."""
        return self.record_count or 0

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[Block]:
        """Records `start` to `stop`, in order; groups of rows before them are not read."""
        return in_blocks(self._records(start, self.count() if stop is None else stop), lambda: None)

    def close(self) -> None:
        """Nothing stays open between blocks."""

    def _look_at(self, path: str, handle: str | IO[bytes]) -> _File:
        with _opened(path, handle) as file:
            _Choice.of(file.schema_arrow, self._column, path)  # what cannot be is said before anything is written
            groups = range(file.metadata.num_row_groups)
            return _File(path, handle, [file.metadata.row_group(group).num_rows for group in groups])

    def _records(self, start: int, stop: int) -> Iterator[bytes]:
        for file in self._files:
            rows = sum(file.rows)
            if start < rows and stop > 0:
                with _opened(file.path, file.handle) as opened:
                    choice = _Choice.of(opened.schema_arrow, self._column, file.path)
                    first_row = 0
                    for group, group_rows in enumerate(file.rows):
                        first, last = max(start - first_row, 0), min(stop - first_row, group_rows)
                        for batch, row in _batches(opened, group, choice.column, first, last):
                            yield from choice.records(batch, first_row + row)
                        first_row += group_rows
            start, stop = start - rows, stop - rows


def _batches(file: Any, group: int, column: str | None, first: int, last: int) -> Iterator[tuple[pa.RecordBatch, int]]:
    """Rows `first` to `last` of a group, some at a time, and the number of the first of them."""
    if first >= last:
        return
    columns = None if column is None else [column]
    at = 0
    for batch in file.iter_batches(_rows_at_once(file.metadata.row_group(group), column), [group], columns):
        skipped = min(max(first - at, 0), len(batch))
        if wanted := batch.slice(skipped, last - at - skipped):
            yield wanted, at + skipped
        if (at := at + len(batch)) >= last:
            return


def _rows_at_once(group: Any, column: str | None) -> int:
    chunks = [group.column(number) for number in range(group.num_columns)]
    chunks = [one for one in chunks if column is None or f"{one.path_in_schema}.".startswith(f"{column}.")]
    size: int = sum(chunk.total_uncompressed_size for chunk in chunks) // max(group.num_rows, 1)
    # Values that repeat are stored once, so there the stored size tells little of what they come to in memory.
    repeat = any(not _DICTIONARIES.isdisjoint(chunk.encodings) for chunk in chunks)
    return min(max(BLOCK_BYTES // max(size, 1), 1), _ROWS_AT_ONCE if repeat else BLOCK_RECORDS)


class _Choice(NamedTuple):
    """What becomes records: the values of a column, or whole rows."""

    column: str | None
    """The column's name, with dots where it is a field of a structure; None for rows."""
    records: Records

    @classmethod
    def of(cls, schema: pa.Schema, column: str | None, path: str) -> _Choice:
        if column is None and len(schema) == 1 and _is_binary(schema.field(0).type):
            column = schema.field(0).name
        if column is None:
            if not len(schema) or not all(map(_is_jsonable, schema.types)) or len(set(schema.names)) < len(schema):
                raise OptionError(f"{path}: choose the column that is the record: {_listed(schema)}", path=path)
            return cls(None, partial(_rows, path=path))
        names = [column] if schema.get_field_index(column) >= 0 else column.split(".")
        kind = _type_at(schema, names)
        if kind is None:
            raise OptionError(f"{path}: there is no column {column!r}, but: {_listed(schema)}", path=path)
        if not _is_binary(kind) and not _is_jsonable(kind):
            raise OptionError(f"{path}: column {column!r} of type {kind} cannot be a record", path=path)
        return cls(column, partial(_values, path=path, names=names))


def _values(batch: pa.RecordBatch, row: int, *, path: str, names: list[str]) -> Iterator[bytes]:
    """The values of a column: bytes as they are, text as UTF-8, all else as JSON."""
    column = batch.column(batch.schema.get_field_index(names[0]))
    for name in names[1:]:
        column = pc.struct_field(column, name)
    if column.null_count:
        null = row + pc.index(column.is_null(), value=True).as_py()
        raise FormatError(f"{path}: row {null}: column {'.'.join(names)!r} is null, which no record can be", path=path)
    return _bytes_of(column)


def _rows(batch: pa.RecordBatch, row: int, *, path: str) -> Iterator[bytes]:
    """Rows as JSON objects, with their keys in the order of the columns."""
    for start in range(0, len(batch), _ROWS_AT_ONCE):
        try:
            rows = batch.slice(start, _ROWS_AT_ONCE).to_pylist()
        except ValueError as error:  # text that is not UTF-8
            where = f"rows {row + start} to {row + min(start + _ROWS_AT_ONCE, len(batch)) - 1}"
            raise FormatError(f"{path}: {where} cannot be JSON: {error}", path=path) from error
        yield from (_to_json(one).encode() for one in rows)


def _bytes_of(column: pa.Array) -> Iterator[bytes]:
    column = getattr(column, "storage", column)  # of an extension type
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_fixed_size_binary(column.type):
        return iter(column.to_pylist())
    if _is_binary(column.type):
        return iter(column.cast(pa.large_binary()).to_pylist())  # the bytes stay where they are
    return (_to_json(value).encode() for value in column.to_pylist())


def _is_binary(kind: pa.DataType) -> bool:
    """Whether values are bytes or text."""
    kind = _stored(kind)
    is_bytes: bool = pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind)
    return is_bytes or pa.types.is_fixed_size_binary(kind) or _is_text(kind)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_jsonable(kind: pa.DataType) -> bool:
    """Whether values are what JSON has."""
    kind = _stored(kind)
    if pa.types.is_struct(kind):
        fields = [kind.field(number) for number in range(kind.num_fields)]
        return all(_is_jsonable(field.type) for field in fields) and len({one.name for one in fields}) == len(fields)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return _is_jsonable(kind.value_type)
    is_number: bool = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    return is_number or pa.types.is_null(kind) or pa.types.is_boolean(kind) or _is_text(kind)


def _stored(kind: pa.DataType) -> pa.DataType:
    """The type under an extension's or a dictionary's."""
    kind = getattr(kind, "storage_type", kind)
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _type_at(schema: pa.Schema, names: list[str]) -> pa.DataType | None:
    """The type of a column, or of a field in its structures."""
    if schema.get_field_index(names[0]) < 0:
        return None
    kind = schema.field(names[0]).type
    for name in names[1:]:
        if not pa.types.is_struct(kind) or kind.get_field_index(name) < 0:
            return None
        kind = kind.field(name).type
    return kind


def _listed(schema: pa.Schema) -> str:
    return ", ".join(f"{field.name!r} ({field.type})" for field in schema) or "there are none"


def _handle(one: str | StoredObject | IO[bytes]) -> str | IO[bytes]:
    if isinstance(one, StoredObject):
        return open_stored(one)
    name, seekable = getattr(one, "name", "a stream"), getattr(one, "seekable", None)
    if not isinstance(one, str) and (seekable is None or not seekable()):
        raise UnsupportedError(f"{name}: Parquet is read from its end: put the stream into a file first", path=name)
    return one


@contextlib.contextmanager
def _opened(path: str, handle: str | IO[bytes]) -> Iterator[Any]:
    """A file of pyarrow's, with its errors told as ours."""
    try:
        with pq.ParquetFile(handle, buffer_size=1 << 20) as file:
            yield file
    except OctavoError:
        raise
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno:
            raise of_os_error(error, f"{path}: cannot read: {error.strerror}", path) from error
        reason = str(error).partition("\n")[0]
        raise DamagedFileError(f"{path}: cannot be read as Parquet: {reason}", path=path) from error


def _array(records: list[bytes]) -> pa.Array:
    offsets = array("i", itertools.accumulate(map(len, records), initial=0))
    content = records[0] if len(records) == 1 else b"".join(records)
    buffers = [None, *map(pa.py_buffer, (offsets, content))]
    return pa.Array.from_buffers(pa.binary(), len(records), buffers, null_count=0)


class ParquetSink:
    """One file with one column of bytes."""

    def __init__(self, target: Target, *, overwrite: bool = False, column: str | None = None) -> None:
        self._schema = pa.schema([pa.field(column or COLUMN, pa.binary(), nullable=False)])
        self._output = open_output(target, overwrite=overwrite)
        self._waiting: list[pa.Array] = []
        self._waiting_rows = self._waiting_bytes = 0
        with refusals(self._output.name, "write"):
            self._writer = pq.ParquetWriter(
                self._output,
                self._schema,
                compression="zstd",
                use_dictionary=False,  # records seldom repeat
                write_statistics=False,  # nobody looks for the smallest record
                write_batch_size=64,  # so often it is seen whether a page is full
            )

    def write(self, block: Block) -> None:
        """Add records."""
        check_size(max(map(len, block.records), default=0), "a record", self._output.name, most=_MOST_VALUE_BYTES)
        size = sum(map(len, block.records))
        if size >= _GROUP_BYTES:
            self._write_group()  # a page has 2 GB at most, and nothing else may be in that of a very large record
        self._waiting.append(_array(block.records))
        self._waiting_rows += len(block.records)
        self._waiting_bytes += size
        if self._waiting_bytes >= _GROUP_BYTES or self._waiting_rows >= _GROUP_ROWS:
            self._write_group()

    def close(self) -> None:
        """Finish: the file appears, whole and durable."""
        with contextlib.closing(self._output):
            self._write_group()
            with refusals(self._output.name, "write"):
                self._writer.close()
            self._output.commit()

    def abort(self) -> None:
        """Give up: nothing is left."""
        self._output.close()
        with contextlib.suppress(ValueError, OSError):  # it has nowhere to write to any more
            self._writer.close()

    def _write_group(self) -> None:
        if not self._waiting_rows:
            return
        records = pa.chunked_array(self._waiting, pa.binary())
        with refusals(self._output.name, "write"):
            self._writer.write_table(pa.table([records], schema=self._schema), row_group_size=self._waiting_rows)
        self._waiting, self._waiting_rows, self._waiting_bytes = [], 0, 0

"""The records of an Arrow column, as views into its memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from octavo.errors import OptionError, RecordTypeError
from octavo.integrations.ray._ray import pa


def records_of(table: pa.Table, name: str) -> Iterator[Iterable[memoryview]]:
    """For each piece of the column of that name, its records. Nothing is copied, and what is no record is refused."""
    if name not in table.column_names:
        raise OptionError(f"there is no column {name!r} to write; the columns are: {', '.join(table.column_names)}")
    column = table.column(name)
    kind = column.type
    if column.null_count:
        row = next(row for row, is_null in enumerate(column.is_null().to_pylist()) if is_null)
        raise RecordTypeError(f"column {name!r} has null in it, first in row {row} of a block: null is no record")
    if not _is_binary(kind):
        raise RecordTypeError(f"column {name!r} is of type {kind}; records are bytes: {_remedy(kind)}")
    for piece in column.chunks:
        if len(piece):
            yield _views(piece.cast(pa.large_binary()))


def _views(piece: pa.Array) -> Iterable[memoryview]:
    _, offsets, data = piece.buffers()
    edges = memoryview(offsets).cast("q")[piece.offset : piece.offset + len(piece) + 1].tolist()
    content = memoryview(data if data is not None else b"")
    return map(content.__getitem__, map(slice, edges[:-1], edges[1:]))


def _is_binary(kind: pa.DataType) -> bool:
    is_one_of = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_fixed_size_binary)
    return any(check(kind) for check in is_one_of)


def _remedy(kind: pa.DataType) -> str:
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return "encode the text, as in text.encode()" if is_text else "make bytes of each row first"

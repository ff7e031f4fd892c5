"""From a location to an input: which container it names, and what opens that."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeGuard, cast

from octavo._convert import _foreign
from octavo._convert._any_input import AnyInput, ChainedInput, ForeignInput, RecordInput
from octavo._location import FORMAT_OF_SUFFIX, PathLocation, expand, format_of_name
from octavo._open import Format
from octavo._open import open as open_records
from octavo.errors import FormatError, OptionError

if TYPE_CHECKING:
    from octavo._convert import Container
    from octavo._location import Location

RECORD_FORMATS = tuple(dict.fromkeys(FORMAT_OF_SUFFIX.values()))
FOREIGN = ("jsonl", "tar", "parquet", "folder")
_SEVERAL = 2


def open_input(
    location: Location, format: Container | None = None, *, column: str | None = None, layout: str = "auto"
) -> AnyInput:
    """Open whatever a location names; `column` and `layout` are for the containers that have them."""
    if format is not None and format not in (*RECORD_FORMATS, *FOREIGN):
        message = f"format {format!r} is none of: {', '.join((*RECORD_FORMATS, *FOREIGN))}"
        raise OptionError(message)
    if format is None and _is_list(location) and len({kind_of(one)[0] for one in location}) > 1:
        return _chained(location, column, layout)
    kind, inputs = (None, location) if format in RECORD_FORMATS else kind_of(location)
    kind = format if format in FOREIGN else kind
    if kind is None:
        return _open_records(inputs, cast("Format | None", format), column, layout)
    options = {"column": column, "layout": layout}
    if hasattr(inputs, "read"):
        return ForeignInput(kind, inputs, [], options)
    if isinstance(inputs, bytes | bytearray | memoryview):
        return ForeignInput(kind, io.BytesIO(inputs), [], options)
    paths = _foreign_paths(kind, inputs)
    return ForeignInput(kind, paths, paths, options)


def kind_of(location: Location) -> tuple[str | None, Location]:
    """The foreign container that a location's names tell, or None for records; and the location, looked up once."""
    if isinstance(location, str | os.PathLike):
        path = os.fsdecode(location)
        return _kind_of_directory(path) if os.path.isdir(path) else (_kind_of_path(path), location)
    if _is_list(location) and location:
        return kind_of(location[0])[0], location
    return None, location


def _is_list(location: object) -> TypeGuard[Sequence[PathLocation]]:
    return isinstance(location, list | tuple) and all(isinstance(one, str | os.PathLike) for one in location)


def _open_records(location: Location, format: Format | None, column: str | None, layout: str) -> AnyInput:
    if column is not None or layout != "auto":
        message = "column and layout are for tar files, JSON lines and Parquet: records have neither"
        raise OptionError(message)
    try:
        return RecordInput(open_records(location, format=format))
    except FormatError:
        # One reader is of one format; several formats are several readers.
        if format is not None or not _is_list(location) or len(location) < _SEVERAL:
            raise
    return _chained(location, column, layout)


def _chained(locations: Sequence[PathLocation], column: str | None, layout: str) -> ChainedInput:
    parts: list[RecordInput | ForeignInput] = []
    try:
        for one in locations:
            is_foreign = kind_of(one)[0] is not None
            part = open_input(one, column=column, layout=layout) if is_foreign else open_input(one)
            parts.append(cast("RecordInput | ForeignInput", part))
    except BaseException:
        ChainedInput(parts).close()
        raise
    return ChainedInput(parts)


def _kind_of_directory(path: str) -> tuple[str | None, Location]:
    """A directory of record files, of files of one other kind and nothing else, or just a folder."""
    names = sorted(os.listdir(path))
    if any(format_of_name(name) for name in names):
        return None, path
    files = [os.path.join(path, name) for name in names]
    kinds = {_foreign.kind_of(one) if os.path.isfile(one) else None for one in files}
    if len(kinds) == 1 and None not in kinds:
        return kinds.pop(), cast("Location", files)
    return "folder", path


def _kind_of_path(path: str) -> str | None:
    first = os.fspath(cast("str", expand(path)[0]))  # a glob and a sharded name tell by their first file
    return None if format_of_name(first) else _foreign.kind_of(first)


def _foreign_paths(kind: str, location: Location) -> list[str]:
    if isinstance(location, list | tuple):
        return [path for one in location for path in _foreign_paths(kind, cast("Location", one))]
    if kind == "folder":
        return [os.path.abspath(os.fsdecode(cast("str", location)))]
    if isinstance(location, str | os.PathLike) and os.path.isdir(location):
        names = (os.path.join(os.fsdecode(location), name) for name in sorted(os.listdir(location)))
        return [os.path.abspath(name) for name in names if _foreign.kind_of(name) == kind]
    return [cast("str", one) for one in expand(location)]

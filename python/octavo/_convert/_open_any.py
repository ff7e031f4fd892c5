"""From a location to an input: which container it names, and what opens that."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any, TypeGuard, cast

from octavo._convert import _foreign
from octavo._convert._any_input import AnyInput, ChainedInput, File, ForeignInput, RecordInput
from octavo._convert._in_store import objects_meant
from octavo._convert._overlooked import refuse_records_as_files, warn_of_skipped
from octavo._location import FORMAT_OF_SUFFIX, PathLocation, as_text, expand, format_of_name, is_manifest, is_remote
from octavo._open import Format
from octavo._open import open as open_records
from octavo.errors import FormatError, OptionError, UnsupportedError
from octavo.storage import InStore, StoredObject

if TYPE_CHECKING:
    from octavo._convert import Container
    from octavo._location import Location

RECORD_FORMATS = tuple(dict.fromkeys(FORMAT_OF_SUFFIX.values()))
FOREIGN = ("jsonl", "tar", "parquet", "folder")
_SEVERAL = 2


def open_input(
    location: Location,
    format: Container | None = None,
    *,
    column: str | None = None,
    layout: str = "auto",
    option: str | None = "source_format",
) -> AnyInput:
    """Open whatever a location names; `column` and `layout` are for the containers that have them.

    `option` is what the caller calls `format`; who has no such option gets any folder as it is.
    """
    if format is not None and format not in (*RECORD_FORMATS, *FOREIGN):
        message = f"format {format!r} is none of: {', '.join((*RECORD_FORMATS, *FOREIGN))}"
        raise OptionError(message)
    is_in_store = any(map(is_remote, location if _is_list(location) else [location]))
    if format == "folder" and is_in_store:
        message = "folders of files are read from this machine; in an object store, use tar files instead"
        raise UnsupportedError(message)
    if format is None and _is_list(location) and len({kind_of(one)[0] for one in location}) > 1:
        return _chained(location, column, layout, option)
    is_said = format in RECORD_FORMATS or (format is not None and is_in_store)
    kind, inputs = (None, location) if is_said else kind_of(location)
    kind = format if format in FOREIGN else kind
    if kind is None:
        return _open_records(inputs, cast("Format | None", format), column, layout, option)
    options = {"column": column, "layout": layout}
    if hasattr(inputs, "read"):
        return ForeignInput(kind, cast("IO[bytes]", inputs), options)
    if isinstance(inputs, bytes | bytearray | memoryview):
        return ForeignInput(kind, io.BytesIO(inputs), options)
    files = _foreign_files(kind, inputs)
    if kind == "folder" and format is None and option is not None:
        for folder in files:
            refuse_records_as_files(cast("str", folder), option)
    return ForeignInput(kind, files, options)


def kind_of(location: Location) -> tuple[str | None, Location]:
    """The foreign container that a location's names tell, or None for records; and the location, looked up once."""
    if is_remote(location):
        return objects_meant(location)
    if isinstance(location, str | os.PathLike):
        path = as_text(location)
        return _kind_of_directory(path) if os.path.isdir(path) else (_kind_of_path(path), location)
    if _is_list(location) and location:
        return kind_of(location[0])[0], location
    return None, location


def _is_list(location: object) -> TypeGuard[Sequence[PathLocation]]:
    return isinstance(location, list | tuple) and all(isinstance(one, str | os.PathLike | InStore) for one in location)


def _open_records(
    location: Location, format: Format | None, column: str | None, layout: str, option: str | None
) -> AnyInput:
    if column is not None or layout != "auto":
        message = "column and layout are for tar files, JSON lines and Parquet: records have neither"
        raise OptionError(message)
    try:
        opened = RecordInput(open_records(location, format=format))
    except FormatError as error:
        if option is not None:
            error.args = (str(error).replace("pass format=", f"pass {option}="),)
        # One reader is of one format; several formats are several readers.
        if format is not None or not _is_list(location) or len(location) < _SEVERAL:
            raise
    else:
        for one in location if _is_list(location) else [location]:
            if isinstance(one, str | os.PathLike) and not is_remote(one) and os.path.isdir(as_text(one)):
                warn_of_skipped(as_text(one))
        return opened
    return _chained(location, column, layout, option)


def _chained(locations: Sequence[PathLocation], column: str | None, layout: str, option: str | None) -> ChainedInput:
    parts: list[RecordInput | ForeignInput] = []
    try:
        for one in locations:
            is_foreign = kind_of(one)[0] is not None
            told: dict[str, Any] = {"column": column, "layout": layout} if is_foreign else {}
            part = open_input(one, option=option, **told)
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
    if is_manifest(path):
        return None  # they list record files alone
    first = os.fspath(cast("str", expand(path)[0]))  # a glob and a sharded name tell by their first file
    return None if format_of_name(first) else _foreign.kind_of(first)


def _foreign_files(kind: str, location: Location) -> list[File]:
    if isinstance(location, list | tuple):
        return [file for one in location for file in _foreign_files(kind, cast("Location", one))]
    if isinstance(location, StoredObject):
        return [location]
    if is_remote(location):
        return _foreign_files(kind, objects_meant(location, kind)[1])
    if kind == "folder":
        return [os.path.abspath(as_text(cast("str", location)))]
    if isinstance(location, str | os.PathLike) and os.path.isdir(as_text(location)):
        path = as_text(location)
        names = (os.path.join(path, name) for name in sorted(os.listdir(path)))
        return [os.path.abspath(name) for name in names if _foreign.kind_of(name) == kind]
    return [cast("str", one) for one in expand(location)]

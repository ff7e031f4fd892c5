"""Containers that are not record files, by kind: what their names end in, and what reads and writes them.

Each has its module, which is imported when it is needed.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Literal, TypeAlias, cast

from octavo._convert._plan import without_shard_number
from octavo.errors import OptionError, RecordTypeError
from octavo.storage import StoredObject

if TYPE_CHECKING:
    from octavo._convert._source import Sink, Source

Kind: TypeAlias = Literal["jsonl", "tar", "parquet", "folder"]
Layout: TypeAlias = Literal["auto", "files", "samples"]

SUFFIXES: dict[Kind, tuple[str, ...]] = {
    "jsonl": (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
    "tar": (".tar", ".tar.gz", ".tgz"),
    "parquet": (".parquet",),
    "folder": (),
}
LAYOUTS = ("auto", "files", "samples")

# What each of them can be told, when it is read and when it is written.
_READING: dict[Kind, set[str]] = {"jsonl": {"column"}, "tar": {"layout"}, "parquet": {"column"}, "folder": set()}
_WRITING: dict[Kind, set[str]] = {
    "jsonl": set(),
    "tar": {"layout", "suffix"},
    "parquet": {"column"},
    "folder": {"suffix"},
}
_SUFFIX = ".bin"


def kind_of(path: str) -> Kind | None:
    """The container that a name tells, also with the number of a shard behind."""
    whole = without_shard_number(path)
    return next((kind for kind, suffixes in SUFFIXES.items() if whole.endswith(suffixes)), None)


def open_source(
    kind: str,
    inputs: str | StoredObject | Sequence[str | StoredObject] | bytes | IO[bytes],
    *,
    column: str | None = None,
    layout: str = "auto",
) -> Source:
    """Records of containers that are read one after the other, or of one stream.

    Args:
        kind: `jsonl`, `tar`, `parquet` or `folder`.
        inputs: Paths and objects; or the bytes of a file; or a binary stream, which stays open.
        column: Of JSON lines, the field of each object that is the record. Of Parquet, the column.
        layout: Of tar files: `files` makes each file a record, `samples` all that share a key; `auto` looks.
    """
    chosen = _checked(kind, _READING, column=column, layout=layout)
    paths = _listed(inputs)
    if chosen == "jsonl":
        from octavo._convert._jsonl import JsonlSource  # noqa: PLC0415 - each when it is needed

        return JsonlSource(paths, column=column)
    if chosen == "tar":
        from octavo._convert._tar import TarSource  # noqa: PLC0415

        return TarSource(paths, layout=cast("Layout", layout))
    if chosen == "parquet":
        from octavo._convert._parquet import ParquetSource  # noqa: PLC0415

        return ParquetSource(paths, column=column)
    from octavo._convert._files import FolderSource  # noqa: PLC0415

    if not isinstance(paths, Sequence):
        raise RecordTypeError(f"a folder is named by a path, not {type(paths).__name__}")
    return FolderSource(cast("Sequence[str]", paths))


def open_sink(
    kind: str,
    path: str | StoredObject | IO[bytes],
    *,
    overwrite: bool = False,
    column: str | None = None,
    layout: str = "auto",
    suffix: str = _SUFFIX,
) -> Sink:
    """A container to write records to, which appears when it is closed.

    Args:
        kind: `jsonl`, `tar`, `parquet` or `folder`.
        path: Where it will be; or, but for a folder, a binary stream.
        overwrite: Whether what is there may be replaced; of a folder, files of the same name.
        column: Of Parquet, the column's name; `record` if it is not given.
        layout: Of tar files: `files`, which is also `auto`, makes each record a file, `samples` the files that a
            sample was read from.
        suffix: What the names of records end in that have no name, in tar files and folders.
    """
    chosen = _checked(kind, _WRITING, column=column, layout=layout, suffix=suffix)
    if chosen == "jsonl":
        from octavo._convert._jsonl import JsonlSink  # noqa: PLC0415 - each when it is needed

        return JsonlSink(path, overwrite=overwrite)
    if chosen == "tar":
        from octavo._convert._tar import TarSink  # noqa: PLC0415

        return TarSink(path, overwrite=overwrite, layout=cast("Layout", layout), suffix=suffix)
    if chosen == "parquet":
        from octavo._convert._parquet import ParquetSink  # noqa: PLC0415

        return ParquetSink(path, overwrite=overwrite, column=column)
    from octavo._convert._files import FolderSink  # noqa: PLC0415

    if not isinstance(path, str):
        raise RecordTypeError(f"a folder is named by a path, not {type(path).__name__}")
    return FolderSink(path, overwrite=overwrite, suffix=suffix)


def _listed(
    inputs: str | StoredObject | Sequence[str | StoredObject] | bytes | IO[bytes],
) -> Sequence[str | StoredObject] | IO[bytes]:
    if isinstance(inputs, bytes | bytearray | memoryview):
        return io.BytesIO(inputs)
    return [inputs] if isinstance(inputs, str | StoredObject) else inputs


def _checked(kind: str, table: dict[Kind, set[str]], *, column: str | None, layout: str, suffix: str = _SUFFIX) -> Kind:
    """The kind, if there is such, and it has all options that were given."""
    if kind not in table:
        raise OptionError(f"format {kind!r} is none of: {', '.join(table)}")
    if layout not in LAYOUTS:
        raise OptionError(f"layout {layout!r} is none of: {', '.join(LAYOUTS)}")
    if "/" in suffix or "\\" in suffix or "\0" in suffix:
        raise OptionError(f"suffix {suffix!r} is not the end of a file's name")
    given = {"column": column is not None, "layout": layout != "auto", "suffix": suffix != _SUFFIX}
    if wrong := [name for name, is_given in given.items() if is_given and name not in table[kind]]:
        raise OptionError(f"{kind} has no such options: {', '.join(wrong)}")
    return kind

"""Which records of which files a data source has: read instructions, and the ways to write them down."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Protocol, TypeAlias, Union, runtime_checkable

import octavo
from octavo._options import ArrayRecordReaderOptions
from octavo.compat.array_record.python._files import files_named, open_files

# Where these classes are shown and pickled, as in the original.
_SHOWN_MODULE = "octavo.compat.array_record.python.array_record_data_source"

_RANGE = re.compile(r"(.*)\[(\d+):(\d+)\]")


@runtime_checkable
class FileInstruction(Protocol):
    """Some records of a file; anything with these attributes is one."""

    filename: str
    skip: int
    take: int
    examples_in_shard: int


FileInstruction.__module__ = _SHOWN_MODULE

# Types that frameworks import and combine with others, so that they exist at run time in the form of the original's.
PathLikeOrFileInstruction: TypeAlias = Union[str, os.PathLike, FileInstruction]  # type: ignore[type-arg]  # noqa: UP007
ArrayRecordDataSourcePaths: TypeAlias = Union[  # noqa: UP007
    PathLikeOrFileInstruction, Sequence[PathLikeOrFileInstruction]
]


@dataclasses.dataclass(frozen=True)
class ReadInstruction:
    """Records `start` to `end` of a file."""

    __module__ = _SHOWN_MODULE
    __qualname__ = "_ReadInstruction"

    filename: str
    start: int
    end: int
    num_records: int = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "num_records", self.end - self.start)


def as_list(paths: Any) -> Sequence[PathLikeOrFileInstruction]:
    """One path or many, as many."""
    if isinstance(paths, str | os.PathLike | FileInstruction):
        return [paths]
    if not isinstance(paths, Sequence):
        raise ValueError(  # noqa: TRY004 - the original's choice, here and below
            "Unsupported path format was used. Path format must be a Sequence, String, pathlib.Path or FileInstruction."
        )
    if not paths:
        raise ValueError("Paths sequence can not be of 0 length")
    if not all(isinstance(path, str | os.PathLike | FileInstruction) for path in paths):
        raise ValueError("All elements in a path sequence must be of type: String, pathlib.Path, or FileInstruction.")
    return paths


def look_up(
    paths: Sequence[PathLikeOrFileInstruction], options: ArrayRecordReaderOptions
) -> tuple[list[ReadInstruction], octavo.Reader | None]:
    """The instructions for these paths; and one reader of all files, if all had to be opened for that.

    Where the records to read are given, files are not opened, and nothing is checked.
    """
    items = [item for path in paths for item in _instruction_or_names(path)]
    names = [item for item in items if isinstance(item, str)]
    if not names:
        return [item for item in items if isinstance(item, ReadInstruction)], None
    reader = open_files(names, options)
    counts = (stop - start for start, stop in pairwise(reader._file_starts))  # noqa: SLF001 - part of octavo
    instructions = [ReadInstruction(item, 0, next(counts)) if isinstance(item, str) else item for item in items]
    if len(names) < len(items):
        reader.close()
        return instructions, None
    return instructions, reader


def get_read_instructions(paths: Sequence[PathLikeOrFileInstruction]) -> list[ReadInstruction]:
    """The instructions for these paths, with nothing left open."""
    instructions, counted = look_up(paths, ArrayRecordReaderOptions.parse(""))
    if counted is not None:
        counted.close()
    return instructions


def _instruction_or_names(path: PathLikeOrFileInstruction) -> Sequence[ReadInstruction | str]:
    if not isinstance(path, str) and isinstance(path, FileInstruction):  # which may be a path, too
        return [ReadInstruction(os.fspath(path.filename), path.skip, path.skip + path.take)]
    name = os.fspath(path)
    if found := _RANGE.fullmatch(name):
        return [ReadInstruction(found[1], int(found[2]), int(found[3]))]
    return files_named(name)

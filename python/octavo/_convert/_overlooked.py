"""Record files that a folder's names do not tell: `train-00000-of-00002`, `y.tfrecord.gzip`.

A folder in which no name says so is a folder of files, each of them a record. Shards of other programs often have no
suffix, and would become records as they are, without a word. Only the first bytes of some files are looked at.
"""

from __future__ import annotations

import itertools
import os
import shlex
import warnings
from collections.abc import Iterable, Iterator

from octavo import _side_files
from octavo._first_bytes import PROPER_NAMES, format_of_content
from octavo._location import format_of_name
from octavo.errors import OptionError, SkippedFilesWarning

_MOST_LOOKED_AT = 256
_MOST_NAMED = 3


def refuse_records_as_files(folder: str, option: str) -> None:
    """Raise if there are record files in what would be taken for a folder of files.

    Args:
        folder: A local folder.
        option: What the caller calls the argument that says that it is one nevertheless.
    """
    found = _told_by_content(_files_below(folder))
    if not found:
        return
    first, format = found[0]
    message = (
        f"{folder}: each file would become one record, but {os.path.relpath(first, folder)} is itself a file of "
        f"records, {PROPER_NAMES[format]} by its content; for the records inside, name the files: "
        f"{_pattern(folder, [path for path, _ in found])}; for one record a file, pass {option}='folder'"
    )
    raise OptionError(message, path=folder)


def warn_of_skipped(folder: str) -> None:
    """Warn of record files that a folder of record files is read without, because their names are not such files'."""
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if format_of_name(entry.name) is None)
    paths = (os.path.join(folder, name) for name in _no_side_files(names))
    skipped = [os.path.basename(path) for path, _ in _told_by_content(paths)]
    if not skipped:
        return
    more = f" and {len(skipped) - _MOST_NAMED} more" if len(skipped) > _MOST_NAMED else ""
    message = (
        f"{folder}: left out, because their suffix says no record format: {', '.join(skipped[:_MOST_NAMED])}{more}; "
        "by their content they are record files: name them as well, or rename them"
    )
    warnings.warn(message, SkippedFilesWarning, stacklevel=2)


def _files_below(folder: str) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        yield from (os.path.join(parent, name) for name in _no_side_files(sorted(names)))


def _no_side_files(names: Iterable[str]) -> Iterator[str]:
    return (name for name in names if not name.endswith(_side_files.ALL))


def _told_by_content(paths: Iterable[str]) -> list[tuple[str, str]]:
    looked_at = ((path, format_of_content(path)) for path in itertools.islice(paths, _MOST_LOOKED_AT))
    return [(path, format) for path, format in looked_at if format is not None]


def _pattern(folder: str, paths: list[str]) -> str:
    """What to type for these files."""
    if len(paths) == 1:
        return shlex.quote(paths[0])
    parents = {os.path.dirname(path) for path in paths}
    parent = parents.pop() if len(parents) == 1 else os.path.join(folder, "**")
    characters = zip(*(os.path.basename(path) for path in paths), strict=False)
    same = itertools.takewhile(lambda several: len(set(several)) == 1, characters)
    prefix = "".join(several[0] for several in same).rstrip("0123456789")
    return shlex.quote(os.path.join(parent, f"{prefix}*"))

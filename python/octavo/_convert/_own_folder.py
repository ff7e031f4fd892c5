"""A target must not become part of its own source: the folder, or the pattern, would mean other records from then on.

Judged by what a source would be read as once the target is there. What is written over is `_own_sources`' business, and
so are folders of which every file is a record, whatever its name.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from octavo import _side_files
from octavo._convert import _foreign
from octavo._convert._open_any import FOREIGN, kind_of
from octavo._location import as_text, format_of_name, is_remote
from octavo.errors import OptionError

if TYPE_CHECKING:
    from octavo._convert._plan import Job
    from octavo._location import Location


def refuse_own_folder(location: Location, format: str | None, jobs: list[Job]) -> None:
    """Raise if a local file to be written would be read as part of a source.

    Args:
        location: The sources, as they were named.
        format: What somebody says that they are.
        jobs: What is to be written. Files of a store are in no local folder.
    """
    for one in location if isinstance(location, list | tuple) else [location]:
        if not isinstance(one, str | os.PathLike) or is_remote(one):
            continue
        source = as_text(one)
        if os.path.isdir(source):
            _refuse(jobs, _finds_in_folder(source, format), f"is in the folder that is converted, {source}")
        elif glob.has_magic(source) and not os.path.lexists(source):
            _refuse(jobs, _Pattern(source).finds, f"matches the pattern that is converted, {source}")


def _refuse(jobs: list[Job], would_be_read: Callable[[str], bool], why: str) -> None:
    for job in jobs:
        if would_be_read(job.path):
            message = (
                f"{job.path}: the target {why}, and would be read as part of it from then on; "
                "write to another folder, or name the source files by a pattern that leaves the target out"
            )
            raise OptionError(message, path=job.path)


def _finds_in_folder(folder: str, format: str | None) -> Callable[[str], bool]:
    """Whether reading the folder finds a file."""
    kind = kind_of(folder)[0] if format is None else format if format in FOREIGN else None
    inside = os.path.join(os.path.realpath(folder), "")

    def finds(path: str) -> bool:
        written = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if not written.startswith(inside) or kind == "folder":
            return False
        if kind is not None and format is None:
            return True  # one file of another kind, or a folder, and it is read as a folder of any files
        name = written.removeprefix(inside)
        return os.sep not in name and (format_of_name(name) if kind is None else _foreign.kind_of(name)) is not None

    return finds


class _Pattern:
    """A glob of local files, asked about files that are not there yet."""

    def __init__(self, pattern: str) -> None:
        self._means_folders = pattern.endswith(os.sep)
        whole = os.path.join(glob.escape(os.getcwd()), pattern)
        self._segments = [segment for segment in whole.split(os.sep) if segment not in ("", os.curdir)]
        self._folders: dict[int, set[str]] = {}

    def finds(self, path: str) -> bool:
        """Whether it matches a file, or the folder of a record file, when they are there."""
        folder, name = os.path.split(path)
        there, new = _split_where_new(folder)
        is_record_file = format_of_name(name) is not None
        if is_record_file and self._matches(there, new):
            return True
        return not self._means_folders and not name.endswith(_side_files.ALL) and self._matches(there, [*new, name])

    def _matches(self, folder: str, new: list[str]) -> bool:
        """Whether it matches what will be so far below a folder that is there, under any of the folder's names."""
        from octavo.storage import _listing  # noqa: PLC0415 - most sources are no patterns

        for count in range(len(self._segments) + 1):
            rest = self._segments[count:]
            if count and self._segments[count - 1] == "**":  # it goes on below the folders that it matches
                rest = ["**", *rest]
            if _listing._matches(new, rest) and folder in self._matched(count):  # noqa: SLF001 - part of the package
                return True
        return False

    def _matched(self, count: int) -> set[str]:
        """The folders that are there and match so many segments, by their real paths."""
        if count not in self._folders:
            head = os.sep.join(["", *self._segments[:count], ""])  # a separator at the end: folders only
            self._folders[count] = {os.path.realpath(found) for found in glob.iglob(head, recursive=True)}
        return self._folders[count]


def _split_where_new(folder: str) -> tuple[str, list[str]]:
    """The real path of what is there of a folder, and the names of what is not."""
    new: list[str] = []
    while not os.path.isdir(folder):
        folder, name = os.path.split(folder)
        if not name:
            break
        new.insert(0, name)
    return os.path.realpath(folder), new

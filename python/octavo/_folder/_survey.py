"""The files of a folder on disk, in the order in which they are packed, and their contents."""

from __future__ import annotations

import errno
import os
import stat
from collections import OrderedDict
from collections.abc import Iterable

from octavo._folder._names import MOST_LEVELS, shown
from octavo._folder._tree import Structure
from octavo.errors import SourceChangedError

# A pipe that has taken the place of a file is not waited for.
_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Survey:
    """The files of a folder, numbered as they come: by name, each folder's where the folder stands. Links are followed.

    Args:
        left_out: Files that are not packed, if they are in the folder: those that packing writes.
    """

    def __init__(self, left_out: Iterable[str] = ()) -> None:
        self.files: list[str] = []
        self.folder_count = 0
        self._left_out = {os.path.realpath(path): os.stat(path) for path in left_out if os.path.exists(path)}
        self._above: list[os.stat_result] = []

    def folder(self, path: str) -> Structure:
        """What is in a folder, sorted by name, with all folders in it. Raises what the system raises."""
        status = status_below(path, self._above)
        structure: Structure = OrderedDict()
        self._above.append(status)
        with os.scandir(path) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_dir():
                    self.folder_count += 1
                    structure[entry.name] = self.folder(entry.path)
                elif not self._is_left_out(entry):
                    structure[entry.name] = self._file(entry)
        self._above.pop()
        return structure

    def _is_left_out(self, entry: os.DirEntry[str]) -> bool:
        for path, one in self._left_out.items():
            if one.st_ino == entry.inode() and os.path.samestat(one, entry.stat()):
                # A file of two names is left out under one of them only.
                return one.st_nlink == 1 or os.path.realpath(entry.path) == path
        return False

    def _file(self, entry: os.DirEntry[str]) -> int:
        check_file(entry)
        self.files.append(entry.path)
        return len(self.files) - 1


def status_below(path: str, above: list[os.stat_result]) -> os.stat_result:
    """What the system says of a folder that is to be entered from those above it. Raises what the system raises."""
    status = os.stat(path)
    if any(os.path.samestat(status, one) for one in above):
        raise OSError(errno.ELOOP, "a link leads back to a folder that it is in", path)
    if len(above) > MOST_LEVELS:
        raise OSError(errno.ENAMETOOLONG, f"folders are nested deeper than {MOST_LEVELS} levels", path)
    return status


def check_file(entry: os.DirEntry[str]) -> None:
    """Raise what the system raises of something that is no regular file."""
    if not entry.is_file():
        os.stat(entry.path)  # a link to nothing says so itself
        raise _not_a_file(entry.path)


def read_file(path: str) -> bytes:
    """All of a regular file, as it was at one moment: one that is written to meanwhile is a `SourceChangedError`."""
    with open(os.open(path, _READING), "rb") as file:
        before = os.fstat(file.fileno())
        if not stat.S_ISREG(before.st_mode):
            raise _not_a_file(path)
        # Not to the end: it may grow faster than it is read. What is made up by the system has the size 0.
        content = file.read(before.st_size + 1 if before.st_size else -1)
        after = os.fstat(file.fileno())
    is_whole = len(content) == before.st_size or not before.st_size
    if is_whole and (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns):
        return content
    message = f"{shown(path)}: the file changed while it was packed; pack the folder when nobody writes to it"
    raise SourceChangedError(message, path=path)


def _not_a_file(path: str) -> OSError:
    return OSError(errno.EINVAL, "not a regular file", path)  # reading a pipe might never end

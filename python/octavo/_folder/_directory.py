"""A folder that is held open, so that what is done in it is done there, whatever becomes of its path meanwhile.

Where the system has no such thing (Windows), the path stands in for it, and links are looked for before each step: what
is planted before is found, what is swapped in at the very moment may not be.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

CAN_BE_HELD = {os.open, os.mkdir, os.link, os.rename, os.stat, os.unlink} <= os.supports_dir_fd

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | getattr(os, "O_BINARY", 0)


class Directory:
    """An open folder. Names are single ones, and no link under them is ever followed."""

    def __init__(self, path: str, descriptor: int | None) -> None:
        self.path = path
        self._descriptor = descriptor

    @classmethod
    def open(cls, path: str) -> Self:
        """The folder at a path that can be trusted: links on the way to it are followed."""
        return cls(path, os.open(path, _FOLDER) if CAN_BE_HELD else None)

    def enter(self, name: str, *, make: bool) -> Directory:
        """The folder of this name, made first where that is wanted and there is nothing."""
        try:
            return self._enter(name)
        except FileNotFoundError:
            if not make:
                raise
        with contextlib.suppress(FileExistsError):  # somebody else was quicker, and what it is will be seen
            os.mkdir(self._at(name), dir_fd=self._descriptor)
        return self._enter(name)

    def _enter(self, name: str) -> Directory:
        path = os.path.join(self.path, name)
        if self._descriptor is not None:
            return Directory(path, os.open(name, _FOLDER | _NO_LINK, dir_fd=self._descriptor))
        if not is_real_folder(self.status(name)):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        return Directory(path, None)

    def create(self, name: str) -> int:
        """The descriptor of a new file, for writing."""
        return os.open(self._at(name), _NEW_FILE, 0o666, dir_fd=self._descriptor)

    def remove(self, name: str) -> None:
        """Remove a file, or a link as such."""
        os.unlink(self._at(name), dir_fd=self._descriptor)

    def replace(self, old: str, new: str) -> None:
        """Give a file another name, in place of whatever file or link has it."""
        here = self._descriptor
        os.replace(self._at(old), self._at(new), src_dir_fd=here, dst_dir_fd=here)

    def rename_to_free(self, old: str, new: str) -> None:
        """Give a file another name, which nothing must have."""
        here = self._descriptor
        try:
            # A link, unlike a rename, never replaces what somebody else has put there meanwhile.
            if here is None:
                os.link(self._at(old), self._at(new))
            else:
                os.link(old, new, src_dir_fd=here, dst_dir_fd=here, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:  # this file system has no links, or it says better below what is wrong
            if self.holds(new):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new) from None
            os.rename(self._at(old), self._at(new), src_dir_fd=here, dst_dir_fd=here)
        else:
            self.remove(old)

    def status(self, name: str) -> os.stat_result:
        """What the system knows of an entry; of a link, of the link itself."""
        return os.stat(self._at(name), dir_fd=self._descriptor, follow_symlinks=False)

    def holds(self, name: str) -> bool:
        """Whether there is anything of this name, if only a link to nothing."""
        try:
            self.status(name)
        except FileNotFoundError:
            return False
        return True

    def identity(self) -> int:
        """By what this folder can be told from all others."""
        return identity_of(os.stat(self.path if self._descriptor is None else self._descriptor))

    def close(self) -> None:
        """Let go of it."""
        if self._descriptor is not None:
            os.close(self._descriptor)

    def _at(self, name: str) -> str:
        return name if self._descriptor is not None else os.path.join(self.path, name)


def identity_of(status: os.stat_result) -> int:
    """A number that no other file has, on any device, as long as this one exists."""
    return status.st_dev << 64 | status.st_ino


def is_real_folder(status: os.stat_result) -> bool:
    """Whether this is a folder and nothing that leads to one; Windows has junctions, too."""
    reparse = getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0) & getattr(status, "st_file_attributes", 0)
    return stat.S_ISDIR(status.st_mode) and not reparse

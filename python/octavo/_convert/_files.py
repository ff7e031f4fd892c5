"""Folders: every file below is a record, named by its path. What `octavo.pack` does not pack, this does not read."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
from collections.abc import Iterator, Sequence

from octavo._arguments import as_path
from octavo._convert import _publish
from octavo._convert._blocks import in_named_blocks
from octavo._convert._source import Block
from octavo._folder._survey import check_file, read_file, status_below
from octavo._folder._target import TargetFolder
from octavo._side_files import PARTIAL
from octavo.errors import AlreadyExistsError, NotFoundError, OptionError

_IN_A_FOLDER = 1000  # records without names; more in one folder make file systems slow


class FolderSource:
    """All regular files below folders, in the order of their paths. Links are followed."""

    def __init__(self, inputs: Sequence[str]) -> None:
        self._folders = list(inputs)
        self._position = 0
        self.record_count: int | None = None
        self.total_bytes: int | None = None
        for path in self._folders:
            with _publish.refusals(path, "open"):
                os.scandir(path).close()

    def count(self) -> int:
        """How many records there are. Looks at all names the first time, and at no content."""
        if self.record_count is None:
            self.record_count = sum(1 for _ in self._files())
        return self.record_count

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[Block]:
        """Records `start` to `stop`, in order."""
        self._position = 0
        return in_named_blocks(map(self._read, itertools.islice(self._files(), start, stop)), lambda: self._position)

    def stamp(self) -> str:
        """What it is recognised by: another one if any file in it was written to, came or went."""
        import hashlib  # noqa: PLC0415 - takes long to import

        known, count = hashlib.sha256(), 0
        for count, (name, path) in enumerate(self._files(), 1):  # noqa: B007 - the last number is how many there are
            with _publish.refusals(path, "read"):
                status = os.stat(path)
            known.update(f"{name!r} {status.st_size} {status.st_mtime_ns}\n".encode())
        self.record_count = count
        return known.hexdigest()

    def close(self) -> None:
        """Nothing stays open between blocks."""

    def _read(self, file: tuple[str, str]) -> tuple[str, bytes]:
        name, path = file
        with _publish.refusals(path, "read"):
            content = read_file(path)
        self._position += len(content)
        return name, content

    def _files(self) -> Iterator[tuple[str, str]]:
        """Names and paths; each folder's files where the folder stands among its siblings."""
        for root in self._folders:
            above = [os.stat(root)]
            levels = [_entries(root)]
            names: list[str] = []
            while levels:
                entry = next(levels[-1], None)
                if entry is None:
                    levels.pop()
                    above.pop()
                    del names[-1:]
                    continue
                with _publish.refusals(entry.path, "read"):
                    if entry.is_dir():
                        above.append(status_below(entry.path, above))
                        levels.append(_entries(entry.path))
                        names.append(entry.name)
                        continue
                    check_file(entry)
                yield "/".join([*names, entry.name]), entry.path


def _entries(path: str) -> Iterator[os.DirEntry[str]]:
    with _publish.refusals(path, "list"), os.scandir(path) as entries:
        return iter(sorted(entries, key=lambda entry: entry.name))


class FolderSink:
    """A file for each record, in a folder that appears when it is whole.

    Into a folder that has files already they are written one by one, if it may be overwritten: those of the same name
    are replaced, all others stay, and giving up leaves what was written.
    """

    def __init__(self, path: str | os.PathLike[str], *, overwrite: bool = False, suffix: str = ".bin") -> None:
        if not os.fspath(path):  # which would be the working directory
            raise NotFoundError("the path of the folder to write is empty", path="")
        self.path = as_path(path, "a folder to write").rstrip(os.sep) or os.sep
        if os.path.isdir(self.path):
            self.path = os.path.realpath(self.path)  # the folder that a link leads to is replaced, not the link
        if os.path.ismount(self.path):
            message = f"{self.path}: the top of a file system cannot appear as a whole; name a folder in it"
            raise OptionError(message, path=self.path)
        self._suffix = suffix
        self._records = 0
        with _publish.refusals(self.path, "write this folder"):
            is_free = not os.path.lexists(self.path) or (os.path.isdir(self.path) and not os.listdir(self.path))
        if not is_free and not overwrite:
            raise AlreadyExistsError(f"{self.path}: there is something already", path=self.path)
        self._side = _SideFolder(self.path) if is_free else None
        self._target = TargetFolder(self.path if self._side is None else self._side.files, overwrite=overwrite)

    def write(self, block: Block) -> None:
        """Add records."""
        for position, record in enumerate(block.records):
            name = self._numbered() if block.names is None else _relative(block.names[position])
            self._target.write(name, record)
            self._records += 1

    def close(self) -> None:
        """Finish: the folder appears, whole and durable."""
        self._target.close()
        with _publish.refusals(self.path, "publish"):
            if hasattr(os, "sync"):
                os.sync()  # once for all files
            if self._side is not None:
                self._side.publish()

    def abort(self) -> None:
        """Give up: nothing is left."""
        self._target.close()
        if self._side is not None:
            self._side.remove()

    def _numbered(self) -> str:
        """Names that sort as the records come."""
        return f"{self._records // _IN_A_FOLDER:06d}/{self._records:09d}{self._suffix}"


def remove_leftover(path: str) -> None:
    """Remove what a writer has left that was killed when the folder had its name already."""
    with contextlib.suppress(OSError):
        if os.listdir(path + PARTIAL) == ["lock"]:
            _SideFolder(path).remove()


def _relative(name: str) -> str:
    """As `tar` writes names of what is in the working directory: with a dot and a slash that mean nothing."""
    while name.startswith("./"):
        name = name[2:].lstrip("/")
    return name


class _SideFolder:
    """`NAME.partial`: a folder `files` that will be called `NAME`, and a file `lock` that tells others to stay away.

    What an interrupted writer has left is removed. It is known by having these two in it and nothing else.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._side = path + PARTIAL
        self.files = os.path.join(self._side, "files")
        self._lock_path = os.path.join(self._side, "lock")
        with _publish.refusals(self._side, "create"):
            self._lock = self._make()
            shutil.rmtree(self.files, ignore_errors=True)

    def _make(self) -> int:
        while True:
            os.makedirs(self._side, exist_ok=True)
            if not {"files", "lock"}.issuperset(os.listdir(self._side)):
                message = f"{self._side}: a folder of this name is needed for a while; move what is there away"
                raise AlreadyExistsError(message, path=self._side)
            with contextlib.suppress(FileNotFoundError):  # another writer has just finished
                return _publish.open_locked(self._lock_path)

    def publish(self) -> None:
        """The files are whole."""
        if os.name == "nt" and os.path.isdir(self._path):  # elsewhere an empty folder is replaced
            os.rmdir(self._path)
        os.rename(self.files, self._path)
        self.remove()
        _publish.sync_folder(os.path.dirname(self._path))

    def remove(self) -> None:
        """Remove it, with whatever is in it still."""
        lock, self._lock = self._lock, -1
        if lock < 0:
            return
        shutil.rmtree(self.files, ignore_errors=True)
        with contextlib.suppress(OSError):
            if os.name == "nt":
                os.close(lock)
            os.unlink(self._lock_path)
            os.rmdir(self._side)
        if os.name != "nt":
            os.close(lock)

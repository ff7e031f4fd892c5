"""`TargetFolder`: files into a folder, by names that strangers have chosen, and never anywhere else."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from octavo._arguments import as_path, check_switches
from octavo._closing import Closing
from octavo._folder._directory import Directory, identity_of, is_real_folder
from octavo._folder._names import flaw, parts_of, shown
from octavo.errors import AlreadyExistsError, ClosedError, NotFoundError, OctavoError, StorageError, of_os_error

Piece: TypeAlias = bytes | bytearray | memoryview
Content: TypeAlias = Piece | Iterable[Piece]


class TargetFolder(Closing):
    """A folder that files are written into.

    Paths are relative, with slashes; `./a` and `a/../b` are refused like all that could lead elsewhere (`FormatError`;
    `_names.parts_of` judges a path before anything is written). Folders on the way are made. Links in the target are
    not followed, whether they were there before or are planted meanwhile: every folder is opened from the one above it.

    A file is under its name when it is whole: until then it is `.octavo-....partial` beside it, which goes away with
    any exception. What is there already is an `AlreadyExistsError`, unless `overwrite` is given: then files, links and
    pipes are replaced, never written through. A path that is the same to the file system as one that was written before
    (`A` and `a`, on some) is an `AlreadyExistsError` in any case. Nothing is forced to disk.

    Args:
        path: The folder; made with all above it if it is not there. It may be a link.
        overwrite: Whether files that exist may be replaced.
    """

    def __init__(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        check_switches(overwrite=overwrite)
        if path == "":  # which would be the working directory
            message = "the path of the folder to write into is empty"
            raise NotFoundError(message, path="")
        self.path = as_path(path, "a folder to write into")
        self._overwrite = overwrite
        try:
            os.makedirs(self.path, exist_ok=True)
            with os.scandir(self.path) as entries:
                self.was_empty = not any(True for _ in entries)
            self._root = Directory.open(self.path)
        except (FileExistsError, NotADirectoryError) as error:
            message = f"{shown(self.path)}: not a folder, and none can be made there"
            raise AlreadyExistsError(message, path=self.path, errno=error.errno) from error
        except OSError as error:
            message = f"{shown(self.path)}: cannot write into this folder: {error.strerror}"
            raise of_os_error(error, message, self.path) from error
        self._last = "", self._root  # the folder that was written to last, and its path
        self._folders = {self._root.identity(): ""}
        self._files: set[int] = set()
        self._closed = False

    def write(self, path: str, content: Content) -> int:
        """Make a file of bytes, or of pieces one after the other, and say how many bytes that were."""
        above, name = self._judged(path)
        with self._told(path):
            folder = self._folder(above)
        partial = f".octavo-{os.urandom(8).hex()}.partial"
        try:
            with self._told(path):
                descriptor = folder.create(partial)
            size, identity = self._fill(descriptor, content, path)
            with self._told(path):
                self._publish(folder, partial, name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                folder.remove(partial)
            raise
        self._files.add(identity)
        return size

    def _fill(self, descriptor: int, content: Content, path: str) -> tuple[int, int]:
        """Write all pieces; what making them raises is not about this file, and stays as it is."""
        size = 0
        with open(descriptor, "wb", buffering=0) as file:
            for piece in [content] if isinstance(content, bytes | bytearray | memoryview) else content:
                rest = memoryview(piece).cast("B")
                size += len(rest)
                while rest:
                    with self._told(path):
                        rest = rest[file.write(rest) :]
            return size, identity_of(os.fstat(descriptor))

    def make_folder(self, path: str) -> None:
        """Make a folder, if there is none."""
        parts_of(path)
        with self._told(path):
            self._folder(path)

    def check_free(self, path: str) -> None:
        """Raise what writing a file there would raise because of what is there already; nothing is written."""
        above, name = self._judged(path)
        with self._told(path):
            try:
                is_taken = self._folder(above, make=False).holds(name)
            except FileNotFoundError:
                return
        if is_taken and not self._overwrite:
            raise self._taken(path)

    @property
    def folder_count(self) -> int:
        """How many folders below this one were made or written to."""
        return len(self._folders) - 1

    def close(self) -> None:
        """Let go of the folder."""
        if not self._closed:
            self._leave()
            self._root.close()
        self._closed = True

    def _judged(self, path: str) -> tuple[str, str]:
        """The path of the folder and the name in it, if both can be written."""
        above, slash, name = path.rpartition("/")
        # Files mostly come folder by folder, and what was judged once is not judged again.
        if above != self._last[0] or bool(slash) != bool(above) or flaw(name):
            parts_of(path)
        return above, name

    def _folder(self, path: str, *, make: bool = True) -> Directory:
        """The folder at this path, which stays open until another is asked for."""
        if self._closed:
            message = f"{shown(self.path)}: the folder was closed"
            raise ClosedError(message, path=self.path)
        if path == self._last[0]:
            return self._last[1]
        self._leave()
        here = self._root
        names = path.split("/") if path else []
        try:
            for depth, name in enumerate(names, 1):
                inner = self._enter(here, name, make=make)
                if here is not self._root:
                    here.close()
                here = inner
                self._claim(here, "/".join(names[:depth]))
        except BaseException:
            if here is not self._root:
                here.close()
            raise
        self._last = path, here
        return here

    def _leave(self) -> None:
        if self._last[1] is not self._root:
            self._last[1].close()
        self._last = "", self._root

    def _enter(self, above: Directory, name: str, *, make: bool) -> Directory:
        try:
            return above.enter(name, make=make)
        except FileNotFoundError:
            raise
        except OSError as error:
            if not above.holds(name) or is_real_folder(above.status(name)):
                raise
            where = os.path.join(above.path, name)
            message = f"{shown(where)}: a link or a file is where a folder must be; links are not followed"
            raise StorageError(message, path=where, errno=error.errno) from error

    def _claim(self, folder: Directory, path: str) -> None:
        known = self._folders.setdefault(folder.identity(), path)
        if known != path:
            message = f"{shown(path)}: this file system takes it for the same folder as {shown(known)}"
            raise AlreadyExistsError(message, path=folder.path, errno=errno.EEXIST)

    def _publish(self, folder: Directory, partial: str, name: str, path: str) -> None:
        if not self._overwrite:
            try:
                folder.rename_to_free(partial, name)
            except FileExistsError as error:
                self._check_not_ours(folder, name, path)
                raise self._taken(path) from error
            return
        self._check_not_ours(folder, name, path)
        folder.replace(partial, name)

    def _check_not_ours(self, folder: Directory, name: str, path: str) -> None:
        try:
            identity = identity_of(folder.status(name))
        except FileNotFoundError:
            return
        if identity in self._files:
            message = f"{shown(path)}: this file system takes it for the same file as one that was just written"
            raise AlreadyExistsError(message, path=os.path.join(self.path, path), errno=errno.EEXIST)

    def _taken(self, path: str) -> AlreadyExistsError:
        where = os.path.join(self.path, path)
        message = f"{shown(where)}: exists already; overwrite=True (--force) replaces it"
        return AlreadyExistsError(message, path=where, errno=errno.EEXIST)

    @contextlib.contextmanager
    def _told(self, path: str) -> Iterator[None]:
        """What the system refuses, as an error that names the file."""
        try:
            yield
        except OctavoError:
            raise
        except OSError as error:
            where = os.path.join(self.path, path)
            raise of_os_error(error, f"{shown(where)}: cannot write: {error.strerror}", where) from error

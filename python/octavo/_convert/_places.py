"""Where a conversion writes its files: in folders of this machine, or in an object store.

Both answer the same questions. Files go by their names: paths, or the names that objects have in messages.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

from octavo._convert import _stamps
from octavo._convert._publish import refusals
from octavo._side_files import CONVERTING, PARTIAL, SHUFFLING
from octavo.errors import NotFoundError, OptionError
from octavo.storage import InStore, StoredObject, _client

if TYPE_CHECKING:
    from octavo._location import PathLocation

_FEW = 8  # files, each of which is asked for by itself


class Place(Protocol):
    """What a conversion asks of it."""

    is_local: bool

    def location(self, path: str) -> PathLocation:
        """What `octavo.create` takes for a file."""

    def file(self, path: str) -> str | StoredObject:
        """What is read, or written, of a file that is meant by its very name."""

    def taken(self, paths: list[str]) -> list[str]:
        """Those of these names that something has."""

    def refuse_special(self, paths: list[str]) -> None:
        """Refuse what is there and can never be replaced."""

    def is_folder(self, path: str) -> bool:
        """Whether a folder has this name."""

    def stamp(self, path: str) -> _stamps.Stamp | None:
        """What the file is recognised by; None if there is none."""

    def unfinished(self, path: str) -> str | None:
        """What another writer has begun of a file and not finished."""

    def remove(self, path: str) -> None:
        """Remove what was written."""

    def read_note(self, path: str) -> bytes | None:
        """The content of a small file, if it is there."""

    def write_note(self, path: str, content: bytes) -> None:
        """Write a small file at once, whatever was there."""

    def remove_note(self, path: str) -> None:
        """Remove a small file, if it is there."""

    def made_folders(self, paths: Iterable[str]) -> contextlib.AbstractContextManager[None]:
        """The folders of these files; those that had to be made, and are empty if it fails, go away again."""

    def journal(self, target: str) -> str:
        """Where the journal of a conversion into a target is."""

    def scratch(self, target: str) -> str:
        """A local folder for what is needed on the way to a target. It is not made here."""


class Local:
    """Folders of this machine."""

    is_local = True

    def location(self, path: str) -> str:
        """The path."""
        return path

    def file(self, path: str) -> str:
        """The path."""
        return path

    def taken(self, paths: list[str]) -> list[str]:
        """Those that something has."""
        return [path for path in paths if os.path.lexists(path)]

    def refuse_special(self, paths: list[str]) -> None:
        """What is neither file nor folder is the system's, and never replaced."""
        for path in paths:
            if _is_special(path):
                message = f"{path}: this is no file, and must not become one; '-' is standard output"
                raise OptionError(message, path=path)

    def is_folder(self, path: str) -> bool:
        """Whether a folder has this name."""
        return os.path.isdir(path)

    def stamp(self, path: str) -> _stamps.Stamp | None:
        """Size and time of modification."""
        return _stamps.of_path(path, may_be_folder=True)

    def unfinished(self, path: str) -> str | None:
        """A file that holds an interrupted write."""
        side = path + PARTIAL
        return side if os.path.isfile(side) and os.path.getsize(side) else None

    def remove(self, path: str) -> None:
        """Remove a file or a folder that was written."""
        if os.path.isdir(path) and not os.path.islink(path):
            import shutil  # noqa: PLC0415 - rarely needed

            shutil.rmtree(path)
        else:
            os.remove(path)

    def read_note(self, path: str) -> bytes | None:
        """The content of a small file."""
        try:
            with refusals(path, "read"), open(path, "rb") as file:
                return file.read()
        except NotFoundError:
            return None

    def write_note(self, path: str, content: bytes) -> None:
        """Under a name of its own first."""
        side = f"{path}-{uuid.uuid4().hex}{PARTIAL}"
        with refusals(path, "write"):
            with open(side, "xb") as file:
                file.write(content)
            os.replace(side, path)

    def remove_note(self, path: str) -> None:
        """Remove a small file."""
        with refusals(path, "remove"), contextlib.suppress(FileNotFoundError):
            os.remove(path)

    @contextlib.contextmanager
    def made_folders(self, paths: Iterable[str]) -> Iterator[None]:
        """Make folders."""
        made: list[str] = []
        try:
            for folder in sorted({os.path.dirname(path) for path in paths}):
                _make(folder, made)
            yield
        except BaseException:
            for folder in reversed(made):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)
            raise

    def journal(self, target: str) -> str:
        """Beside the target."""
        return (target.rstrip("/" + os.sep) or os.sep) + CONVERTING

    def scratch(self, target: str) -> str:
        """Beside the target, where there is room for as much."""
        return target.rstrip("/" + os.sep) + SHUFFLING


class InObjectStore:
    """An object store. It has no folders, and knows no locks."""

    is_local = False

    def __init__(self, one: StoredObject) -> None:
        one.refuse_writing()
        self._root = one._root  # noqa: SLF001 - of the same kind
        self._before = one.name.removesuffix(one.key) if one.key else one.name

    def location(self, path: str) -> PathLocation:
        """A URL, or the key in the store."""
        return path if isinstance(self._root, str) else InStore(self._root, self._key(path))

    def file(self, path: str) -> StoredObject:
        """The object as it will be found."""
        return StoredObject(self._root, self._key(path))

    def taken(self, paths: list[str]) -> list[str]:
        """Names of objects that are there; of many they are looked up in lists of their folders."""
        if len(paths) <= _FEW:
            return [path for path in paths if self.file(path).is_there()]
        there: set[str] = set()
        for folder in {self._key(path).rpartition("/")[0] for path in paths}:
            found, _ = self.file(self._before).listed(folder)
            there.update(key for key, _ in found)
        return [path for path in paths if self._key(path) in there]

    def refuse_special(self, _paths: list[str]) -> None:
        """An object is an object."""

    def is_folder(self, _path: str) -> bool:
        """There are none."""
        return False

    def stamp(self, path: str) -> _stamps.Stamp | None:
        """Size and tag."""
        return _stamps.of_object(self.file(path))

    def unfinished(self, _path: str) -> None:
        """An upload that was not finished is invisible."""

    def remove(self, path: str) -> None:
        """Remove an object."""
        _client.call("delete", self.file(path).place)

    def read_note(self, path: str) -> bytes | None:
        """The content of a small object."""
        return self.file(path).content()

    def write_note(self, path: str, content: bytes) -> None:
        """Put a small object."""
        _client.call("write_whole", self.file(path).place, content)

    def remove_note(self, path: str) -> None:
        """Remove a small object."""
        self.remove(path)

    def made_folders(self, _paths: Iterable[str]) -> contextlib.AbstractContextManager[None]:
        """There is nothing to make."""
        return contextlib.nullcontext()

    def journal(self, target: str) -> str:
        """Beside the target; of a whole bucket, in it."""
        return self._before + self._key(target).rstrip("/") + CONVERTING

    def scratch(self, _target: str) -> str:
        """A new folder among the temporary ones."""
        return os.path.join(tempfile.gettempdir(), f"octavo-{uuid.uuid4().hex}{SHUFFLING}")

    def _key(self, path: str) -> str:
        return path.removeprefix(self._before)


def _is_special(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode  # a link to a device is as good as the device
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _make(folder: str, made: list[str]) -> None:
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    for one in reversed(missing):
        with refusals(one, "make the folder"):
            try:
                os.mkdir(one)
            except FileExistsError as error:
                if not stat.S_ISDIR(os.stat(one).st_mode):
                    raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), one) from error
                continue  # somebody else was quicker
        made.append(one)

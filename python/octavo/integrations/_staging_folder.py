"""What staging does to folders and the files in them: local ones, and those of object stores."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from octavo._arguments import as_path
from octavo._convert._publish import check_free, refusals, sync_folder
from octavo._convert._publish import publish as move_to_free
from octavo._location import as_text, format_of_name, is_remote
from octavo._side_files import INDEX
from octavo.errors import AlreadyExistsError, NotFoundError, StorageError, UnsupportedError
from octavo.storage import InStore, _client
from octavo.storage._folders import exists, join, remove
from octavo.storage._folders import remove_all as remove_all_objects
from octavo.storage._stored import stored

if TYPE_CHECKING:
    from octavo.storage._remote import Status

if sys.platform != "win32":
    import fcntl

__all__ = [
    "Stamp",
    "absolute",
    "check_shared",
    "exists",
    "files",
    "held",
    "hidden_places",
    "is_made",
    "is_record_name",
    "is_same",
    "join",
    "make",
    "place",
    "place_index",
    "read",
    "record_files",
    "remove",
    "retire",
    "stamp",
    "sweep",
    "sync",
    "take_back",
    "unmake",
    "write",
]

Stamp: TypeAlias = tuple[int | str, ...]
"""What stays the same while nobody writes a file anew; local ones keep it when they get another name."""

# Object stores have no folders. An object of this name is in those that were made.
_MADE = "made"
_LOCK = "lock"
_GONE = "-gone"
_HIDDEN = re.compile(r"\.octavo-\d{8}T\d{12}-[0-9a-f]{8}(-gone)?\Z")
_NUMBERED = re.compile(r"-\d{5,}-of-\d{5,}\Z")
_COMPARED_BYTES = 8 << 20


def absolute(folder: object) -> str:
    """Where a folder is, also for processes that are elsewhere."""
    if isinstance(folder, str | os.PathLike) and not as_text(folder):
        raise NotFoundError("the path is empty; '.' is the folder where the process is")
    if is_remote(folder) and not isinstance(folder, InStore):
        url = str(folder).rstrip("/")
        if url.lower().startswith(("http://", "https://")):
            raise UnsupportedError(f"{url}: web servers are only read from", path=url)
        if not is_remote(url):
            raise NotFoundError(f"{folder}: the URL names no bucket or folder", path=str(folder))
        return url
    return as_path(folder, "a folder to write into")


def check_shared(folder: object) -> None:
    """Refuse what no other process has."""
    if str(folder).lower().startswith("memory://"):
        raise UnsupportedError(f"{folder}: this is in the memory of one process, and tasks run in others")


def files(folder: str) -> dict[str, Stamp]:
    """The files right in a folder by their names, sorted; none if there is no such folder."""
    if is_remote(folder):
        one = stored(f"{folder}/")
        found, _ = one.listed(one.key)
        return {key.rpartition("/")[2]: _stamp_of(status) for key, status in sorted(found)}
    with refusals(folder, "list"):
        if os.path.lexists(folder) and not os.path.isdir(folder):
            raise AlreadyExistsError(f"{folder}: this is a file; records are written into a folder", path=folder)
        if not os.path.isdir(folder):
            return {}
        with os.scandir(folder) as entries:
            status = {one.name: one.stat(follow_symlinks=False) for one in entries if not one.is_dir()}
    return {name: (status[name].st_size, status[name].st_mtime_ns) for name in sorted(status)}


def stamp(path: str) -> Stamp | None:
    """That of one file, and what tells a local one from all others there; None if there is no such file."""
    if is_remote(path):
        try:
            return _stamp_of(_client.call("stat", stored(path).place))
        except NotFoundError:
            return None
    with refusals(path, "look at"):
        if not os.path.isfile(path):
            return None
        status = os.stat(path)
        # Times move in steps, in which many files are written. What this number is, other machines may see otherwise.
        return status.st_size, status.st_mtime_ns, status.st_ino


def _stamp_of(status: Status) -> Stamp:
    return status.size, status.e_tag or str(status.modified)


def is_record_name(name: str, suffix: str = "") -> bool:
    """Whether a file of that name has records, where those of a job end with `suffix`, which may tell no format."""
    is_of_job = name.endswith(suffix) and _NUMBERED.search(name.removesuffix(suffix)) is not None
    return is_of_job or format_of_name(name) is not None


def record_files(folder: str, suffix: str = "") -> list[str]:
    """Names of the record files in it, sorted."""
    return [name for name in files(folder) if is_record_name(name, suffix)]


def make(folder: str, hidden: str) -> tuple[str, ...]:
    """Make both; return those that were not there, the innermost first, but for the hidden one."""
    if is_remote(folder):
        _client.call("write_whole", stored(join(hidden, _MADE)).place, b"")
        return ()
    missing = []
    above = folder
    while above and not os.path.lexists(above):
        missing.append(above)
        above = os.path.dirname(above)
    with refusals(folder, "make"):
        os.makedirs(folder, exist_ok=True)
        os.mkdir(hidden)
    return tuple(missing)


def is_made(hidden: str) -> bool:
    """Whether it was made, and not yet retired."""
    return exists(join(hidden, _MADE) if is_remote(hidden) else hidden)


def retire(hidden: str) -> None:
    """Make it one that never was, at once: with what is in it nobody reckons any more."""
    if is_remote(hidden):
        try:
            remove(join(hidden, _MADE))
        except StorageError:
            if is_made(hidden):  # or it was done, and only the answer was lost
                raise
        return
    with refusals(hidden, "remove"), contextlib.suppress(FileNotFoundError):
        os.rename(hidden, hidden + _GONE)


def sweep(hidden: str) -> None:
    """Remove what is left of one that was retired, if anything is."""
    if is_remote(hidden):
        remove_all_objects(hidden)
        return
    with refusals(hidden, "remove"), contextlib.suppress(FileNotFoundError):
        shutil.rmtree(hidden + _GONE)


def hidden_places(folder: str) -> list[str]:
    """Those of all jobs, also of such as are retired, and not swept."""
    if is_remote(folder):
        one = stored(f"{folder}/")
        _, below = one.listed(one.key)
        names = [key.rstrip("/").rpartition("/")[2] for key in below]
    else:
        with refusals(folder, "list"):
            names = os.listdir(folder) if os.path.isdir(folder) else []
    return sorted({join(folder, name.removesuffix(_GONE)) for name in names if _HIDDEN.fullmatch(name)})


@contextlib.contextmanager
def held(hidden: str) -> Iterator[bool]:
    """Whether it is certain that no other process holds it meanwhile; if one does, that is an error.

    Raises:
        AlreadyExistsError: Another process holds it.
        NotFoundError: It is not there.
    """
    if is_remote(hidden) or sys.platform == "win32":
        yield False
        return
    path = join(hidden, _LOCK)
    with refusals(path, "lock"):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_certain = True
        except BlockingIOError as error:
            message = f"{hidden}: another process is making the files of this job visible, or undoing that"
            raise AlreadyExistsError(message, path=hidden) from error
        except OSError:  # a file system without locks
            is_certain = False
        yield is_certain
    finally:
        os.close(descriptor)


def place(path: str, final: str) -> None:
    """Give a file another name, too, which no file has; where a file has one name only, it loses the one before."""
    if is_remote(path):
        _client.call("copy", stored(path).place, stored(final).key, overwrite=False)
        return
    with refusals(final, "publish"):
        try:
            os.link(path, final, follow_symlinks=os.link not in os.supports_follow_symlinks)
        except FileExistsError:
            raise
        except OSError:
            check_free(final, overwrite=False)
            move_to_free(path, final, overwrite=False)


def place_index(path: str, final: str, known: Stamp) -> None:
    """Place the index of a file that was known by this stamp beside it, where it has got its name already."""
    found = _client.call("read_whole", stored(path).place) if is_remote(path) else None
    if found is None or found[2] != known[1]:  # what did not belong to the file still does not
        place(path, final + INDEX)
        return
    e_tag = _client.call("stat", stored(final).place).e_tag  # a copy has one of its own
    _client.call("write_whole", stored(final + INDEX).place, found[0], about=e_tag)


def take_back(path: str, final: str) -> None:
    """Undo `place`."""
    if exists(path):
        remove(final)
        return
    with refusals(path, "take back"):
        os.rename(final, path)


def is_same(path: str, other: str) -> bool:
    """Whether `place` has made one of the other; both are there."""
    if not is_remote(path):
        with refusals(path, "look at"):
            return os.path.samestat(os.lstat(path), os.lstat(other))
    one, two = stored(path), stored(other)
    if one.size != two.size or _stamp_of(one.status) == _stamp_of(two.status):
        return one.size == two.size
    spans = [(start, min(_COMPARED_BYTES, one.size - start)) for start in range(0, one.size, _COMPARED_BYTES)]
    return all(bytes(one.read_spans([span])[0]) == bytes(two.read_spans([span])[0]) for span in spans)


def read(path: str) -> bytes | None:
    """A small file, or None if there is none."""
    if is_remote(path):
        return stored(path).content()
    with refusals(path, "read"), contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
        return file.read()
    return None


def write(path: str, content: bytes) -> None:
    """A small file, whole or not at all, that survives a crash of the machine."""
    if is_remote(path):
        _client.call("write_whole", stored(path).place, content)
        return
    with refusals(path, "write"):
        with open(f"{path}.new", "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{path}.new", path)
        sync_folder(os.path.dirname(path))


def unmake(made: tuple[str, ...]) -> None:
    """Remove folders as far as nothing is in them."""
    with contextlib.suppress(OSError):
        for folder in made:
            os.rmdir(folder)


def sync(folder: str) -> None:
    """The names in a folder survive a crash of the machine when this returns."""
    if not is_remote(folder):
        with refusals(folder, "sync"):
            sync_folder(folder)

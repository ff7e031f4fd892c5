"""Files and folders that are local or in an object store, by their names alone.

For those who write many files and make them visible together.
"""

from __future__ import annotations

import contextlib
import os
import shutil

from octavo.errors import OptionError, of_os_error
from octavo.storage import _client, _urls
from octavo.storage._stored import stored


def join(folder: str, name: str) -> str:
    """The name of a file in a folder."""
    if not _urls.is_url(folder):
        return os.path.join(folder, name)
    return folder + name if folder.endswith("/") else f"{folder}/{name}"


def exists(path: str) -> bool:
    """Whether there is a file, or a local folder, of that name."""
    if not _urls.is_url(path):
        return os.path.lexists(path)
    return stored(path).is_there()


def names_in(folder: str) -> list[str]:
    """The files right in a folder, sorted; none if there is no such folder."""
    if _urls.is_url(folder):
        one = stored(folder.rstrip("/") + "/")
        found, _ = one.listed(one.key)
        return sorted(key.rpartition("/")[2] for key, _ in found)
    try:
        return sorted(entry.name for entry in os.scandir(folder) if not entry.is_dir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise of_os_error(error, f"{folder}: cannot list: {error.strerror}", folder) from error


def make(folder: str) -> None:
    """Make sure that files can be put into a folder."""
    if not _urls.is_url(folder):  # object stores have no folders
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise of_os_error(error, f"{folder}: cannot create: {error.strerror}", folder) from error


def publish(staged: str, final: str) -> None:
    """Give a whole file its final name: a rename, or a copy inside the store. What has that name is replaced."""
    if not _urls.is_url(final):
        try:
            os.replace(staged, final)
        except OSError as error:
            raise of_os_error(error, f"{final}: cannot publish: {error.strerror}", final) from error
        return
    source, target = stored(staged), stored(final)
    if source.place.store != target.place.store:
        message = f"{final}: files are published within one store, and {staged} is in another"
        raise OptionError(message, path=final)
    _client.call("copy", source.place, target.key)
    _client.call("delete", source.place)


def remove(path: str) -> None:
    """Remove a file, if it is there."""
    if _urls.is_url(path):
        _client.call("delete", stored(path).place)
        return
    try:
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)
    except OSError as error:
        raise of_os_error(error, f"{path}: cannot remove: {error.strerror}", path) from error


def remove_all(folder: str) -> None:
    """Remove a folder with everything in it, if it is there."""
    if not _urls.is_url(folder):
        shutil.rmtree(folder, ignore_errors=True)
        return
    one = stored(folder.rstrip("/") + "/")
    found, _ = one.listed(one.key, recursive=True)
    for key, _ in found:
        _client.call("delete", one.place._replace(key=key))

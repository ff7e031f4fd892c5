"""The files of tasks: where they wait until their task is committed, and how they get their names then."""

from __future__ import annotations

import os
from typing import TypeGuard

from octavo._convert._publish import refusals, sync_folder
from octavo._side_files import INDEX
from octavo.errors import AlreadyExistsError, NotFoundError
from octavo.storage import _folders as folders
from octavo.storage._stored import stored
from octavo.storage._urls import is_url

HIDDEN = ".octavo-elastic"
"""Where a job keeps what is its own, in its folder."""
_STAGED = f"{HIDDEN}/staged"


def staged_folder(token: str) -> str:
    """Where the files of an attempt wait, in the folder of the job."""
    return f"{_STAGED}/{token}"


def is_plain(name: object) -> TypeGuard[str]:
    """Whether this is the name of a file right in a folder, which is not hidden."""
    if not isinstance(name, str) or not name or name.startswith("."):
        return False
    return os.path.basename(name) == name and "\0" not in name


def are_proper(outputs: object, token: object) -> bool:
    """Whether these are files of this attempt that wait where they must, and will be where they may."""
    if not isinstance(outputs, list):
        return False
    return not outputs or (is_plain(token) and all(_is_proper(output, staged_folder(token)) for output in outputs))


def _is_proper(output: object, folder: str) -> bool:
    if not isinstance(output, list | tuple) or len(output) != 2 or not isinstance(output[0], str):  # noqa: PLR2004 - a pair
        return False
    staged, final = output
    above, _, name = staged.rpartition("/")
    return above == folder and is_plain(name) and is_plain(final)


def check_there(folder: str, outputs: list[list[str]]) -> None:
    """The files that a worker has written are seen from here, too."""
    for staged, _ in outputs:
        path = folders.join(folder, staged)
        if not folders.exists(path):
            message = f"{path}: a worker has written this file, and it is not here; do the machines share the folder?"
            raise NotFoundError(message, path=path)


def publish(folder: str, outputs: list[list[str]]) -> None:
    """Give the files of a task their names. It may be done again, and by another dispatcher."""
    for staged, final in outputs:
        source, target = folders.join(folder, staged), folders.join(folder, final)
        if folders.exists(source):
            _check_free(source, target)
            folders.publish(source, target)
        elif not folders.exists(target):
            raise NotFoundError(f"{source}: the file was committed, and has vanished since", path=source)
        if folders.exists(source + INDEX):  # later than the file, or it would not count
            folders.publish(source + INDEX, target + INDEX)
    if not is_url(folder):
        with refusals(folder, "sync"):
            sync_folder(folder)


def _check_free(source: str, target: str) -> None:
    """The name is nobody else's. In a store, it may be a copy of the file, which was not removed any more."""
    if not folders.exists(target):
        return
    if is_url(target):
        before, now = stored(source).status, stored(target).status
        if now.size == before.size and now.modified >= before.modified:
            return
    message = f"{target}: this is not the job's, and a file of a task is to have its name; move it away"
    raise AlreadyExistsError(message, path=target)


def remove_staged(folder: str) -> None:
    """Remove what waits, of all attempts."""
    folders.remove_all(folders.join(folder, _STAGED))

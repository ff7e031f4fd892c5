"""Writing must not touch what is read: neither under its own name nor under those it has on the way."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from octavo._side_files import WRITTEN
from octavo.errors import OptionError
from octavo.storage import StoredObject

if TYPE_CHECKING:
    from octavo._convert._any_input import AnyInput
    from octavo._convert._places import Place
    from octavo._convert._plan import Job


def refuse_own_sources(source: AnyInput, place: Place, target: str, jobs: list[Job]) -> None:
    """Raise if a file to be written, or the journal, is one that is read."""
    written = [*(job.path for job in jobs), place.journal(target)]
    if place.is_local:
        _refuse_paths(source, written)
    else:
        _refuse_objects(source, place, written)


def _refuse_paths(source: AnyInput, paths: list[str]) -> None:
    sources = {os.path.realpath(file) for file in source.files if isinstance(file, str)}
    folders = {os.path.realpath(path) + os.sep for path in source.folders}
    for path in paths:
        meant = os.path.realpath(path)
        written = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if not sources.isdisjoint({meant, written, *(written + side for side in WRITTEN)}):
            raise _refusal(path)
        if any((written + os.sep).startswith(folder) for folder in folders):
            message = f"{path}: the target is in the folder that is converted; name a file outside of it"
            raise OptionError(message, path=path)


def _refuse_objects(source: AnyInput, place: Place, paths: list[str]) -> None:
    sources = {file.name: file for file in source.files if isinstance(file, StoredObject)}
    for path in paths:
        one, other = sources.get(path), place.file(path)
        # Stores of different makers may call their objects by the same name.
        if one is not None and isinstance(other, StoredObject) and one.place.store == other.place.store:
            raise _refusal(path)


def _refusal(path: str) -> OptionError:
    message = f"{path}: the target, or a file needed beside it, is one of the sources; name another file"
    return OptionError(message, path=path)

"""By what sources are recognised: whether they are what an interrupted conversion has read, and stay as they were."""

from __future__ import annotations

import math
import os
import stat
from typing import TYPE_CHECKING, Any, TypeAlias

from octavo.errors import NotFoundError, SourceChangedError
from octavo.storage import StoredObject

if TYPE_CHECKING:
    from octavo._convert._any_input import AnyInput

Stamp: TypeAlias = list[int | float | str]


def of_path(path: str, *, may_be_folder: bool = False) -> Stamp | None:
    """Size and time of modification; None of what is no file: bytes in memory, a pipe, and mostly a folder."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):  # what stands for a path may be no name at all
        return None
    is_meant = stat.S_ISREG(status.st_mode) or (may_be_folder and stat.S_ISDIR(status.st_mode))
    return [status.st_size, status.st_mtime_ns] if is_meant else None


def of_object(one: StoredObject) -> Stamp | None:
    """Size and tag, or time of modification where the store has no tags; None if there is no such object."""
    try:
        status = one.status
    except NotFoundError:
        return None
    if status.e_tag is None and math.isnan(status.modified):  # a manifest of a store without tags
        return None
    return [status.size, status.modified if status.e_tag is None else status.e_tag]


def of_file(file: str | StoredObject) -> Stamp | None:
    """The stamp of either."""
    return of_path(file) if isinstance(file, str) else of_object(file)


def of_source(source: AnyInput) -> tuple[Any, bool]:
    """All that is known of a source without reading it, and whether that tells it from all others."""
    stamps = [(path, of_file(file)) for path, file in zip(source.paths, source.files, strict=True)]
    is_known = bool(stamps) and all(stamp is not None or path in source.folders for path, stamp in stamps)
    return [stamps, source.reading, source.stamps_inside()], is_known


def check(file: str | StoredObject, before: Stamp | None) -> None:
    """Raise if a file is not as it was. Records of both would be a data set that never was."""
    now = of_path(file) if isinstance(file, str) else of_object(file.anew())
    if before is not None and now != before:
        path = file if isinstance(file, str) else file.name
        message = f"{path}: the file changed while it was converted; convert it when nobody writes to it"
        raise SourceChangedError(message, path=path)

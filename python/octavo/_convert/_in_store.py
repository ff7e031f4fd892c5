"""Which objects of a store a location means to those who take more than record files."""

from __future__ import annotations

import glob
from typing import TYPE_CHECKING, cast

from octavo import _side_files
from octavo._convert import _foreign
from octavo._location import as_text, expand, format_of_name, is_manifest, shards_of
from octavo.errors import NotFoundError, OptionError
from octavo.storage import InStore, StoredObject
from octavo.storage._stored import stored

if TYPE_CHECKING:
    from octavo._location import Location, PathLocation


def objects_meant(location: PathLocation, kind: str | None = None) -> tuple[str | None, Location]:
    """The container that the names of objects tell, or None for records; and the objects.

    A folder is taken as a directory is: for its record files, or for files of one other kind. Nothing else in it
    counts, for whoever fills a folder of a store puts marks there, and lists. Where somebody says which `kind` is
    meant, a folder is taken for that.
    """
    from octavo.storage._listing import objects_at  # noqa: PLC0415 - most locations are local

    location = location if isinstance(location, InStore) else as_text(location)
    if is_manifest(location.key if isinstance(location, InStore) else location):
        return None, cast("Location", expand(location))
    found = objects_at(
        location,
        shards_of=shards_of,
        is_record_name=lambda name: format_of_name(name) is not None or _foreign.kind_of(name) is not None,
        is_side_file=lambda name: name.endswith(_side_files.ALL),
    )
    if kind is not None:
        return kind, cast("Location", _of_kind(kind, location, found))
    if _is_folder(location, found):
        found = [one for one in found if format_of_name(one.key)] or found
        kinds = {_kind_of(one) for one in found}
        if len(kinds) > 1:
            message = f"{stored(location).name}: it has files of several kinds: name those that are meant"
            raise OptionError(message, path=found[0].name)
    return _kind_of(found[0]), cast("Location", found)


def _of_kind(kind: str, location: str | InStore, found: list[StoredObject]) -> list[StoredObject]:
    if not _is_folder(location, found):
        return found
    chosen = [one for one in found if _kind_of(one) == kind]
    if not chosen:
        message = f"{stored(location).name}: the folder has no {kind} files"
        raise NotFoundError(message, path=stored(location).name)
    return chosen


def _is_folder(location: str | InStore, found: list[StoredObject]) -> bool:
    key = stored(location).key
    return not glob.has_magic(key) and shards_of(key) is None and found[0].key != key


def _kind_of(one: StoredObject) -> str | None:
    return None if format_of_name(one.key) else _foreign.kind_of(one.key)

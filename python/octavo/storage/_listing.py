"""Which objects a pattern, a sharded name or a folder of an object store means."""

from __future__ import annotations

import fnmatch
import functools
import glob
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from octavo._shard_sets import names_instead, warn_of_missing
from octavo.errors import NotFoundError, UnsupportedError
from octavo.storage._stored import InStore, StoredObject, stored

if TYPE_CHECKING:
    from octavo.storage._remote import Status


def objects_at(
    location: str | InStore,
    shards_of: Callable[[str], list[str] | None],
    is_record_name: Callable[[str], bool],
    is_side_file: Callable[[str], bool],
) -> list[StoredObject]:
    """The objects that a location means, in order.

    Args:
        location: A URL, or a store and a key.
        shards_of: The names that a sharded name stands for, or None.
        is_record_name: Whether a name tells a format.
        is_side_file: Whether a name is that of a file that only goes with another.
    """
    one = stored(location)
    folder, _, last = one.key.rpartition("/")
    if glob.has_magic(one.key):
        if not _can_list(one) and one.is_there():  # however odd its name is
            return [one]
        return _matching(one, is_side_file)
    shards = shards_of(one.key)
    if shards is not None:
        return _shards(one, folder, shards)
    if last and (is_record_name(last) or not _can_list(one)):
        return [one]  # opening it says whether it is there
    return _object_or_folder(one, is_record_name)


def _can_list(one: StoredObject) -> bool:
    return type(one.place.store).__name__ != "HTTPStore"


def _listed(one: StoredObject, folder: str, *, recursive: bool = False) -> tuple[list[tuple[str, Status]], list[str]]:
    if not _can_list(one):
        message = f"{one.name}: a web server cannot list files; name each of them, or shards as train@64.array_record"
        raise UnsupportedError(message, path=one.name)
    return one.listed(folder, recursive=recursive)


def _sibling(one: StoredObject, key: str, status: Status | None = None) -> StoredObject:
    return StoredObject(one._root, key, status=status)  # noqa: SLF001 - of the same kind


def _matching(one: StoredObject, is_side_file: Callable[[str], bool]) -> list[StoredObject]:
    segments = one.key.split("/")
    literal = next(number for number, segment in enumerate(segments) if glob.has_magic(segment))
    objects, _ = _listed(one, "/".join(segments[:literal]), recursive=literal < len(segments) - 1)
    by_key = dict(objects)
    if one.key in by_key:  # what exists is taken by its name, however odd that name is
        return [_sibling(one, one.key, by_key[one.key])]
    keys = sorted(key for key in by_key if not is_side_file(key) and _matches(key.split("/"), segments))
    if not keys:
        message = f"{one.name}: no object matches the pattern"
        raise NotFoundError(message, path=one.name)
    warn_of_missing(one.name, keys, lambda key: _matches(key.split("/"), segments))
    return [_sibling(one, key, by_key[key]) for key in keys]


def _matches(names: list[str], patterns: list[str]) -> bool:
    """As `glob` does: a star stays within a name, two stars are any number of folders, a dot is hidden."""
    if not patterns:
        return not names
    if patterns[0] == "**":
        deeper = bool(names) and not names[0].startswith(".") and _matches(names[1:], patterns)
        return deeper or _matches(names, patterns[1:] or ["*"] if names else patterns[1:])
    if not names or (names[0].startswith(".") and not patterns[0].startswith(".")):
        return False
    return _pattern(patterns[0]).match(names[0]) is not None and _matches(names[1:], patterns[1:])


@functools.lru_cache(maxsize=256)
def _pattern(segment: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(segment))


def _shards(one: StoredObject, folder: str, keys: list[str]) -> list[StoredObject]:
    if not _can_list(one):
        return [_sibling(one, key) for key in keys]
    by_key = dict(_listed(one, folder)[0])
    if one.key in by_key:
        return [_sibling(one, one.key, by_key[one.key])]
    missing = [key for key in keys if key not in by_key]
    if missing:
        name = _sibling(one, missing[0]).name
        others = names_instead(name, (_sibling(one, key).name for key in by_key))
        message = f"{name}: {len(missing)} of {len(keys)} shards are missing, this one first{others}"
        raise NotFoundError(message, path=name)
    return [_sibling(one, key, by_key[key]) for key in keys]


def _object_or_folder(one: StoredObject, is_record_name: Callable[[str], bool]) -> list[StoredObject]:
    """An object whose name tells no format, or a folder of records, whichever is there."""
    folder, _, last = one.key.rpartition("/")
    objects, folders = _listed(one, folder)
    by_key = dict(objects)
    if last and one.key in by_key:
        return [_sibling(one, one.key, by_key[one.key])]
    if last and one.key.rstrip("/") in {name.rstrip("/") for name in folders}:
        objects, _ = _listed(one, one.key)
    elif last:
        message = f"{one.name}: cannot open: there is no such object"
        raise NotFoundError(message, path=one.name)
    found = sorted((key, status) for key, status in objects if is_record_name(key))
    if not found:
        message = f"{one.name}: the folder has no record files"
        raise NotFoundError(message, path=one.name)
    warn_of_missing(one.name, [key for key, _ in found])
    return [_sibling(one, key, status) for key, status in found]

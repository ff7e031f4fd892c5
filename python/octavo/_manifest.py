"""Manifests: a list of files with what is known of each, so that opening thousands of them is one request.

A manifest is a JSON text whose name ends in `.octm`; docs/spec/octm.md says what is in it. It is small: nothing in it
grows with the number of records.
"""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING, Any, cast

from octavo._location import Input, Location, PathLocation, absolute, as_text, expand, is_manifest, is_remote
from octavo._reader import Reader
from octavo._target import Target, target_of
from octavo.errors import (
    DamagedFileError,
    NotFoundError,
    OptionError,
    UnsupportedError,
    of_os_error,
)
from octavo.storage import InStore, StoredObject, _client, _urls
from octavo.storage._stored import Known, stored

if TYPE_CHECKING:
    from typing import Self

    from octavo._open import Format

_VERSION = 1
_MOST = 1 << 63
_MOST_BYTES = 1 << 30  # of a text, which is enough for ten million files
_COLUMNS: dict[str, Any] = {"paths": str, "sizes": int, "records": int, "storing": str, "tags": str | None}


def write_manifest(location: Location, target: PathLocation, *, format: Format | None = None) -> str:
    """Write down which files a data set consists of, and how many records each has.

    `octavo.open(target)` then reads this one file, and each of the others when a record of it is first asked for. A
    file that was replaced since is noticed and refused.

    Args:
        location: The files; see `octavo.open`.
        target: Where the manifest will be, a path or a URL that ends in `.octm`. Files that are below its folder are
            noted relative to it, so that all of them can be moved together.
        format: The format, if it cannot be told from the content or the name.

    Returns:
        The name of the manifest.

    Raises:
        OptionError: The target's name does not end in `.octm`.
        UnsupportedError: Bytes or file objects are among the files: they have no names.
    """
    place = target_of(target, "a manifest to write")
    if not is_manifest(place.name) or place.file is not None:
        message = f"{place.name}: the name of a manifest ends in .octm"
        raise OptionError(message, path=place.name)
    inputs = expand(location)
    with Reader(inputs, format=format) as reader:
        files = reader._files  # noqa: SLF001 - part of the package
        reader._open_all()  # noqa: SLF001
    if not all(isinstance(one, str | StoredObject) for one in inputs):
        message = "only files can be listed: bytes and file objects have no names"
        raise UnsupportedError(message)
    content = {
        "octavo": "manifest",
        "version": _VERSION,
        "format": files[0][0],
        "paths": [_noted(one, place) for one in inputs],
        "sizes": [size for _, _, _, size in files],
        "records": [count for _, _, count, _ in files],
        "storing": [storing for _, storing, _, _ in files],
        "tags": [one.status.e_tag if isinstance(one, StoredObject) else None for one in inputs],
    }
    _put(place, json.dumps(content, indent=0).encode() + b"\n")
    return place.name


def _noted(one: Input, place: Target) -> str:
    """How the manifest names a file: from its own folder, or in a way that leads there from everywhere."""
    folder = place.name.rpartition("/")[0] + "/"
    if isinstance(one, StoredObject):
        is_near = place.object is not None and one.is_in_store_of(place.object)
        below = place.object.key.rpartition("/")[0] + "/" if place.object is not None else ""
        if is_near and one.key.startswith(below.lstrip("/")):
            return one.key.removeprefix(below.lstrip("/"))
        if one.has_url:
            return one.name
    elif place.object is None:
        return str(one).removeprefix(folder)
    name = one.name if isinstance(one, StoredObject) else one
    message = (
        f"{place.name}: {name} cannot be found from there; write the manifest beside the files, or name them by URLs"
    )
    raise UnsupportedError(message, path=place.name)


def _put(place: Target, content: bytes) -> None:
    if place.object is not None:
        _client.call("write_whole", place.object.place, content)
        return
    partial = place.name + ".partial"
    try:
        with open(partial, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, place.name)
    except OSError as error:
        raise of_os_error(error, f"{place.name}: cannot write: {error.strerror}", place.name) from error


class ListedFile(str):
    """The path of a local file, with what a manifest says of it: it is looked at when a record of it is wanted."""

    __slots__ = ("known",)

    known: Known

    def __new__(cls, path: str, known: Known) -> Self:
        """A path with these facts."""
        file = super().__new__(cls, path)
        file.known = known
        return file

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle both."""
        return ListedFile, (str(self), self.known)


def inputs_of(location: str | InStore) -> list[Input]:
    """The files that a manifest lists."""
    name, text, root = _text_of(location)
    content = _parsed(text, name)
    folder = name.rpartition("/")[0] + "/"
    rows = zip(*(content[column] for column in _COLUMNS), strict=True)
    return [_input(name, folder, root, content["format"], row) for row in rows]


def _text_of(location: str | InStore) -> tuple[str, bytes, StoredObject | None]:
    if is_remote(location):
        one = stored(location if isinstance(location, InStore) else as_text(location))
        text = one.content()
        if text is None:
            message = f"{one.name}: cannot open: there is no such object"
            raise NotFoundError(message, path=one.name)
        return one.name, text, one
    path = absolute(as_text(cast("str", location)))
    try:
        # A pipe that nobody writes to would be waited for.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if stat.S_ISREG(status.st_mode) and status.st_size <= _MOST_BYTES:
                return path, file.read(_MOST_BYTES), None
    except OSError as error:
        raise of_os_error(error, f"{path}: cannot open: {error.strerror}", path) from error
    message = f"{path}: this is no manifest: it is not a regular file, or larger than any manifest"
    raise DamagedFileError(message, path=path)


def _parsed(text: bytes, name: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
        is_known = type(content["version"]) is int and content["version"] == _VERSION
        if content["octavo"] == "manifest" and is_known and isinstance(content["format"], str):
            columns = [(content[column], kind) for column, kind in _COLUMNS.items()]
            is_even = all(type(column) is list for column, _ in columns) and len({len(one) for one, _ in columns}) == 1
            # A number that is true or false is none.
            is_typed = all(
                isinstance(one, kind) and not isinstance(one, bool) for column, kind in columns for one in column
            )
            numbers = content["sizes"] + content["records"]
            texts = (content["format"], *content["paths"], *content["storing"])
            # Half a surrogate pair is an error of encoding, which is a ValueError.
            is_named = is_typed and not any(b"\0" in os.fsencode(text) for text in texts)
            if is_even and is_named and content["paths"] and min(numbers) >= 0 and sum(numbers) < _MOST:
                return cast("dict[str, Any]", content)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    message = f"{name}: this is no manifest that octavo can read"
    raise DamagedFileError(message, path=name)


def _input(
    name: str, folder: str, root: StoredObject | None, format: str, row: tuple[str, int, int, str, str | None]
) -> Input:
    path, size, records, storing, tag = row
    if _urls.is_url(path):
        one = stored(path)
    elif root is not None:
        if not {"", ".", ".."}.isdisjoint(path.split("/")):  # no key of an object has such parts
            message = f"{name}: the manifest lists {path!r}, which is neither a URL nor below its folder"
            raise DamagedFileError(message, path=name)
        one = root.in_folder(path)
    else:
        return ListedFile(os.path.join(folder, path), (format, storing, records, size))
    return one.with_known((format, storing, records, size), tag)

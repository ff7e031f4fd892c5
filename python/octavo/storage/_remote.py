"""Everything that talks to an object store, in functions of plain arguments.

They run in the process that calls them, or, where that one was forked, in a companion of it: see `_client`.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, TypeAlias

from octavo.errors import (
    AlreadyExistsError,
    NotFoundError,
    OctavoError,
    PermissionDeniedError,
    SourceChangedError,
    StorageError,
)
from octavo.storage._waiting import run, turn

try:
    import obstore
    from obstore import exceptions as raised
except ImportError as error:
    message = "object stores need obstore: pip install 'octavo[cloud]'"
    raise ImportError(message, name=error.name) from error

if TYPE_CHECKING:
    from obstore.store import ObjectStore
    from typing_extensions import Buffer

Span: TypeAlias = tuple[int, int]

# Some come as the system's own, such as FileNotFoundError; keys that cannot be are a ValueError.
_FAILURES = (raised.BaseError, OSError, ValueError)
_MOST_CHARACTERS = 400  # of what a store says
_ABOUT = "octavoabout"  # the name of an attribute; all stores take letters
_PART_BYTES = 8 << 20  # a longer span is fetched in parts, side by side
_ATTEMPTS = 3  # obstore retries what fails, but does not notice a body of another length
_UPLOAD_PART_BYTES = 16 << 20
_UPLOADS_AT_ONCE = 4  # parts of one object


class Status(NamedTuple):
    """What a store says of an object."""

    size: int
    e_tag: str | None
    modified: float


class Place(NamedTuple):
    """An object: its store, its key there, and what to call it in messages."""

    store: ObjectStore
    key: str
    name: str

    def __repr__(self) -> str:
        """Without the store, some of which cannot be shown."""
        return f"Place({self.name!r})"


def stat(place: Place) -> Status:
    """Size, tag and time of an object."""
    try:
        return _status(run(obstore.head_async, place.store, place.key))
    except _FAILURES as error:
        _refuse(error, place, "open")


def fetch(asked: Sequence[tuple[Place, Status, Sequence[Span]]]) -> list[list[Buffer]]:
    """The bytes of each (offset, length) of each object, all of them on their way together."""
    return run(_fetch_all, asked)


def read_whole(place: Place) -> tuple[bytes, Status, str | None] | None:
    """A small object with its status and what it is about, or None if there is none."""
    try:
        return run(_read_whole, place)
    except (FileNotFoundError, raised.NotFoundError):
        return None
    except _FAILURES as error:
        _refuse(error, place, "read")


def write_whole(place: Place, content: bytes, *, overwrite: bool = True, about: str | None = None) -> Status:
    """Put a small object, at once; `about` is the tag of another object that it is about, and stays with it."""
    try:
        mode: Literal["overwrite", "create"] = "overwrite" if overwrite else "create"
        attributes = {} if about is None else {_ABOUT: about.strip('"')}
        run(obstore.put_async, place.store, place.key, content, mode=mode, use_multipart=False, attributes=attributes)
    except _FAILURES as error:
        _refuse(error, place, "write")
    return stat(place)


def listed(place: Place, *, recursive: bool) -> tuple[list[tuple[str, Status]], list[str]]:
    """Objects below a key that is taken for a folder, and, unless all below it are listed, its folders."""
    try:
        if recursive:
            return run(_list_all, place), []
        found = run(obstore.list_with_delimiter_async, place.store, place.key or None)
        return [(one["path"], _status(one)) for one in found["objects"]], list(found["common_prefixes"])
    except _FAILURES as error:
        _refuse(error, place, "list")


def copy(place: Place, key: str, *, overwrite: bool = True) -> None:
    """Copy an object inside its store, without moving its bytes through here."""
    try:
        if not overwrite and _copied_to_free(place, key):
            return
        run(obstore.copy_async, place.store, place.key, key)
    except _FAILURES as error:
        _refuse(error, place, "copy")


def _copied_to_free(place: Place, key: str) -> bool:
    """Copy if nothing has that key; False if nothing has it, and the store cannot make sure while it copies."""
    try:
        run(obstore.copy_async, place.store, place.key, key, overwrite=False)
    except raised.NotSupportedError:
        with contextlib.suppress(FileNotFoundError, raised.NotFoundError):
            run(obstore.head_async, place.store, key)
            raise AlreadyExistsError(f"{place.name}: cannot copy: {key} exists", path=place.name) from None
        return False
    return True


def delete(place: Place) -> None:
    """Remove an object, if it is there."""
    try:
        with contextlib.suppress(FileNotFoundError, raised.NotFoundError):
            run(obstore.delete_async, place.store, place.key)
    except _FAILURES as error:
        _refuse(error, place, "remove")


# Uploads that have begun. They are known by numbers, for their caller may be another process.
_uploads: dict[str, tuple[Place, Any]] = {}
_numbers = itertools.count()


def begin_upload(place: Place) -> str:
    """Start an object that appears when the upload is finished. Nothing is sent yet."""
    try:
        writer = obstore.open_writer_async(
            place.store, place.key, buffer_size=_UPLOAD_PART_BYTES, max_concurrency=_UPLOADS_AT_ONCE
        )
    except _FAILURES as error:
        _refuse(error, place, "create")
    number = f"{os.getpid()}-{next(_numbers)}"  # no other companion has given it
    _uploads[number] = place, writer
    return number


def _upload(number: str) -> tuple[Place, Any]:
    if number not in _uploads:
        message = "the upload has ended, with the process that made it"
        raise StorageError(message)
    return _uploads[number]


def append_upload(number: str, content: bytes) -> None:
    """Add bytes; waits while too many are on their way."""
    place, writer = _upload(number)
    try:
        run(writer.write, content)
    except _FAILURES as error:
        _refuse(error, place, "write")


def finish_upload(number: str) -> None:
    """Make the object visible."""
    place, writer = _upload(number)
    try:
        run(writer.close)
    except _FAILURES as error:
        _refuse(error, place, "write")
    del _uploads[number]


def abort_upload(number: str) -> None:
    """Give up, and tell the store so."""
    _, writer = _uploads.pop(number, (None, None))
    if writer is None:
        return  # with the process that had it
    given_up = StorageError("the upload was given up")
    with contextlib.suppress(Exception):  # a store that cannot be reached keeps invisible parts
        run(writer.__aexit__, type(given_up), given_up, None)


def abort_all() -> None:
    """Give up all uploads that were not finished."""
    for number in list(_uploads):
        abort_upload(number)


async def _read_whole(place: Place) -> tuple[bytes, Status, str | None]:
    result = await obstore.get_async(place.store, place.key)
    about = result.attributes.get(_ABOUT)
    return bytes(await result.bytes_async()), _status(result.meta), about and f'"{about}"'


async def _list_all(place: Place) -> list[tuple[str, Status]]:
    pages = obstore.list(place.store, place.key or None)
    return [(one["path"], _status(one)) async for page in pages for one in page]


async def _fetch_all(asked: Sequence[tuple[Place, Status, Sequence[Span]]]) -> list[list[Buffer]]:
    tasks = [asyncio.gather(*(_fetch_span(place, status, span) for span in spans)) for place, status, spans in asked]
    try:
        return [list(buffers) for buffers in await asyncio.gather(*tasks)]
    finally:
        for task in tasks:
            task.cancel()


async def _fetch_span(place: Place, status: Status, span: Span) -> Buffer:
    offset, length = span
    end = offset + length
    edges = [*range(offset, end, _PART_BYTES), end]
    parts = await asyncio.gather(*(_fetch_part(place, status, *run) for run in itertools.pairwise(edges)))
    return parts[0] if len(parts) == 1 else b"".join(parts)


async def _fetch_part(place: Place, status: Status, start: int, end: int) -> Buffer:
    given = 0
    for _ in range(_ATTEMPTS):
        async with turn():
            result = await _request(place, status, start, end)
            try:
                content: Buffer = await result.bytes_async()
            except _FAILURES as error:
                _refuse(error, place, "read")
        given = memoryview(content).nbytes
        if given == end - start:
            return content
    message = f"{place.name}: cannot read: the store gave {given} bytes for {end - start}"
    raise StorageError(message, path=place.name, offset=start, expected=end - start, actual=given)


async def _request(place: Place, status: Status, start: int, end: int) -> obstore.GetResult:
    options: obstore.GetOptions = {"range": (start, end)}
    if status.e_tag is not None and not status.e_tag.startswith("W/"):  # a weak tag never matches
        options["if_match"] = status.e_tag
    try:
        result = await obstore.get_async(place.store, place.key, options=options)
    except (raised.PreconditionError, raised.NotFoundError, FileNotFoundError) as error:
        raise _changed(place, status, start) from error
    except _FAILURES as error:
        if "416 Range Not Satisfiable" in str(error):  # it is shorter than it was
            raise _changed(place, status, start) from error
        _refuse(error, place, "read")
    # Not every server knows conditions, so that what it says of the object is compared as well.
    found = _status(result.meta)
    is_other_tag = None not in (found.e_tag, status.e_tag) and found.e_tag != status.e_tag
    is_later = found.e_tag is None and found.modified > status.modified
    if found.size != status.size or is_other_tag or is_later:
        raise _changed(place, status, start)
    if tuple(result.range) != (start, end):
        message = f"{place.name}: cannot read: the store gave bytes {result.range} for {(start, end)}"
        raise StorageError(message, path=place.name, offset=start)
    return result


def _changed(place: Place, status: Status, offset: int) -> SourceChangedError:
    when, help_ = "while it was open", "open it again"
    if math.isnan(status.modified):  # nobody has looked at it yet
        when, help_ = "since its manifest was written", "write the manifest again"
    message = f"{place.name}: the object was replaced or removed {when}; {help_}"
    return SourceChangedError(message, path=place.name, offset=offset)


def _status(meta: Any) -> Status:
    e_tag = meta["e_tag"]
    if e_tag and not e_tag.startswith(('"', "W/")):  # listings of Azure and Google leave the quotes out
        e_tag = f'"{e_tag}"'
    return Status(meta["size"], e_tag or None, meta["last_modified"].timestamp())


_KINDS: tuple[tuple[type[BaseException], type[StorageError]], ...] = (
    (raised.NotFoundError, NotFoundError),
    (FileNotFoundError, NotFoundError),
    (raised.PermissionDeniedError, PermissionDeniedError),
    (raised.UnauthenticatedError, PermissionDeniedError),
    (raised.AlreadyExistsError, AlreadyExistsError),
    (raised.PreconditionError, SourceChangedError),
)


def _refuse(error: BaseException, place: Place, what: str) -> NoReturn:
    """Raise this package's error for one of obstore's, whose text goes on with what only its makers understand."""
    if isinstance(error, OctavoError):
        raise error
    kind = next((ours for theirs, ours in _KINDS if isinstance(error, theirs)), StorageError)
    reason = re.split(r"[\n<]", str(error), maxsplit=1)[0][:_MOST_CHARACTERS].strip(" :")
    reason = re.sub(r"://[^/@\s]*@", "://", reason)  # a password is nobody's business
    if kind is StorageError and re.search(r"status code: 40[13]\b", reason):
        kind = PermissionDeniedError
    if kind is NotFoundError and what == "write":  # a bucket is missing, or an upload that has ended already
        kind = NotFoundError if "bucket" in reason.lower() else StorageError
    elif kind is NotFoundError:
        reason = "there is no such object"
    raise kind(f"{place.name}: cannot {what}: {reason}", path=place.name) from error

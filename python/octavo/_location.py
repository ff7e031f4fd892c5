"""What a user types for "where the records are", and the files it means.

A location is a path or a URL, a directory, a glob pattern, a sharded name (`train@64.ffr`), a list of those, the bytes
of a file, or a file object. `expand` turns any of them into a list of inputs that the native core can open. It looks at
names only; nothing is read here but manifests, which are lists of files.
"""

from __future__ import annotations

import contextlib
import fnmatch
import glob
import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeGuard, cast

from octavo import _core, _shard_sets, _side_files
from octavo.errors import NotFoundError, RecordTypeError, of_os_error
from octavo.storage import FileObject, InStore, ReadableFile, SpanSource, _urls

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined,unused-ignore]  # Python 3.12

PathLocation: TypeAlias = str | os.PathLike[str] | InStore
Location: TypeAlias = "PathLocation | Sequence[PathLocation] | Buffer | ReadableFile | SpanSource"
Input: TypeAlias = "str | Buffer | SpanSource"

# train@64.ffr stands for train-00000-of-00064.ffr and its 63 siblings; so does train.ffr@64, with the suffix first.
_SHARDED = re.compile(r"^(?P<stem>.*)@(?P<count>\d{1,99})(?P<suffix>(\.[^/\\@]*)?)$")

_MOST_SHARDS = 99_999  # five digits, as in the names

# By these a directory's records are told from its other files, and a new file's format from its name.
FORMAT_OF_SUFFIX = {
    ".ffr": "ffrecord",
    ".array_record": "array_record",
    ".arrayrecord": "array_record",
    ".riegeli": "riegeli",
    ".recordio": "recordio",
    ".tfrecord": "tfrecord",
    ".tfrecords": "tfrecord",
    ".tfrec": "tfrecord",
}
_SHARD_NUMBER = re.compile(r"-\d{5,}-of-\d{5,}\Z")


def format_of_name(path: str) -> str | None:
    """The format that a name tells: `x.tfrecord`, `x.tfrecord.gz` and `x.tfrecord-00003-of-00064` alike."""
    whole = _SHARD_NUMBER.sub("", path)
    stem = _SHARD_NUMBER.sub("", whole.removesuffix(".gz"))
    found = FORMAT_OF_SUFFIX.get(os.path.splitext(stem)[1])
    return found if found == "tfrecord" or not is_gzip_name(path) else None


def is_gzip_name(path: str) -> bool:
    """Whether a name says that its file is compressed as a whole."""
    return _SHARD_NUMBER.sub("", path).endswith(".gz")


def absolute(path: str) -> str:
    """The path from the root of the file system; `..` behind a link stays, for only the system knows where it leads."""
    has_parent = os.pardir in path.split(os.sep)
    return os.path.join(os.getcwd(), path) if has_parent else os.path.abspath(path)


def expand(location: Location) -> list[Input]:
    """The inputs that `location` means, in the order in which their records are numbered."""
    if is_remote(location):
        return _expand_remote(location)
    if isinstance(location, str | os.PathLike):
        return _expand_local(as_text(location))
    if hasattr(location, "read_spans"):
        return [cast("SpanSource", location)]
    if _has_buffer(location):
        return [cast("Input", location)]
    if hasattr(location, "read") and hasattr(location, "seek"):
        return [FileObject(cast("ReadableFile", location))]
    if isinstance(location, Iterable) and not isinstance(location, _core.Reader):
        return _expand_many(location)
    message = f"a location is a path, a URL, a list of those, bytes or a file object, not {type(location).__name__}"
    raise RecordTypeError(message)


def _expand_local(path: str) -> list[Input]:
    if not path:
        message = "the path is empty"
        raise NotFoundError(message, path="")
    if is_manifest(path):
        return _listed_in(path)
    # Absolute, so that a file that is opened late, or elsewhere, is the file that was meant here and now.
    return [absolute(one) for one in _expand_path(path)]


def as_text(path: PathLocation) -> str:
    """A path or URL as text; `file://` URLs as the paths that they are."""
    return str(path) if is_remote(path) else _urls.local_path(os.fsdecode(cast("str", path)))


def _is_universal(path: object) -> bool:
    """Whether it is a path of universal_pathlib that is no local one: its text is a URL."""
    return hasattr(path, "protocol") and hasattr(path, "storage_options") and _urls.is_url(str(path))


def is_remote(location: object) -> TypeGuard[PathLocation]:
    """Whether a location is in an object store."""
    if isinstance(location, InStore) or _is_universal(location):
        return True
    return isinstance(location, str) and _urls.is_url(location)


def _expand_remote(given: PathLocation) -> list[Input]:
    from octavo.storage._listing import objects_at  # noqa: PLC0415 - most locations are local

    location = given if isinstance(given, InStore) else str(given)
    if is_manifest(location.key if isinstance(location, InStore) else location):
        return _listed_in(location)
    found = objects_at(
        location,
        shards_of=shards_of,
        is_record_name=lambda name: format_of_name(name) is not None,
        is_side_file=lambda name: name.endswith(_side_files.ALL),
    )
    return list(found)


def is_manifest(name: str) -> bool:
    """Whether a name is that of a list of files."""
    return name.endswith(_side_files.MANIFEST)


def _listed_in(location: str | InStore) -> list[Input]:
    from octavo._manifest import inputs_of  # noqa: PLC0415 - it opens files, and so needs this module

    return inputs_of(location)


def _expand_many(locations: Iterable[object]) -> list[Input]:
    inputs: list[Input] = []
    for location in locations:
        if isinstance(location, list | tuple):
            message = "a list of locations holds paths, bytes or file objects, not further lists"
            raise RecordTypeError(message)
        inputs.extend(expand(cast("Location", location)))
    if not inputs:
        message = "the list of locations is empty: there is nothing to open"
        raise NotFoundError(message)
    return inputs


def _has_buffer(candidate: object) -> bool:
    try:
        memoryview(candidate)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def _expand_path(path: str) -> list[str]:
    # What exists is taken by its name, however odd that name is.
    if os.path.isdir(path):
        return _records_in(path)
    if os.path.lexists(path):
        return [path]
    if glob.has_magic(path):
        return _matching(path)
    shards = shards_of(path)
    if shards is not None:
        return _present(shards)
    return [path]  # opening it says in the system's words why it cannot be


def shards_of(name: str) -> list[str] | None:
    """The names that a sharded name stands for; None if it is none."""
    sharded = _SHARDED.match(name)
    if sharded is None:
        return None
    stem, count, suffix = sharded["stem"], int(sharded["count"]), sharded["suffix"]
    if not 0 < count <= _MOST_SHARDS:
        message = f"{name}: a sharded name counts from 1 to {_MOST_SHARDS} files"
        raise NotFoundError(message, path=name)
    return [f"{stem}-{number:05d}-of-{count:05d}{suffix}" for number in range(count)]


def _records_in(directory: str) -> list[str]:
    paths = _names_in(directory)
    if not paths:
        kinds = ", ".join(f"*{suffix}" for suffix in FORMAT_OF_SUFFIX)
        message = f"{directory}: the directory has no record files ({kinds})"
        if any(os.path.isdir(os.path.join(directory, name)) for name in os.listdir(directory)):
            message += f"; folders in it are not looked into, but a pattern does: {os.path.join(directory, '**', '')}"
        raise NotFoundError(message, path=directory)
    _shard_sets.warn_of_missing(directory, paths)
    return paths


def _names_in(directory: str) -> list[str]:
    """Direct children with a known suffix, sorted as strings: the order that FFRecord's own reader uses."""
    try:
        names = sorted(name for name in os.listdir(directory) if format_of_name(name))
    except OSError as error:
        raise of_os_error(error, f"{directory}: cannot list: {error.strerror}", directory) from error
    return [os.path.join(directory, name) for name in names]


def _matching(pattern: str) -> list[str]:
    found = sorted(path for path in glob.glob(pattern, recursive=True) if not path.endswith(_side_files.ALL))
    # A folder that matches stands for its records; one without any is not what was meant.
    # With two stars both a folder and what is in it match: no file comes twice.
    paths = list(dict.fromkeys(path for one in found for path in (_names_in(one) if os.path.isdir(one) else [one])))
    if not paths:
        message = f"{pattern}: no file matches the pattern"
        raise NotFoundError(message, path=pattern)
    _shard_sets.warn_of_missing(pattern, paths, lambda path: fnmatch.fnmatch(path, pattern))
    return paths


def _present(paths: list[str]) -> list[str]:
    missing = [path for path in paths if not os.path.exists(path)]
    if missing:
        folder = os.path.dirname(missing[0])
        beside: list[str] = []
        with contextlib.suppress(OSError):
            beside = [os.path.join(folder, name) for name in os.listdir(folder or os.curdir)]
        others = _shard_sets.names_instead(missing[0], beside)
        message = f"{missing[0]}: {len(missing)} of {len(paths)} shards are missing, this one first{others}"
        raise NotFoundError(message, path=missing[0])
    return paths

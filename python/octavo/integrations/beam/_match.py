"""From what a user types to the names of files, on any file system of Beam."""

from __future__ import annotations

import os
import re
from typing import Any

from apache_beam.io.fileio import EmptyMatchTreatment, ReadableFile
from apache_beam.io.filesystem import FileMetadata
from apache_beam.io.filesystems import FileSystems

from octavo import _side_files
from octavo._location import expand
from octavo.errors import NotFoundError, OptionError, RecordTypeError
from octavo.integrations.beam._files import is_local

_WILDCARD = re.compile(r"[*?\[]")
# train@64.ffr stands for train-00000-of-00064.ffr and its 63 siblings, as it does for octavo.open.
_SHARDED = re.compile(r"^(?P<stem>.*)@(?P<count>\d{1,5})(?P<suffix>(\.[^/\\@]*)?)$")


def as_pattern(element: Any) -> str:
    """The pattern that an element of a collection is, or the name of the file that it tells of."""
    if isinstance(element, ReadableFile):
        element = element.metadata
    if isinstance(element, FileMetadata):
        return str(element.path)
    if isinstance(element, str | os.PathLike):
        return os.fsdecode(element)
    message = f"files are named by patterns, or come from fileio.MatchFiles; not {type(element).__name__}"
    raise RecordTypeError(message)


def check_treatment(treatment: object) -> None:
    """A pattern without files is an error, or is not."""
    known = (EmptyMatchTreatment.ALLOW, EmptyMatchTreatment.DISALLOW, EmptyMatchTreatment.ALLOW_IF_WILDCARD)
    if treatment not in known:
        message = f"empty_match_treatment {treatment!r} is none of: {', '.join(known)}"
        raise OptionError(message)


def files_of(pattern: str, empty_match_treatment: str) -> list[str]:
    """The files that a pattern means, in the order of their names."""
    found = _files_of(pattern)
    if not found and not _may_be_empty(pattern, empty_match_treatment):
        message = f"{pattern}: no file matches the pattern"
        raise NotFoundError(message, path=pattern)
    return found


def check_something_matches(pattern: str) -> None:
    """Raise if a pattern means no file; looks for one only."""
    if not _matches(pattern, limit=1):
        files_of(pattern, EmptyMatchTreatment.DISALLOW)


def _may_be_empty(pattern: str, treatment: str) -> bool:
    if treatment == EmptyMatchTreatment.ALLOW_IF_WILDCARD:
        return bool(_WILDCARD.search(pattern))
    return bool(treatment == EmptyMatchTreatment.ALLOW)


def _files_of(pattern: str) -> list[str]:
    if is_local(pattern) and os.path.isdir(pattern):
        return [str(path) for path in expand(pattern)]
    found = _matches(pattern)
    if not found and (sharded := _SHARDED.match(pattern)):
        return _shards(sharded["stem"], int(sharded["count"]), sharded["suffix"])
    if _WILDCARD.search(pattern):
        found = [path for path in found if not path.endswith(_side_files.ALL)]
    return sorted(found)


def _shards(stem: str, count: int, suffix: str) -> list[str]:
    wanted = [f"{stem}-{number:05d}-of-{count:05d}{suffix}" for number in range(count)]
    # One listing says which of them are there; a question for each would be a request for each.
    found = set(_matches(f"{stem}-*-of-{count:05d}{suffix}"))
    missing = [path for path in wanted if path not in found]
    if missing and len(missing) < count:
        message = f"{missing[0]}: {len(missing)} of {count} shards are missing, this one first"
        raise NotFoundError(message, path=missing[0])
    return [] if missing else wanted


def _matches(pattern: str, limit: int | None = None) -> list[str]:
    # Beam finds nothing by a pattern for the working directory itself unless that is named.
    here = os.path.join(os.curdir, "") if is_local(pattern) and not os.path.dirname(pattern) else ""
    (result,) = FileSystems.match([here + pattern], None if limit is None else [limit])
    return [str(metadata.path).removeprefix(here) for metadata in result.metadata_list]

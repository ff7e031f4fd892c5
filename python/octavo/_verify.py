"""`octavo.verify`: read every record and check it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from octavo import _core
from octavo._open import open as open_reader
from octavo.errors import OctavoError

if TYPE_CHECKING:
    from collections.abc import Callable

    from octavo._location import Location
    from octavo._open import Format


@dataclasses.dataclass(frozen=True)
class Damage:
    """One place that is not as it was written."""

    path: str
    """The file."""
    record: int | None
    """The record's number in the whole data set; None if a whole file cannot be read."""
    offset: int | None
    """Where it begins in the file, if that is known."""
    reason: str
    """What is wrong."""


@dataclasses.dataclass(frozen=True)
class VerifyReport:
    """What `octavo.verify` found."""

    record_count: int
    """Records that were looked at, good and bad."""
    damage: tuple[Damage, ...]
    """Everything that is wrong, in the order of the records."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.damage


def verify(
    location: Location,
    *,
    format: Format | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> VerifyReport:
    """Read every record and verify its checksum, on all cores.

    A file that cannot be opened at all is reported, too, and does not end the work.

    Args:
        location: What to check; see `octavo.open`.
        format: The format, if it cannot be told.
        progress: Called now and then with the number of records done and the number of all records.
    """
    try:
        reader = open_reader(location, format=format)
    except OctavoError as error:
        if error.path is None or isinstance(error, OSError):
            raise
        return VerifyReport(0, (_damage(error, error.path),))
    with reader:
        total = len(reader)
        report = None if progress is None else lambda done: progress(done, total)
        paths = reader.paths
        found = _core.verify(reader, report)
        return VerifyReport(total, tuple(_damage(error, paths[file]) for file, _, error in found))


def _damage(error: OctavoError, path: str) -> Damage:
    return Damage(path=path, record=error.record, offset=error.offset, reason=str(error))

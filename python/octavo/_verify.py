"""`octavo.verify`: read every record and check it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from octavo import _core
from octavo._location import Input, Location, expand
from octavo._reader import Reader
from octavo.errors import OctavoError

if TYPE_CHECKING:
    from octavo._open import Format

Progress: TypeAlias = Callable[[int, int], object]

_TORN = "the last {} bytes are an interrupted append"


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
    record_count: int = 1
    """How many records are affected, that one first: a damaged chunk costs all of its records. 0 if none is known."""


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
    progress: Progress | None = None,
) -> VerifyReport:
    """Read every record and verify its checksum, on all cores.

    A file that cannot be opened at all is reported, too, and does not end the work.

    Args:
        location: What to check; see `octavo.open`.
        format: The format, if it cannot be told.
        progress: Called now and then with the number of records done and the number of all records.
    """
    inputs = expand(location)
    try:
        return _verify(Reader(inputs, format=format, sidecar=False), progress)  # it is the file that is judged
    except OctavoError as error:
        if error.path is None or isinstance(error, OSError):
            raise
        if len(inputs) == 1:
            return VerifyReport(0, (Damage(error.path, None, error.offset, str(error), 0),))
    return _verify_one_by_one(inputs, format, progress)


def _verify(reader: Reader, progress: Progress | None) -> VerifyReport:
    with reader:
        total, paths = len(reader), reader.paths
        report = None if progress is None else lambda done: progress(done, total)
        found = _core.verify(reader, report)
        torn = reader._torn  # noqa: SLF001 - part of the package
    damage = [_damage(error, record, paths[file], count) for file, record, count, error in found]
    damage += [Damage(path, None, offset, f"{path}: {_TORN.format(size)}", 0) for path, offset, size in torn]
    return VerifyReport(total, tuple(damage))


def _verify_one_by_one(inputs: list[Input], format: Format | None, progress: Progress | None) -> VerifyReport:
    """Where a file cannot even be counted, the numbers of the records after it start as if it were not there."""
    damage: list[Damage] = []
    seen = 0
    for one in inputs:
        report = verify(one, format=format, progress=_after(seen, progress))
        for found in report.damage:
            record = None if found.record is None else found.record + seen
            damage.append(dataclasses.replace(found, record=record))
        seen += report.record_count
    return VerifyReport(seen, tuple(damage))


def _after(seen: int, progress: Progress | None) -> Progress | None:
    return None if progress is None else lambda done, total: progress(seen + done, seen + total)


def _damage(error: OctavoError, record: int, path: str, count: int) -> Damage:
    # An error about no record is about the whole file.
    return Damage(path, None if error.record is None else record, error.offset, str(error), count)

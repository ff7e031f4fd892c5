"""`octavo.verify`: read every record and check it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from octavo import _core
from octavo._arguments import Progress
from octavo._location import Input, Location, expand
from octavo._reader import Reader
from octavo._side_files import PARTIAL
from octavo.errors import FormatError, OctavoError

if TYPE_CHECKING:
    from octavo._open import Format, IoMode

Refuse: TypeAlias = Callable[[OctavoError], bool]
OpenFiles: TypeAlias = Callable[[list[Input]], Reader]
_Found: TypeAlias = tuple[int, int, int, OctavoError]

_TORN = "the last {} bytes are an interrupted append, or the file was cut off"
_UNFINISHED = "its writer has not finished it; octavo.recover makes a whole file of it"
_TO_THE_END = "(from record "  # in what is told of a header that leads nowhere


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
    """How many records are affected, that one first: a damaged chunk costs all of its records. 0 if none is known.

    Behind ten thousand places, neighbours are one place, with the reason of the first.
    """
    record_in_file: int | None = None
    """The record's number in its file."""
    to_the_end: bool = False
    """Whether everything behind it in the file is lost with it; it counts as one record, for nobody knows how many."""

    @property
    def records(self) -> range:
        """The numbers of the affected records in the whole data set; empty if a whole file cannot be read."""
        return range(0) if self.record is None else range(self.record, self.record + self.record_count)


@dataclasses.dataclass(frozen=True)
class VerifyReport:
    """What `octavo.verify` found."""

    record_count: int
    """Records that were looked at, good and bad."""
    damage: tuple[Damage, ...]
    """Everything that is wrong, in the order of the records."""
    file_count: int = dataclasses.field(default=0, compare=False)
    """Files that were looked at; like their size, of no account where reports are compared."""
    total_bytes: int = dataclasses.field(default=0, compare=False)
    """Size of those files, as far as they could be opened."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.damage

    @property
    def damaged_count(self) -> int:
        """Records that are affected, as far as they can be counted."""
        return sum(one.record_count for one in self.damage)


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
    return examine(expand(location), format, progress, _refuse_what_the_system_refused)


def examine(
    inputs: list[Input], format: Format | None, progress: Progress | None, refuse: Refuse, *, io: IoMode = "auto"
) -> VerifyReport:
    """As `verify`; `refuse` is asked about each file that cannot be opened.

    It raises if the work is to end, or else says whether the file is left out of the report. What it lets pass is
    damage.
    """
    # No sidecar: it is the file that is judged.
    open_files = partial(Reader, format=format, sidecar=False, io=io)
    if len(inputs) == 1:
        return _one_by_one(inputs, open_files, progress, refuse)
    try:
        return _verify(open_files(inputs), progress)
    except OctavoError as error:
        if error.path is None:
            raise
    return _one_by_one(inputs, open_files, progress, refuse)


def _refuse_what_the_system_refused(error: OctavoError) -> bool:
    if isinstance(error, OSError):
        raise error
    return False


def _verify(reader: Reader, progress: Progress | None, total: int | None = None, before: int = 0) -> VerifyReport:
    """The report on a reader, before whose records there are others."""
    with reader:
        count, paths, starts = len(reader), reader.paths, reader._file_starts  # noqa: SLF001 - part of the package
        total = before + count if total is None else total
        report = None if progress is None else lambda done: progress(before + done, total)
        found = _core.verify(reader, report)
        torn, size = reader._torn, reader._total_bytes  # noqa: SLF001 - part of the package
    damage = [_damage(one, paths, starts, before) for one in found]
    damage += [Damage(path, None, offset, f"{path}: {_TORN.format(cut)}", 0) for path, offset, cut in torn]
    # Where records follow one another and nothing else, only the name tells.
    damage += [Damage(path, None, None, f"{path}: {_UNFINISHED}", 0) for path in paths if path.endswith(PARTIAL)]
    return VerifyReport(count, tuple(damage), len(paths), size)


def _one_by_one(inputs: list[Input], open_files: OpenFiles, progress: Progress | None, refuse: Refuse) -> VerifyReport:
    """Where a file cannot even be counted, the numbers of the records after it start as if it were not there."""
    opened = [_open(one, open_files, refuse) for one in inputs]
    total = sum(len(reader) for reader in opened if isinstance(reader, Reader))
    reports: list[VerifyReport] = []
    seen = 0
    for one in opened:
        if isinstance(one, Reader):
            reports.append(_judged(one, progress, total, seen, refuse))
            seen += reports[-1].record_count
        elif one is not None:
            reports.append(VerifyReport(0, (one,), 1))
    return VerifyReport(
        seen,
        tuple(damage for report in reports for damage in report.damage),
        sum(report.file_count for report in reports),
        sum(report.total_bytes for report in reports),
    )


def _open(one: Input, open_files: OpenFiles, refuse: Refuse) -> Reader | Damage | None:
    """A reader, or what is wrong, or None for what is refused."""
    try:
        return open_files([one])
    except OctavoError as error:
        return _whole_file(error, one, refuse)


def _judged(reader: Reader, progress: Progress | None, total: int, before: int, refuse: Refuse) -> VerifyReport:
    try:
        return _verify(reader, progress, total, before)
    except OctavoError as error:  # of the file as a whole: others are in the report
        damage = _whole_file(error, reader.paths[0], refuse)
        return VerifyReport(0, (damage,) if damage else (), 1)


def _whole_file(error: OctavoError, one: Input, refuse: Refuse) -> Damage | None:
    if error.path is None:
        raise error
    path = one if isinstance(one, str) else error.path  # messages have no name that is no text
    return None if refuse(error) else Damage(path, None, error.offset, str(error), 0)


def _damage(found: _Found, paths: list[str], starts: list[int], before: int) -> Damage:
    file, record, count, error = found
    path, reason = paths[file], str(error)
    if isinstance(error, FormatError) and error.record is None:  # about no record is about the whole file
        return Damage(path, None, error.offset, reason, starts[file + 1] - starts[file])
    to_the_end = _TO_THE_END in reason.removeprefix(path)
    return Damage(path, before + record, error.offset, reason, count, record - starts[file], to_the_end)

"""What is there already. Files that are just what would be written are as good as written; others are refused."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from octavo._convert._any_input import AnyInput, RecordInput
from octavo._convert._files import remove_leftover
from octavo.errors import AlreadyExistsError, FormatError, NotFoundError, OptionError

if TYPE_CHECKING:
    from octavo import _core
    from octavo._convert._output import Target
    from octavo._convert._plan import Job
    from octavo._convert._records_of import RecordsOf


def existing(jobs: list[Job], target: Target) -> list[str]:
    """Paths at which there is something."""
    paths = [job.path for job in jobs]
    target.place.refuse_special(paths)
    return target.occupied(paths)


def refuse_unfinished(jobs: list[Job], target: Target) -> None:
    """What another writer has begun is not thrown away: `octavo.recover` makes a file of it."""
    for job in jobs:
        if side := target.place.unfinished(job.path):
            message = f"{side}: it holds an interrupted write; octavo.recover saves what is in it"
            raise AlreadyExistsError(message, path=side)


class Judge:
    """Compares what is there with what would be written."""

    def __init__(self, source: AnyInput, target: Target) -> None:
        self._source = source
        self._target = target

    def look(self, jobs: list[Job]) -> None:
        """Refuse what can be told without reading everything."""
        for job in jobs:
            self._opened(job).close()

    def expected(self, job: Job, records: RecordsOf) -> _core.Digest:
        """The digest of the records that belong there; refuse what holds others."""
        with self._opened(job) as result:
            try:
                found = result.digest()
            except (FormatError, OptionError) as error:
                raise refusal(job.path) from error
        expected = records.digest(job)
        if not self._target.holds(found, expected):
            raise refusal(job.path)
        if self._target.format == "folder":
            remove_leftover(job.path)
        return expected

    def _opened(self, job: Job) -> AnyInput:
        if self._target.place.is_folder(job.path) != (self._target.format == "folder"):
            raise refusal(job.path)
        try:
            result = self._target.reopen(job.path)
        except (FormatError, OptionError, NotFoundError) as error:
            raise refusal(job.path) from error
        with contextlib.ExitStack() as stack:
            stack.enter_context(result)
            if not self._could_be(job, result):
                raise refusal(job.path)
            stack.pop_all()
        return result

    def _could_be(self, job: Job, result: AnyInput) -> bool:
        if job.stop is not None:
            wanted: int | None = job.stop - job.start
        else:
            wanted = self._source.record_count if job.file is None else None
        if wanted is not None and result.record_count not in (None, wanted):
            return False
        return not isinstance(result, RecordInput) or self._target.made(job.path, result.reader.info)


def refusal(path: str) -> AlreadyExistsError:
    """What to raise where something else is."""
    message = f"{path}: there is something of this name already, and not what would be written"
    return AlreadyExistsError(message, path=path)

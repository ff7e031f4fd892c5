"""A conversion, once everything is named and opened: what is there already, what is written, what is left of it."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

from octavo import _core
from octavo._arguments import Progress
from octavo._convert import _stamps
from octavo._convert._existing import Judge, existing, refuse_unfinished
from octavo._convert._journal import Journal, journal_of
from octavo._convert._records_of import RecordsOf, Tally
from octavo._convert._run import Runner
from octavo._convert._shuffled import ShuffledInput
from octavo._convert._tasks import Elsewhere, Errand, check_independent
from octavo.errors import StorageError

if TYPE_CHECKING:
    from octavo._convert._any_input import AnyInput
    from octavo._convert._output import Target
    from octavo._convert._plan import Job


class Conversion:
    """One conversion."""

    def __init__(
        self,
        source: AnyInput,
        target: Target,
        path: str,
        jobs: list[Job],
        seed: int | None,
        *,
        overwrite: bool,
        verify: bool,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self._source = source
        self._target = target
        self._path = path
        self._jobs = jobs
        self._seed = seed
        self._overwrite = overwrite
        # A folder is never written over: it may hold what is not ours.
        self._may_replace = overwrite and target.format != "folder"
        self._verify = verify
        self._judge = Judge(source, target)
        self._runner: Runner | None = None
        self._errand: Errand | None = None
        if elsewhere is not None:
            check_independent(source, jobs, seed)
            self._errand = Errand(source, target, elsewhere, overwrite=self._may_replace, verify=verify)

    def run(self, progress: Progress | None) -> tuple[_core.Digest, int]:
        """Convert; returns the digest and how many files were kept."""
        tally = Tally(self._source, progress, verify=self._verify)
        stamps, is_known = _stamps.of_source(self._source)
        journal = journal_of(self._target.place, self._path, self._plan(stamps))
        there = existing(self._jobs, self._target)
        is_all_there = len(there) == len(self._jobs)
        if is_all_there and self._seed is None and not self._may_replace and not journal.exists:
            # Nothing is written for this, so that it is done also where nothing can be written.
            return self._judged(self._source, tally)
        with self._target.place.made_folders(job.path for job in self._jobs):
            journal.open(overwrite=self._overwrite, verify=self._verify)
            try:
                found = self._run(journal, tally, is_known=is_known)
            except BaseException:
                with contextlib.suppress(StorageError):  # a store that cannot be reached keeps the journal
                    if self._is_worth_keeping(journal):
                        journal.close()
                    else:
                        journal.remove()
                raise
            journal.remove()
            return found

    def _run(self, journal: Journal, tally: Tally, *, is_known: bool) -> tuple[_core.Digest, int]:
        there = set(existing(self._jobs, self._target))  # again, for now nobody else writes there
        is_new = not journal.resumed and not self._may_replace
        missing = [job for job in self._jobs if job.path not in there]
        if is_new:
            self._judge.look([job for job in self._jobs if job.path in there])
            refuse_unfinished(missing, self._target)
        with self._ordered() as source:
            if is_new and not missing:
                return self._judged(source, tally)
            records = RecordsOf(source, tally)
            if not is_known:
                self._check_finished(journal, records)
            self._runner = Runner(
                records,
                self._target,
                journal,
                tally,
                self._judge,
                overwrite=self._may_replace,
                verify=self._verify,
                send=None if self._errand is None else self._errand.run,
            )
            kept = self._runner.run(self._jobs)
        whole = _core.Digest()
        for job in self._jobs:
            whole.join(journal.finished[job.path])
        return whole, kept

    def _ordered(self) -> contextlib.AbstractContextManager[AnyInput | ShuffledInput]:
        if self._seed is None:
            return contextlib.nullcontext(self._source)
        return ShuffledInput(self._source, self._seed, self._target.place.scratch(self._path))

    def _judged(self, source: AnyInput | ShuffledInput, tally: Tally) -> tuple[_core.Digest, int]:
        """Files that are just what would be written are as good as written: a conversion may be run again."""
        self._judge.look(self._jobs)
        records, whole = RecordsOf(source, tally), _core.Digest()
        for job in self._jobs:
            whole.join(self._judge.expected(job, records))
        return whole, len(self._jobs)

    def _check_finished(self, journal: Journal, records: RecordsOf) -> None:
        """A source that nothing but its records tells from others is read again, before finished files are kept."""
        for job in self._jobs:
            finished = journal.finished.get(job.path)
            if finished is None or self._target.holds(records.digest(job), finished):
                continue
            if not self._overwrite:
                raise journal.of_another()
            journal.finished.clear()
            return

    def _is_worth_keeping(self, journal: Journal) -> bool:
        """Whether somebody could go on from here."""
        may_be_ours = journal.resumed or (self._runner is not None and self._runner.has_published)
        return bool(journal.finished) or (may_be_ours and not all(self._target.is_free(job.path) for job in self._jobs))

    def _plan(self, stamps: Any) -> dict[str, Any]:
        """What an interrupted conversion must have in common with this one for its files to be kept."""
        return {
            "sources": stamps,
            "jobs": [dataclasses.astuple(job) for job in self._jobs],
            "format": self._target.format,
            "options": self._target.options,
            "shuffle": self._seed,
        }

"""One job after the other, or several side by side: read, write, publish, read back, compare."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol, TypeAlias

from octavo import _core
from octavo._convert._records_of import RecordsOf, Stopped, Tally
from octavo.errors import AlreadyExistsError, OctavoError

if TYPE_CHECKING:
    from octavo._convert._existing import Judge
    from octavo._convert._output import Target
    from octavo._convert._plan import Job

Sending: TypeAlias = "Callable[[list[Job], set[str]], Iterator[tuple[Job, _core.Digest]]]"

# One job keeps the decoders and encoders of a few cores busy; reading, writing and syncing of several overlap.
_MOST_JOBS = 4


class Notes(Protocol):
    """What is known of files, and what is to be remembered of them: see `Journal`."""

    @property
    def finished(self) -> dict[str, _core.Digest]:
        """Files that need not be written again."""

    @property
    def known(self) -> set[str]:
        """Files that were finished at some time, whatever has become of them."""

    def finish(self, path: str, digest: _core.Digest, *, verified: bool) -> None:
        """One file is whole."""


class Runner:
    """Writes the files of a conversion."""

    def __init__(
        self,
        records: RecordsOf,
        target: Target,
        journal: Notes,
        tally: Tally,
        judge: Judge,
        *,
        overwrite: bool,
        verify: bool,
        send: Sending | None = None,
    ) -> None:
        self._records = records
        self._target = target
        self._journal = journal
        self._tally = tally
        self._judge = judge
        self._send = send
        self._overwrite = overwrite
        self._verify = verify
        self.has_published = False
        """Whether a file is there that was not there before."""

    def run(self, jobs: list[Job]) -> int:
        """Run all jobs that are not finished, and say how many were. If one fails, none is begun any more."""
        waiting, same = [], {}
        for job in jobs:
            if self._may_be_anybodys(job):
                same[job.path] = self._judge.expected(job, self._records)
            elif (finished := self._journal.finished.get(job.path)) is not None:
                self._tally.add_rest(finished.record_count, added=0)
            else:
                waiting.append(job)
        for path, digest in same.items():  # only now: where one is refused, nothing has begun
            self._journal.finish(path, digest, verified=True)
        kept = len(jobs) - len(waiting)
        if self._send is not None:
            self._run_elsewhere(waiting, self._send)
            return kept
        # Sources and sinks in Python take turns anyway.
        is_native = self._records.are_native and not self._target.is_foreign
        at_a_time = min(len(waiting), _MOST_JOBS, os.cpu_count() or 1) if is_native else 1
        if at_a_time <= 1:
            for job in waiting:
                self._run_one(job)
        else:
            self._run_together(waiting, at_a_time)
        return kept

    def _may_be_anybodys(self, job: Job) -> bool:
        """Whether there is something that may stay only if it is what would be written."""
        # What is in a folder may have changed without a trace, and what is not in the journal may be anybody's.
        is_ours = job.path in self._journal.known and self._target.format != "folder"
        return not (self._overwrite or is_ours or self._target.is_free(job.path))

    def _run_elsewhere(self, waiting: list[Job], send: Sending) -> None:
        self.has_published = True  # or may have: nobody sees it from here
        for job, digest in send(waiting, self._journal.known):
            self._journal.finish(job.path, digest, verified=self._verify)
            self._tally.add_rest(digest.record_count, added=0)

    def _run_together(self, waiting: list[Job], at_a_time: int) -> None:
        from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait  # noqa: PLC0415 - takes long to import

        with ThreadPoolExecutor(at_a_time, thread_name_prefix="octavo-convert") as pool:
            running = {pool.submit(self._run_one, job) for job in waiting}
            try:
                done, _ = wait(running, return_when=FIRST_EXCEPTION)
            finally:
                # Also on Ctrl-C: the threads hear of it at their next block.
                self._tally.stopped.set()
                pool.shutdown(cancel_futures=True)
            failures = [error for future in done if not future.cancelled() and (error := future.exception())]
            for error in sorted(failures, key=lambda error: isinstance(error, Stopped)):
                raise error

    def _run_one(self, job: Job) -> None:
        digest = self._write_foreign(job) if self._target.is_foreign else self._write(job)
        self.has_published = True
        if self._verify:
            self._read_back(job, digest)
        self._journal.finish(job.path, digest, verified=self._verify)

    def _write(self, job: Job) -> _core.Digest:
        with self._target.create(job.path) as writer:
            digest = self._records.copy(job, writer)
            self._check_still_free(job)
            return digest

    def _write_foreign(self, job: Job) -> _core.Digest:
        digest = _core.Digest()
        sink = self._target.open_sink(job.path)
        try:
            for block in self._records.blocks(job, digest):
                sink.write(block)
            self._check_still_free(job)
        except BaseException:
            sink.abort()
            raise
        sink.close()
        return digest

    def _check_still_free(self, job: Job) -> None:
        """Writing may take hours, and what came meanwhile is somebody else's."""
        if not self._overwrite and job.path not in self._journal.known and not self._target.is_free(job.path):
            message = f"{job.path}: something of this name came while it was written"
            raise AlreadyExistsError(message, path=job.path)

    def _read_back(self, job: Job, written: _core.Digest) -> None:
        told = self._tally.from_total()
        with self._target.reopen(job.path) as result:
            found = result.digest(lambda done, _total: told(done) if result.record_count is not None else None)
        told(found.record_count)  # not all containers tell on the way
        if self._target.holds(found, written):
            return
        self._target.place.remove(job.path)
        message = (
            f"{job.path}: read back, it holds {found.record_count} records with digest {found.ordered}, but "
            f"{written.record_count} with digest {written.ordered} were written; it was removed"
        )
        raise OctavoError(message, path=job.path)

"""One job after the other, or several side by side: read, write, publish, read back, compare."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from octavo import _core
from octavo._convert._any_input import AnyInput, ForeignInput, RecordInput
from octavo._convert._output import remove
from octavo.errors import OctavoError

if TYPE_CHECKING:
    from octavo._convert._journal import Journal
    from octavo._convert._output import Target
    from octavo._convert._plan import Job
    from octavo._convert._shuffled import ShuffledInput
    from octavo._convert._source import Block

# One job keeps the decoders and encoders of a few cores busy; reading, writing and syncing of several overlap.
_MOST_JOBS = 4


class Stopped(Exception):  # noqa: N818 - not an error: another thread failed, or the user has had enough
    """The other jobs are to end."""


class Tally:
    """How far all jobs are together. A record counts half when it is written and whole when it was read back."""

    def __init__(self, total: int | None, progress: Callable[[int, int], object] | None, *, verify: bool) -> None:
        self._total = total
        self._progress = progress
        self._weight = 1 if verify else 2
        self._halves = 0
        self._lock = threading.Lock()
        self.stopped = threading.Event()

    def add(self, records: int) -> None:
        """So many records more were written, or read back."""
        if self.stopped.is_set():
            raise Stopped
        with self._lock:
            self._halves += records * self._weight
            if self._progress is not None and self._total is not None:
                self._progress(self._halves // 2, self._total)

    def from_total(self) -> Callable[[int], None]:
        """The same for somebody who counts from the beginning."""
        seen = 0

        def told(done: int) -> None:
            nonlocal seen
            self.add(done - seen)
            seen = done

        return told


class Runner:
    """Writes the files of a conversion."""

    def __init__(
        self,
        source: AnyInput | ShuffledInput,
        target: Target,
        journal: Journal,
        tally: Tally,
        *,
        verify: bool,
    ) -> None:
        self._source = source
        self._target = target
        self._journal = journal
        self._tally = tally
        self._verify = verify

    def run(self, jobs: list[Job]) -> None:
        """Run all jobs that are not finished. If one fails, none is begun any more, and what is half written goes."""
        waiting = []
        for job in jobs:
            if job.path in self._journal.finished:
                times = 2 if self._verify else 1  # written, and read back
                self._tally.add(times * self._journal.finished[job.path].record_count)
            else:
                waiting.append(job)
        # Sources and sinks in Python take turns anyway.
        is_native = isinstance(self._source, RecordInput) and not self._target.is_foreign
        at_a_time = min(len(waiting), _MOST_JOBS, os.cpu_count() or 1) if is_native else 1
        if at_a_time <= 1:
            for job in waiting:
                self._run_one(job)
            return
        self._run_together(waiting, at_a_time)

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
        digest = self._write(job)
        if self._verify:
            self._read_back(job, digest)
        self._journal.finish(job.path, digest)

    def _write(self, job: Job) -> _core.Digest:
        if self._target.is_foreign:
            return self._write_foreign(job)
        with self._target.create(job.path) as writer:
            if isinstance(self._source, RecordInput):
                reader = self._source.reader[job.start : job.stop]
                return _core.copy(reader, writer, self._tally.from_total())
            digest = _core.Digest()
            for block in self._blocks(job, digest):
                writer.write_many(block.records)
            return digest

    def _write_foreign(self, job: Job) -> _core.Digest:
        digest = _core.Digest()
        sink = self._target.open_sink(job.path)
        try:
            for block in self._blocks(job, digest):
                sink.write(block)
        except BaseException:
            sink.abort()
            raise
        sink.close()
        return digest

    def _blocks(self, job: Job, digest: _core.Digest) -> Iterator[Block]:
        if job.file is None or not isinstance(self._source, ForeignInput):
            yield from self._counted(self._source.blocks(job.start, job.stop), digest)
            return
        with self._source.file(job.file) as one:
            yield from self._counted(one.blocks(0, None), digest)

    def _counted(self, blocks: Iterator[Block], digest: _core.Digest) -> Iterator[Block]:
        for block in blocks:
            digest.update(block.records)
            self._tally.add(len(block.records))
            yield block

    def _read_back(self, job: Job, written: _core.Digest) -> None:
        told = self._tally.from_total()
        with self._target.reopen(job.path) as result:
            found = result.digest(lambda done, _total: told(done) if result.record_count is not None else None)
        if found.record_count == written.record_count and same_records(found, written, self._target.format):
            return
        remove(job.path)
        message = (
            f"{job.path}: read back, it holds {found.record_count} records with digest {found.ordered}, but "
            f"{written.record_count} with digest {written.ordered} were written; it was removed"
        )
        raise OctavoError(message, path=job.path)


def same_records(found: _core.Digest, written: _core.Digest, format: str) -> bool:
    """Whether what was found is what was written."""
    if format == "folder":  # it has the order of its names, whatever the order in which its files were written
        return found.unordered == written.unordered
    return found.ordered == written.ordered

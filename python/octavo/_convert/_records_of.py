"""The records of each job, wherever they come from, and how far all jobs are."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from octavo import _core
from octavo._convert._any_input import AnyInput, ForeignInput, RecordInput
from octavo._convert._shuffled import ShuffledInput
from octavo.errors import SourceChangedError

if TYPE_CHECKING:
    from octavo._convert._plan import Job
    from octavo._convert._source import Block
    from octavo._writer import Writer


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

    def add_whole(self, records: int) -> None:
        """So many records were both."""
        self.add(records * 2 // self._weight)

    def from_total(self) -> Callable[[int], None]:
        """The same for somebody who counts from the beginning."""
        seen = 0

        def told(done: int) -> None:
            nonlocal seen
            self.add(done - seen)
            seen = done

        return told


class RecordsOf:
    """The records of jobs. Of sources in Python, jobs have to be asked for one after the other."""

    def __init__(self, source: AnyInput | ShuffledInput, tally: Tally) -> None:
        self._source = source
        self._tally = tally
        self.are_native = isinstance(source, RecordInput)
        """Whether several jobs can be asked for at once."""

    def copy(self, job: Job, writer: Writer) -> _core.Digest:
        """Into a file."""
        if isinstance(self._source, RecordInput):
            return _core.copy(self._source.reader[job.start : job.stop], writer, self._tally.from_total())
        digest = _core.Digest()
        for block in self.blocks(job, digest):
            writer.write_many(block.records)
        return digest

    def digest(self, job: Job) -> _core.Digest:
        """Only read, and done with."""
        digest = _core.Digest()
        if isinstance(self._source, RecordInput):
            digest = _core.digest(self._source.reader[job.start : job.stop], self._tally.from_total())
        else:
            for _ in self.blocks(job, digest):
                pass
        self._tally.add_whole(digest.record_count)
        self._tally.add(-digest.record_count)
        return digest

    def blocks(self, job: Job, digest: _core.Digest) -> Iterator[Block]:
        """In blocks, which are added to the digest on their way."""
        if job.file is None or not isinstance(self._source, ForeignInput):
            yield from self._counted(self._source.blocks(job.start, job.stop), digest)
        else:
            with self._source.file(job.file) as one:
                yield from self._counted(one.blocks(0, None), digest)
        if not isinstance(self._source, RecordInput | ShuffledInput):
            self._source.check_unchanged(job.file)
        wanted = None if job.stop is None else job.stop - job.start
        if wanted is not None and digest.record_count != wanted:
            message = f"{job.path}: {wanted} records were found for it at first, and now {digest.record_count}"
            raise SourceChangedError(message)

    def _counted(self, blocks: Iterator[Block], digest: _core.Digest) -> Iterator[Block]:
        for block in blocks:
            digest.update(block.records)
            self._tally.add(len(block.records))
            yield block

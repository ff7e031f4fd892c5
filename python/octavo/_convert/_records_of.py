"""The records of each job, wherever they come from, and how far all jobs are."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from octavo import _core
from octavo._arguments import Progress
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

    def __init__(self, source: AnyInput, progress: Progress | None, *, verify: bool) -> None:
        self._total = source.record_count
        self._total_bytes = source.total_bytes
        self._read = 0
        self._progress = progress
        self._weight = 1 if verify else 2
        self._halves = 0
        self._lock = threading.Lock()
        self.stopped = threading.Event()

    def expect(self, total: int | None, records: int, position: int | None) -> None:
        """So many records there are in all. If nobody knows, it is told by those that were read up to this byte."""
        self._read += records
        if total is None and position and self._total_bytes:
            total = max(self._read * self._total_bytes // position, self._read)
        self._total = total

    def add(self, records: int) -> None:
        """So many records more were written, or read back."""
        if self.stopped.is_set():
            raise Stopped
        with self._lock:
            self._halves += records * self._weight
            if self._progress is not None and self._total is not None:
                self._progress(self._halves // 2, self._total)

    def add_rest(self, records: int, *, added: int) -> None:
        """So many records, which were added so many times, are done with."""
        self.add(records * (2 - added * self._weight) // self._weight)

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
        self._tally.add_rest(digest.record_count, added=1)
        return digest

    def blocks(self, job: Job, digest: _core.Digest) -> Iterator[Block]:
        """In blocks, which are added to the digest on their way."""
        if job.file is None or not isinstance(self._source, ForeignInput):
            yield from self._counted(self._source.blocks(job.start, job.stop), digest)
        else:
            with self._source.file(job.file) as one:
                yield from self._counted(one.blocks(0, None), digest, self._source.bytes_before(job.file))
        if not isinstance(self._source, RecordInput | ShuffledInput):
            self._source.check_unchanged(job.file)
        wanted = None if job.stop is None else job.stop - job.start
        if wanted is not None and digest.record_count != wanted:
            message = f"{job.path}: {wanted} records were found for it at first, and now {digest.record_count}"
            raise SourceChangedError(message)

    def _counted(self, blocks: Iterator[Block], digest: _core.Digest, before: int = 0) -> Iterator[Block]:
        for block in blocks:
            digest.update(block.records)
            position = None if block.position is None else before + block.position
            self._tally.expect(self._source.record_count, len(block.records), position)
            self._tally.add(len(block.records))
            yield block

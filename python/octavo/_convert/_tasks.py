"""Files of a conversion that are written by other processes: each is a task with all that it takes.

A task leaves a note beside its file: the digest of what was written, or what went wrong. So nobody has to carry results
back, and a task that is done twice leaves the same as one that is done once.
"""

from __future__ import annotations

import bisect
import dataclasses
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from octavo import _core, errors
from octavo._convert import _stamps
from octavo._convert._any_input import AnyInput, File, ForeignInput, RecordInput
from octavo._convert._existing import Judge
from octavo._convert._plan import Job
from octavo._convert._records_of import RecordsOf, Tally
from octavo._convert._run import Runner
from octavo._reader import Reader
from octavo._side_files import CONVERTING
from octavo.errors import OctavoError, SourceChangedError, StorageError, UnsupportedError

if TYPE_CHECKING:
    from octavo._convert._output import Target

Elsewhere: TypeAlias = "Callable[[list[FileTask]], None]"
"""Runs all tasks, wherever; returns when each was run at least once."""


@dataclasses.dataclass(frozen=True)
class FileTask:
    """One file to be written. It can be pickled, unless a store of its own cannot be."""

    job: Job
    """Its numbers count from the first of the files."""
    files: list[File]
    stamps: list[_stamps.Stamp | None]
    kind: str | None
    """What the files are, if they are no record files."""
    options: dict[str, Any]
    """How they are opened."""
    target: Target
    overwrite: bool
    verify: bool

    def run(self) -> None:
        """Write the file, read it back, and leave a note. What trying again cannot mend is noted and not raised."""
        try:
            self._run()
        except OctavoError as error:
            if "digest" not in self.result():  # of another attempt, which was quicker
                self._note({"error": [type(error).__name__, str(error), error.path]})
            if isinstance(error, StorageError) and not isinstance(error, SourceChangedError | FileExistsError):
                raise

    def _run(self) -> None:
        with self._opened() as source:
            for file, stamp in zip(self.files, self.stamps, strict=True):
                _stamps.check(file, stamp)
            tally = Tally(source, None, verify=self.verify)
            judge = Judge(source, self.target)
            # What is there and right was written by an earlier attempt, or is as good.
            Runner(
                RecordsOf(source, tally), self.target, self, tally, judge, overwrite=self.overwrite, verify=self.verify
            ).run([self.job])

    def _opened(self) -> AnyInput:
        if self.kind is not None:
            return ForeignInput(self.kind, self.files, self.options)
        return RecordInput(Reader(list(self.files), **self.options))

    @property
    def known(self) -> set[str]:
        """No file is known to be ours: see `Journal`."""
        return set()

    @property
    def finished(self) -> dict[str, _core.Digest]:
        """No file is finished before it is."""
        return {}

    def finish(self, path: str, digest: _core.Digest, *, verified: bool) -> None:  # noqa: ARG002 - as a journal has it
        """The file is whole."""
        sums = [digest.record_count, digest.record_bytes, digest.ordered, digest.unordered]
        self._note({"digest": sums, "stamp": self.target.place.stamp(path)})

    def result(self) -> dict[str, Any]:
        """What its note says; nothing if there is none."""
        content = self.target.place.read_note(self.note_path)
        found: dict[str, Any] = json.loads(content) if content else {}
        return found

    def _note(self, content: dict[str, Any]) -> None:
        self.target.place.write_note(self.note_path, json.dumps(content).encode())

    @property
    def note_path(self) -> str:
        """Where its note is."""
        return f"{self.job.path}.result{CONVERTING}"


class Errand:
    """Has jobs done elsewhere."""

    def __init__(
        self, source: AnyInput, target: Target, elsewhere: Elsewhere, *, overwrite: bool, verify: bool
    ) -> None:
        self._source = source
        self._target = target
        self._elsewhere = elsewhere
        self._overwrite = overwrite
        self._verify = verify

    def run(self, jobs: list[Job], ours: set[str]) -> Iterator[tuple[Job, _core.Digest]]:
        """Which files were written, with their digests; also if it fails in the end. Those of ours may be replaced."""
        if not jobs:
            return
        tasks = [self._task(job, overwrite=self._overwrite or job.path in ours) for job in jobs]
        for task in tasks:
            self._target.place.remove_note(task.note_path)
        failure: BaseException | None = None
        try:
            self._elsewhere(tasks)
        except BaseException as error:  # noqa: BLE001 - tasks may have told what it is about
            failure = error
        notes = [self._taken(task) for task in tasks]
        for job, note in zip(jobs, notes, strict=True):
            if "digest" in note:
                self._check_seen(job, note["stamp"])
                yield job, _core.Digest(*note["digest"])
        _raise_failures(notes, failure)
        for job, note in zip(jobs, notes, strict=True):
            if not note:
                raise _unseen(job)

    def _task(self, job: Job, *, overwrite: bool) -> FileTask:
        source, files = self._source, self._source.files
        how: dict[str, Any] = {"target": self._target, "overwrite": overwrite, "verify": self._verify}
        if isinstance(source, ForeignInput):
            chosen = files if job.file is None else [files[job.file]]
            kind, options = source.reading
            return FileTask(Job(job.path, 0, None), chosen, list(map(_stamps.of_file, chosen)), kind, options, **how)
        assert isinstance(source, RecordInput)  # noqa: S101 - others were refused
        starts, stop = source.reader._file_starts, len(source.reader) if job.stop is None else job.stop  # noqa: SLF001
        first = max(bisect.bisect_right(starts, job.start, hi=len(files)) - 1, 0)
        last = max(bisect.bisect_left(starts, stop, hi=len(files)), first + 1)
        own = Job(job.path, job.start - starts[first], stop - starts[first])
        chosen = files[first:last]
        options = source.reader._options  # noqa: SLF001 - part of the package
        return FileTask(own, chosen, list(map(_stamps.of_file, chosen)), None, options, **how)

    def _taken(self, task: FileTask) -> dict[str, Any]:
        found = task.result()
        self._target.place.remove_note(task.note_path)
        return found

    def _check_seen(self, job: Job, stamp: _stamps.Stamp) -> None:
        here = self._target.place.stamp(job.path)
        if here is None or here[0] != stamp[0]:
            raise _unseen(job)


def _unseen(job: Job) -> StorageError:
    message = f"{job.path}: a worker wrote it, and it is not to be seen here: all have to share the target's place"
    return StorageError(message, path=job.path)


def _raise_failures(notes: list[dict[str, Any]], failure: BaseException | None) -> None:
    is_told = failure is None or isinstance(failure, Exception)  # Ctrl-C is nothing that a task could tell of
    for note in notes:
        if "error" in note and is_told:
            raise _told(*note["error"]) from failure
    if failure is not None:
        raise failure


def check_independent(source: AnyInput, jobs: list[Job], seed: int | None) -> None:
    """Refuse what other processes cannot do each for itself."""
    if seed is not None:
        message = "a shuffled conversion runs in one process: every file of it has records from everywhere"
        raise UnsupportedError(message)
    is_each_whole = isinstance(source, ForeignInput) and (len(jobs) == 1 or all(job.file is not None for job in jobs))
    if not isinstance(source, RecordInput) and not is_each_whole:
        message = "only record files, or files each of which becomes one, can be converted by several processes"
        raise UnsupportedError(message)
    inputs = source.reader._inputs if isinstance(source, RecordInput) else source.files  # noqa: SLF001 - part of the package
    if not source.files or not all(isinstance(one, str) or hasattr(one, "anew") for one in inputs):
        message = "what other processes convert are files: bytes and streams are only here"
        raise UnsupportedError(message)


def _told(kind: str, message: str, path: str | None) -> OctavoError:
    found = getattr(errors, kind, OctavoError)
    error: OctavoError = found(message, path=path)
    return error

"""Files that many tasks write into one folder, on many machines, and that appear together.

Every attempt of a task writes a file of its own into a hidden place in that folder, `.octavo-JOB`, and reports it as a
`Part`. Whoever runs the job then commits the parts, one for each task, or aborts. An attempt that failed, or that was
made twice, leaves a file that nobody reports, and that goes with the hidden place.

>>> import octavo
>>> from octavo.integrations._staging import Staging
>>> staging = Staging.begin("out", suffix=".array_record")
>>> path = staging.attempt(0)
>>> with octavo.create(path) as writer:
...     writer.write(b"a record")
>>> part = staging.part(0, path)
>>> staging.commit([part])
['.../out/part-00000-of-00001.array_record']

A `Staging` and a `Part` are small and can be pickled: the job begins and ends in one process, and tasks run in others.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import secrets
from collections.abc import Container, Iterable
from datetime import UTC, datetime
from typing import Literal, NoReturn, TypeAlias

from octavo._location import format_of_name
from octavo._side_files import INDEX
from octavo.errors import AlreadyExistsError, NotFoundError, OptionError, RecordTypeError, StorageError
from octavo.integrations import _staging_folder as folders
from octavo.integrations._staging_journal import Journal, Move, read_found, settle_others, write_found

Mode: TypeAlias = Literal["error", "append", "overwrite"]

_MODES = ("error", "append", "overwrite")
_APPENDED = re.compile(r"-\d{8}T\d{12}-[0-9a-f]{8}-\d{5,}-of-\d{5,}")
# Jobs that this process has committed: a repeated commit finds nothing else that says so in an object store.
_committed: set[str] = set()


@dataclasses.dataclass(frozen=True)
class Part:
    """A file that one attempt of a task has written, whole."""

    number: int
    """Whose records come first: those of the part with the smaller number."""
    path: str
    """Where it waits."""
    stamp: folders.Stamp
    """By which it is known under its final name."""


@dataclasses.dataclass(frozen=True)
class Staging:
    """One job that writes files into a folder."""

    folder: str
    """Where they will be."""
    prefix: str
    """What their names begin with."""
    suffix: str
    """What they end with."""
    mode: Mode
    """What about record files that are there already."""
    job: str
    """No other job has this name; of later jobs it is greater."""
    made: tuple[str, ...]
    """Folders that were made for it, the innermost first."""

    @classmethod
    def begin(
        cls, folder: str | os.PathLike[str], *, suffix: str, prefix: str = "part", mode: Mode = "error"
    ) -> Staging:
        """Prepare the folder, in the process that runs the job.

        Args:
            folder: A path or a URL; a path is made if it is not there.
            suffix: What the names of the files end with, such as `.array_record`.
            prefix: What they begin with: `PREFIX-00003-of-00017.array_record`.
            mode: What about record files that are in the folder already. `error` refuses them; `append` leaves them,
                if they are of the same format, and the names of new files have the job's name in them; `overwrite`
                removes them at the commit, but not what was appended meanwhile. Other files are left alone.

        Raises:
            AlreadyExistsError: Record files are there, and not to be; or another job is being committed, or was cut off
                where nobody can tell which of both it is (see `clean_up`).
        """
        _check_name("prefix", prefix)
        _check_name("suffix", prefix + suffix)
        if mode not in _MODES:
            raise OptionError(f"mode {mode!r} is none of: {', '.join(_MODES)}")
        where = folders.absolute(folder)
        settle_others(where, mode)
        present = {name: stamp for name, stamp in folders.files(where).items() if folders.is_record_name(name, suffix)}
        if mode == "error":
            _refuse(where, list(present))
        if mode == "append":
            _check_format(where, list(present), suffix)
        job = f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{secrets.token_hex(4)}"
        # Made here and not by tasks: one that outlives its job must find that nothing is there any more.
        staging = cls(where, prefix, suffix, mode, job, folders.make(where, _hidden(where, job)))
        if mode == "overwrite":  # not in the object itself, which every task gets
            write_found(staging.hidden, present)
        return staging

    @property
    def hidden(self) -> str:
        """Where files wait for the commit."""
        return _hidden(self.folder, self.job)

    def attempt(self, number: int) -> str:
        """A path for the records of task `number` that no other attempt has.

        Raises:
            NotFoundError: The job is over, or this machine sees another folder than the one that began it.
        """
        if number < 0:
            raise OptionError(f"tasks are counted from 0, not from {number}")
        self._check_begun()
        return folders.join(self.hidden, f"part-{number:05d}-{secrets.token_hex(8)}{self.suffix}")

    def part(self, number: int, path: str) -> Part:
        """What to report when the file at `path`, which `attempt` has named, is whole."""
        stamp = folders.stamp(path)
        if stamp is None:
            raise NotFoundError(f"{path}: the file was not written", path=path)
        try:
            self._check_begun()
        except NotFoundError:  # object stores take files for a job that is over
            folders.remove(path)
            raise
        return Part(number, path, stamp)

    def commit(self, parts: Iterable[Part]) -> list[str]:
        """Make the parts visible, in the order of their numbers, and everything else of the job vanish.

        If this raises, then none of them is visible, as far as the system lets them be hidden again. A commit that was
        cut off can be repeated, and so can one that was not.

        Args:
            parts: One of each task that has written something. Numbers may be left out.

        Returns:
            The paths of the files.

        Raises:
            AlreadyExistsError: Record files have come meanwhile that are neither to be replaced nor appended ones.
        """
        moves = self._moves(parts)
        paths = [folders.join(self.folder, move.name) for move in moves]
        if not folders.is_made(self.hidden):
            self._check_committed(moves)
            return paths
        with folders.held(self.hidden):
            if (cut_off := Journal.read(self.folder, self.hidden)) is not None:
                cut_off.undo()
            self._check_written(moves)
            present = folders.files(self.folder)
            self._refuse_others(present)
            self._carry_out(Journal(self.folder, self.hidden, self.mode, moves, self._to_replace(moves, present)))
        # From here on the new files are all there, and count, whatever happens.
        _committed.add(self.job)
        with contextlib.suppress(StorageError):
            folders.sync(self.folder)
            folders.sweep(self.hidden)
        return paths

    def abort(self) -> None:
        """Leave nothing of the job behind; undo a commit that was cut off. After one that came through, do nothing."""
        if folders.is_made(self.hidden):
            with folders.held(self.hidden):
                # An error here leaves the hidden place: what was replaced may be in it.
                if (cut_off := Journal.read(self.folder, self.hidden)) is not None:
                    cut_off.undo()
                folders.retire(self.hidden)
        folders.sweep(self.hidden)
        folders.unmake(self.made)

    def _check_begun(self) -> None:
        if not folders.is_made(self.hidden):
            raise NotFoundError(
                f"{self.hidden}: not there; either the job is over, or this machine does not share the folder with the "
                "one that began the job",
                path=self.hidden,
            )

    def _moves(self, parts: Iterable[Part]) -> list[Move]:
        ordered = sorted(parts, key=lambda part: part.number)
        numbers = [part.number for part in ordered]
        if len(set(numbers)) < len(numbers):
            raise RecordTypeError("a task was committed twice: one part is to be chosen for each number")
        prefix = f"{self.prefix}-{self.job}" if self.mode == "append" else self.prefix
        names = [f"{prefix}-{index:05d}-of-{len(ordered):05d}{self.suffix}" for index in range(len(ordered))]
        return [Move(os.path.basename(part.path), name, part.stamp) for part, name in zip(ordered, names, strict=True)]

    def _check_written(self, moves: list[Move]) -> None:
        waiting = folders.files(self.hidden)
        for move in moves:
            if move.staged not in waiting:
                self._refuse_missing(move)

    def _check_committed(self, moves: list[Move]) -> None:
        """The hidden place is gone: all of it was done before, and who knows what has come since; or it was aborted."""
        for move in moves:
            path = folders.join(self.folder, move.name)
            if self.job not in _committed and folders.stamp(path) != move.stamp:
                self._refuse_missing(move)
        with contextlib.suppress(StorageError):
            folders.sweep(self.hidden)

    def _refuse_missing(self, move: Move) -> NoReturn:
        path = folders.join(self.hidden, move.staged)
        raise NotFoundError(
            f"{path}: a task has written this file, and it is not here; either the job was aborted, or the machines do "
            "not share the folder",
            path=path,
        )

    def _carry_out(self, journal: Journal) -> None:
        """All of it, or nothing."""
        journal.write()
        try:
            # Only now: of two jobs that have both written down what they do, at least one sees the other.
            settle_others(self.folder, self.mode, self.hidden)
            self._refuse_others(folders.files(self.folder))
            journal.carry_out()
            self._refuse_others(folders.files(self.folder), {move.name for move in journal.moves})
            folders.sync(self.folder)
            folders.retire(self.hidden)
        except BaseException:
            with contextlib.suppress(StorageError):  # the first error says more; an abort will try again
                journal.undo()
            raise

    def _refuse_others(self, present: dict[str, folders.Stamp], own: Container[str] = ()) -> None:
        """Record files of other jobs: what they have written is neither replaced nor mixed with this job's."""
        if self.mode == "append":
            return
        found = read_found(self.hidden)
        others = [
            name
            for name, stamp in present.items()
            if folders.is_record_name(name, self.suffix) and name not in own and found.get(name) != stamp
        ]
        if self.mode == "error":
            _refuse(self.folder, others)
        elif others := [name for name in others if not _APPENDED.search(name)]:  # what was appended stays
            raise AlreadyExistsError(
                f"{self.folder}: {len(others)} record files have come or changed since this job began, such as "
                f"{others[0]}; it replaces those only that were there",
                path=self.folder,
            )

    def _to_replace(self, moves: list[Move], present: dict[str, folders.Stamp]) -> dict[str, folders.Stamp]:
        """What was there when the job began, and indexes that belong to it, or to no file."""
        found = read_found(self.hidden)
        names = {name for name in found if present.get(name) == found[name]}
        indexes = {name + INDEX for name in [*names, *(move.name for move in moves)]}
        return {name: stamp for name, stamp in present.items() if name in names | indexes}


def _hidden(folder: str, job: str) -> str:
    return folders.join(folder, f".octavo-{job}")


def _check_name(what: str, name: str) -> None:
    """Files are direct children of the folder, and visible ones."""
    if not name or name.startswith(".") or any(letter in name for letter in "/\\\0"):
        raise OptionError(f"{what} {name!r} cannot be part of a file's name here")


def _check_format(folder: str, present: list[str], suffix: str) -> None:
    """Files of one folder are opened together, and then they must be of one format."""
    format = format_of_name(f"x{suffix}")
    for path in present:
        if format_of_name(path) != format:
            raise OptionError(f"{folder}: has {path}; {format} files cannot be appended to that", path=folder)


def _refuse(folder: str, present: list[str]) -> None:
    if present:
        raise AlreadyExistsError(
            f"{folder}: {len(present)} record files are there already, such as {present[0]}; "
            "append to them, overwrite them, or choose another folder",
            path=folder,
        )

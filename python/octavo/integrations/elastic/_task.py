"""The worker's side: tasks one after the other, each kept alive while it is worked on."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Protocol

import octavo
from octavo._location import format_of_name
from octavo.errors import ClosedError, OctavoError, OptionError, RecordTypeError
from octavo.integrations.elastic._answers import Assignment
from octavo.integrations.elastic._outputs import is_plain, staged_folder
from octavo.storage import _folders as folders

if TYPE_CHECKING:
    from types import TracebackType

    from octavo import Partition, Reader, Writer

_HEARTBEATS_PER_LEASE = 4
_LONGEST_PAUSE_S = 2.0


class Calls(Protocol):
    """What carries calls to a dispatcher."""

    def call(self, method: str, /, *arguments: Any) -> Any:
        """Call a method of the service and wait for what it returns."""


def tasks(dispatcher: Calls) -> Generator[Task, None, None]:
    """Tasks for this worker, until every task of every epoch is done or was given up.

    While there is nothing to do, but others still work, this waits: one of them may die. A task that was neither
    committed nor released when the next is asked for counts as failed.

    Raises:
        StorageError: All tasks are done, but files of some cannot be given their names.
    """
    folder, lease_s, epochs = dispatcher.call("about")
    worker = f"process {os.getpid()} on {socket.gethostname()}"
    pause_s = shortest = min(0.05, lease_s / 10)
    longest = min(lease_s / 4, _LONGEST_PAUSE_S)
    while True:
        token = uuid.uuid4().hex
        assignment = dispatcher.call("lease", token, worker)
        if assignment.is_finished:
            return
        if assignment.partition is None:
            if assignment.publishing_error is not None and pause_s == longest:  # it was tried again, for some time
                raise assignment.publishing_error
            time.sleep(pause_s)
            pause_s = min(pause_s * 2, longest)
            continue
        pause_s = shortest
        task = Task(dispatcher, token, assignment, folder, lease_s, is_one_epoch=epochs == 1)
        try:
            yield task
        except GeneratorExit:
            with contextlib.suppress(Exception):  # its lease ends in any case
                task.release()
            raise
        if not task.is_settled:
            task.fail("the worker went on to the next task without a commit")


def work(dispatcher: Calls, function: Callable[[Task, Reader], Any]) -> int:
    """Do tasks until there are none; returns how many this worker has committed.

    Args:
        dispatcher: Where they come from.
        function: Called with a task and a reader of its records. What it returns is the task's result. If it raises,
            the error is reported, the task goes to another worker, and this one goes on.
    """
    committed = 0
    for task in tasks(dispatcher):
        with contextlib.suppress(Exception), task as records:  # the dispatcher has been told
            committed += task.commit(function(task, records))
    return committed


class Task:
    """A run of records that was leased to this worker. In a `with` block it is a reader of them, and is kept alive."""

    def __init__(
        self, dispatcher: Calls, token: str, assignment: Assignment, folder: str, lease_s: float, *, is_one_epoch: bool
    ) -> None:
        if assignment.partition is None:
            raise OptionError("there is no task in this assignment")
        self.partition: Partition = assignment.partition
        """Which records."""
        self.number = assignment.task
        """Which task, counted from 0."""
        self.count = assignment.task_count
        """How many tasks there are."""
        self.epoch = assignment.epoch
        """Which pass over the data, counted from 0."""
        self.attempt = assignment.attempt
        """Which attempt at this task, counted from 1."""
        self.is_settled = False
        """Whether it was committed, failed, released or lost."""
        self._dispatcher = dispatcher
        self._token = token
        self._folder = folder
        self._attempt_folder = staged_folder(token)
        self._lease_s = lease_s
        self._is_one_epoch = is_one_epoch
        self._writers: dict[str, Writer] = {}
        self._reader: Reader | None = None
        self._heart: threading.Thread | None = None
        self._may_be_committed = False
        self._is_left = threading.Event()
        self._is_lost = threading.Event()

    @property
    def is_lost(self) -> bool:
        """Whether the task is known to have gone to another worker: this one may as well stop."""
        return self._is_lost.is_set()

    def commit(self, result: Any = None) -> bool:
        """The task is done. This comes last: what is written afterwards is not part of it.

        Args:
            result: Kept by the dispatcher; numbers, texts, and lists and dictionaries of those.

        Returns:
            Whether this attempt counts. If not, it was too slow, and another worker does or did the task; results and
            files of this one are dropped.
        """
        self._check_is_ours()
        try:
            result = json.loads(json.dumps(result))
        except (TypeError, ValueError, RecursionError) as error:
            message = f"a result is made of numbers, texts, lists and dictionaries with texts as keys: {error}"
            raise RecordTypeError(message) from error
        if still_open := [name for name, writer in self._writers.items() if not writer.closed]:
            raise OptionError(f"{still_open[0]}: close the writer before the task is committed")
        outputs = [[self._staged(name), self._final(name)] for name in self._writers]
        self._may_be_committed = True  # from here on, only the dispatcher knows, and the files are its own
        accepted: bool = self._dispatcher.call("commit", self._token, result, outputs)
        self._may_be_committed = accepted
        self._settle()
        return accepted

    def fail(self, error: str | BaseException) -> None:
        """The task could not be done: another worker may try, until it was tried often enough."""
        text = error if isinstance(error, str) else "".join(traceback.format_exception(error))
        if not self.is_settled:
            self._settle()
            self._dispatcher.call("fail", self._token, text)

    def release(self) -> None:
        """Give the task back, as if it had never been taken: this worker leaves."""
        if not self.is_settled:
            self._settle()
            self._dispatcher.call("release", self._token)

    def create(self, name: str, **options: Any) -> Writer:
        """A writer of a file that appears in the job's folder when the task is committed, and never otherwise.

        Args:
            name: Such as `labels.array_record`; the file of task 3 of 40 becomes `labels-00003-of-00040.array_record`,
                and in a job of several epochs `labels-epoch-0-00003-of-00040.array_record`.
            options: As for `octavo.create`.

        Raises:
            ClosedError: The task was committed, failed or given back: what is written now would go nowhere.
        """
        self._check_is_ours()
        if not is_plain(name):
            raise OptionError(f"{name!r} is no name of a file in the job's folder")
        if format_of_name(name) is None and "format" not in options:
            raise OptionError(
                f"{name}: the suffix does not say which format to write; use a known one, or pass format="
            )
        if name in self._writers:
            raise OptionError(f"{name}: this task has created that file already")
        folders.make(folders.join(self._folder, self._attempt_folder))
        self._writers[name] = octavo.create(folders.join(self._folder, self._staged(name)), **options)
        return self._writers[name]

    def __enter__(self) -> Reader:
        """Open the records, and tell the dispatcher from time to time that this worker is alive."""
        self._heart = threading.Thread(target=self._beat, name="octavo-elastic-heartbeat", daemon=True)
        self._heart.start()
        try:
            self._reader = self.partition.open()
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise
        return self._reader

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Report an error, if there was one."""
        self._is_left.set()
        if self._heart is not None:
            self._heart.join()
        if self._reader is not None:
            self._reader.close()
        if isinstance(error, Exception):
            self.fail(error)
        elif error is not None:  # Ctrl-C, or the worker is asked to end
            self.release()

    def _beat(self) -> None:
        while not self._is_left.wait(self._lease_s / _HEARTBEATS_PER_LEASE):
            try:
                if self._dispatcher.call("renew", self._token):
                    continue
            except ClosedError:  # there is no dispatcher any more; the commit will say so
                return
            except Exception:  # noqa: BLE001, S112 - it may be better the next time, and the lease still holds
                continue
            if not self._is_left.is_set():
                self._is_lost.set()
            return

    def _check_is_ours(self) -> None:
        if self.is_settled:
            raise ClosedError(f"task {self.number} of epoch {self.epoch} is not this worker's any more")

    def _settle(self) -> None:
        self.is_settled = True
        self._is_left.set()
        for writer in self._writers.values():
            if not writer.closed:
                writer.abort()
        if self._writers and not self._may_be_committed:
            with contextlib.suppress(OctavoError):  # it goes when the job ends
                folders.remove_all(folders.join(self._folder, self._attempt_folder))

    def _staged(self, name: str) -> str:
        return f"{self._attempt_folder}/{name}"

    def _final(self, name: str) -> str:
        is_gzip = name.endswith(".gz")
        stem, suffix = os.path.splitext(name.removesuffix(".gz"))
        epoch = "" if self._is_one_epoch else f"-epoch-{self.epoch}"
        return f"{stem}{epoch}-{self.number:05d}-of-{self.count:05d}{suffix}{'.gz' if is_gzip else ''}"

    def __repr__(self) -> str:
        return f"<task {self.number} of {self.count}, epoch {self.epoch}, {len(self.partition)} records>"

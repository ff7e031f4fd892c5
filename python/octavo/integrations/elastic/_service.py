"""The dispatcher itself: a ledger, its journal, and the files of tasks. An engine runs it and carries its calls.

Every answer that somebody may rely on is in the journal before it is given. Calls can be repeated, so an engine may
send one again when it does not know whether it has arrived. One call runs at a time.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from octavo._partition import Partition
from octavo.errors import ClosedError, OctavoError, OptionError, SourceChangedError
from octavo.integrations.elastic import _outputs
from octavo.integrations.elastic._answers import Assignment, Failure, Settings, Status
from octavo.integrations.elastic._clock import ListeningClock
from octavo.integrations.elastic._entries import Key
from octavo.integrations.elastic._fingerprint import fingerprint
from octavo.integrations.elastic._journal import Journal, check_unused
from octavo.integrations.elastic._ledger import Ledger
from octavo.integrations.elastic._outputs import HIDDEN
from octavo.storage import _folders as folders

__all__ = ["HIDDEN", "Assignment", "Failure", "Service", "Settings", "Status"]

_PAGES_UNTIL_WHOLE = 500


class Service:
    """One job. `records` is their fingerprint, if it was taken elsewhere; `clock` is for tests."""

    def __init__(
        self,
        partitions: Sequence[Partition],
        settings: Settings,
        clock: Callable[[], float] = time.monotonic,
        *,
        records: dict[str, str] | None = None,
    ) -> None:
        self._partitions = list(partitions)
        self._folder = settings.folder
        self._clock = ListeningClock(clock)
        self._is_over = ""
        self._settings = settings
        self._ledger = self._new_ledger()
        job = (records or fingerprint(partitions)) | {"epochs": settings.epochs, "seed": settings.seed}
        self._journal = Journal(folders.join(self._folder, f"{HIDDEN}/journal"), job, len(self._partitions))
        self._unpublished: dict[Key, OctavoError | None] = {}  # why it could not be done, if it was tried
        self._is_cleared = False
        self._is_begun = False

    def begin(self) -> None:
        """Go on from the journal, if there is one. Every call does this first: an engine wants no error before."""
        if self._is_begun:
            return
        with self._clock.stopped(), self._owning_the_job():
            changes = self._journal.read()
            if not self._journal.is_begun:
                check_unused(self._folder)
            self._ledger = self._new_ledger()
            self._ledger.apply(changes, self._clock.now())
            self._journal.write_whole(self._ledger.everything())  # from here on, whoever had the job before has not
            done = self._ledger.with_state("done")
            self._unpublished = {key: None for key, entry in done if not entry.is_published}
            self._is_cleared = False
            self._is_begun = True
            self._publish()

    def lease(self, token: str, worker: str) -> Assignment:
        """A task for a worker, under a token that it has made up."""
        with self._call() as now:
            lease = self._ledger.lease(token, worker, now)
            if lease is None:
                self._publish()
            self._keep()
            if lease is None:
                self._clear()
                return Assignment(is_finished=self._is_finished, publishing_error=self._publishing_error())
            return Assignment(
                is_finished=False,
                epoch=lease.epoch,
                task=lease.task,
                task_count=len(self._partitions),
                attempt=lease.attempt,
                partition=self._partitions[lease.task],
            )

    def renew(self, token: str) -> bool:
        """The worker is alive."""
        with self._call() as now:
            renewed = self._ledger.renew(token, now)
            self._keep()
            return renewed

    def commit(self, token: str, result: Any, outputs: list[list[str]]) -> bool:
        """The attempt counts: now its files get their names, by whoever is the dispatcher."""
        with self._call() as now:
            if not _outputs.are_proper(outputs, token):
                raise OptionError(f"{outputs!r} are no files of the attempt {token!r}")
            key = self._ledger.key_of(token, now)
            if key is not None:
                _outputs.check_there(self._folder, outputs)
            accepted = self._ledger.commit(token, result, outputs, now)
            self._keep()
            if accepted and key is not None and outputs:
                self._unpublished[key] = None
                self._publish()
            return accepted

    def fail(self, token: str, error: str) -> bool:
        """The attempt has failed."""
        with self._call() as now:
            failed = self._ledger.fail(token, error, now)
            self._keep()
            return failed

    def release(self, token: str) -> bool:
        """The worker leaves and gives the task back."""
        with self._call() as now:
            released = self._ledger.release(token, now)
            self._keep()
            return released

    def retry_failed(self) -> int:
        """Put back what was given up."""
        with self._call():
            count = self._ledger.retry_failed()
            self._keep()
            self._is_cleared = self._is_cleared and not count
            return count

    def status(self) -> Status:
        """How far the job is."""
        with self._call() as now:
            self._ledger.expire(now)
            self._publish()
            self._keep()
            self._clear()
            epoch = max(min(self._ledger.epoch, self._ledger.epochs - 1), 0)
            counts = self._ledger.count(epoch)
            return Status(epoch, **counts, unpublished=len(self._unpublished), is_finished=self._is_finished)

    def publishing_error(self) -> OctavoError | None:
        """Why a file that was committed does not have its name, when nothing else is left to be done."""
        with self._call():
            return self._publishing_error()

    def results(self, epoch: int) -> dict[int, Any]:
        """The results of tasks that are done."""
        with self._call():
            if epoch not in range(self._ledger.epochs):
                raise OptionError(f"epoch is {epoch!r}; the epochs of this job are 0 to {self._ledger.epochs - 1}")
            done = self._ledger.with_state("done")
            return {task: entry.result for (of_epoch, task), entry in done if of_epoch == epoch}

    def failures(self) -> list[Failure]:
        """The tasks that were given up."""
        with self._call():
            failed = self._ledger.with_state("failed")
            return [
                Failure(epoch, task, self._partitions[task], tuple(entry.errors)) for (epoch, task), entry in failed
            ]

    def about(self) -> tuple[str, float, int]:
        """The folder, how long a lease is, and how many epochs there are."""
        with self._call():
            return self._folder, self._ledger.lease_s, self._ledger.epochs

    def process(self) -> int:
        """The process that this runs in."""
        return os.getpid()

    @property
    def _is_finished(self) -> bool:
        return self._ledger.is_finished and not self._unpublished

    def _new_ledger(self) -> Ledger:
        settings = self._settings
        return Ledger(
            len(self._partitions),
            epochs=settings.epochs,
            lease_s=settings.lease_s,
            timeout_s=settings.timeout_s,
            max_attempts=settings.max_attempts,
            seed=settings.seed,
        )

    @contextlib.contextmanager
    def _call(self) -> Iterator[float]:
        """All calls are made in this. However long one takes, to those that wait it is the same time."""
        with self._clock.stopped():
            if self._is_over:
                raise ClosedError(self._is_over)
            self.begin()
            yield self._clock.now()

    @contextlib.contextmanager
    def _owning_the_job(self) -> Iterator[None]:
        """Find that another dispatcher has it, for good."""
        try:
            yield
        except SourceChangedError as error:
            self._is_over = str(error)
            raise

    def _keep(self) -> None:
        """Write down what has changed, before anybody is told."""
        changes = self._ledger.take_changes()
        try:
            with self._owning_the_job():
                if changes:
                    self._journal.append(changes)
                if self._journal.since_whole >= _PAGES_UNTIL_WHOLE:
                    self._journal.write_whole(self._ledger.everything())
        except BaseException:  # what was not kept must not be believed: the next call begins from the journal
            self._is_begun = False
            raise

    def _publish(self) -> None:
        """Give committed files their names.

        What could not be done is tried again when there is nothing else to do: before, it would keep workers waiting.
        """
        for key in sorted(self._unpublished):
            if self._unpublished[key] is not None and not self._ledger.is_finished:
                continue
            try:
                _outputs.publish(self._folder, self._ledger.entry(*key).outputs)
            except OctavoError as error:
                self._unpublished[key] = error  # the task stays committed
                continue
            del self._unpublished[key]
            self._ledger.published(key)

    def _publishing_error(self) -> OctavoError | None:
        if not self._ledger.is_finished:
            return None
        return next((error for error in self._unpublished.values() if error is not None), None)

    def _clear(self) -> None:
        """Remove, once, what attempts that do not count have left, unless the job is another dispatcher's."""
        if self._is_finished and not self._is_cleared:
            with self._owning_the_job():
                self._journal.check_last()
            with contextlib.suppress(OctavoError):  # the next call tries again
                _outputs.remove_staged(self._folder)
                self._is_cleared = True

"""Who has which task: the rules of dispatch, without a clock, a file or an engine.

A task is pending, leased, done or failed. A lease has a token, which only its worker knows, and a deadline. Whoever
holds the token may commit until the deadline has passed; then the task is pending again and the token means nothing.
So of all attempts at a task one is committed, whatever workers do, and however late they do it.

    pending --lease--> leased --commit--> done
       ^                 |
       +---- release ----+---- fail, or the deadline passes, for the last time that is allowed ---> failed
       +---- fail, or the deadline passes

Time is whatever its callers pass as `now`. What happened since the last look (`take_changes`) is data that can be
written down and read back (`apply`).
"""

from __future__ import annotations

import dataclasses
from collections import deque
from typing import Any

from octavo import _core
from octavo.integrations.elastic._entries import Entry, Key, State

_MOST_ERROR_LETTERS = 4000


@dataclasses.dataclass(frozen=True)
class Lease:
    """A task in somebody's hands."""

    epoch: int
    task: int
    attempt: int
    token: str


@dataclasses.dataclass
class _Running:
    key: Key
    deadline: float
    last_deadline: float


class Ledger:
    """All tasks of a job."""

    def __init__(
        self,
        task_count: int,
        *,
        epochs: int = 1,
        lease_s: float = 60.0,
        timeout_s: float | None = None,
        max_attempts: int = 3,
        seed: int | None = None,
    ) -> None:
        self.task_count = task_count
        self.epochs = epochs
        self.lease_s = lease_s
        self._timeout_s = float("inf") if timeout_s is None else timeout_s
        self._max_attempts = max_attempts
        self._seed = seed
        self._entries: dict[Key, Entry] = {}
        self._running: dict[str, _Running] = {}  # by token
        self._committed: dict[str, Key] = {}  # by token
        self._changed: set[Key] = set()
        self.epoch = 0
        """The first that is not over; `epochs` when all are."""
        self._open: set[Key] = set()
        self._pending: deque[Key] = deque()
        self._enter_epoch()

    def lease(self, token: str, worker: str, now: float) -> Lease | None:
        """A task for the worker, or None if there is none at present.

        A token is made by the worker, a new one for each task, so that a question can be asked again.
        """
        self.expire(now)
        if token in self._committed:
            return None
        if token not in self._running:
            if not self._pending:
                return None
            key = self._pending.popleft()
            entry = self._change(key)
            entry.state, entry.token, entry.worker = "leased", token, worker
            entry.attempts += 1
            last_deadline = now + self._timeout_s
            self._running[token] = _Running(key, min(now + self.lease_s, last_deadline), last_deadline)
        epoch, task = self._running[token].key
        return Lease(epoch, task, self._entries[epoch, task].attempts, token)

    def renew(self, token: str, now: float) -> bool:
        """Put the deadline off; False if the lease is no more."""
        self.expire(now)
        if running := self._running.get(token):
            running.deadline = min(now + self.lease_s, running.last_deadline)
        return running is not None

    def key_of(self, token: str, now: float) -> Key | None:
        """The task that a commit under this token would be of; None if the lease is no more, or has been committed."""
        self.expire(now)
        running = self._running.get(token)
        return None if running is None else running.key

    def commit(self, token: str, result: Any, outputs: list[list[str]], now: float) -> bool:
        """The task is done, by this attempt and no other; False if the lease is no more. May be repeated."""
        self.expire(now)
        if token in self._committed:
            return True
        if (running := self._running.pop(token, None)) is None:
            return False
        entry = self._change(running.key)
        entry.state, entry.result, entry.outputs = "done", result, outputs
        entry.is_published = not outputs
        self._committed[token] = running.key
        self._close(running.key)
        return True

    def fail(self, token: str, error: str, now: float) -> bool:
        """The attempt has failed; False if the lease is no more."""
        self.expire(now)
        if (running := self._running.pop(token, None)) is None:
            return False
        self._failed(running.key, error)
        return True

    def release(self, token: str, now: float) -> bool:
        """The worker gives the task back, through no fault of the task; False if the lease is no more."""
        self.expire(now)
        if (running := self._running.pop(token, None)) is None:
            return False
        entry = self._change(running.key)
        entry.state, entry.token = "pending", None
        entry.attempts -= 1
        self._pending.appendleft(running.key)
        return True

    def expire(self, now: float) -> None:
        """Take back what was not reported in time."""
        for token, running in list(self._running.items()):
            if running.deadline <= now:
                del self._running[token]
                worker = self._entries[running.key].worker
                self._failed(running.key, f"not reported in time by {worker}, which may have died")

    def retry_failed(self) -> int:
        """Give tasks that have failed another chance; returns how many."""
        failed = [key for key, entry in self._entries.items() if entry.state == "failed"]
        for key in failed:
            entry = self._change(key)
            entry.state, entry.attempts, entry.errors = "pending", 0, []
            self._open.add(key)
            self._pending.append(key)
        return len(failed)

    @property
    def is_finished(self) -> bool:
        """Whether every task of every epoch is done or has failed."""
        return self.epoch == self.epochs and not self._open

    def count(self, epoch: int) -> dict[State, int]:
        """How many tasks of an epoch are in which state."""
        counts: dict[State, int] = {"pending": 0, "leased": 0, "done": 0, "failed": 0}
        for task in range(self.task_count):
            counts[self.entry(epoch, task).state] += 1
        return counts

    def entry(self, epoch: int, task: int) -> Entry:
        """What is known of a task; for looking only."""
        return self._entries.get((epoch, task)) or Entry()

    def with_state(self, state: State) -> list[tuple[Key, Entry]]:
        """The tasks in a state, in order."""
        return sorted((item for item in self._entries.items() if item[1].state == state), key=lambda item: item[0])

    def published(self, key: Key) -> None:
        """The files of a task that is done have their names."""
        self._change(key).is_published = True

    def take_changes(self) -> list[list[Any]]:
        """What has changed since this was last asked, as JSON has it."""
        changed, self._changed = sorted(self._changed), set()
        return [[*key, dataclasses.asdict(self._entries[key])] for key in changed]

    def everything(self) -> list[list[Any]]:
        """All that is to be kept, as changes."""
        self._changed = set()
        return [[*key, dataclasses.asdict(entry)] for key, entry in sorted(self._entries.items())]

    def apply(self, changes: list[list[Any]], now: float) -> None:
        """Go on where another ledger has left off. Leases that it gave begin anew, so that nobody's work is lost."""
        for epoch, task, fields in changes:
            self._entries[epoch, task] = Entry(**fields)
        self._running, self._committed, self.epoch = {}, {}, 0
        self._open, self._pending = set(), deque()
        self._enter_epoch()
        for key, entry in self._entries.items():
            if entry.state == "done" and entry.token:
                self._committed[entry.token] = key
            if entry.state == "leased" and entry.token:
                last_deadline = now + self._timeout_s
                self._running[entry.token] = _Running(key, min(now + self.lease_s, last_deadline), last_deadline)
            if entry.state in {"leased", "pending"} and key not in self._open:  # of an epoch that was over before
                self._open.add(key)
                if entry.state == "pending":
                    self._pending.append(key)

    def _failed(self, key: Key, error: str) -> None:
        entry = self._change(key)
        entry.token = None
        entry.errors.append(error[-_MOST_ERROR_LETTERS:])
        if entry.attempts >= self._max_attempts:
            entry.state = "failed"
            self._close(key)
        else:
            entry.state = "pending"
            self._pending.append(key)

    def _close(self, key: Key) -> None:
        self._open.discard(key)
        if not self._open and self.epoch < self.epochs:
            self.epoch += 1
            self._enter_epoch()

    def _enter_epoch(self) -> None:
        """Hand out the tasks of the first epoch that has any left."""
        while self.epoch < self.epochs:
            for task in self._order():
                key = (self.epoch, task)
                state = self.entry(*key).state
                if state in {"pending", "leased"}:
                    self._open.add(key)
                if state == "pending":
                    self._pending.append(key)
            if self._open:
                return
            self.epoch += 1

    def _order(self) -> list[int]:
        tasks = range(self.task_count)
        if self._seed is None or not tasks:
            return list(tasks)
        order = _core.Order(self.task_count, seed=self._seed, epoch=self.epoch)
        return [order.at(position) for position in tasks]

    def _change(self, key: Key) -> Entry:
        self._changed.add(key)
        return self._entries.setdefault(key, Entry())

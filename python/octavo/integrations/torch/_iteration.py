"""One `for` loop over a loader."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from octavo import shuffle
from octavo.errors import ClosedError, RecordTypeError
from octavo.integrations.torch._crew import Crew, Task


class Place:
    """Where a loop stands, counting what it was given. Not the loop itself: a sampler holds on to it."""

    __slots__ = ("begun", "epoch", "position")

    def __init__(self, sampler: shuffle.Sampler) -> None:
        self.begun = self.epoch, self.position = sampler.begin(self)


class Iteration(Iterator[Any]):
    """The batches of an epoch, in order.

    It begins when it is asked for its first batch, and its threads end with the epoch, with an error, or with it.
    Whoever asks for a batch after an error, or in a forked child, gets the next one from new threads.
    """

    def __init__(
        self, sampler: shuffle.Sampler, make: Callable[[memoryview], Any], *, threads: int, ahead: int
    ) -> None:
        self._sampler = sampler
        self._make = make
        self._threads = threads
        self._ahead = ahead
        self._place: Place | None = None
        self._next_position = 0
        self._crew: Crew | None = None
        self._is_closed = False
        self._own_process()

    def _own_process(self) -> None:
        self._process = os.getpid()
        self._turn = threading.Lock()  # threads may share a loop; one that does so in the parent of a fork may hold it
        self._crew = None  # its threads have stayed behind, too

    def __next__(self) -> Any:
        """The next batch."""
        if self._process != os.getpid():
            self._own_process()
        try:
            with self._turn:
                place, task = self._next_task()
        except BaseException:  # the end, or Ctrl-C
            self._dismiss()
            raise
        if task.error is not None:
            self._next_position = task.position
            self._dismiss()
            _raise_error_of(task)
        batch, position = task.batch, task.position
        # Last of all, and without a call: a batch that Ctrl-C has kept from the loop does not count.
        if position > place.position:  # a thread that was given a later one may have been here before
            self._next_position = place.position = position
        return batch

    def _next_task(self) -> tuple[Place, Task]:
        if self._is_closed:
            raise ClosedError("the loader was closed")
        if self._place is None:
            self._place = Place(self._sampler)
            self._next_position = self._place.position
        if self._crew is None:
            steps = self._sampler.steps(self._place.epoch, self._next_position)
            self._crew = Crew(steps, self._make, threads=self._threads, ahead=self._ahead)
        task = self._crew.take()
        if task is None:
            self._next_position = self._place.position = self._sampler.size
            raise StopIteration
        return self._place, task

    def __reduce__(self) -> NoReturn:
        """Refuse to be copied."""
        raise RecordTypeError("a loop cannot be pickled or copied; its loader can, and knows the place by state_dict()")

    def _dismiss(self) -> None:
        crew, self._crew = self._crew, None
        if crew is not None:
            crew.stop()

    def close(self) -> None:
        """End the threads, however long they take; there are no more batches."""
        self._is_closed = True
        if self._process != os.getpid():
            self._own_process()
        crew, self._crew = self._crew, None
        if crew is not None:
            crew.stop(patience_s=None)


def _raise_error_of(task: Task) -> None:
    error, task.error = task.error, None
    try:
        if isinstance(error, StopIteration):  # which would end the loop as if the epoch were over
            raise RuntimeError("StopIteration was raised while a batch was made") from error  # noqa: TRY004
        raise error or AssertionError
    finally:
        del error  # its traceback leads here

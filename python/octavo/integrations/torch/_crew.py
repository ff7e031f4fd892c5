"""Threads that make batches ahead of their use.

A crew serves one iteration. Its tasks are handed out in the order in which they were begun, whichever is done first,
and there are never more than `ahead` of them: queued, in work or done. The threads know the queue and nothing else, so
that a crew which nobody holds any more is found out by the garbage collector, and sent home.
"""

from __future__ import annotations

import _thread
import contextlib
import math
import os
import signal
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from typing import Any

from octavo.errors import ClosedError

_LONGEST_WAIT_S = 1.0  # at a stretch: on Windows, Ctrl-C is not noticed before a wait is over
_PATIENCE_S = 5.0  # with threads that are to end; what they decode may take for ever, or wait for whoever waits here
_SOON_S = 0.05  # when a finalizer has surely returned


class Task:
    """One batch: the numbers of its records, and once it is done the batch or the error."""

    __slots__ = ("batch", "done", "error", "numbers", "position")

    def __init__(self, numbers: memoryview, position: int) -> None:
        self.numbers = numbers
        self.position = position  # of the epoch, after this batch
        self.batch: Any = None
        self.error: BaseException | None = None
        self.done = threading.Lock()
        self.done.acquire()

    def run(self, make: Callable[[memoryview], Any]) -> None:
        """Make the batch; an error is kept for whoever waits for it."""
        try:
            self.batch = make(self.numbers)
        except BaseException as error:  # noqa: BLE001 - it is raised where the batch was to be
            self.error = error
        self.done.release()

    def refuse(self) -> None:
        """Let go of whoever waits: nobody will make this batch."""
        self.error = ClosedError("the loader was closed while its next batch was waited for")
        self.done.release()


class Crew:
    """Threads at work on the steps of one iteration."""

    def __init__(
        self,
        steps: Iterator[tuple[memoryview, int]],
        make: Callable[[memoryview], Any],
        *,
        threads: int,
        ahead: int,
    ) -> None:
        self._steps = steps
        self._gate = threading.Lock()
        self._is_open = True
        self._queue: SimpleQueue[Task | None] = SimpleQueue()
        self._tasks: deque[Task] = deque()
        while len(self._tasks) < ahead and self._begin_task():
            pass
        self._threads = [
            threading.Thread(target=_work, args=(self._queue, make), name=f"octavo-loader-{number}", daemon=True)
            for number in range(min(threads, len(self._tasks)))
        ]
        # Also at the end of the program, where threads would be cut off in the middle of something.
        self._finalizer = weakref.finalize(self, _send_home_at_last, self._queue, self._threads, os.getpid())
        try:
            for thread in self._threads:
                thread.start()
        except BaseException:  # no more threads are to be had, or Ctrl-C
            self.stop()
            raise

    def take(self) -> Task | None:
        """The next task, when it is done; None after the last. One thread at a time may call this."""
        if not self._tasks:
            return None
        task = self._tasks[0]
        while not task.done.acquire(timeout=_LONGEST_WAIT_S):
            pass
        self._tasks.popleft()
        self._begin_task()
        return task

    def _begin_task(self) -> bool:
        with self._gate:
            step = next(self._steps, None) if self._is_open else None
            if step is None:
                return False
            task = Task(*step)
            self._tasks.append(task)
            self._queue.put(task)
            return True

    def stop(self, patience_s: float | None = _PATIENCE_S) -> None:
        """Begin nothing more, and wait for what is in work: so long at most, or as long as it takes."""
        self._finalizer.detach()  # once is enough
        with self._gate:
            self._is_open = False
        _send_home(self._queue, self._threads, os.getpid(), patience_s)


def _work(queue: SimpleQueue[Task | None], make: Callable[[memoryview], Any]) -> None:
    while (task := queue.get()) is not None:
        task.run(make)
        del task  # or its batch would stay in memory until there is another


def _send_home(
    queue: SimpleQueue[Task | None], threads: list[threading.Thread], process: int, patience_s: float | None
) -> None:
    """Have threads end after what they are at, and wait for them."""
    if process != os.getpid():
        return  # they are not here, and the queue may be in any state
    with contextlib.suppress(Empty):
        while True:
            task = queue.get_nowait()
            if task is not None:
                task.refuse()
    for _ in threads:
        queue.put(None)
    deadline = math.inf if patience_s is None else time.monotonic() + patience_s
    for thread in threads:
        # The garbage collector comes here on any thread, and that may be one of these.
        while thread.is_alive() and thread is not threading.current_thread():
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                return
            thread.join(min(left_s, _LONGEST_WAIT_S))


def _send_home_at_last(queue: SimpleQueue[Task | None], threads: list[threading.Thread], process: int) -> None:
    """The same for a crew that is forgotten: no error gets out of here, so Ctrl-C is sent again to whoever goes on."""
    try:
        _send_home(queue, threads, process, _PATIENCE_S)
    except KeyboardInterrupt:
        with contextlib.suppress(RuntimeError):  # there are no new threads at the end of the program, which is near
            threading.Timer(_SOON_S, _interrupt_main_thread).start()


def _interrupt_main_thread() -> None:
    if hasattr(signal, "pthread_kill"):  # which wakes it as well
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()

"""A few threads that answer requests.

Not a `ThreadPoolExecutor`: the interpreter waits for its threads at the end, and one of them may wait for a network.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

_Asked = TypeVar("_Asked")
_Answer = TypeVar("_Answer")
_Job: TypeAlias = Callable[[], None]


class Threads:
    """Threads with one queue. Few of them: each keeps memory that it has used, and a page asks for little at once."""

    def __init__(self, count: int) -> None:
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._work, name="octavo-viewer", daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()

    async def run(self, call: Callable[[_Asked], _Answer], asked: _Asked) -> _Answer:
        """What `call` gives, or raises, in one of the threads."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[_Answer] = loop.create_future()

        def tell(answer: Any, error: BaseException | None) -> None:
            if future.cancelled():
                return
            if error is None:
                future.set_result(answer)
            else:
                future.set_exception(error)

        def job() -> None:
            answer, error = None, None
            if not future.cancelled():  # whoever asked has gone
                try:
                    answer = call(asked)
                except BaseException as raised:  # noqa: BLE001 - raised again where it is awaited
                    error = raised
            with contextlib.suppress(RuntimeError):  # the server has ended, and its loop with it
                loop.call_soon_threadsafe(tell, answer, error)

        self._jobs.put(job)
        return await future

    def close(self, patience_s: float) -> None:
        """End the threads, but do not wait for ever for what they wait for."""
        for _ in self._threads:
            self._jobs.put(None)
        deadline = time.monotonic() + patience_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

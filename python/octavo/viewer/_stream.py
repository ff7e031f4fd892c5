"""Long work in a thread of its own, its events as lines of JSON, and its end when the page goes away."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import threading
from collections.abc import AsyncIterator, Callable

from octavo.errors import OctavoError, OptionError
from octavo.viewer._events import Cancelled, Event, Work

_MOST_AT_ONCE = 2
_MOST_WAITING = 64  # events that the page has not taken yet; then the work waits
_LOOK_EVERY_S = 0.1
_log = logging.getLogger("octavo.viewer")


class Streams:
    """The long work of a viewer."""

    def __init__(self) -> None:
        self._running: set[_Stream] = set()
        self._lock = threading.Lock()
        self._is_over = False

    def start(self, work: Work) -> AsyncIterator[bytes]:
        """Start work; its events come as lines. Whoever stops listening ends it."""
        stream = _Stream(work, asyncio.get_running_loop(), self._forget)
        with self._lock:
            if self._is_over or len(self._running) >= _MOST_AT_ONCE:
                raise OptionError(
                    f"{len(self._running)} searches, checks or exports are running: end one of them first"
                )
            self._running.add(stream)
            stream.start()
        return stream.lines()

    def _forget(self, stream: _Stream) -> None:
        with self._lock:
            self._running.discard(stream)

    def end(self, patience_s: float) -> None:
        """Cancel all work, and wait for it for a while."""
        with self._lock:
            self._is_over = True
            running = list(self._running)
        for stream in running:
            stream.cancel()
        for stream in running:
            stream.join(patience_s)


class _Stream(threading.Thread):
    def __init__(self, work: Work, loop: asyncio.AbstractEventLoop, forget: Callable[[_Stream], None]) -> None:
        super().__init__(name="octavo-viewer-work", daemon=True)
        self._work = work
        self._loop = loop
        self._forget = forget
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._room = threading.Semaphore(_MOST_WAITING)
        self._is_cancelled = threading.Event()

    def cancel(self) -> None:
        self._is_cancelled.set()

    async def lines(self) -> AsyncIterator[bytes]:
        try:
            while (event := await self._events.get()) is not None:
                self._room.release()
                yield json.dumps(event).encode() + b"\n"
        finally:
            self.cancel()

    def run(self) -> None:
        try:
            self._work(self._emit)
        except Cancelled:
            pass
        except (OctavoError, OSError, MemoryError) as error:
            self._put({"error": str(error) or type(error).__name__})
        except Exception:  # noqa: BLE001 - logged, and told
            _log.exception("long work has failed")
            self._put({"error": "an internal error; the terminal says more"})
        finally:
            self._put(None)
            self._forget(self)

    def _emit(self, event: Event) -> None:
        if self._is_cancelled.is_set():
            raise Cancelled
        if not event:
            return
        while not self._room.acquire(timeout=_LOOK_EVERY_S):
            if self._is_cancelled.is_set():
                raise Cancelled
        self._put(event)

    def _put(self, event: Event | None) -> None:
        with contextlib.suppress(RuntimeError):  # the server has ended, and its loop with it
            self._loop.call_soon_threadsafe(self._events.put_nowait, event)

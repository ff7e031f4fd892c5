"""Waiting for the answers of object stores: on one thread for all requests, and in a way that can be ended."""

from __future__ import annotations

import asyncio
import copy
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar

from octavo.errors import StorageError
from octavo.storage._client import LOOP_THREAD

T = TypeVar("T")

REQUESTS_AT_ONCE = 64
"""Requests of one process that are on their way at the same time."""


class _Loop:
    """The thread on which requests wait for their answers."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.turn = asyncio.Semaphore(REQUESTS_AT_ONCE)
        threading.Thread(target=self.loop.run_forever, name=LOOP_THREAD, daemon=True).start()


_loop: _Loop | None = None
_waiting: set[Future[Any]] = set()
_interrupted: set[Future[Any]] = set()
_loop_lock = threading.Lock()


def run(function: Callable[..., Awaitable[T]], *arguments: Any, **options: Any) -> T:
    """Wait for an answer, in a way that Ctrl-C ends."""
    global _loop  # noqa: PLW0603 - one for the process
    with _loop_lock:
        _loop = _loop or _Loop()
    waiting = asyncio.run_coroutine_threadsafe(_called(function, arguments, options), _loop.loop)
    _waiting.add(waiting)
    try:
        return waiting.result()
    except CancelledError as error:
        if waiting in _interrupted:
            raise KeyboardInterrupt from error
        raise StorageError("the request was given up: the program is ending") from error
    except Exception as error:  # noqa: BLE001 - whatever it is, it goes on
        raise _apart(error) from error.__cause__
    except BaseException as error:
        waiting.cancel()
        if isinstance(error, KeyboardInterrupt):  # others that work for the same call would wait on
            interrupt_all()
        raise
    finally:
        _waiting.discard(waiting)
        _interrupted.discard(waiting)
        del waiting  # which keeps an error, which keeps this frame and all that called it


def _apart(error: Exception) -> Exception:
    """The same error for the caller alone: its maker may keep it for long, and its trace keeps callers' frames."""
    try:
        other = copy.copy(error)
    except Exception:  # noqa: BLE001 - its class takes other arguments than it keeps
        return error
    error.__traceback__ = None
    return other


async def _called(function: Callable[..., Awaitable[T]], arguments: tuple[Any, ...], options: dict[str, Any]) -> T:
    return await function(*arguments, **options)


def cancel_all() -> None:
    """End all reading: whoever waits for it gets an error."""
    for waiting in list(_waiting):
        waiting.cancel()


def interrupt_all() -> None:
    """The same, because of Ctrl-C, which they get as well."""
    _interrupted.update(_waiting)
    cancel_all()


def turn() -> asyncio.Semaphore:
    """What a request holds while it is on its way."""
    assert _loop is not None  # noqa: S101 - whoever waits for a turn runs on it
    return _loop.turn

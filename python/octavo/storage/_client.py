"""Calls of `_remote`, made where they can be: here, or in a companion process.

The runtime behind obstore does not survive a fork: in a child of a process that has used it, every call would wait for
ever. Such a child (a worker of PyTorch's loader, most often) gets a fresh process that makes the calls for it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from octavo.storage import _at_exit

if TYPE_CHECKING:
    from octavo.storage._companion import Companion

LOOP_THREAD = "octavo-store"
"""The name of the thread on which requests wait for their answers."""

_was_used = False
_is_forked = False
_companion: Companion | None = None
_companion_lock = threading.Lock()


def call(function: str, *arguments: Any, **options: Any) -> Any:
    """`_remote.function(*arguments, **options)`."""
    global _was_used  # noqa: PLW0603 - a fact of the process
    if _is_forked:
        return _asked().call(function, arguments, options)
    from octavo.storage import _remote  # noqa: PLC0415 - obstore is optional, and takes long to import

    if not _was_used:
        _at_exit.register()
        _was_used = True
    return getattr(_remote, function)(*arguments, **options)


def elsewhere(work: Callable[[], None]) -> None:
    """Run work that may wait for requests: here, unless answers are awaited on this very thread.

    There, the garbage collector may call anything.
    """
    if threading.current_thread().name != LOOP_THREAD:
        work()
    else:
        threading.Thread(target=work, name="octavo-abort", daemon=True).start()


def cancel() -> None:
    """End every request that is on its way: whoever waits for one gets an error."""
    waiting = sys.modules.get("octavo.storage._waiting")
    if _is_forked and _companion is not None:
        _companion.end()
    elif waiting is not None:
        waiting.interrupt_all()


def _asked() -> Companion:
    global _companion  # noqa: PLW0603 - one for the process
    from octavo.storage._companion import Companion  # noqa: PLC0415 - few processes need one

    with _companion_lock:
        if _companion is None or not _companion.is_alive:
            _companion = Companion()
        return _companion


def _after_fork() -> None:
    global _is_forked, _companion, _companion_lock  # noqa: PLW0603 - facts of the process
    _is_forked = _is_forked or _was_used or "obstore" in sys.modules  # which others may have used
    _companion = None  # it is the parent's
    _companion_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

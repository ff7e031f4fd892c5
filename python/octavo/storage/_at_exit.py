"""What has to happen before the interpreter ends: the engine's threads must not wait for it afterwards."""

from __future__ import annotations

import atexit
import functools
import sys
import threading
import time

from octavo import _core

_PATIENCE_SECONDS = 5.0
_STRANGERS_SECONDS = 1.0
_QUIET_LOOKS = 3


@functools.cache
def register() -> None:
    """Be called at the end. Whoever lets the engine call Python asks for it."""
    atexit.register(_end)


def _end() -> None:
    _core.end_calls()
    remote, waiting = (sys.modules.get(f"octavo.storage.{name}") for name in ("_remote", "_waiting"))
    if waiting is not None:
        waiting.cancel_all()
    _core.wait_for_calls(_PATIENCE_SECONDS)
    if remote is not None:
        remote.abort_all()
        _wait_for_strangers()


def _wait_for_strangers() -> None:
    """Let threads that Python has not started leave it: inside, the end of the interpreter would be theirs, too.

    Those of obstore come in to say that a request is done, and are aborted if they find no interpreter on their way
    out.
    """
    quiet, until = 0, time.monotonic() + _STRANGERS_SECONDS
    while quiet < _QUIET_LOOKS and time.monotonic() < until:
        own = {thread.ident for thread in threading.enumerate()}
        is_stranger_inside = any(thread not in own for thread in sys._current_frames())  # noqa: SLF001 - made for such
        quiet = 0 if is_stranger_inside else quiet + 1
        time.sleep(0.001)

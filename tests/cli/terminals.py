"""Commands whose standard error is a terminal, and commands that are interrupted."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import TIMEOUT_S, clean_environment

pty = pytest.importorskip("pty", reason="pseudo-terminals are POSIX's")


class Started:
    """A running command, alone in its process group."""

    def __init__(self, process: subprocess.Popen[bytes], terminal: int) -> None:
        self._process = process
        self._terminal = terminal
        self.shown = ""
        """What it has written to its terminal so far."""

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Until something is so; the command must still run then."""
        while not condition():
            assert self._process.poll() is None, f"ended too early: {self.shown}"
            self._read(0.01)

    def interrupt(self) -> None:
        """What Ctrl-C does: the signal goes to the whole group."""
        os.killpg(self._process.pid, signal.SIGINT)

    def end(self) -> tuple[int, bytes]:
        """Exit status and standard output, once it has ended."""
        while self._read(TIMEOUT_S):
            pass
        stdout, _ = self._process.communicate(timeout=TIMEOUT_S)
        assert "Traceback" not in self.shown, self.shown
        return self._process.returncode, stdout

    def _read(self, timeout_s: float) -> bool:
        """What comes next; whether there was anything."""
        ready, _, _ = select.select([self._terminal], [], [], timeout_s)
        if not ready:
            return False
        try:
            data = os.read(self._terminal, 1 << 16)
        except OSError:  # what Linux says when the other end is closed
            return False
        self.shown += data.decode("utf-8", "backslashreplace")
        return bool(data)


@contextlib.contextmanager
def on_a_terminal(folder: Path, *arguments: object) -> Iterator[Started]:
    """`octavo` with these arguments, in that folder, with a terminal for its standard error."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "octavo", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        cwd=folder,
        env=clean_environment() | {"TERM": "xterm", "COLUMNS": "100"},
        start_new_session=True,
    )
    os.close(theirs)
    try:
        with process:
            yield Started(process, ours)
            process.kill()
    finally:
        os.close(ours)

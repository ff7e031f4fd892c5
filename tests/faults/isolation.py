"""A process of its own for everything that may crash, hang, or change the whole process.

What runs there is a function from `tests.faults.programs`, called by name with arguments that JSON can carry. It
imports octavo and the standard library only, so a process starts in a few hundredths of a second.
"""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.faults.programs.sandbox import NOT_PERMITTED

ROOT = Path(__file__).parents[2]

_BOOT = """
import importlib, json, resource, sys
resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
root, module, name, arguments = sys.argv[1:]
sys.path.insert(0, root)
getattr(importlib.import_module(module), name)(**json.loads(arguments))
"""

# Python 3.12 warns of what some of these tests do on purpose; the message goes on with the number of the process.
_FORK_WITH_THREADS = "ignore:This process:DeprecationWarning"


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a process ended."""

    returncode: int
    output: str
    errors: str
    duration_s: float

    def assert_success(self) -> None:
        """Shows what the process wrote if it did not end well."""
        assert self.returncode == 0, f"ended with {self.returncode}\n{self.output}\n{self.errors}"


class Process:
    """A program that runs beside the test, in a process group of its own."""

    def __init__(self, program: Callable[..., object], **arguments: Any) -> None:
        where = [str(ROOT), program.__module__, program.__name__, json.dumps(arguments, default=os.fspath)]
        self.started = time.monotonic()
        self.popen = subprocess.Popen(
            [sys.executable, "-W", "error", "-W", _FORK_WITH_THREADS, "-c", _BOOT, *where],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,  # `communicate` reads behind the back of a buffer
            env={name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "RUST"))},
            start_new_session=True,
        )

    def wait_for(self, line: str) -> None:
        """Waits until the program has written this line."""
        assert self.popen.stdout is not None
        for written in self.popen.stdout:
            if written.decode().strip() == line:
                return
        ended = self.end(timeout_s=5)
        raise AssertionError(f"never wrote {line!r}\n{ended.output}\n{ended.errors}")

    def end(self, timeout_s: float) -> Ended:
        """Waits for the process and all that it has started; after the time they are killed and it is an error."""
        try:
            output, errors = self.popen.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            os.killpg(self.popen.pid, signal.SIGKILL)
            output, errors = self.popen.communicate()
            message = f"still running after {timeout_s} s\n{output.decode()}\n{errors.decode()}"
            raise AssertionError(message) from None
        duration_s = time.monotonic() - self.started
        return Ended(self.popen.returncode, output.decode(), errors.decode(errors="replace"), duration_s)


def run(program: Callable[..., object], *, timeout_s: float = 20, **arguments: Any) -> Ended:
    """Runs a program to its end, however it ends."""
    return Process(program, **arguments).end(timeout_s)


def check(program: Callable[..., object], *, timeout_s: float = 20, **arguments: Any) -> Ended:
    """Runs a program that must end well. Where the machine forbids what it needs, the test is skipped."""
    ended = run(program, timeout_s=timeout_s, **arguments)
    if ended.returncode == NOT_PERMITTED:
        pytest.skip(ended.output.strip())
    ended.assert_success()
    return ended

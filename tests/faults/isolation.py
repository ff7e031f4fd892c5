"""A process of its own for everything that may crash, hang, or change the whole process.

What runs there is a function from `tests.faults.programs`, called by name with arguments that JSON can carry. There
are hundreds of such runs, and starting Python takes longer than most of them. So `run` asks a nursery for its
process: an interpreter that has imported octavo and never used it, and forks for every run. `Process` starts from
nothing, for tests that do something while the program runs.
"""

from __future__ import annotations

import atexit
import dataclasses
import functools
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.faults.programs.sandbox import NOT_PERMITTED

ROOT = Path(__file__).parents[2]
PATIENCE_S = 120  # a machine that is busy with other tests

_PREPARE = """
import importlib, json, os, resource, sys
resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
sys.path.insert(0, sys.argv[1])
"""

_RUN = f"""{_PREPARE}
module, name, arguments = sys.argv[2:]
getattr(importlib.import_module(module), name)(**json.loads(arguments))
"""

_NURSERY = f"""{_PREPARE}
for request in sys.stdin:
    module, name, arguments, output, errors = json.loads(request)
    program = getattr(importlib.import_module(module), name)
    child = os.fork()
    if child == 0:
        os.setsid()
        for number, path in enumerate((os.devnull, output, errors)):
            opened = os.open(path, os.O_RDWR)
            os.dup2(opened, number)
            os.close(opened)
        program(**arguments)
        break  # and end as every process ends
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""

# Python 3.12 warns of what some of these tests do on purpose; the message goes on with the number of the process.
_FORK_WITH_THREADS = "ignore:This process:DeprecationWarning"

# These would change what a process does with signals and warnings, and what it writes when it dies.
_NOT_INHERITED = {"PYTHONDEVMODE", "PYTHONFAULTHANDLER", "PYTHONWARNINGS", "RUST_BACKTRACE"}


def _environment() -> dict[str, str]:
    """The allocator sets aside 64 MB of addresses for each thread, which counts where addresses are limited."""
    inherited = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}
    return {**inherited, "MALLOC_ARENA_MAX": "2"}


def _python(script: str, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-W", _FORK_WITH_THREADS, "-c", script, str(ROOT), *arguments],
        stdout=subprocess.PIPE,
        bufsize=0,  # `communicate` and `select` look behind the back of a buffer
        env=_environment(),
        start_new_session=True,
        **options,
    )


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a process ended."""

    returncode: int
    output: str
    errors: str

    def assert_success(self) -> None:
        """Shows what the process wrote if it did not end well."""
        assert self.returncode == 0, f"ended with {self.returncode}\n{self.written()}"

    def written(self) -> str:
        """What the process wrote. A process that loops writes megabytes of the same."""
        most = 4000
        pieces = (text if len(text) <= most else f"{text[:most]}\n..." for text in (self.output, self.errors))
        return "\n".join(pieces)


class Process:
    """A program that runs beside the test."""

    def __init__(self, program: Callable[..., object], **arguments: Any) -> None:
        self.popen = _python(
            _RUN,
            program.__module__,
            program.__name__,
            json.dumps(arguments, default=os.fspath),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def wait_for(self, line: str) -> None:
        """Waits until the program has written this line."""
        assert self.popen.stdout is not None
        for written in self.popen.stdout:
            if written.decode().strip() == line:
                return
        ended = self.end()
        raise AssertionError(f"never wrote {line!r}\n{ended.written()}")

    def end(self, timeout_s: float = PATIENCE_S) -> Ended:
        """Waits for the process and all that it has started; after the time they are killed and it is an error."""
        in_time = True
        try:
            output, errors = self.popen.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            in_time = False
            os.killpg(self.popen.pid, signal.SIGKILL)
            output, errors = self.popen.communicate()
        ended = Ended(self.popen.returncode, output.decode(), errors.decode())
        assert in_time, f"still running after {timeout_s} s\n{ended.written()}"
        return ended


class _Nursery:
    def __init__(self) -> None:
        self.is_in_step = True
        """Whether the next answer is one to the next request."""
        self._popen = _python(_NURSERY, stdin=subprocess.PIPE)
        atexit.register(self._close)

    def kill(self) -> None:
        os.killpg(self._popen.pid, signal.SIGKILL)
        atexit.unregister(self._close)
        self._close()

    def _close(self) -> None:
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._popen.stdin.close()
        self._popen.wait()
        self._popen.stdout.close()

    def run(self, program: Callable[..., object], arguments: dict[str, Any], timeout_s: float) -> Ended:
        with tempfile.NamedTemporaryFile() as output, tempfile.NamedTemporaryFile() as errors:
            request = [program.__module__, program.__name__, arguments, output.name, errors.name]
            assert self._popen.stdin is not None
            self.is_in_step = False
            self._popen.stdin.write(json.dumps(request, default=os.fspath).encode() + b"\n")
            child = self._answer(PATIENCE_S)
            in_time = True
            try:
                returncode = self._answer(timeout_s)
            except TimeoutError:
                in_time = False
                os.killpg(child, signal.SIGKILL)
                returncode = self._answer(PATIENCE_S)
            self.is_in_step = True
            ended = Ended(returncode, output.read().decode(), errors.read().decode())
            assert in_time, f"still running after {timeout_s} s\n{ended.written()}"
            return ended

    def _answer(self, timeout_s: float) -> int:
        assert self._popen.stdout is not None
        ready, _, _ = select.select([self._popen.stdout], [], [], timeout_s)
        if not ready:
            raise TimeoutError(f"the nursery has not answered within {timeout_s} s")
        return int(self._popen.stdout.readline())


@functools.cache
def _nursery() -> _Nursery:
    return _Nursery()


def run(program: Callable[..., object], *, timeout_s: float = PATIENCE_S, **arguments: Any) -> Ended:
    """Runs a program to its end, however it ends."""
    nursery = _nursery()
    try:
        return nursery.run(program, arguments, timeout_s)
    finally:
        if not nursery.is_in_step:  # an answer that comes late would be taken for one to the next request
            _nursery.cache_clear()
            nursery.kill()


def check(program: Callable[..., object], *, timeout_s: float = PATIENCE_S, **arguments: Any) -> Ended:
    """Runs a program that must end well. Where the machine forbids what it needs, the test is skipped."""
    ended = run(program, timeout_s=timeout_s, **arguments)
    if ended.returncode == NOT_PERMITTED:
        pytest.skip(ended.output.strip())
    ended.assert_success()
    return ended

"""Programs that serve on a loopback port while a test runs."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PATIENCE_S = 60.0  # a machine that is busy with other tests
ATTEMPTS = 3  # another program may take the port in between


def find_tool(name: str) -> str:
    """The program as scripts/ensure-servers has installed it, or as it is found; the test is skipped without it."""
    tools = Path(os.environ.get("OCTAVO_TOOLS") or ROOT / ".tools")
    found = shutil.which(name, path=str(tools / "bin")) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed: 'scripts/ensure-servers {name}' installs it")
    return found


@contextlib.contextmanager
def running(command: list[str], log: Path) -> Iterator[int]:
    """Run `command` until the block ends, and give the port on which it listens, which is `{port}` in its arguments."""
    for _ in range(ATTEMPTS):
        port = _free_port()
        with _started([argument.replace("{port}", str(port)) for argument in command], log) as process:
            if _comes_to_listen(process, port):
                yield port
                return
    pytest.fail(f"{command!r} does not serve:\n{log.read_text(errors='replace')[-2000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def _started(command: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _comes_to_listen(process: subprocess.Popen[bytes], port: int) -> bool:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return True
        time.sleep(0.05)
    return False

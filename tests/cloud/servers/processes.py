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


def find_tool(name: str) -> str:
    """The program as scripts/ensure-servers has installed it, or as it is found; the test is skipped without it."""
    tools = Path(os.environ.get("OCTAVO_TOOLS") or ROOT / ".tools")
    found = shutil.which(name, path=str(tools / "bin")) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed: 'scripts/ensure-servers {name}' installs it")
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running(command: list[str], port: int, log: Path, **environment: str) -> Iterator[None]:
    """Run `command` until the block ends; begin when something listens on `port`."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env={**os.environ, **environment}
        )
    try:
        _wait_for(port, process, log)
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    pytest.fail(f"{process.args!r} does not serve:\n{log.read_text(errors='replace')[-2000:]}")

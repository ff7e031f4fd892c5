"""`octavo` as users run it: a process with its own streams, in the test's own folder."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TIMEOUT_S = 120


@dataclasses.dataclass(frozen=True)
class Result:
    """What a command said and how it ended."""

    stdout: bytes
    stderr: str
    returncode: int

    @property
    def text(self) -> str:
        """Standard output as text."""
        return self.stdout.decode()

    @property
    def lines(self) -> list[str]:
        """Standard output line by line."""
        return self.text.splitlines()

    @property
    def json(self) -> Any:
        """Standard output as the one JSON value that it must be."""
        return json.loads(self.stdout)


@pytest.fixture(scope="session", autouse=True)
def _needs_typer() -> None:
    """All tests of this folder are about the command line."""
    pytest.importorskip("typer", reason="the command line needs typer: 'make test EXTRAS=all' installs it")


@pytest.fixture
def octavo(tmp_path: Path) -> Callable[..., Result]:
    """Runs a command in `tmp_path`; its exit status must be `check` (None: any).

    `environment` is added to this process's own. No test may end in a traceback, whatever status it expects.
    """

    def run(
        *arguments: object, stdin: bytes = b"", check: int | None = 0, environment: dict[str, str] | None = None
    ) -> Result:
        ended = subprocess.run(
            [sys.executable, "-m", "octavo", *map(_text, arguments)],
            input=stdin,
            capture_output=True,
            cwd=tmp_path,
            env=clean_environment() | (environment or {}),
            timeout=TIMEOUT_S,
            check=False,
        )
        told = ended.stderr.decode("utf-8", "backslashreplace")
        assert "Traceback" not in told, told
        assert check is None or ended.returncode == check, f"exit status {ended.returncode}: {told}"
        return Result(ended.stdout, told, ended.returncode)

    return run


def clean_environment() -> dict[str, str]:
    """This process's environment, without what would change how a program prints."""
    changing = {"PYTHONIOENCODING", "PYTHONUTF8", "PYTHONWARNINGS", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"}
    changing |= {"PYTHONUNBUFFERED"}
    kept = {name: value for name, value in os.environ.items() if name not in changing}
    return kept | {"LC_ALL": "C.UTF-8"}


def _text(argument: object) -> str | bytes:
    return argument if isinstance(argument, bytes) else str(argument)

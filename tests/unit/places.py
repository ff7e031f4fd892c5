"""Paths and privileges that several tests need."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NOBODY = 65534


class PathOnly:
    """A path by protocol alone."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __fspath__(self) -> str:
        return str(self.path)


@contextmanager
def without_privileges() -> Iterator[None]:
    """Root may read and write everything: be nobody for a while, where this process is root."""
    if os.name != "posix" or os.geteuid() != 0:
        yield
        return
    try:
        os.seteuid(NOBODY)
    except OSError:
        pytest.skip("root cannot become nobody here")
    try:
        yield
    finally:
        os.seteuid(0)

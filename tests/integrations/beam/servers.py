"""Programs that tests of Beam start and end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from tests.cloud.servers import processes


@contextlib.contextmanager
def running(name: str, *arguments: str, folder: Path) -> Iterator[int]:
    """The port of a server while it runs; skips the test where there is no such program.

    Args:
        name: The program.
        arguments: What it is given, with `{port}` for its port.
        folder: Where its output is kept.
    """
    with processes.running([processes.find_tool(name), *arguments], folder / f"{name}.log") as port:
        yield port

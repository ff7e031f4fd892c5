"""Standard input in the place of a file."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from typing import IO

from octavo.cli._arguments import STDIN, one_or_many
from octavo.cli._failures import call_stdin
from octavo.errors import NotFoundError, OctavoError, OptionError


def stdin() -> IO[bytes]:
    """Standard input, if there is one."""
    if sys.stdin is None:  # what Python makes of a closed one
        raise NotFoundError("standard input is closed")
    return sys.stdin.buffer


@contextlib.contextmanager
def without_stdin(paths: list[str], suffix: str = "") -> Iterator[str | list[str]]:
    """The paths, with a temporary file in place of standard input, which cannot be read twice."""
    if STDIN not in paths:
        yield one_or_many(paths)
        return
    if len(paths) > 1:
        raise OptionError("standard input cannot be put together with files")
    whole = stdin()
    with tempfile.TemporaryDirectory(prefix="octavo-") as folder:
        path = os.path.join(folder, f"stdin{suffix}")
        with open(path, "wb") as spool:
            shutil.copyfileobj(whole, spool)
        try:
            yield path
        except OctavoError as error:
            call_stdin(error, path)
            raise

"""Small jobs that write through a staging place, and what they leave."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import octavo
from octavo.integrations import _staging_folder
from octavo.integrations._staging import Part, Staging

CHANGES = ("place", "place_index", "take_back", "remove", "write", "retire", "sweep")
"""What staging changes a folder with."""


class Killed(BaseException):
    """The end of a process that can do nothing any more."""


def write(staging: Staging, number: int, *records: bytes, **options: Any) -> Part:
    path = staging.attempt(number)
    with octavo.create(path, **options) as writer:
        writer.write_many(records)
    return staging.part(number, path)


def begin(folder: Path, **options: Any) -> Staging:
    return Staging.begin(folder, **{"suffix": ".array_record", **options})


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def records(folder: Path) -> list[bytes]:
    return octavo.open(folder).read_all()


@contextlib.contextmanager
def killed_after(changes: int) -> Iterator[None]:
    """Whoever changes a folder in here dies after so many changes, and leaves everything as it is then."""
    done = 0

    def dying(change: Any) -> Any:
        def do(*arguments: Any) -> Any:
            nonlocal done
            done += 1
            if done > changes:
                raise Killed
            return change(*arguments)

        return do

    with contextlib.ExitStack() as stack:
        for name in CHANGES:
            stack.enter_context(mock.patch.object(_staging_folder, name, dying(getattr(_staging_folder, name))))
        with contextlib.suppress(Killed):
            yield

"""`octavo demo`: the main jobs in one go, on a small data set that it makes."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shlex
import tempfile
from collections.abc import Iterator
from typing import Annotated

import typer

from octavo._wording import number
from octavo.cli import _terminal
from octavo.cli._arguments import Json
from octavo.cli._demo_story import DemoError, Story, story
from octavo.cli._render import table
from octavo.errors import AlreadyExistsError, OptionError, of_os_error

MOST_RECORDS = 1_000_000
COMMANDS = (
    "octavo info {train.array_record}",
    "octavo head {train.recordio}",
    "octavo diff {train.ffr} {converted.recordio}",
    "octavo verify {damaged.array_record}",
    "octavo recover {damaged.array_record} {saved.array_record}",
    "octavo convert {train.ffr} {again.array_record} --codec zstd:9 --group-size 256",
    "octavo bench {train.array_record}",
)


def demo(
    *,
    records: Annotated[int, typer.Option(min=1, max=MOST_RECORDS, help="How many records to make.")] = 50_000,
    keep: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Leave the files there: a folder that is new, or empty.")
    ] = None,
    json: Json = False,
) -> None:
    """Show what octavo does: write three formats, convert, read at random, damage a file and recover it.

    The files are in a temporary folder that is removed in the end, unless you say where to keep them.
    """
    with _folder(keep) as folder:
        told = story(folder, records, (lambda _: None) if json else _terminal.result)
        told.run()
    if json:
        _terminal.emit_json(_as_json(told, keep))
    else:
        _finish(told, keep)
    if not told.ok:
        wrong = "; ".join(check.what for check in told.checks if not check.ok)
        raise DemoError(f"this is not so: {wrong}")


@contextlib.contextmanager
def _folder(keep: str | None) -> Iterator[str]:
    """Where the files go; gone in the end, or if something goes wrong. Files that somebody else puts there stay."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="octavo-demo-") as folder:
            yield folder
        return
    if not keep:
        raise OptionError("the path of the folder is empty")
    was_there = os.path.isdir(keep)
    try:
        is_taken = os.path.lexists(keep) and not (was_there and not os.listdir(keep))
        if not is_taken:
            os.makedirs(keep, exist_ok=True)
    except OSError as error:
        raise of_os_error(error, f"{keep}: cannot be used: {error.strerror}", keep) from error
    if is_taken:
        raise AlreadyExistsError(f"{keep}: there is something already; name a folder that is new, or empty", path=keep)
    try:
        with tempfile.TemporaryDirectory(prefix=".octavo-demo-", dir=keep) as folder:
            yield folder
            for name in os.listdir(folder):
                os.rename(os.path.join(folder, name), os.path.join(keep, name))
    finally:
        if not was_there:
            with contextlib.suppress(OSError):
                os.rmdir(keep)  # refused by the system if there is anything in it


def _finish(told: Story, keep: str | None) -> None:
    """The table, and what to try next."""
    _terminal.result()
    rows = [(one.what, f"{one.seconds:.3f}", number(round(one.records / one.seconds))) for one in told.steps]
    rate = "records/s".rjust(len("99,999,999"))  # so that the table is as wide on any machine
    for line in table(rows, ("on this machine, once", "seconds", rate), align="<>>"):
        _terminal.result(line)
    _terminal.result()
    if keep is None:
        _terminal.result(
            "Next: 'octavo demo --keep FOLDER' leaves the files for you to try; 'octavo --help' lists commands."
        )
        return
    _terminal.result("Next, try these:")
    for command in _commands(keep):
        _terminal.result(f"  {command}")


def _commands(folder: str) -> list[str]:
    """Commands for the files in a folder."""
    return [
        " ".join(
            shlex.quote(os.path.join(folder, word[1:-1])) if word.startswith("{") else word for word in command.split()
        )
        for command in COMMANDS
    ]


def _as_json(told: Story, keep: str | None) -> dict[str, object]:
    return {
        "ok": told.ok,
        "records": told.digest.record_count,
        "record_bytes": told.digest.record_bytes,
        "ordered": told.digest.ordered,
        "unordered": told.digest.unordered,
        "recovered_records": told.recovered_records,
        "lost_records": told.lost_records,
        "steps": [dataclasses.asdict(one) for one in told.steps],
        "checks": [dataclasses.asdict(one) for one in told.checks],
        "folder": keep,
        "commands": [] if keep is None else _commands(keep),
    }

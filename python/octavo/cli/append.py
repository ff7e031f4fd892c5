"""`octavo append`: more records at the end of a file."""

from __future__ import annotations

import os
from typing import Annotated

import typer

import octavo
from octavo import _wording
from octavo._convert._any_input import AnyInput
from octavo._convert._open_any import open_input
from octavo._convert._plan import Job
from octavo._convert._records_of import RecordsOf, Tally
from octavo._location import as_text, is_remote
from octavo.cli import _conversion as _c
from octavo.cli import _terminal
from octavo.cli._arguments import Json
from octavo.cli._failures import DATA_LOSS
from octavo.errors import OptionError
from octavo.storage._stored import stored


def append(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The file that grows; any format but FFRecord.")],
    sources: _c.Sources,
    *,
    source_format: _c.From = None,
    column: _c.Column = None,
    layout: _c.Layout = "auto",
    json: Json = False,
) -> None:
    """Add the records of all sources to the end of a file. What is there stays readable at every instant."""
    with (
        _c.source(sources, source_format) as location,
        open_input(location, source_format, column=column, layout=layout) as added,
        _terminal.progress(f"to {target}") as advance,
        _appender(target, added) as writer,
    ):
        records = RecordsOf(added, Tally(added, advance, verify=False))
        digest, torn_bytes = records.copy(Job(target, 0, None), writer), added.torn_bytes
    if json:
        told = {"path": target, "records": digest.record_count, "record_bytes": digest.record_bytes}
        _terminal.emit_json({**told, "torn_bytes": torn_bytes})
    else:
        what = f"{_wording.plural(digest.record_count, 'record')}, {_wording.size(digest.record_bytes)}"
        _terminal.result(f"{target}: {what} added")
    if torn_bytes:  # which a warning has told
        raise typer.Exit(DATA_LOSS)


def _appender(target: str, added: AnyInput) -> octavo.Writer:
    if is_remote(target):
        if stored(target).name in added.paths:
            raise _to_itself(target)
        return octavo.append(target)
    path = os.path.realpath(as_text(target))
    is_inside = any(path.startswith(os.path.realpath(folder) + os.sep) for folder in added.folders)
    if is_inside or path in map(os.path.realpath, added.paths):
        raise _to_itself(target)
    return octavo.append(target)


def _to_itself(target: str) -> OptionError:
    message = f"{target}: a file cannot be appended to itself"
    return OptionError(message, path=target)

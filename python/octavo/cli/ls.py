"""`octavo ls`: a line for each file, or for each file inside a packed folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from octavo._folder import Folder
from octavo.cli import _terminal
from octavo.cli._arguments import STDIN, Format, Json, Locations
from octavo.cli._failures import FAILED
from octavo.cli._files import Files, open_each
from octavo.cli._render import table
from octavo.errors import OptionError

Packed = Annotated[
    bool, typer.Option("--packed", help="List what is inside a packed folder: bytes and path of each file.")
]


def ls(paths: Locations, *, packed: Packed = False, format: Format = None, json: Json = False) -> None:
    """List files: records, bytes, format and name of each; a total if there are several."""
    if packed:
        _list_packed(paths, json=json)
        return
    with open_each(paths, format) as files:
        rows = list(_rows(files))
        if json:
            _terminal.emit_json([*rows, *_failed_rows(files)])
        else:
            _print(rows)
        for failure in files.failures:
            _terminal.say(f"octavo: {failure.reason}")
        if files.failures:
            raise typer.Exit(FAILED)


def _rows(files: Files) -> Iterator[dict[str, Any]]:
    for one in files.opened:
        format = one.info.format
        for records, size, name in zip(one.record_counts, one.file_bytes, one.names, strict=True):
            yield {"path": name, "records": records, "bytes": size, "format": format, "error": None}


def _failed_rows(files: Files) -> Iterator[dict[str, Any]]:
    for failure in files.failures:
        yield {"path": failure.name, "records": None, "bytes": None, "format": None, "error": failure.reason}


def _print(rows: list[dict[str, Any]]) -> None:
    cells = [(str(row["records"]), str(row["bytes"]), row["format"], row["path"]) for row in rows]
    if len(rows) > 1:
        cells.append((str(sum(row["records"] for row in rows)), str(sum(row["bytes"] for row in rows)), "", "total"))
    for line in table(cells, align=">>"):
        _terminal.result(line)


def _list_packed(paths: list[str], *, json: bool) -> None:
    if len(paths) > 1:
        raise OptionError("--packed lists one packed folder at a time")
    if paths == [STDIN]:
        raise OptionError("--packed needs a file: '-' is none")
    with Folder(paths[0]) as folder:
        sizes = [(path, folder.size(path)) for path in folder]
    if json:
        _terminal.emit_json([{"path": path, "bytes": size} for path, size in sizes])
        return
    for line in table([(str(size), path) for path, size in sizes], align=">"):
        _terminal.result(line)

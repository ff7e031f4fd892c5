"""`octavo unpack`: files of a packed folder as files again."""

from __future__ import annotations

from typing import Annotated

import typer

from octavo._folder import Folder
from octavo.cli import _terminal
from octavo.cli._arguments import Force, Json
from octavo.cli.pack import summary
from octavo.errors import OptionError


def unpack(
    packed: Annotated[str, typer.Argument(metavar="PACKED", help="The packed folder.")],
    target: Annotated[
        str | None, typer.Argument(metavar="TARGET", help="The folder to write into; made if it is not there.")
    ] = None,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME...", help="Files or folders, by their paths; all if none is given."),
    ] = None,
    *,
    list_only: Annotated[
        bool, typer.Option("--list", "-l", help="Print paths; no TARGET, nothing is written.")
    ] = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write the files of a packed folder below TARGET, under the paths that they have in it.

    Nothing is ever written outside TARGET: all names are judged before the first is written, and links in it are not
    followed. Existing files are not replaced without --force.
    """
    if list_only:
        with Folder(packed) as folder:
            _list(folder, [name for name in (target, *(names or ())) if name is not None], packed, json=json)
        return
    if target is None:
        message = "TARGET is missing: where are the files to go? --list prints their paths only"
        raise OptionError(message)
    with Folder(packed) as folder, _terminal.progress("unpacking", "files") as advance:
        report = folder.extract(target, names or None, overwrite=force, progress=advance)
    if json:
        _terminal.emit_json(
            {
                "target": target,
                "files": report.file_count,
                "folders": report.folder_count,
                "file_bytes": report.file_bytes,
            }
        )
        return
    _terminal.result(summary(target, report))


def _list(folder: Folder, names: list[str], packed: str, *, json: bool) -> None:
    paths = [path for name in names or [""] for path in ([name] if folder.is_file(name) else folder.files(name))]
    if json:
        sizes = [folder._known_size(path) for path in paths]  # noqa: SLF001 - what is not known is not read for this
        entries = [{"path": path, "bytes": size} for path, size in zip(paths, sizes, strict=True)]
        _terminal.emit_json({"packed": packed, "files": len(paths), "entries": entries})
        return
    for path in paths:
        _terminal.result(path)

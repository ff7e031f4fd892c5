"""`octavo pack`: all files of a folder into one."""

from __future__ import annotations

from typing import Annotated

import typer

from octavo import _folder, _wording
from octavo._folder import ExtractReport, PackReport
from octavo.cli import _terminal
from octavo.cli._arguments import Force, Json


def pack(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="The folder with the files.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The file to write; .ffr is what FFRecord reads.")],
    *,
    force: Force = False,
    json: Json = False,
) -> None:
    """Pack all files of a folder, and of the folders in it, into one file.

    The files are its records, found by their paths: `octavo unpack` and octavo.Folder give them back. A .ffr file is
    what FFRecord's pack_folder writes. Links are followed; what is neither file nor folder is an error. The target
    appears when it is whole.
    """
    with _terminal.progress("packing", "files") as advance:
        report = _folder.pack(folder, target, overwrite=force, progress=advance)
    if json:
        _terminal.emit_json(
            {
                "target": target,
                "files": report.file_count,
                "folders": report.folder_count,
                "file_bytes": report.file_bytes,
                "bytes": report.total_bytes,
            }
        )
        return
    _terminal.result(summary(target, report))


def summary(target: str, report: PackReport | ExtractReport) -> str:
    """A line on what was written; the folder itself is one of the folders."""
    files, folders = _wording.plural(report.file_count, "file"), _wording.plural(report.folder_count + 1, "folder")
    return f"{target}: {files} in {folders}, {_wording.size(report.file_bytes)}"

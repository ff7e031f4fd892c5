"""`octavo manifest`: a list of files with what is known of each."""

from __future__ import annotations

from typing import Annotated

import typer

import octavo
from octavo._manifest import write_manifest
from octavo._wording import plural
from octavo.cli import _terminal
from octavo.cli._arguments import STDIN, Format, Json, Locations, one_or_many
from octavo.cli._render import shown
from octavo.errors import OptionError

Target = Annotated[
    str, typer.Argument(metavar="TARGET", help="The manifest to write, a path or a URL that ends in .octm.")
]


def manifest(paths: Locations, target: Target, *, format: Format = None, json: Json = False) -> None:
    """Write down which files a data set consists of, and how many records each has.

    The manifest opens as the data set does: that reads one small file, and each of the others when a record of it is
    wanted. Files that are replaced later are noticed and refused: write the manifest again.
    """
    if STDIN in (*paths, target):
        raise OptionError("a manifest lists files by their names: '-' is none")
    name = write_manifest(one_or_many(paths), target, format=format)
    with octavo.open(name) as reader:  # which is one small read
        files, records = len(reader.paths), len(reader)
    if json:
        _terminal.emit_json({"path": name, "files": files, "records": records})
    else:
        _terminal.result(f"{shown(name)}: {plural(records, 'record')} in {plural(files, 'file')}")

"""`octavo count`: how many records there are."""

from __future__ import annotations

from octavo.cli import _terminal
from octavo.cli._arguments import Format, Json, Locations
from octavo.cli._files import open_records


def count(paths: Locations, *, format: Format = None, json: Json = False) -> None:
    """Print the number of records, of all files together."""
    with open_records(paths, format) as reader:
        records = len(reader)
        files = reader.info.file_count
    if json:
        _terminal.emit_json({"records": records, "files": files})
    else:
        _terminal.result(str(records))

"""`octavo count`: how many records there are."""

from __future__ import annotations

from octavo._convert._open_any import kind_of, open_input
from octavo.cli import _terminal
from octavo.cli._arguments import STDIN, Format, Json, Locations, one_or_many
from octavo.cli._files import open_records


def count(paths: Locations, *, format: Format = None, json: Json = False) -> None:
    """Print the number of records, of all files together.

    Tar files, JSON lines and Parquet files are counted as 'octavo convert' would take them.
    """
    records, files = _count_containers(paths) if _are_containers(paths, format) else _count_records(paths, format)
    if json:
        _terminal.emit_json({"records": records, "files": files})
    else:
        _terminal.result(str(records))


def _count_records(paths: list[str], format: Format) -> tuple[int, int]:
    with open_records(paths, format) as reader:
        return len(reader), reader.info.file_count


def _are_containers(paths: list[str], format: Format) -> bool:
    if format is not None or STDIN in paths:
        return False
    # A folder without record files is rather a mistake than a data set.
    return all(kind_of(path)[0] in {"jsonl", "tar", "parquet"} for path in paths)


def _count_containers(paths: list[str]) -> tuple[int, int]:
    with open_input(one_or_many(paths)) as source:
        return source.count(), len(source.paths)

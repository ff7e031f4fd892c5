"""`octavo count`: how many records there are."""

from __future__ import annotations

from itertools import pairwise

from octavo._convert._open_any import kind_of, open_input
from octavo._reader import Reader
from octavo.cli import _terminal
from octavo.cli._arguments import STDIN, Format, Json, Locations, one_or_many
from octavo.cli._failures import line_of
from octavo.cli._files import open_records
from octavo.errors import FormatError

_WITHOUT_INDEX = ("recordio", "tfrecord")


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
        _warn_of_broken(reader)
        return len(reader), reader.info.file_count


def _warn_of_broken(reader: Reader) -> None:
    """The rest of a file behind damage counts as one record (docs/guide/errors.md#the-rest-of-a-file): its last one."""
    if reader.info.format not in _WITHOUT_INDEX or reader.info.sidecar:
        return
    for start, stop in pairwise(reader._file_starts):  # noqa: SLF001 - part of the package
        try:
            reader.read(range(max(start, stop - 1), stop))
        except FormatError as error:
            _terminal.say(f"octavo: warning: there may be more records, or one fewer: {line_of(error)}")


def _are_containers(paths: list[str], format: Format) -> bool:
    if format is not None or STDIN in paths:
        return False
    # A folder without record files is rather a mistake than a data set.
    return all(kind_of(path)[0] in {"jsonl", "tar", "parquet"} for path in paths)


def _count_containers(paths: list[str]) -> tuple[int, int]:
    with open_input(one_or_many(paths)) as source:
        return source.count(), len(source.paths)

"""`octavo partitions`: records as tasks for many processes."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import octavo
from octavo.cli import _terminal
from octavo.cli._arguments import STDIN, Format, Json, Locations, one_or_many
from octavo.cli._render import shown, table
from octavo.errors import OptionError

Count = Annotated[int | None, typer.Option("-n", "--count", min=1, help="So many tasks of about the same size.")]
MaxRecords = Annotated[int | None, typer.Option("--max-records", min=1, help="Tasks of at most so many records.")]


def partitions(
    paths: Locations, *, n: Count = None, max_records: MaxRecords = None, format: Format = None, json: Json = False
) -> None:
    """Cut records into tasks, at chunks where there are any: first record, record behind the last, records, files.

    With --json each task has all it takes to open it elsewhere, as octavo.Partition does.
    """
    if (n is None) == (max_records is None):
        raise OptionError("say either how many tasks (-n), or how many records a task may have (--max-records)")
    if STDIN in paths:
        raise OptionError("standard input has no tasks: they are opened elsewhere")
    with octavo.open(one_or_many(paths), format=format) as reader:
        tasks = reader.partitions(n, max_records=max_records)
    if json:
        _terminal.emit_json([_as_json(task) for task in tasks])
        return
    for line in table([_row(task) for task in tasks], align=">>>"):
        _terminal.result(line)


def _row(task: octavo.Partition) -> tuple[str, str, str, str]:
    more = f" and {len(task.paths) - 1} more" if len(task.paths) > 1 else ""
    return str(task.start), str(task.stop), str(len(task)), shown(task.paths[0]) + more


def _as_json(task: octavo.Partition) -> dict[str, Any]:
    return {
        "start": task.start,
        "stop": task.stop,
        "records": len(task),
        "paths": list(task.paths),
        "skip": task.skip,
        "spans": None if task.spans is None else [list(span) for span in task.spans],
        "options": dict(task.options),
    }

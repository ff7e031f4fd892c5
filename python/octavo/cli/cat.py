"""`octavo cat`: all records, or a range of them, one after the other."""

from __future__ import annotations

from typing import Annotated

import typer

from octavo.cli._arguments import Format, Json, Locations
from octavo.cli._files import open_records
from octavo.cli._records import As, Delimiter, MostBytes, blocks_in_order, look
from octavo.errors import OptionError

Start = Annotated[int | None, typer.Option("--start", help="Number of the first record; from the end if negative.")]
Stop = Annotated[int | None, typer.Option("--stop", help="Number behind the last record; from the end if negative.")]
Step = Annotated[int, typer.Option("--step", help="Only every so many records; backwards if negative.")]


def cat(
    paths: Locations,
    *,
    start: Start = None,
    stop: Stop = None,
    step: Step = 1,
    form: As = "text",
    most_bytes: MostBytes = None,
    delimiter: Delimiter = None,
    format: Format = None,
    json: Json = False,
) -> None:
    """Print records, all of them or those of a range. A line of text for each unless --as says otherwise."""
    if step == 0:
        raise OptionError("--step is 0: there is no such step")
    shown = look(
        form,
        json=json,
        most_bytes=most_bytes,
        delimiter=delimiter,
    )
    with open_records(paths, format) as reader:
        blocks = blocks_in_order(reader, slice(start, stop, step))
        shown.show(blocks)

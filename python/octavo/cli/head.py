"""`octavo head`: the first records."""

from __future__ import annotations

from typing import Annotated

import typer

from octavo.cli._arguments import Format, Json, Locations
from octavo.cli._files import open_records
from octavo.cli._records import As, Delimiter, Full, MostBytes, blocks_in_order, look

_SHOWN_BYTES = 512

Count = Annotated[int, typer.Option("-n", "--records", min=0, help="How many records.")]


def head(
    paths: Locations,
    *,
    n: Count = 10,
    form: As = "auto",
    most_bytes: MostBytes = None,
    full: Full = False,
    delimiter: Delimiter = None,
    format: Format = None,
    json: Json = False,
) -> None:
    """Show the first records, each as what it is: text, tf.train.Example, or a dump of its first bytes."""
    shown = look(form, json=json, most_bytes=most_bytes, delimiter=delimiter, full=full, usual_bytes=_SHOWN_BYTES)
    with open_records(paths, format) as reader:
        shown.show(blocks_in_order(reader, slice(n)))

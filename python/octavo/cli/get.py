"""`octavo get`: records by their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Annotated

import typer

from octavo._reader import Reader
from octavo.cli._arguments import Format, Json, Location
from octavo.cli._files import open_records
from octavo.cli._records import As, Delimiter, Full, MostBytes, Numbered, blocks_in_order, blocks_of, look
from octavo.errors import OptionError, RecordIndexError

SETTINGS = {"ignore_unknown_options": True}  # -1 is the last record, not an option

_SHOWN_BYTES = 4096
_RANGE = re.compile(r"(-?[0-9]+)?:(-?[0-9]+)?(?::(-?[0-9]+)?)?")

Numbers = Annotated[
    list[str],
    typer.Argument(
        metavar="NUMBER", help="Numbers from 0, or from the end (-1 is the last), or ranges: 10:20, -5:, ::100."
    ),
]


def get(
    path: Location,
    numbers: Numbers,
    *,
    form: As = "auto",
    most_bytes: MostBytes = None,
    full: Full = False,
    delimiter: Delimiter = None,
    format: Format = None,
    json: Json = False,
) -> None:
    """Show the records with these numbers, in this order.

    Ranges are Python's: the first number is in, the last is not, and what is not there is left out.
    """
    wanted = [_number_or_range(text) for text in numbers]
    shown = look(form, json=json, most_bytes=most_bytes, delimiter=delimiter, full=full, usual_bytes=_SHOWN_BYTES)
    with open_records([path], format) as reader:
        chosen = [one if isinstance(one, slice) else _existing(one, reader) for one in wanted]
        shown.show(_blocks(reader, chosen))


def _number_or_range(text: str) -> int | slice:
    try:
        if found := _RANGE.fullmatch(text):
            part = slice(*(int(edge) if edge else None for edge in found.groups()))
            if part.step != 0:
                return part
        elif re.fullmatch(r"-?[0-9]+", text):
            return int(text)
    except ValueError:  # more digits than any number of a record has
        pass
    raise OptionError(f"{text!r} is neither a number such as 7 or -1, nor a range such as 10:20")


def _existing(number: int, reader: Reader) -> int:
    """The number counted from the start. Everything is looked up before anything is shown."""
    count = len(reader)
    if not -count <= number < count:
        message = f"record {number} does not exist: there are {count}, of which the first has the number 0"
        raise RecordIndexError(message, record=number)
    return number % count


def _blocks(reader: Reader, chosen: list[int | slice]) -> Iterator[Numbered]:
    for _, same in groupby(chosen, key=type):
        some = list(same)
        numbers = [one for one in some if isinstance(one, int)]
        yield from blocks_of(reader, numbers)
        for part in some:
            if isinstance(part, slice):
                yield from blocks_in_order(reader, part)

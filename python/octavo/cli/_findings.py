"""What `verify` and `recover` have in common: lists of places in files, as long as people read them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

import typer

from octavo._wording import number
from octavo.cli import _terminal

Limit = Annotated[int, typer.Option("--limit", min=0, help="The most places to list; --json lists all of them.")]
DEFAULT_LIMIT = 20

_Found = TypeVar("_Found")


def print_list(found: Sequence[_Found], line_of: Callable[[_Found], str], limit: int) -> None:
    """A line for each of the first, and how many there would be."""
    for one in found[:limit]:
        _terminal.result(line_of(one))
    if (left_out := len(found) - limit) > 0:
        _terminal.result(f"... and {number(left_out)} more")

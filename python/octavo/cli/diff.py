"""`octavo diff`: do two data sets hold the same records?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from octavo import _diff
from octavo._wording import number, plural
from octavo.cli import _terminal
from octavo.cli._arguments import STDIN, Json
from octavo.cli._conversion import source
from octavo.cli._failures import FAILED
from octavo.errors import OptionError

First = Annotated[str, typer.Argument(metavar="A", help="A data set: a file, a directory, a glob, a sharded name.")]
Second = Annotated[str, typer.Argument(metavar="B", help="The other one, in whatever format.")]
Limit = Annotated[int, typer.Option("--limit", min=1, help="The most differences to describe; all are counted.")]


def diff(a: First, b: Second, *, limit: Limit = 3, json: Json = False) -> None:
    """Say whether two data sets hold the same records, whatever their formats, codecs and shards.

    Exit status 0 if they do, 1 if they differ, and also 1, with a line on standard error, if one cannot be read.
    """
    if a == b == STDIN:
        raise OptionError("standard input can be one of the two, not both")
    with source([a], None) as first, source([b], None) as second, _terminal.progress("diff") as advance:
        report = _diff.diff(first, second, limit=limit, progress=advance)
    if json:
        _terminal.emit_json(_as_json(report, a, b))
    else:
        for line in _lines(report, a, b):
            _terminal.result(line)
    if not report.same:
        raise typer.Exit(FAILED)


def _lines(report: _diff.DiffReport, a: str, b: str) -> Iterator[str]:
    first, second = report.record_counts
    if report.same:
        yield f"same: {plural(first, 'record')}"
        return
    yield f"different: {plural(first, 'record')} and {plural(second, 'record')}"
    for difference in report.differences:
        yield from _described(difference)
    if left_out := report.different_count - len(report.differences):
        yield f"... and {number(left_out)} more"
    yield from _conclusions(report, a, b)


def _conclusions(report: _diff.DiffReport, a: str, b: str) -> Iterator[str]:
    first, second = report.record_counts
    common = min(first, second)
    if not report.different_count and common:
        yield f"the first {plural(common, 'record is', 'records are')} the same"
    elif report.reordered:
        yield "only the order differs: both hold the same records"
    elif report.different_count:
        verb = "differs" if report.different_count == 1 else "differ"
        yield f"{number(report.different_count)} of {plural(common, 'record')} {verb}"
    if first != second:
        longer = a if first > second else b
        yield f"{longer} has {plural(abs(first - second), 'record')} more, from record {common} on"


def _described(difference: _diff.Difference) -> Iterator[str]:
    sizes = " and ".join(plural(size, "byte") for size in difference.sizes)
    yield f"record {difference.record}: {sizes}, different from byte {difference.offset} on"
    for mark, excerpt, size in zip("<>", difference.excerpts, difference.sizes, strict=True):
        before = "..." if difference.excerpt_offset else ""
        after = "..." if difference.excerpt_offset + len(excerpt) < size else ""
        yield f"  {mark} {before}{excerpt!r}{after}"  # as Python writes bytes, which no terminal obeys


def _as_json(report: _diff.DiffReport, a: str, b: str) -> dict[str, Any]:
    return {
        "same": report.same,
        "paths": [a, b],
        "records": list(report.record_counts),
        "different_records": report.different_count,
        "reordered": report.reordered,
        "differences": [
            {
                "record": one.record,
                "bytes": list(one.sizes),
                "offset": one.offset,
                "excerpt_offset": one.excerpt_offset,
                "excerpts": [excerpt.hex() for excerpt in one.excerpts],
            }
            for one in report.differences
        ],
    }

"""`octavo verify`: every checksum of every record."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import Any

import typer

from octavo._location import Input, expand, format_of_name
from octavo._side_files import INDEX, PARTIAL
from octavo._verify import Damage, VerifyReport, examine
from octavo._wording import plural, size
from octavo.cli import _terminal
from octavo.cli._arguments import STDIN, Format, Json, Locations
from octavo.cli._conversion import source
from octavo.cli._failures import DATA_LOSS, FAILED, call_stdin, line_of
from octavo.cli._findings import DEFAULT_LIMIT, Limit, print_list
from octavo.cli._render import shown
from octavo.errors import OctavoError, UnknownFormatError

# Messages begin with where it is, which is told here in our own words, and may end with advice for Python.
_WHERE = re.compile(r"(?:the (?:chunk|record) at byte \d+ \([^()]*\)|record \d+ at byte \d+): |record \d+ (?!at )")
_ADVICE = re.compile(r"; (?:octavo\.\w+|other \w+ may be intact|if you know better|check_data=)")


def verify(paths: Locations, *, format: Format = None, limit: Limit = DEFAULT_LIMIT, json: Json = False) -> None:
    """Check every checksum of every record of all files, on all cores, and list what is damaged.

    Exit status 0 if nothing is wrong, 3 if something is damaged, 1 if something could not be read at all.
    """
    unread: list[OctavoError] = []
    with source(paths, None) as location:
        inputs = _files([location] if isinstance(location, str) else location, unread)
        with _terminal.progress("verify") as advance:
            report = examine(inputs, format, advance, lambda error: _is_unread(error, unread)) if inputs else _NOTHING
        if paths == [STDIN]:
            report = _of_stdin(report)
            for error in unread:
                call_stdin(error, location)
    if json:
        _terminal.emit_json(_as_json(report, unread))
    elif report.file_count:
        print_list(report.damage, _line, limit)
        _terminal.result(_summary(report))
        if report.damage:
            _terminal.say("octavo: 'octavo recover' writes what is intact into a new file")
    for error in unread:
        _terminal.say(f"octavo: {line_of(error)}")
    if unread or report.damage:
        raise typer.Exit(FAILED if unread else DATA_LOSS)


_NOTHING = VerifyReport(0, ())


def _files(paths: list[str], unread: list[OctavoError]) -> list[Input]:
    """All files that are meant; a path that means none does not keep the others from being checked."""
    inputs: list[Input] = []
    for path in paths:
        if path.endswith(INDEX) and len(paths) > 1:
            continue  # the index beside a file, which comes along with a shell's *
        try:
            inputs += expand(path)
        except OctavoError as error:
            unread.append(error)
    return inputs


def _of_stdin(report: VerifyReport) -> VerifyReport:
    """Under the name that was typed, not that of the file it went through."""
    return replace(report, damage=tuple(replace(one, path=STDIN, reason=_reason(one)) for one in report.damage))


def _is_unread(error: OctavoError, unread: list[OctavoError]) -> bool:
    """Whether there is nothing to judge: the system refused, or nothing says that this is a record file at all."""
    name = (error.path or "").removesuffix(PARTIAL)
    is_unread = isinstance(error, OSError) or (isinstance(error, UnknownFormatError) and format_of_name(name) is None)
    if is_unread:
        unread.append(error)
    return is_unread


def _line(damage: Damage) -> str:
    reason, where = _reason(damage), _records(damage)
    if damage.offset is not None and f"at byte {damage.offset}" not in reason:
        where.append(f"at byte {damage.offset}")
    return ": ".join([shown(damage.path), *filter(None, [", ".join(where)]), reason])


def _records(damage: Damage) -> list[str]:
    first = damage.record_in_file
    if first is None:
        return []
    if damage.to_the_end:
        return [f"from record {first} on"]
    if damage.record_count == 1:
        return [f"record {first}"]
    return [f"records {first} to {first + damage.record_count - 1}"]


def _reason(damage: Damage) -> str:
    """What is wrong, without where."""
    as_text = os.fsencode(damage.path).decode("utf-8", "replace")  # what is left in messages of a name that is no text
    reason = damage.reason.removeprefix(f"{damage.path}: ").removeprefix(f"{as_text}: ")
    if damage.record is not None and (where := _WHERE.match(reason)):
        reason = reason[where.end() :]
    advice = _ADVICE.search(reason)
    return reason[: advice.start()] if advice else reason


def _summary(report: VerifyReport) -> str:
    looked_at = [plural(report.file_count, "file"), plural(report.record_count, "record"), size(report.total_bytes)]
    return f"{', '.join(looked_at)} checked: {_verdict(report)}"


def _verdict(report: VerifyReport) -> str:
    if report.ok:
        return "no damage"
    at_least = "at least " if any(one.to_the_end or not one.record_count for one in report.damage) else ""
    places = plural(len(report.damage), "place")
    if not report.damaged_count:
        return f"damaged in {places}"
    return f"{at_least}{plural(report.damaged_count, 'record')} damaged, in {places}"


def _as_json(report: VerifyReport, unread: list[OctavoError]) -> dict[str, Any]:
    return {
        "ok": report.ok and not unread,
        "files": report.file_count,
        "records": report.record_count,
        "bytes": report.total_bytes,
        "damaged_records": report.damaged_count,
        "damage": [
            {
                "path": shown(one.path),
                "record": one.record,
                "record_in_file": one.record_in_file,
                "records": one.record_count,
                "to_the_end": one.to_the_end,
                "offset": one.offset,
                "reason": _reason(one),
            }
            for one in report.damage
        ],
        "failed": [{"path": error.path and shown(error.path), "error": line_of(error)} for error in unread],
    }

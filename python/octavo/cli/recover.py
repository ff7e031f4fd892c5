"""`octavo recover`: whole files from what is intact in damaged ones."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

from octavo import _recover
from octavo._arguments import Progress
from octavo._location import as_text, format_of_name, is_remote
from octavo._recover import LostRange, RecoverReport
from octavo._side_files import PARTIAL
from octavo._wording import number, plural
from octavo.cli import _terminal
from octavo.cli._arguments import Force, Format, Json
from octavo.cli._failures import DATA_LOSS, FAILED, line_of
from octavo.cli._findings import DEFAULT_LIMIT, Limit, print_list
from octavo.cli._recover_plan import Task, plan
from octavo.cli._render import shown, table
from octavo.errors import AlreadyExistsError, OctavoError, of_os_error
from octavo.storage import _folders
from octavo.storage._stored import stored

Sources = Annotated[list[str], typer.Argument(metavar="DAMAGED", help="The file, or files, directories and globs.")]
Target = Annotated[str, typer.Argument(metavar="TARGET", help="The new file, or the directory for several.")]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What came of one file."""

    task: Task
    report: RecoverReport | None = None
    error: OctavoError | None = None


def recover(
    sources: Sources,
    target: Target,
    *,
    format: Format = None,
    force: Force = False,
    limit: Limit = DEFAULT_LIMIT,
    json: Json = False,
) -> None:
    """Write what is intact in a damaged, truncated or unfinished file into a new one, and say what is lost.

    Several files go into a directory, each under its own name. Exit status 0 if nothing was lost, 3 if something was,
    1 if a file could not be recovered at all.
    """
    tasks, is_into_directory = plan(sources, target)
    if is_into_directory:
        with _directory(as_text(target)):
            outcomes = _one_after_the_other(tasks, format, force=force)
    else:
        with _progress(tasks) as watch:
            outcomes = [Outcome(tasks[0], _recover_one(tasks[0], format, watch(tasks[0]), force=force))]
    if json:
        _terminal.emit_json(_as_json(outcomes))
    else:
        _print(outcomes, limit, with_table=is_into_directory)
    for outcome in outcomes:
        if note := _note(outcome, format):
            _terminal.say(f"octavo: {note}")
        if outcome.error:
            _terminal.say(f"octavo: {line_of(outcome.error)}")
    if any(outcome.error for outcome in outcomes):
        raise typer.Exit(FAILED)
    if not all(report.ok for report in _reports(outcomes)):
        raise typer.Exit(DATA_LOSS)


def _recover_one(task: Task, format: Format, progress: Progress, *, force: bool) -> RecoverReport:
    if not force and _folders.exists(task.target):  # told before the file is looked through
        raise AlreadyExistsError(f"{task.target}: it exists already; --force replaces it", path=task.target)
    return _recover.recover(task.source, task.target, format=format, overwrite=force, progress=progress)


def _one_after_the_other(tasks: list[Task], format: Format, *, force: bool) -> list[Outcome]:
    """All of them, whatever becomes of one. What exists is left alone, so that a second run goes on after Ctrl-C."""
    outcomes: list[Outcome] = []
    try:
        with _progress(tasks) as watch:
            for task in tasks:
                try:
                    outcomes.append(Outcome(task, _recover_one(task, format, watch(task), force=force)))
                except OctavoError as error:
                    outcomes.append(Outcome(task, error=error))
    except KeyboardInterrupt:
        done = f"{sum(1 for _ in _reports(outcomes))} of {plural(len(tasks), 'file')}"
        raise KeyboardInterrupt(
            f"interrupted: {done} recovered; those are whole, and the same command goes on"
        ) from None
    return outcomes


@contextlib.contextmanager
def _directory(path: str) -> Iterator[None]:
    """A directory for the files; one that was made for nothing goes again."""
    if is_remote(path):  # object stores have no folders
        yield
        return
    is_new = not os.path.isdir(path)
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise of_os_error(error, f"{path}: cannot make the directory: {error.strerror}", path) from error
    try:
        yield
    finally:
        if is_new:
            with contextlib.suppress(OSError):
                os.rmdir(path)  # refused by the system if there is anything in it


@contextlib.contextmanager
def _progress(tasks: list[Task]) -> Iterator[Callable[[Task], Progress]]:
    """One bar for all files: a function for each, to be called as `octavo.recover` does, which goes twice through."""
    sizes = {task.source: _size_of(task.source) for task in tasks}
    whole, before = 2 * sum(sizes.values()), 0
    with _terminal.progress("recover", unit="bytes") as advance:

        def watch(task: Task) -> Progress:
            nonlocal before
            start, size = before, sizes[task.source]
            before += 2 * size
            last, first_time = 0, True

            def told(done: int, _total: int) -> None:
                nonlocal last, first_time
                first_time = first_time and done >= last
                last = done
                advance(start + done + (0 if first_time else size), whole)

            return told

        yield watch


def _size_of(path: str) -> int:
    try:
        return stored(path).size if is_remote(path) else os.path.getsize(path)
    except OSError:
        return 0  # recovering it says why


def _reports(outcomes: list[Outcome]) -> Iterator[RecoverReport]:
    return (outcome.report for outcome in outcomes if outcome.report)


def _print(outcomes: list[Outcome], limit: int, *, with_table: bool) -> None:
    every = [(outcome.task, lost) for outcome in outcomes if outcome.report for lost in outcome.report.lost]
    print_list(every, lambda one: _line(*one), limit)
    if with_table:
        rows = [(shown(outcome.task.source), *_cells(outcome)) for outcome in outcomes]
        for line in table(rows, header=("file", "saved", "lost"), align="<>>"):
            _terminal.result(line)
    _terminal.result(_summary(outcomes, is_one=not with_table))


def _line(task: Task, lost: LostRange) -> str:
    where = f"bytes {lost.offset} to {lost.end - 1}" if lost.end > lost.offset else f"from byte {lost.offset} on"
    return f"{shown(task.source)}: {where}, {_which(lost)}: {lost.reason}"


def _which(lost: LostRange) -> str:
    """Which records were lost, as far as that is known."""
    first, count = lost.record, lost.record_count
    if count is None:
        return "an unknown number of records" + ("" if first is None else f" from record {first} on")
    if first is None:
        return plural(count, "record")
    return f"record {first}" if count == 1 else f"records {first} to {first + count - 1}"


def _cells(outcome: Outcome) -> tuple[str, str]:
    if outcome.report is None:
        return "exists" if isinstance(outcome.error, AlreadyExistsError) else "failed", ""
    lost = outcome.report.lost_count
    return number(outcome.report.record_count), "unknown" if lost is None else number(lost)


def _summary(outcomes: list[Outcome], *, is_one: bool) -> str:
    reports = list(_reports(outcomes))
    if is_one:
        where = f"in {shown(outcomes[0].task.target)}"
    else:
        where = f"from {number(len(reports))} of {plural(len(outcomes), 'file')}"
    lost = _total_lost(reports)
    told = "; nobody can tell how many are lost" if lost is None else f", {number(lost)} lost"
    return f"{plural(sum(report.record_count for report in reports), 'record')} saved {where}{told}"


def _total_lost(reports: list[RecoverReport]) -> int | None:
    counts = [report.lost_count for report in reports]
    return None if None in counts else sum(count or 0 for count in counts)


def _note(outcome: Outcome, format: Format) -> str | None:
    """What was searched for, where that may be why little was found."""
    report, source = outcome.report, shown(outcome.task.source)
    if report is None or report.ok:
        return None
    if format is None and format_of_name(outcome.task.source.removesuffix(PARTIAL)) is None:
        return (
            f"{source}: the name does not tell its format; it was searched for {report.format}: --format names another"
        )
    return None if report.record_count else f"{source}: it was searched for {report.format}, and nothing is intact"


def _as_json(outcomes: list[Outcome]) -> dict[str, Any]:
    reports = list(_reports(outcomes))
    return {
        "ok": len(reports) == len(outcomes) and all(report.ok for report in reports),
        "records": sum(report.record_count for report in reports),
        "lost_records": _total_lost(reports),
        "results": [_file_as_json(outcome) for outcome in outcomes],
    }


def _file_as_json(outcome: Outcome) -> dict[str, Any]:
    report = outcome.report
    return {
        "source": shown(outcome.task.source),
        "target": shown(outcome.task.target),
        "ok": report is not None and report.ok,
        "format": report and report.format,
        "records": report and report.record_count,
        "lost_records": report and report.lost_count,
        "lost": [_lost_as_json(lost) for lost in report.lost] if report else [],
        "error": None if outcome.error is None else line_of(outcome.error),
    }


def _lost_as_json(lost: LostRange) -> dict[str, Any]:
    return {
        "offset": lost.offset,
        "end": lost.end,
        "record": lost.record,
        "records": lost.record_count,
        "reason": lost.reason,
    }

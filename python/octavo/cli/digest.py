"""`octavo digest`: which records a data set holds, in 32 digits; what sha256sum is for bytes."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

import typer

import octavo
from octavo._convert import Container
from octavo._location import as_text, is_remote
from octavo._wording import number, plural
from octavo.cli import _terminal
from octavo.cli._arguments import STDIN, Json
from octavo.cli._conversion import Column, Layout, source
from octavo.cli._digest_lines import Line, parse
from octavo.cli._failures import FAILED, line_of
from octavo.cli._stdin import stdin
from octavo.errors import FormatError, NotFoundError, OctavoError, OptionError, of_os_error
from octavo.storage._reader_file import open_stored
from octavo.storage._stored import stored

Paths = Annotated[
    list[str],
    typer.Argument(metavar="PATH", help="Data sets, each by itself: files, directories, globs, sharded names."),
]
Format = Annotated[
    Container | None, typer.Option("--format", help="The format or container, where it does not tell itself.")
]
Unordered = Annotated[bool, typer.Option("--unordered", help="Print the digest that does not depend on the order.")]
Together = Annotated[bool, typer.Option("--together", help="Take all paths as one data set, in this order.")]
Check = Annotated[bool, typer.Option("--check", "-c", help="Compare with lines that were printed before, in PATH.")]

_MOST_BYTES = 64 << 20  # of a list of digests: some hundred thousand lines


def digest(
    paths: Paths,
    *,
    unordered: Unordered = False,
    together: Together = False,
    check: Check = False,
    format: Format = None,
    column: Column = None,
    layout: Layout = "auto",
    json: Json = False,
) -> None:
    """Print the digest of the records, which does not depend on format, compression or shards.

    Each line has the digest, the number of records, and the path. Where digests are equal, so are the records and their
    order; with --unordered, the records.
    """
    options = {"format": format, "column": column, "layout": layout}
    if check:
        if unordered or together:
            raise OptionError("--check sees by itself how a line was made: leave out --unordered and --together")
        _check(paths, options, json=json)
        return
    found: list[tuple[list[str], octavo.Digest]] = []
    failures: list[tuple[list[str], str]] = []
    for one in _data_sets(paths, together=together):
        try:
            found.append((one, _digest_of(one, options)))
        except OptionError:
            raise
        except OctavoError as error:
            failures.append((one, _told(error)))
        else:
            if not json:
                _terminal.result(str(_line(*found[-1], unordered=unordered)))
    if json:
        told = [{"paths": names, "error": reason} for names, reason in failures]
        _terminal.emit_json({"digests": [_as_json(*one) for one in found], "failed": told})
    if failures:
        raise typer.Exit(FAILED)


def _data_sets(paths: list[str], *, together: bool) -> list[list[str]]:
    if paths.count(STDIN) > 1:
        raise OptionError("standard input can be read once: name it once")
    return [paths] if together else [[path] for path in paths]


def _digest_of(paths: list[str], options: dict[str, Any]) -> octavo.Digest:
    what = paths[0] if len(paths) == 1 else plural(len(paths), "path")
    with source(paths, options["format"]) as location, _terminal.progress(f"digest {what}") as advance:
        return octavo.digest(location, progress=advance, **options)


def _line(paths: list[str], found: octavo.Digest, *, unordered: bool) -> Line:
    name = paths[0] if len(paths) == 1 else shlex.join(paths)
    return Line(found.unordered if unordered else found.ordered, found.record_count, name)


def _told(error: OctavoError) -> str:
    """Said at once, for the results before and behind it are."""
    text = line_of(error)
    _terminal.say(f"octavo: {text}")
    return text


def _as_json(paths: list[str], found: octavo.Digest) -> dict[str, Any]:
    return {
        "paths": paths,
        "ordered": found.ordered,
        "unordered": found.unordered,
        "records": found.record_count,
        "record_bytes": found.record_bytes,
    }


def _check(files: list[str], options: dict[str, Any], *, json: bool) -> None:
    """Every line of every file; the end tells whether all of them still hold."""
    verdicts: list[tuple[Line, str | None]] = []
    for line in [line for file in files for line in _lines(file)]:
        verdicts.append((line, _verdict(line, options)))
        if not json:
            _terminal.result(f"{line.path}: {verdicts[-1][1] or 'ok'}")
    wrong = sum(reason is not None for _, reason in verdicts)
    if json:
        checked = [{"path": line.path, "ok": reason is None, "reason": reason} for line, reason in verdicts]
        _terminal.emit_json({"ok": not wrong, "checked": checked})
    if wrong:
        _terminal.say(f"octavo: {number(wrong)} of {plural(len(verdicts), 'data set')} not as before")
        raise typer.Exit(FAILED)


def _lines(path: str) -> list[Line]:
    content = _content(path)
    if not content:  # a list that was lost must not pass for one that holds
        raise FormatError(f"{path}: it is empty: there is nothing to check", path=path)
    if len(content) > _MOST_BYTES:
        raise FormatError(f"{path}: it is too long to be what 'octavo digest' prints", path=path)
    return parse(content, path)


def _content(path: str) -> bytes:
    if path == STDIN:
        return stdin().read(_MOST_BYTES + 1)
    try:
        with open_stored(stored(path)) if is_remote(path) else open(as_text(path), "rb") as file:
            return file.read(_MOST_BYTES + 1)
    except OctavoError:
        raise
    except OSError as error:
        raise of_os_error(error, f"{path}: cannot open: {error.strerror}", path) from error


def _verdict(line: Line, options: dict[str, Any]) -> str | None:
    """What is wrong, or None. Either digest will do: no line with the one is taken for a line with the other."""
    try:
        if line.path == STDIN:
            raise NotFoundError("standard input is not there any more: it has no digest to compare with")
        found = _digest_of([line.path], options)
    except OptionError:
        raise
    except OctavoError as error:
        _told(error)
        return "cannot be read"
    if line.digest in {found.ordered, found.unordered} and found.record_count == line.record_count:
        return None
    if found.record_count != line.record_count:
        return f"different: {plural(found.record_count, 'record')}, not {number(line.record_count)}"
    return "different"

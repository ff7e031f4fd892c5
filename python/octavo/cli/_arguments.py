"""What several commands take, said once."""

from __future__ import annotations

from typing import Annotated

import typer

from octavo import _open
from octavo._convert._foreign import kind_of
from octavo._location import FORMAT_OF_SUFFIX

STDIN = "-"

Location = Annotated[
    str,
    typer.Argument(metavar="PATH", help="A file, a directory, a glob, a sharded name such as train@64.ffr; or a URL."),
]
Locations = Annotated[
    list[str],
    typer.Argument(metavar="PATH", help="Files, directories, globs, sharded names such as train@64.ffr, or URLs."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON value instead of text.")]
Force = Annotated[bool, typer.Option("--force", "-f", help="Replace files that exist.")]


Format = Annotated[
    _open.Format | None, typer.Option("--format", help="The format, where content and name do not tell it.")
]


_FORMAT_OPTIONS = ("--format", "--from", "--to")


def with_formats_by_name(line: list[str]) -> list[str]:
    """A command's arguments, with the names of formats for what people know them by: `--to ffr` is `--to ffrecord`."""
    named = list(line)
    for at, argument in enumerate(line):
        if argument == "--":
            break
        option, is_joined, value = argument.partition("=")
        if option in _FORMAT_OPTIONS and is_joined:
            named[at] = f"{option}={_format_of(value)}"
        elif option in _FORMAT_OPTIONS and at + 1 < len(line):
            named[at + 1] = _format_of(line[at + 1])
    return named


def _format_of(name: str) -> str:
    suffix = f".{name.removeprefix('.')}"
    return FORMAT_OF_SUFFIX.get(suffix) or kind_of(suffix) or name


def one_or_many(paths: list[str]) -> str | list[str]:
    """A location: one path by itself, for only that may be a pattern with no file yet."""
    return paths[0] if len(paths) == 1 else paths

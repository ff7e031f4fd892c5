"""What several commands take, said once."""

from __future__ import annotations

from typing import Annotated

import typer

from octavo import _open

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


def one_or_many(paths: list[str]) -> str | list[str]:
    """A location: one path by itself, for only that may be a pattern with no file yet."""
    return paths[0] if len(paths) == 1 else paths

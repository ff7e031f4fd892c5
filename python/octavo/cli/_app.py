"""All commands under one name. A command's module is imported when the command is called, or its help is wanted."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from octavo import __version__
from octavo.cli import _terminal
from octavo.cli._arguments import with_formats_by_name
from octavo.cli._failures import told

# In the order of the help: looking, checking, changing, explaining. Each is a function in a module, both of its name.
COMMANDS = {
    "info": "Format, records, sizes and compression of files.",
    "ls": "One line a file.",
    "head": "The first records.",
    "get": "Records by number.",
    "cat": "All records, or a range of them.",
    "view": "Look into files in a browser.",
    "count": "How many records there are.",
    "partitions": "Tasks for other processes.",
    "manifest": "A list of files, so that many open as one.",
    "verify": "Check every record of every file.",
    "recover": "Save what is intact in a damaged file.",
    "diff": "Compare the records of two data sets.",
    "digest": "Say which records there are, in 32 digits.",
    "convert": "Records into another format or container.",
    "merge": "Many files into one.",
    "split": "One data set into many files.",
    "append": "More records at the end of a file.",
    "shuffle": "All records in another order.",
    "pack": "A folder into one file.",
    "unpack": "The files of a packed folder.",
    "bench": "What limits reading here, and what would help.",
    "demo": "The main job in one go.",
}

# Options as they are to every command: short help, and text as it is written.
_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Command(TyperCommand):
    """One command, which takes a suffix for the name of its format."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse a line."""
        line = with_formats_by_name(args)
        try:
            return super().parse_args(ctx, list(line))
        except typer.BadParameter as error:
            error.param = self._missing_behind(error.param, ctx, line)
            raise

    def _missing_behind(self, param: Any, ctx: Any, line: list[str]) -> Any:
        """What is missing: of `SOURCE... TARGET`, a single word is parsed as the last, and meant as the first."""
        if param is None or param.nargs > 0:
            return param
        words, _, _ = self.make_parser(ctx).parse_args(list(line))
        last = next(other for other in reversed(self.params) if other.param_type_name == "argument")
        return last if words.get(last.name) and not words.get(param.name) else param


class Commands(TyperGroup):
    """The group, which finds its commands by their names."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment]  # their names are what a typo is compared with

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - as the base class has it
        """Names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - as the base class has it
        """The command of this name, or None."""
        return _command(cmd_name) if cmd_name in COMMANDS else None


@functools.cache
def _command(name: str) -> Any:
    module = importlib.import_module(f"octavo.cli.{name}")
    function: Callable[..., None] = getattr(module, name)
    settings = _SETTINGS | getattr(module, "SETTINGS", {})  # a command may say how its line is parsed
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    alone.command(name, cls=Command, short_help=COMMANDS[name], context_settings=settings)(told(function))
    return typer.main.get_command(alone)


app = typer.Typer(
    cls=Commands,
    context_settings=_SETTINGS,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - what typer calls
    if wanted:
        _terminal.result(f"octavo {__version__}")
        raise typer.Exit


@app.callback()
def octavo(
    *,
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Say which version."),  # noqa: FBT003
) -> None:
    """Look into, check, repair, convert and measure record files.

    Formats: FFRecord, ArrayRecord, Riegeli, RecordIO, TFRecord. All commands: results on standard output, all else on
    standard error; exit status 0 fine, 1 failure, 2 wrong usage, 3 finished with data loss.
    """

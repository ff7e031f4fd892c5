"""From what went wrong to an exit status and one line on standard error. docs/cli/index.md promises these."""

from __future__ import annotations

import functools
import os
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any

import typer

from octavo.cli import _terminal
from octavo.cli._arguments import STDIN
from octavo.errors import OctavoError, OptionError

FAILED = 1
USAGE = 2
DATA_LOSS = 3
INTERRUPTED = 130  # 128 + SIGINT, what shells expect of a program that Ctrl-C has ended
BROKEN_PIPE = 141  # 128 + SIGPIPE: whoever read our output has gone


def told(command: Callable[..., None]) -> Callable[..., None]:
    """The command, with what it raises told in a line."""

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        warnings.showwarning = _show_warning
        try:
            _run_to_the_end(command, *arguments, **options)
        except OptionError as error:  # what was asked for cannot be: the user's line is wrong, not the file
            _terminal.say(f"octavo: {line_of(error)}")
            raise typer.Exit(USAGE) from error
        except BrokenPipeError as error:
            raise typer.Exit(BROKEN_PIPE) from error
        except (OctavoError, OSError, MemoryError, ImportError) as error:
            _terminal.say(f"octavo: {line_of(error)}")
            raise typer.Exit(FAILED) from error
        except KeyboardInterrupt as error:
            _terminal.say(f"octavo: {error}" if error.args else "octavo: interrupted")
            raise typer.Exit(INTERRUPTED) from error
        finally:
            _drop_what_cannot_be_written()

    return run


def _run_to_the_end(command: Callable[..., None], *arguments: Any, **options: Any) -> None:
    """Results count when they are written, whatever the status is."""
    try:
        command(*arguments, **options)
    except typer.Exit:
        sys.stdout.flush()
        raise
    sys.stdout.flush()


def _drop_what_cannot_be_written() -> None:
    """Python would complain once more, when it flushes at the end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# Advice in messages is for Python; here it is for a shell.
_IN_PYTHON = (
    (r"\bpass format='(\w+)'", r"pass --format \1"),
    (r"\bpass source_format='(\w+)'", r"pass --from \1"),
    (r"\bpass format=", "pass --format"),
    (r"\bpass source_format=", "pass --from"),
    (r"\bsay format=", "say --to"),
    (r", format='(\w+)', for example", r", --to \1, for example"),
    (r"\boverwrite=True replaces it", "--force replaces it"),
    (r"\bwith format='(\w+)'", r"with --format \1"),
    (r", check_data=False reads past it at your own risk", ""),
    (r"\boctavo\.(recover|verify|append|convert)\b", r"'octavo \1'"),
)


def line_of(error: BaseException) -> str:
    """What is told of an error."""
    text = str(error) or type(error).__name__
    path = getattr(error, "path", None) or ""
    name = path if text.startswith(path) else ""
    text = text.removeprefix(name)  # which is nothing to be improved
    for python, shell in _IN_PYTHON:
        text = re.sub(python, shell, text)
    return name + text


def call_stdin(error: OctavoError, path: str) -> None:
    """Let an error name what the user has typed, not the temporary file that standard input went through."""
    error.args = (str(error).replace(path, "standard input"),)
    error.path = STDIN


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _terminal.say(f"octavo: warning: {line_of(message) if isinstance(message, Warning) else message}")

"""What arguments have in common, whichever function they are given to."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from typing import Any, TypeAlias

from octavo._location import absolute, as_text, is_remote
from octavo._option_grammar import INT32_MAX
from octavo.errors import OptionError, RecordTypeError, UnsupportedError

Progress: TypeAlias = Callable[[int, int], object]
"""Called now and then with what is done and the whole."""


def check_format(format: object) -> None:
    """A format is named, or left open."""
    if not isinstance(format, str | None):
        message = f"format is a name, not {type(format).__name__}"
        raise RecordTypeError(message)


def check_switches(**switches: object) -> None:
    """A switch is on or off, and nothing else."""
    for option, switch in switches.items():
        if not isinstance(switch, bool):
            message = f"{option} is True or False, not {type(switch).__name__}"
            raise RecordTypeError(message)


def check_progress(progress: object) -> None:
    """Progress is told to a function, or to nobody."""
    if progress is not None and not callable(progress):
        message = f"progress is a function, not {type(progress).__name__}"
        raise RecordTypeError(message)


def as_path(path: object, what: str) -> str:
    """The path of a file that is `what`: where it was meant to be, wherever the process goes meanwhile."""
    if is_remote(path):
        message = f"{path}: {what} is on this machine, and this is a URL"
        raise UnsupportedError(message, path=str(path))
    if isinstance(path, str | os.PathLike):
        return absolute(as_text(path))
    message = f"{what} is named by a path, not {type(path).__name__}"
    raise RecordTypeError(message)


def at_least_one(name: str, value: Any, *, at_most: int = INT32_MAX) -> int:
    """The whole number that an option called `name` asks for."""
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if not 1 <= number <= at_most or isinstance(value, bool):
        message = f"{name} is {value!r}; allowed are integers in the range [1..{at_most}]"
        raise OptionError(message)
    return number

"""The files that the argument `fname` means."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeAlias

FileName: TypeAlias = str | os.PathLike[str]

SUFFIX = ".ffr"


def files_of(fname: FileName | Sequence[FileName]) -> list[str]:
    """Their names, in the order in which their records are numbered."""
    if isinstance(fname, list | tuple):
        fnames = [_name(one) for one in fname]
    else:
        name = _name(fname)
        fnames = _records_in(name) if os.path.isdir(name) else [name]
    if not fnames:
        message = "At least one .ffr file as input"
        raise AssertionError(message)
    for name in fnames:
        _check_file(name)
    return fnames


def check_suffix(fname: object) -> str:
    """The name of a file that ends in `.ffr`, or an AssertionError, whatever was given."""
    name = os.fspath(fname) if isinstance(fname, str | os.PathLike) else None
    if isinstance(name, str) and name.endswith(SUFFIX):
        return name
    message = f"{fname!s} does not end with {SUFFIX}"
    raise AssertionError(message)


def _name(fname: object) -> str:
    if isinstance(fname, str | os.PathLike):
        return os.fsdecode(fname)
    message = "fname must be str, os.PathLike, list or tuple"
    raise TypeError(message)


def _records_in(directory: str) -> list[str]:
    return [os.path.join(directory, name) for name in sorted(os.listdir(directory)) if name.endswith(SUFFIX)]


def _check_file(name: str) -> None:
    # Raised, not asserted: code that catches AssertionError means it under `python -O` as well.
    if not os.path.exists(name):
        message = f"{name} does not exist"
        raise AssertionError(message)
    if not os.path.isfile(name):
        message = f"{name} is not a file"
        raise AssertionError(message)
    check_suffix(name)

"""Apache Beam for modules that can be imported without it."""

from __future__ import annotations

import importlib
from typing import Any, NoReturn

_MESSAGE = "array_record.beam needs Apache Beam, which is not installed: pip install 'octavo[beam]'"


def apache_beam() -> Any:
    """Return the package `apache_beam`, or say how to get it."""
    try:
        return importlib.import_module("apache_beam")
    except ModuleNotFoundError as error:
        if error.name != "apache_beam":  # it is installed, and lacks something itself
            raise
        raise ImportError(_MESSAGE, name="apache_beam") from error


def beam_class(module: str, name: str) -> type:
    """Return a class of a module that needs Beam; without Beam, one that can be named but not called."""
    try:
        apache_beam()
    except ImportError as error:
        if error.name != "apache_beam":
            raise
        return type(name, (_Absent,), {"__module__": module})
    found: type = getattr(importlib.import_module(module), name)
    return found


class _Absent:
    """Stands for a class that could not be made, as its base class is not there."""

    def __init__(self, *_arguments: object, **_named: object) -> NoReturn:
        raise ImportError(_MESSAGE, name="apache_beam")

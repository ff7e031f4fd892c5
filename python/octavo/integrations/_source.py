"""Where an integration's records come from: a location that it opens, or a reader that somebody else has opened."""

from __future__ import annotations

import inspect
from typing import Any

import octavo
from octavo import Reader
from octavo.errors import OptionError

_DEFAULTS = {name: option.default for name, option in inspect.signature(octavo.open).parameters.items()}


def open_source(source: Any, **options: Any) -> tuple[Reader, bool]:
    """The reader of a location, or the one that was given; and whether it was opened here."""
    if not isinstance(source, Reader):
        return octavo.open(source, **options), True
    if given := [name for name, value in options.items() if value != _DEFAULTS[name]]:
        raise OptionError(f"{', '.join(given)}: the reader is open already; pass these options to octavo.open")
    return source, False

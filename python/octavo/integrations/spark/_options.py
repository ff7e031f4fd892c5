"""Spark's options, which are texts, as octavo's arguments."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import octavo
from octavo._arguments import at_least_one
from octavo._options import parse_bytes
from octavo.errors import OptionError

Meaning: TypeAlias = Callable[[str, str], Any]
"""Makes a value of an option's name and text."""


def _switch(name: str, text: str) -> bool:
    value = {"true": True, "false": False}.get(text.strip().lower())
    if value is None:
        raise OptionError(f"option {name} is true or false, not {text!r}")
    return value


def _whole(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise OptionError(f"option {name} is a whole number, not {text!r}") from None


def _text(_name: str, text: str) -> str:
    return text


def _rows(name: str, text: str) -> int:
    return at_least_one(name, _whole(name, text))


def _bytes(name: str, text: str) -> int:
    return at_least_one(name, parse_bytes(text, name=name), at_most=2**63 - 1)


def _meanings(function: Callable[..., Any], *without: str) -> dict[str, Meaning]:
    """The options of a function, by what its signature says of them."""
    options = {name: one.annotation for name, one in inspect.signature(function).parameters.items()}
    return {name: _meaning(kind) for name, kind in options.items() if name not in without}


def _meaning(annotation: str) -> Meaning:
    kinds = {kind.strip() for kind in annotation.split("|")} - {"None"}
    return {frozenset({"bool"}): _switch, frozenset({"int"}): _whole}.get(frozenset(kinds), _text)


_OPENING = _meanings(octavo.open, "location")
_CUTTING: dict[str, Meaning] = {"partitions": _whole, "max_records": _whole, "partition_bytes": _text}
_BATCHES: dict[str, Meaning] = {"batch_size": _rows, "batch_bytes": _bytes}
_CREATING = _meanings(octavo.create, "path", "overwrite")  # Spark's mode says whether to overwrite
_NAMING: dict[str, Meaning] = {"prefix": _text}


def reading_options(given: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """What `octavo.open` takes, how to cut, and what `arrow.scan` takes."""
    _refuse_unknown("reading", given, _OPENING | _CUTTING | _BATCHES)
    cutting = _chosen(given, _CUTTING)
    if len(cutting) > 1:
        raise OptionError(f"of {', '.join(_CUTTING)} only one can be given, not {', '.join(cutting)}")
    return _chosen(given, _OPENING), cutting, _chosen(given, _BATCHES)


def writing_options(given: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What `octavo.create` takes, and how files are named."""
    _refuse_unknown("writing", given, _CREATING | _NAMING)
    return _chosen(given, _CREATING), _chosen(given, _NAMING)


def location(given: Mapping[str, str]) -> str | list[str]:
    """What `load` was given."""
    if "paths" in given:
        return [_as_location(path) for path in json.loads(given["paths"])]
    return target(given, "load")


def target(given: Mapping[str, str], function: str = "save") -> str:
    """What `save` was given."""
    if not given.get("path"):
        raise OptionError(f"no path was given: {function}('/path/of/records')")
    return _as_location(given["path"])


def _as_location(path: str) -> str:
    """Spark's users write `file:/x`, too, for the local `/x` that is `file:///x` everywhere else."""
    return f"file://{path.removeprefix('file:')}" if re.match("file:/(?!/)", path) else path


def _refuse_unknown(doing: str, given: Mapping[str, str], known: Mapping[str, Meaning]) -> None:
    if unknown := [name for name in given if name not in known and name not in {"path", "paths"}]:
        raise OptionError(f"{doing} records has no option {', '.join(unknown)}; options are: {', '.join(known)}")


def _chosen(given: Mapping[str, str], meanings: Mapping[str, Meaning]) -> dict[str, Any]:
    return {name: meaning(name, given[name]) for name, meaning in meanings.items() if name in given}

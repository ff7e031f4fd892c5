"""Formats and their options, checked when a transform is made and not by a worker."""

from __future__ import annotations

from typing import Any, cast, get_args

from octavo._arguments import check_format
from octavo._location import FORMAT_OF_SUFFIX, format_of_name, is_gzip_name
from octavo._open import Format
from octavo._recipe import recipe
from octavo.errors import OptionError


def check_known(format: object) -> None:
    """A format has one of the names that octavo knows, or is left open."""
    check_format(format)
    if format is not None and format not in get_args(Format):
        message = f"format {format!r} is none of: {', '.join(get_args(Format))}"
        raise OptionError(message)


def format_of(format: Format | None, name: str) -> Format:
    """The format that was given, or else the one that a file's name tells."""
    check_known(format)
    if found := format or format_of_name(name):
        return cast("Format", found)
    known = ", ".join(f"{suffix} ({format})" for suffix, format in FORMAT_OF_SUFFIX.items())
    message = f"{name}: the suffix does not say which format to write; use one of {known}, or pass format="
    raise OptionError(message, path=name)


def checked_options(format: Format, given: dict[str, Any], name: str) -> dict[str, Any]:
    """What to pass to `octavo.create` for a file of that name, whatever its bundles' files are called until then."""
    chosen = {option: value for option, value in given.items() if value is not None}
    if format == "tfrecord" and is_gzip_name(name):
        chosen.setdefault("codec", "gzip")
    recipe(format, chosen)
    return chosen

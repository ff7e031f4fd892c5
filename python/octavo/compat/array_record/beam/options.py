"""`get_arguments`: where to read and to write, and the options of a pipeline, from the command line."""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from octavo.compat.array_record.beam._lazy import apache_beam


def get_arguments(argv: Sequence[str] | None = None) -> tuple[dict[str, str | None], Any]:
    """Return `{"input": ..., "output": ...}`, and all other arguments as Beam's `PipelineOptions`.

    Args:
        argv: The arguments; those of the command line if it is None.
    """
    arguments, rest = split_arguments(sys.argv[1:] if argv is None else argv)
    return arguments, apache_beam().options.pipeline_options.PipelineOptions(rest)


def split_arguments(argv: Sequence[str]) -> tuple[dict[str, str | None], list[str]]:
    """Return input and output, and what else there is."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--input", help="file pattern of the TFRecord files")
    parser.add_argument("--output", help="path prefix of the ArrayRecord files")
    known, rest = parser.parse_known_args(argv)
    return vars(known), rest


def pipeline_options_of(given: Any) -> Any:
    """Return Beam's options, from a list of arguments or a dictionary if they are not that already."""
    kind = apache_beam().options.pipeline_options.PipelineOptions
    if isinstance(given, Mapping):
        return kind.from_dictionary(dict(given))
    if isinstance(given, Sequence) and not isinstance(given, str):
        return kind(list(given))
    return given


def location(arguments: Mapping[str, str | None], name: str) -> str:
    """Return input or output, or say that it is missing."""
    found = arguments.get(name)
    if found is None:
        message = f"--{name} is missing: it is neither on the command line nor in args"
        raise ValueError(message)
    return found


def command_line() -> tuple[dict[str, str | None], Any]:
    """Return `get_arguments()`, the same objects again as long as the command line is the same."""
    return _command_line(tuple(sys.argv[1:]))


@functools.lru_cache(maxsize=1)
def _command_line(argv: tuple[str, ...]) -> tuple[dict[str, str | None], Any]:
    return get_arguments(argv)

"""The options of RecordIO and TFRecord files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

from octavo._arguments import at_least_one
from octavo._option_grammar import Integers
from octavo._options import parse_bytes
from octavo.errors import OptionError

_DEFLATE_LEVELS = Integers(0, 9)
_DEFAULT_LEVEL = 6  # zlib's own
_DEFAULT_CHUNK_BYTES = 256 << 10  # docs/adr/2026-11-15-chunks-of-256-kib.md
_MOST_CHUNK_BYTES = 2**32 - 1  # what a header can say
_DEFLATED = ("gzip", "zlib")

# The codecs of each dialect of RecordIO, the default first.
DIALECTS = {
    "paddle-python": ("snappy", "gzip", "none"),
    "paddle-python-ieee": ("snappy", "gzip", "none"),
    "go": ("snappy", "gzip", "none"),
    "paddle-cpp": ("snappy", "none"),
}
DEFAULT_DIALECT = "paddle-python"


def recordio_arguments(
    *,
    codec: object = None,
    dialect: object = None,
    max_chunk_bytes: SupportsIndex | str | None = None,
    group_size: SupportsIndex | None = None,
) -> dict[str, Any]:
    """The native writer's arguments for a RecordIO file."""
    if dialect is None:
        dialect = DEFAULT_DIALECT
    if not isinstance(dialect, str) or dialect not in DIALECTS:
        raise OptionError(f"dialect is {dialect!r}; allowed are {', '.join(DIALECTS)}")
    arguments = _codec_arguments(codec, DIALECTS[dialect], f"recordio in its dialect {dialect}")
    if max_chunk_bytes is None and group_size is None:
        max_chunk_bytes = _DEFAULT_CHUNK_BYTES
    if max_chunk_bytes is not None:
        most = parse_bytes(max_chunk_bytes, name="max_chunk_bytes", at_least=1, at_most=_MOST_CHUNK_BYTES)
        arguments["max_chunk_bytes"] = most
    if group_size is not None:
        arguments["group_size"] = at_least_one("group_size", group_size)
    return {**arguments, "dialect": dialect}


def tfrecord_arguments(*, codec: object = None) -> dict[str, Any]:
    """The native writer's arguments for a TFRecord file."""
    return _codec_arguments(codec, ("none", "gzip", "zlib"), "tfrecord")


def _codec_arguments(codec: object, known: Sequence[str], where: str) -> dict[str, Any]:
    """The codec that a text such as `gzip:9` names; the first one known if there is no text."""
    if codec is None:
        codec = known[0]
    name, colon, level = codec.partition(":") if isinstance(codec, str) else ("", "", "")
    name = "none" if name == "uncompressed" else name
    if name not in known or (colon and name not in _DEFLATED):
        levels = ", and levels as in 'gzip:9'" if "gzip" in known else ""
        raise OptionError(f"codec is {codec!r}; allowed in {where} are {', '.join(known)}{levels}")
    if name not in _DEFLATED:
        return {"codec": name}
    try:
        return {"codec": name, "level": _DEFLATE_LEVELS.read(level) if colon else _DEFAULT_LEVEL}
    except ValueError:
        raise OptionError(f"codec is {codec!r}; {name} has {_DEFLATE_LEVELS.as_levels}") from None

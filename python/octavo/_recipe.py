"""From options, as users give them or files carry them, to what the native writer takes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from octavo._options import ArrayRecordWriterOptions
from octavo._stream_options import recordio_arguments, tfrecord_arguments
from octavo.errors import OptionError

if TYPE_CHECKING:
    from octavo._reader import Info

# Windows of the codecs where none is asked for: what the original writer takes.
_WINDOW_LOG = {"zstd": 20, "brotli": 22}
_NOT_IN_RIEGELI = ("pad_to_block_boundary",)


# The options of the formats that have few.
_OPTIONS = {
    "ffrecord": (),
    "recordio": ("codec", "dialect", "max_chunk_bytes", "group_size"),
    "tfrecord": ("codec",),
}
_ONLY_IN_RECORDIO = ("dialect", "max_chunk_bytes")


def recipe(format: str, given: dict[str, Any]) -> dict[str, Any]:
    """The native writer's arguments for a new file."""
    given = {name: value for name, value in given.items() if value is not None}
    if format in _OPTIONS:
        _refuse(format, [name for name in given if name not in _OPTIONS[format]])
        if format == "recordio":
            return recordio_arguments(**given)
        return tfrecord_arguments(**given) if format == "tfrecord" else {}
    _refuse(format, [name for name in _ONLY_IN_RECORDIO if name in given])
    return _array_record_arguments(format, given)


def _refuse(format: str, wrong: list[str]) -> None:
    if wrong:
        why = "; FFRecord is never compressed" if format == "ffrecord" and "codec" in wrong else ""
        message = f"{format} has no such options: {', '.join(wrong)}{why}"
        raise OptionError(message)


def _array_record_arguments(format: str, given: dict[str, Any]) -> dict[str, Any]:
    if format == "riegeli":
        _refuse(format, [name for name in _NOT_IN_RIEGELI if name in given])
    options = ArrayRecordWriterOptions.from_keywords(**given)
    if format == "riegeli" and options.pad_to_block_boundary:
        _refuse(format, ["pad_to_block_boundary"])
    arguments = _arguments(options)
    if format == "riegeli":
        # Its chunks are cut by size unless somebody counts.
        counted = "group_size" in given or "group_size" in given.get("options", "")
        arguments["group_size"] = options.group_size if counted else None
    return arguments


def recipe_of(info: Info) -> dict[str, Any]:
    """The native writer's arguments for more records of a file that exists."""
    if info.format == "recordio":
        return recordio_arguments(codec=info.codec, dialect=info.dialect)
    if info.format == "tfrecord":
        return tfrecord_arguments(codec=info.codec)
    # Readers count chunks by what is in them, not by what the text says. A lone chunk may be a short one.
    group_size = info.group_size if info.chunk_count > 1 or info.writer_options is None else None
    return _as_before(info.format, info.writer_options, info.codec, group_size, transposed=info.transposed)


def recipe_of_salvage(about: dict[str, Any]) -> dict[str, Any]:
    """The native writer's arguments for what was saved of a file."""
    if about["format"] == "ffrecord":
        return {}
    if about["format"] == "recordio":
        return recordio_arguments(codec=about["codec"], dialect=about["dialect"])
    if about["format"] == "tfrecord":
        return tfrecord_arguments(codec=about["codec"])
    text = about["writer_options"]
    group_size = about["group_size"] if text is None else None  # judged from a chunk that may be a short one
    return _as_before(
        about["format"],
        text,
        about["codec"],
        group_size,
        transposed=about["transposed"],
        most_group_size=about["most_group_size"],
    )


def _as_before(
    format: str,
    text: str | None,
    codec: str | None,
    group_size: int | None,
    *,
    transposed: bool | None,
    most_group_size: int | None = None,
) -> dict[str, Any]:
    written = ArrayRecordWriterOptions.of_file(text)
    if written is None:
        written = ArrayRecordWriterOptions.from_keywords(codec=codec, transpose=transposed, group_size=group_size)
    if most_group_size is not None and written.group_size > most_group_size:
        # A group that does not fit into memory is not what the file was written with, whatever it says.
        written = dataclasses.replace(written, group_size=most_group_size)
        text = group_size = None
    arguments = _arguments(written)
    if text is not None:
        arguments["writer_options"] = text
    if format == "riegeli":
        arguments["group_size"] = None
    elif group_size is not None:
        arguments["group_size"] = group_size
    return arguments


def _arguments(options: ArrayRecordWriterOptions) -> dict[str, Any]:
    return {
        "codec": options.codec,
        "level": options.level or 0,
        "window_log": options.window_log or _WINDOW_LOG.get(options.codec, 0),
        "group_size": options.group_size,
        "transpose_bucket_size": options.transpose_bucket_size if options.transpose else None,
        "pad_to_block_boundary": options.pad_to_block_boundary,
        "writer_options": options.text(),
    }

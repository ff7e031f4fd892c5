"""Texts of options: ArrayRecord's for writers and readers, what files say, and codecs of the other formats."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from fuzz.python import option_twin as twin
from fuzz.python.comparing import REFUSED, Refused, agree, answer_of
from octavo._options import ArrayRecordReaderOptions, ArrayRecordWriterOptions
from octavo._stream_options import DIALECTS, recordio_arguments, tfrecord_arguments
from octavo.errors import OptionError

_INT32 = 2**31 - 1
_UINT64 = 2**64 - 1
_GIB = 2**30
_FIELDS = ("group_size", "max_parallelism", "saturation_delay_ms", "transpose", "transpose_bucket_size")

SEEDS = (
    b"",
    b"group_size:1,transpose:false,pad_to_block_boundary:false,zstd:3,window_log:20,max_parallelism:1",
    b"default,group_size:100,brotli:9,window_log:auto",
    b"transpose,transpose_bucket_size:16M,snappy:2,pad_to_block_boundary:",
    b"uncompressed,saturation_delay_ms: +07 ,max_parallelism:auto",
    b"window_log:20,snappy:2",
    b"readahead_buffer_size:1.5 K,index_storage_option:offloaded,footer_prefetch_bytes:0",
    b"max_parallelism:0,footer_prefetch_bytes:0x1p20,index_storage_option",
    b"gzip:9",
    b"zlib: 3 ",
    b"uncompressed",
    b"none:",
)
WORDS = (
    *(f"{key}:".encode() for key in (*_FIELDS, "window_log", "pad_to_block_boundary", "default", *twin.CODECS)),
    *(b"readahead_buffer_size:", b"index_storage_option:", b"footer_prefetch_bytes:", b"in_memory", b"offloaded"),
    *(b"true", b"false", b"auto", b"inf", b"-131072", b"2147483647", b"2147483648", b"1.5 MiB", b"0x1.8p4", b"1e3k"),
    *(b",", b":", b"+", b"-", b"0", b"\x0b", b"\xc2\xa0", b"gzip", b"zlib", b"none"),
)


def check(data: bytes) -> None:
    """Read the text in every way that there is."""
    text = data.decode("utf-8", "surrogateescape")
    for casual in (False, True):
        _check_writer(text, casual=casual)
        _check_reader(text, casual=casual)
    _check_what_files_say(text)
    _check_codecs(text)


def _check_writer(text: str, *, casual: bool) -> None:
    found = answer_of(lambda: ArrayRecordWriterOptions.parse(text, strict=not casual), OptionError)
    agree("writer's options", found, answer_of(lambda: _writer_options(text, casual=casual), twin.NoMeaningError))
    if not isinstance(found, Refused):
        _check_spelling(found)


def _check_spelling(options: ArrayRecordWriterOptions) -> None:
    """What a file would say of these options means them again, but for what it does not tell."""
    again = ArrayRecordWriterOptions.parse(options.text(), strict=True)
    for field in ("group_size", "transpose", "codec", "window_log", "pad_to_block_boundary"):
        agree(f"{field} after spelling", getattr(again, field), getattr(options, field))
    if options.codec != "snappy":
        agree("level after spelling", again.level, options.level)
    if options.transpose:
        agree("bucket after spelling", again.transpose_bucket_size, options.transpose_bucket_size)


def _table(*, casual: bool) -> dict[str, Callable[[str], Any]]:
    return {
        "group_size": twin.number(1, _INT32),
        "max_parallelism": twin.number(1, _INT32, auto=None),
        "saturation_delay_ms": twin.number(1, _INT32),
        "transpose": twin.choice({"": True, "true": True, "false": False}),
        "transpose_bucket_size": twin.size_reader(1, _UINT64, 256, casual=casual),
        "pad_to_block_boundary": twin.choice({"": False, "true": True, "false": False}),
    }


def _writer_options(text: str, *, casual: bool) -> ArrayRecordWriterOptions:
    items = twin.items(text)
    keys = [key for key, _ in items]
    table = _table(casual=casual)
    codecs = [key for key in keys if key in twin.CODECS]
    known = {"default", "window_log", *table, *twin.CODECS}
    if len(set(keys)) < len(keys) or not set(keys) <= known or "default" in keys[1:] or len(codecs) > 1:
        raise twin.NoMeaningError(text)
    values = dict(items)
    codec = codecs[0] if codecs else None
    name, level, window = twin.codec_and_window(codec, values.get(codec or ""), values.get("window_log"))
    rest = {key: table[key](value) for key, value in items if key in table}
    return ArrayRecordWriterOptions(codec=name, level=level, window_log=window, **rest)  # type: ignore[arg-type]


def _check_what_files_say(text: str) -> None:
    """Each item counts if it could stand behind those before it that count."""
    table = {key: read for key, read in _table(casual=False).items() if key != "max_parallelism"}
    rest: dict[str, Any] = {}
    told: dict[str, str] = {}
    for key, value in twin.items(text):
        if key in twin.CODECS or key == "window_log":
            told.setdefault(key, value)
        elif key in table and key not in rest:
            meant = answer_of(lambda read=table[key], value=value: read(value), twin.NoMeaningError)  # type: ignore[misc]
            if not isinstance(meant, Refused):
                rest[key] = meant
    codec = next((key for key in told if key in twin.CODECS), "zstd")
    first = next(iter(key for key in told if key in {codec, "window_log"}), None)
    level, window = told.get(codec), told.get("window_log")
    if twin.CODECS[codec] in {"none", "snappy"}:  # which cannot stand beside a window
        level, window = (None if first == "window_log" else level), None
    level = None if _is_wrong(codec, level, None) else level
    window = None if _is_wrong(codec, None, window) else window
    name, meant_level, meant_window = twin.codec_and_window(codec, level, window)
    expected = ArrayRecordWriterOptions(codec=name, level=meant_level, window_log=meant_window, **rest)  # type: ignore[arg-type]
    agree("what a file says", ArrayRecordWriterOptions.of_file(text), expected)


def _is_wrong(codec: str, level: str | None, window: str | None) -> bool:
    return answer_of(lambda: twin.codec_and_window(codec, level, window), twin.NoMeaningError) == REFUSED


def _check_reader(text: str, *, casual: bool) -> None:
    table = {
        "max_parallelism": twin.number(0, _INT32, auto=None),
        "readahead_buffer_size": twin.size_reader(0, _GIB, 0, casual=casual),
        "index_storage_option": twin.choice({"": "in_memory", "in_memory": "in_memory", "offloaded": "offloaded"}),
        "footer_prefetch_bytes": twin.size_reader(0, _GIB, 2**20, casual=casual),
    }

    def expected() -> ArrayRecordReaderOptions:
        items = twin.items(text)
        if len({key for key, _ in items} & table.keys()) < len(items):
            raise twin.NoMeaningError(text)
        options = ArrayRecordReaderOptions(**{key: table[key](value) for key, value in items})
        if not casual and options.index_storage_option == "offloaded" and options.footer_prefetch_bytes:
            raise twin.NoMeaningError(text)
        return options

    found = answer_of(lambda: ArrayRecordReaderOptions.parse(text, strict=not casual), OptionError)
    agree("reader's options", found, answer_of(expected, twin.NoMeaningError))


def _check_codecs(text: str) -> None:
    """The `codec` of `octavo.create`, in each format."""
    for dialect, codecs in DIALECTS.items():
        found = answer_of(lambda dialect=dialect: recordio_arguments(codec=text, dialect=dialect), OptionError)  # type: ignore[misc]
        expected = _deflated(text, codecs)
        if isinstance(expected, dict):
            expected |= {"max_chunk_bytes": 256 << 10, "dialect": dialect}
        agree(f"codec of recordio in {dialect}", found, expected)
    found = answer_of(lambda: tfrecord_arguments(codec=text), OptionError)
    agree("codec of tfrecord", found, _deflated(text, ("none", "gzip", "zlib")))

    def of_array_record() -> ArrayRecordWriterOptions:
        name, _, level = text.partition(":")
        key = {"none": "uncompressed"}.get(name, name)
        if key not in twin.CODECS:
            raise twin.NoMeaningError(text)
        codec, meant, window = twin.codec_and_window(key, level, None)
        return ArrayRecordWriterOptions(codec=codec, level=meant, window_log=window)  # type: ignore[arg-type]

    chosen = answer_of(lambda: ArrayRecordWriterOptions.from_keywords(codec=text), OptionError)
    agree("codec of array_record", chosen, answer_of(of_array_record, twin.NoMeaningError))


def _deflated(text: str, codecs: tuple[str, ...]) -> dict[str, Any] | Refused:
    found = re.fullmatch("(gzip|zlib)(?::(.*))?|(none|snappy|uncompressed)", text, re.DOTALL)
    if found is None or (found[1] or found[3].replace("uncompressed", "none")) not in codecs:
        return REFUSED
    if found[3]:
        return {"codec": found[3].replace("uncompressed", "none")}
    level = answer_of(lambda: 6 if found[2] is None else twin.integer(found[2], 0, 9), twin.NoMeaningError)
    return REFUSED if isinstance(level, Refused) else {"codec": found[1], "level": level}

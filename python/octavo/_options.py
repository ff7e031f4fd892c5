"""The options of ArrayRecord files: as keywords, as the original's texts, and as files tell them.

Every way goes through the same tables of what may stand in a text, and ends in one frozen object whose values are
checked and complete; its fields have the names of the original's keys. How a table is followed is in
`_option_grammar.py`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, SupportsIndex, TypeAlias

from octavo import _option_grammar as grammar
from octavo._option_grammar import INT32_MAX, UINT64_MAX, Anything, Integers, Option, Sizes, Values, Words
from octavo.errors import OptionError

Codec: TypeAlias = Literal["none", "brotli", "zstd", "snappy"]
IndexStorage: TypeAlias = Literal["in_memory", "offloaded"]


class _CodecTraits(NamedTuple):
    """What a codec may be told. Without levels or windows, it has none."""

    key: str
    levels: Integers | None = None
    default_level: int | None = None
    window_logs: Integers | None = None
    default_window_log: int | None = None  # None: left to the encoder


_CODECS: dict[Codec, _CodecTraits] = {
    "none": _CodecTraits("uncompressed"),
    "brotli": _CodecTraits("brotli", Integers(0, 11), 6, Integers(10, 30)),
    "zstd": _CodecTraits("zstd", Integers(-131072, 22), 3, Integers(10, 31), 20),
    "snappy": _CodecTraits("snappy", Integers(1, 2), 1),
}
_CODEC_OF_KEY: dict[str, Codec] = {traits.key: codec for codec, traits in _CODECS.items()}

_AUTO = Words({"auto": None})  # as if the key were not there
_COUNTS = Integers(1, INT32_MAX)


def _writer_table(*, casual: bool) -> dict[str, Option]:
    return {
        "default": Option(Anything(), is_first=True),
        "group_size": Option(_COUNTS),
        "max_parallelism": Option(_AUTO, _COUNTS),
        "saturation_delay_ms": Option(_COUNTS),
        "transpose": Option(Words({"": True, "true": True, "false": False})),
        "transpose_bucket_size": Option(_AUTO, Sizes(1, UINT64_MAX, casual=casual)),
        **dict.fromkeys((*_CODEC_OF_KEY, "window_log"), Option(Anything())),  # judged last, by the next two tables
        "pad_to_block_boundary": Option(Words({"": False, "true": True, "false": False})),  # the bare key is false
    }


_ONE_CODEC = {
    **dict.fromkeys(_CODEC_OF_KEY, Option(Anything(), conflicts=_CODEC_OF_KEY)),
    "window_log": Option(Anything()),
}


def _codec_table(traits: _CodecTraits) -> dict[str, Option]:
    levels: list[Values] = [Words({"": traits.default_level}), *([traits.levels] if traits.levels else [])]
    if traits.window_logs is None:
        return {
            traits.key: Option(*levels, conflicts=["window_log"]),
            "window_log": Option(Anything(), conflicts=[traits.key]),
        }
    return {traits.key: Option(*levels), "window_log": Option(_AUTO, traits.window_logs)}


def _reader_table(*, casual: bool) -> dict[str, Option]:
    sizes = Sizes(0, 2**30, casual=casual)
    return {
        "max_parallelism": Option(_AUTO, Integers(0, INT32_MAX)),
        "readahead_buffer_size": Option(_AUTO, sizes),
        "index_storage_option": Option(Words({"": "in_memory", "in_memory": "in_memory", "offloaded": "offloaded"})),
        "footer_prefetch_bytes": Option(_AUTO, sizes),
    }


@dataclass(frozen=True)
class ArrayRecordWriterOptions:
    """How a file is written.

    `max_parallelism` is None for as many threads as there are, `level` for no compression, `window_log` where the
    codec has no window or chooses it itself.
    """

    group_size: int = 1
    max_parallelism: int | None = None
    saturation_delay_ms: int = 10
    transpose: bool = False
    transpose_bucket_size: int = 256
    codec: Codec = "zstd"
    level: int | None = 3
    window_log: int | None = 20
    pad_to_block_boundary: bool = False

    @classmethod
    def parse(cls, text: str, *, strict: bool = False) -> ArrayRecordWriterOptions:
        """Read a text such as `group_size:1,brotli:6`; `strict` takes what the original takes, no more."""
        return cls._of_items(grammar.split_items(text), _writer_table(casual=not strict), grammar.read_items)

    @classmethod
    def of_file(cls, text: str | None) -> ArrayRecordWriterOptions | None:
        """Read what a file says about its writing, if it says anything; what is not understood is ignored."""
        if text is None:
            return None
        table = _writer_table(casual=False)
        del table["max_parallelism"]  # how many threads there were is no property of the file
        return cls._of_items(grammar.split_items(text), table, grammar.read_what_fits)

    @classmethod
    def from_keywords(
        cls,
        *,
        codec: str | None = None,
        group_size: SupportsIndex | None = None,
        transpose: bool | None = None,
        pad_to_block_boundary: bool | None = None,
        window_log: SupportsIndex | None = None,
        transpose_bucket_size: SupportsIndex | str | None = None,
        max_parallelism: SupportsIndex | None = None,
        saturation_delay_ms: SupportsIndex | None = None,
        options: str | None = None,
    ) -> ArrayRecordWriterOptions:
        """Check the keywords of `octavo.create`; None is the default of each."""
        switches = _given({"transpose": transpose, "pad_to_block_boundary": pad_to_block_boundary})
        numbers = _given({
            "group_size": group_size,
            "max_parallelism": max_parallelism,
            "saturation_delay_ms": saturation_delay_ms,
            "window_log": window_log,
        })  # fmt: skip
        rest = _given({"codec": codec, "transpose_bucket_size": transpose_bucket_size})
        if options is not None:
            return cls.parse(_whole_text(options, beside=[*rest, *numbers, *switches]))
        items = [] if codec is None else [_codec_item(codec)]
        items += [(name, str(_integer(name, value))) for name, value in numbers.items()]
        items += [(name, str(_switch(name, value)).lower()) for name, value in switches.items()]
        chosen = cls._of_items(items, _writer_table(casual=True), grammar.read_items)
        if transpose_bucket_size is None:
            return chosen
        size = parse_bytes(transpose_bucket_size, name="transpose_bucket_size", at_least=1)
        return replace(chosen, transpose_bucket_size=size)

    @classmethod
    def _of_items(
        cls,
        items: Iterable[grammar.Item],
        table: Mapping[str, Option],
        read: Callable[[Iterable[grammar.Item], Mapping[str, Option]], dict[str, Any]],
    ) -> ArrayRecordWriterOptions:
        # As in the original, what is about compression comes last: first which codec it is, then what it is told.
        found = read(items, table)
        found.pop("default", None)
        about_codec = read([(key, found.pop(key)) for key in list(found) if key in _ONE_CODEC], _ONE_CODEC)
        codec: Codec = next((_CODEC_OF_KEY[key] for key in about_codec if key in _CODEC_OF_KEY), "zstd")
        traits = _CODECS[codec]
        told = _given(read(about_codec.items(), _codec_table(traits)))
        return cls(
            codec=codec,
            level=told.get(traits.key, traits.default_level),
            window_log=told.get("window_log", traits.default_window_log) if traits.window_logs else None,
            **_given(found),
        )

    def text(self) -> str:
        """What the file says about its writing; in the original's Python module that is always one thread's work."""
        key = _CODECS[self.codec].key
        items = [
            f"group_size:{self.group_size}",
            f"transpose:{str(self.transpose).lower()}",
            f"pad_to_block_boundary:{str(self.pad_to_block_boundary).lower()}",
            *([f"transpose_bucket_size:{self.transpose_bucket_size}"] if self.transpose else []),
            f"{key}:{self.level}" if self.codec in ("brotli", "zstd") else key,  # snappy's level is not told
            *([f"window_log:{self.window_log}"] if self.window_log is not None else []),
            "max_parallelism:1",
        ]
        return ",".join(items)


@dataclass(frozen=True)
class ArrayRecordReaderOptions:
    """How the original was asked to read a file; `max_parallelism` is None for as many threads as there are."""

    max_parallelism: int | None = None
    readahead_buffer_size: int = 0
    index_storage_option: IndexStorage = "in_memory"
    footer_prefetch_bytes: int = 2**20

    @classmethod
    def parse(cls, text: str, *, strict: bool = False) -> ArrayRecordReaderOptions:
        """Read a text such as `readahead_buffer_size:16M`; `strict` takes what the original takes, no more."""
        found = grammar.read_items(grammar.split_items(text), _reader_table(casual=not strict))
        options = cls(**_given(found))
        # Strictly, `offloaded` alone is an error: the prefetch that it cannot have is on by default.
        if strict and options.index_storage_option == "offloaded" and options.footer_prefetch_bytes > 0:
            raise OptionError("footer_prefetch_bytes > 0 is only supported with index_storage_option:in_memory.")
        return options


def parse_bytes(value: SupportsIndex | str, *, name: str, at_least: int = 0, at_most: int = UINT64_MAX) -> int:
    """The bytes that an option called `name` asks for: a number, or a text such as `4096`, `64MB`, `1.5 GiB`.

    Units are powers of 1024 with or without the i and the B, in any case. What the original reads is read as it does,
    reals, hexadecimals and `inf` included.
    """
    sizes = Sizes(at_least, at_most, casual=True)
    try:
        return sizes.read(value) if isinstance(value, str) else sizes.check(_integer(name, value))
    except ValueError:
        allowed = f"numbers and texts such as '64MB' or '1.5G', in the range [{at_least}..{at_most}]"
        raise OptionError(f"{name} is {value!r}; allowed are {allowed}") from None


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _codec_item(codec: object) -> grammar.Item:
    if isinstance(codec, str):
        name, _, level = codec.partition(":")
        key = _CODECS[name].key if name in _CODECS else name
        if key in _CODEC_OF_KEY:
            _check_level(codec, name, level, _CODECS[_CODEC_OF_KEY[key]].levels)
            return key, level
    known = ", ".join(_CODECS)
    raise OptionError(f"codec is {codec!r}; allowed are {known}, and levels as in 'zstd:7'")


def _check_level(codec: str, name: str, level: str, levels: Integers | None) -> None:
    """What `octavo.create` was asked for is refused in its words; texts are refused in the original's."""
    if not level:
        return
    if levels is None:
        raise OptionError(f"codec is {codec!r}; {name} has no levels")
    try:
        levels.read(level)
    except ValueError:
        raise OptionError(f"codec is {codec!r}; {name} has {levels.as_levels}") from None


def _whole_text(options: object, *, beside: list[str]) -> str:
    if not isinstance(options, str):
        raise OptionError(f"options is {options!r}; allowed are texts such as 'group_size:1,zstd:7'")
    if beside:
        raise OptionError(f"options is the whole text; {', '.join(beside)} can be said in it, but not beside it")
    return options


def _integer(name: str, value: object) -> int:
    if isinstance(value, SupportsIndex) and not isinstance(value, bool):
        with suppress(TypeError):  # arrays and tensors are integers only when they hold one
            return operator.index(value)
    raise OptionError(f"{name} is {value!r}; allowed are integers")


def _switch(name: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise OptionError(f"{name} is {value!r}; allowed are True and False")

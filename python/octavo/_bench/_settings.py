"""Ways to store records that are worth trying. Pure."""

from __future__ import annotations

import dataclasses

from octavo._bench._figures import Setting
from octavo._reader import Info
from octavo._stream_options import DIALECTS

KIB = 1 << 10
RIEGELI_CHUNK_BYTES = 1 << 20
DEFLATE_STEP_BYTES = 1 << 20  # about where octavo can begin in a compressed TFRecord file
_FOOTER_BYTES = 128 * KIB  # the first block, and the footer's with the postscript
_RECORDIO_CHUNK_BYTES = 256 * KIB
_NEARLY = 0.06

# The most telling first: when time runs out, the last ones are left out.
_ARRAY_RECORD = (
    ("zstd:3", 1),
    ("none", 1),
    ("zstd:3", 128),
    ("zstd:3", 16),
    ("snappy", 1),
    ("snappy", 16),
    ("brotli:6", 128),
)
_RIEGELI = (("zstd:3", None), ("snappy", None), ("none", None), ("zstd:3", 16), ("zstd:3", 1), ("brotli:6", None))
_RECORDIO = (
    ("snappy", 256),
    ("snappy", 16),
    ("none", 64),
    ("gzip:6", 256),
    ("snappy", 64),
    ("snappy", 1024),
    ("none", 1),
)
_INSTEAD = (
    ("none", 1),
    ("zstd:3", 1),
    ("zstd:3", 16),
    ("zstd:3", 128),
    ("snappy", 1),
)  # of formats without these options


def present(info: Info, chunk_bytes: float) -> Setting:
    """How a data set is stored; `chunk_bytes` is the mean size of the records of a chunk."""
    codec = info.codec or "none"
    if info.level is not None and codec != "none":
        codec = f"{codec}:{info.level}"
    if info.format == "recordio":
        counted = info.group_size if info.chunk_count > 1 else None
        most = None if counted else _most_chunk_bytes(chunk_bytes, info)
        return Setting(info.format, codec, counted, most, dialect=info.dialect)
    if info.format in {"ffrecord", "tfrecord"}:
        return Setting(info.format, codec)
    counted = None if info.format == "riegeli" and info.chunk_count <= 1 else info.group_size
    if info.format == "riegeli" and chunk_bytes > RIEGELI_CHUNK_BYTES / 2:
        counted = None
    options = info.writer_options if info.format == "array_record" else None
    return Setting(info.format, codec, counted, transpose=bool(info.transposed), options=options)


def _most_chunk_bytes(chunk_bytes: float, info: Info) -> int:
    """What chunks of this mean size were cut by: a power of two if one is near.

    The mean is less, because a record that does not fit begins the next chunk, and because the last one is short.
    """
    if info.chunk_count <= 1:
        return _RECORDIO_CHUNK_BYTES
    power = 1 << max(0, round(chunk_bytes) - 1).bit_length()
    full_bytes = chunk_bytes * info.chunk_count / (info.chunk_count - 1)  # were the last one empty
    return power if power * (1 - _NEARLY) <= full_bytes else round(chunk_bytes)


def others(now: Setting, record_count: int, record_bytes: float) -> list[Setting]:
    """What to compare the present setting with, for a sample of so many records of this mean size."""
    found = [one for one in _others(now) if _is_different(one, now, record_count, record_bytes)]
    return [dataclasses.replace(one, transpose=now.transpose) if one.format == now.format else one for one in found]


def _others(now: Setting) -> list[Setting]:
    if now.format == "array_record":
        return [Setting("array_record", codec, group) for codec, group in _ARRAY_RECORD]
    if now.format == "riegeli":
        return [Setting("riegeli", codec, group) for codec, group in _RIEGELI]
    if now.format == "recordio":
        return [_recordio(codec, kib, now.dialect) for codec, kib in _RECORDIO if _knows(now.dialect, codec)]
    instead = [Setting("array_record", codec, group) for codec, group in _INSTEAD]
    own = [Setting("tfrecord", codec) for codec in ("none", "gzip:6")] if now.format == "tfrecord" else []
    return own + instead


def _recordio(codec: str, kib: int, dialect: str | None) -> Setting:
    if kib == 1:  # a record a chunk: the nearest to random access that the format has
        return Setting("recordio", codec, group_size=1, dialect=dialect)
    return Setting("recordio", codec, max_chunk_bytes=kib * KIB, dialect=dialect)


def _knows(dialect: str | None, codec: str) -> bool:
    return dialect is None or codec.partition(":")[0] in DIALECTS[dialect]


def _is_different(one: Setting, now: Setting, record_count: int, record_bytes: float) -> bool:
    """Whether it differs from the present one, and chunks of it are full in a sample of this size."""
    same = ("format", "group_size", "max_chunk_bytes")
    is_same = all(getattr(one, name) == getattr(now, name) for name in same) and _codec_of(one) == _codec_of(now)
    if one.group_size is not None:
        return not is_same and (one.group_size == 1 or one.group_size * 2 <= record_count)
    if one.max_chunk_bytes is not None:
        return not is_same and one.max_chunk_bytes <= record_count * record_bytes / 2
    return not is_same


# What a codec without a level stands for.
_LEVELS = {"zstd": 3, "brotli": 6, "gzip": 6, "zlib": 6}


def _codec_of(setting: Setting) -> tuple[str, int | None]:
    name, _, level = setting.codec.partition(":")
    return name, int(level) if level else _LEVELS.get(name)


def fixed_bytes(setting: Setting) -> int:
    """What every file takes, however few records it has."""
    return _FOOTER_BYTES if setting.format == "array_record" else 0


def chunk_bytes_of(setting: Setting, record_bytes: float) -> float:
    """About how many bytes are decoded to read one record."""
    if setting.group_size is not None:
        return record_bytes * setting.group_size
    if setting.max_chunk_bytes is not None:
        return max(record_bytes, setting.max_chunk_bytes)
    if setting.format == "riegeli":
        return max(record_bytes, RIEGELI_CHUNK_BYTES)
    is_deflated = setting.format == "tfrecord" and setting.codec != "none"
    return max(record_bytes, DEFLATE_STEP_BYTES) if is_deflated else record_bytes

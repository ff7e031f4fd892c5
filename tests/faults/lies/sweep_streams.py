"""Sweeps over RecordIO and TFRecord: headers of chunks, lengths of records, and what wraps compressed bytes."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator

from tests.faults.lies.edges import Case, Field, edges, patched, swept
from tests.faults.lies.recordio import forged
from tests.naive import recordio, tfrecord

RECORDS = [b"one", b"", b"number three" * 6]
BESIDE = [b"beside"]


def _recordio_chunk(dialect: str, stored: str, payload: bytes, **claims: int) -> bytes:
    return forged(dialect, payload, stored, **{"count": len(RECORDS), **claims})


def _between(dialect: str, codec: str, chunk: bytes) -> bytes:
    sound = recordio.encode_chunk(BESIDE, dialect, codec)
    return sound + chunk + sound


def recordio_headers(dialect: str, codec: str) -> Iterator[Case]:
    """The fields of a header, between sound chunks."""
    rules = recordio.DIALECTS[dialect]
    payload = rules.codecs[codec].compress(recordio.stream_of(RECORDS))
    true = _recordio_chunk(dialect, codec, payload)
    yield "the truth", _between(dialect, codec, true)
    for at, field in enumerate(rules.fields):
        value = int.from_bytes(true[4 + 4 * at : 8 + 4 * at], "little")
        size = len(_between(dialect, codec, true))
        for other in edges(value, len(payload), size, bits=32):
            yield (
                f"{field} = {other}",
                _between(dialect, codec, _recordio_chunk(dialect, codec, payload, **{field: other})),
            )


def recordio_lengths(dialect: str, codec: str) -> Iterator[Case]:
    """The lengths in front of records, inside compression and under the checksum."""
    stream, place = recordio.stream_of(RECORDS), 0
    compress = recordio.DIALECTS[dialect].codecs[codec].compress
    for number, record in enumerate(RECORDS):
        for value in edges(len(record), len(stream), place, bits=32):
            lying = compress(patched(stream, place, 4, value))
            yield f"length {number} = {value}", _between(dialect, codec, _recordio_chunk(dialect, codec, lying))
        place += 4 + len(record)


def recordio_wrappings(dialect: str, codec: str) -> Iterator[Case]:
    """Every byte of a compressed payload's first and last dozen, under a checksum that is right."""
    payload = recordio.DIALECTS[dialect].codecs[codec].compress(recordio.stream_of(RECORDS))
    for place in sorted({*range(min(12, len(payload))), *range(max(0, len(payload) - 12), len(payload))}):
        for value in {0, 1, 0x7F, 0x80, 0xFE, 0xFF} - {payload[place]}:
            lying = patched(payload, place, 1, value)
            yield (
                f"byte {place} of the payload = {value}",
                _between(dialect, codec, _recordio_chunk(dialect, codec, lying)),
            )


def recordio_of(dialect: str, codec: str) -> Callable[[], Iterator[Case]]:
    """All of it."""

    def cases() -> Iterator[Case]:
        yield from recordio_headers(dialect, codec)
        if dialect == "paddle-python-ieee":
            return  # but for its checksum it is the same as another
        yield from recordio_lengths(dialect, codec)
        if codec != "none":
            yield from recordio_wrappings(dialect, codec)

    return cases


def _tfrecord_fields(content: bytes) -> list[Field]:
    fields, place = [], 0
    for number, record in enumerate(RECORDS):
        fields.append(Field(f"length {number}", place))
        fields.append(Field(f"checksum of length {number}", place + 8, 4))
        fields.append(Field(f"checksum of record {number}", place + 12 + len(record), 4))
        place += 16 + len(record)
    assert place == len(content)
    return fields


def _tfrecord_mended(content: bytes, field: Field) -> bytes:
    if not field.name.startswith("length"):
        return content
    checksum = tfrecord.checksum_of(content[field.place : field.place + 8])
    return content[: field.place + 8] + checksum + content[field.place + 12 :]


def plain_tfrecord() -> Iterator[Case]:
    """Lengths and checksums of a file that is not compressed."""
    sound = tfrecord.encode(RECORDS)
    yield "the truth", sound
    yield from swept(sound, _tfrecord_fields(sound), _tfrecord_mended, 16)


def gzip_tfrecord() -> Iterator[Case]:
    """The same inside a stream that holds, and a stream whose own numbers lie."""
    sound = tfrecord.encode(RECORDS)
    for name, content in plain_tfrecord():
        yield f"inside: {name}", gzip.compress(content, 6, mtime=0)
    stream = gzip.compress(sound, 6, mtime=0)
    head = [Field(f"header byte {place}", place, 1) for place in range(10)]
    end = [Field("crc", len(stream) - 8, 4), Field("size", len(stream) - 4, 4)]
    yield from swept(stream, head + end, lambda content, _: content)


def zlib_tfrecord() -> Iterator[Case]:
    """The same in the other wrapping."""
    sound = tfrecord.encode(RECORDS)
    for name, content in plain_tfrecord():
        yield f"inside: {name}", zlib.compress(content)
    stream = zlib.compress(sound)
    wrapping = [Field("method", 0, 1), Field("flags", 1, 1), Field("adler", len(stream) - 4, 4)]
    yield from swept(stream, wrapping, lambda content, _: content)

"""Files that neither the original nor octavo would write, but that must be read (`docs/spec/array_record.md`, 7.4)."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.conformance.codecs import needs_cramjam
from tests.naive import array_record as naive
from tests.naive import transposing
from tests.naive.protobuf import message, varint
from tests.naive.riegeli import Chunk, Container, simple_chunk, simple_chunk_of

GROUPS = [[b"first", b""], [b"second", message((1, 300), (2, b"text"))], [b"last"]]
RECORDS = [record for group in GROUPS for record in group]
TEXT = naive.Options(codec="none", group_size=2).text
EMPTIES = [[b""] * 300, [b""] * 300, [b""] * 7]
XXH64_OF_NOTHING = bytes.fromhex("99e9d851")  # its low half, as a frame ends with it


@dataclasses.dataclass(frozen=True)
class Foreign:
    """A file, what it reads as, and whether the original can read it, too."""

    content: bytes
    records: list[bytes] = dataclasses.field(default_factory=lambda: list(RECORDS))
    is_read_by_the_original: bool = True


def padded_varint(value: int) -> bytes:
    """A varint one byte longer than it needs to be."""
    short = varint(value)
    return short[:-1] + bytes([short[-1] | 0x80, 0])


def padded_message(*fields: tuple[int, int | bytes]) -> bytes:
    """A message whose varints are all longer than they need to be."""
    encoded = b""
    for number, value in fields:
        if isinstance(value, int):
            encoded += padded_varint(number << 3) + padded_varint(value)
        else:
            encoded += padded_varint(number << 3 | 2) + padded_varint(len(value)) + value
    return encoded


def zstd_frame(data: bytes, *, has_size: bool = False, checksum: bytes = b"") -> bytes:
    """A zstd stream of one block that is not compressed."""
    descriptor = (0x20 if has_size else 0) | (4 if checksum else 0)
    size = struct.pack("<B", len(data)) if has_size else b"\x50"  # one segment of that size, or a window of 1 MiB
    block = (len(data) << 3 | 1).to_bytes(3, "little") + data
    return bytes.fromhex("28b52ffd") + bytes([descriptor]) + size + block + checksum


def chunks(groups: Sequence[Sequence[bytes]] = GROUPS) -> list[Chunk]:
    return [simple_chunk(group) for group in groups]


def of_data_chunks(*data: Chunk, records: Sequence[bytes] = RECORDS, **facts: Any) -> Foreign:
    return Foreign(naive.encode_chunks(data, TEXT), list(records), **facts)


def with_footer(footer: Callable[[list[naive.Entry]], Chunk]) -> Foreign:
    container = Container()
    return Foreign(naive.seal(container, footer(naive.append_data(container, chunks()))))


def with_footer_records(records: Callable[[list[naive.Entry]], list[bytes]]) -> Foreign:
    return with_footer(lambda entries: simple_chunk(records(entries)))


def with_postscript(postscript: Callable[[int], Chunk]) -> Foreign:
    container = Container()
    entries = naive.append_data(container, chunks())
    return Foreign(naive.seal(container, simple_chunk(naive.footer_records(entries, TEXT)), postscript))


def with_between(*others: Chunk) -> Foreign:
    """Other chunks before, between and behind the data chunks."""
    container = Container()
    entries = []
    for chunk in chunks():
        for other in others:
            container.append(other)
        entries += naive.append_data(container, [chunk])
    for other in others:
        container.append(other)
    return Foreign(naive.seal(container, simple_chunk(naive.footer_records(entries, TEXT))))


def padded_footer(entries: list[naive.Entry]) -> list[bytes]:
    inner = padded_message((1, 1), (2, len(entries)), (3, len(RECORDS)), (4, TEXT.encode()))
    lines = [padded_message((1, one.offset), (2, one.decoded_size), (3, one.num_records)) for one in entries]
    return [padded_message((1, inner)), *lines]


def offsets_only(entries: list[naive.Entry]) -> list[bytes]:
    first, *others = entries
    lines = [message((1, first.offset), (3, first.num_records)), *(message((1, one.offset)) for one in others)]
    return [naive.metadata_record(len(entries), len(RECORDS), TEXT), *lines]


def swapped_footer(entries: list[naive.Entry]) -> list[bytes]:
    inner = message((4, TEXT.encode()), (3, len(RECORDS)), (2, len(entries)), (1, 1))
    lines = [message((3, one.num_records), (2, one.decoded_size), (1, one.offset)) for one in entries]
    return [message((1, inner)), *lines]


def extended_footer(entries: list[naive.Entry]) -> list[bytes]:
    inner = message((1, 1), (2, len(entries)), (3, len(RECORDS)), (4, TEXT.encode()), (99, 7), (100, b"new"))
    return [message((1, inner), (77, b"new")), *(one.record + message((50, 1), (51, b"new")) for one in entries)]


def transposed_footer(entries: list[naive.Entry], codec: str = "none") -> Chunk:
    records = naive.footer_records(entries, TEXT)
    return naive.transposed_chunk(records, transposing.columns(records, codec))


def metadata_chunk() -> Chunk:
    record = message((1, b"a comment"), (2, b"a.type.Name"))
    return Chunk(b"m", transposing.columns([record], "none"), 0, len(record))


def metadata_first() -> Foreign:
    container = Container()
    container.append(metadata_chunk())
    entries = naive.append_data(container, chunks())
    return Foreign(naive.seal(container, simple_chunk(naive.footer_records(entries, TEXT))))


def garbage_in_padding() -> Foreign:
    """Chunks of nothing occupy a byte for every record, and what is in those bytes is nobody's business."""
    container = Container()
    entries = naive.append_data(container, chunks(EMPTIES), padding=0xAA)
    content = naive.seal(container, simple_chunk(naive.footer_records(entries, TEXT)))
    return Foreign(content, [b""] * 607)


def sealed_twice() -> Foreign:
    """A file that was finished, then written on: its first footer and postscript stay inside."""
    container = Container()
    entries = naive.append_data(container, chunks()[:1])
    naive.seal(container, simple_chunk(naive.footer_records(entries, TEXT)))
    entries += naive.append_data(container, chunks()[1:])
    return Foreign(naive.seal(container, simple_chunk(naive.footer_records(entries, TEXT))))


def padded_sizes(group: Sequence[bytes]) -> Chunk:
    sizes = b"".join(padded_varint(len(record)) for record in group)
    data = b"\0" + padded_varint(len(sizes)) + sizes + b"".join(group)
    return Chunk(b"r", data, len(group), sum(map(len, group)))


def in_frames(group: Sequence[bytes], **frame: Any) -> Chunk:
    sizes, values = b"".join(varint(len(record)) for record in group), b"".join(group)
    blocks = [varint(len(part)) + zstd_frame(part, **frame) for part in (sizes, values)]
    return simple_chunk_of("zstd", blocks[0], blocks[1], len(group), len(values))


def with_frame_checksum() -> Chunk:
    sizes = varint(2) + zstd_frame(b"\0\0")
    values = varint(0) + zstd_frame(b"", checksum=XXH64_OF_NOTHING)
    return simple_chunk_of("zstd", sizes, values, 2, 0)


def in_columns(codec: str, shape: transposing.Shape | None = None) -> Foreign:
    data = [naive.transposed_chunk(group, transposing.columns(group, codec, shape)) for group in GROUPS]
    return of_data_chunks(*data)


def in_whole_records(codec: str) -> Foreign:
    return of_data_chunks(*(naive.transposed_chunk(group, transposing.whole_records(group, codec)) for group in GROUPS))


BUILDERS: dict[str, Callable[[], Foreign]] = {
    "as usual": lambda: of_data_chunks(*chunks()),
    "one copy of the postscript": lambda: with_postscript(lambda at: simple_chunk([naive.postscript_record(at)])),
    "ten copies of the postscript": lambda: with_postscript(
        lambda at: simple_chunk([naive.postscript_record(at)] * 10)
    ),
    "postscript with its fields swapped": lambda: with_postscript(
        lambda at: simple_chunk([message((2, naive.MAGIC), (1, at))] * 3)
    ),
    "postscript with new fields": lambda: with_postscript(
        lambda at: simple_chunk([naive.postscript_record(at) + message((9, 1), (10, b"new"))] * 3)
    ),
    "postscript with long varints": lambda: with_postscript(
        lambda at: simple_chunk([padded_message((1, at)) + message((2, naive.MAGIC))] * 3)
    ),
    "transposed postscript": lambda: with_postscript(
        lambda at: naive.transposed_chunk(
            [naive.postscript_record(at)], transposing.columns([naive.postscript_record(at)], "none")
        )
    ),
    "footer of offsets only": lambda: with_footer_records(offsets_only),
    "footer with its fields swapped": lambda: with_footer_records(swapped_footer),
    "footer with new fields": lambda: with_footer_records(extended_footer),
    "footer with long varints": lambda: with_footer_records(padded_footer),
    "footer without options": lambda: with_footer_records(lambda entries: naive.footer_records(entries, None)),
    "transposed footer": lambda: with_footer(transposed_footer),
    "metadata first": metadata_first,
    "metadata between": lambda: with_between(metadata_chunk()),
    "padding between": lambda: with_between(Chunk(b"p", bytes(100))),
    "unknown chunks between": lambda: with_between(Chunk(b"x", b"whatever", 0, 0), Chunk(b"\xff", b"")),
    "garbage in padding": garbage_in_padding,
    "finished and written on": sealed_twice,
    "long varints in chunks": lambda: of_data_chunks(*map(padded_sizes, GROUPS)),
    "zstd without the content's size": lambda: of_data_chunks(*map(in_frames, GROUPS)),
    "zstd with the content's size": lambda: of_data_chunks(*(in_frames(group, has_size=True) for group in GROUPS)),
    "zstd with a checksum": lambda: of_data_chunks(with_frame_checksum(), records=[b"", b""]),
    "uneven chunks": lambda: of_data_chunks(
        *chunks([RECORDS[:1], RECORDS[1:4], RECORDS[4:]]), is_read_by_the_original=False
    ),
    "both kinds of chunks": lambda: of_data_chunks(
        simple_chunk(GROUPS[0]), naive.transposed_chunk(GROUPS[1], transposing.columns(GROUPS[1], "none")), chunks()[2]
    ),
    "columns": lambda: in_columns("none"),
    "columns with a narrow tree": lambda: in_columns("none", transposing.Shape(fan_out=2)),
    "columns in one bucket": lambda: in_columns("none", transposing.Shape(one_bucket=True)),
    "columns with all small numbers inline": lambda: in_columns("none", transposing.Shape(inline_up_to=127)),
    "columns of shallow messages": lambda: in_columns("none", transposing.Shape(depth=1)),
    "whole records in a machine": lambda: in_whole_records("none"),
}
COMPRESSED_BUILDERS: dict[str, Callable[[str], Foreign]] = {
    "compressed footer": lambda codec: with_footer(
        lambda entries: simple_chunk(naive.footer_records(entries, TEXT), codec)
    ),
    "compressed transposed footer": lambda codec: with_footer(lambda entries: transposed_footer(entries, codec)),
    "compressed postscript": lambda codec: with_postscript(
        lambda at: simple_chunk([naive.postscript_record(at)] * 3, codec)
    ),
    "chunks": lambda codec: of_data_chunks(*(simple_chunk(group, codec) for group in GROUPS)),
    "columns": in_columns,
    "columns in one bucket": lambda codec: in_columns(codec, transposing.Shape(one_bucket=True)),
    "columns in tiny buckets": lambda codec: in_columns(codec, transposing.Shape(bucket_size=1)),
    "whole records in a machine": in_whole_records,
}


def as_parameters() -> list[Any]:
    """Functions that make the files, so that only the tests that run need them."""
    plain = [pytest.param(build, id=name) for name, build in BUILDERS.items()]
    compressed = [
        pytest.param(lambda build=build, codec=codec: build(codec), id=f"{name}, {codec}", marks=needs_cramjam)
        for name, build in COMPRESSED_BUILDERS.items()
        for codec in ("zstd", "brotli", "snappy")
    ]
    return plain + compressed

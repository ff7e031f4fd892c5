"""ArrayRecord by the letter of `docs/spec/array_record.md`, section 7: the twin that octavo is held to.

It is slow, shares no code with octavo and does nothing clever. `encode` gives the bytes of a file, `NaiveFile` reads
one; the pieces between them make files that only other writers would. A file that must be refused, and a record that
must not be handed out, raise `Damaged`.
"""

from __future__ import annotations

import bisect
import dataclasses
import itertools
from collections.abc import Callable, Sequence

from tests.naive.compression import DEFAULT_LEVELS
from tests.naive.original_machine import as_original
from tests.naive.protobuf import Damaged, fields_of, message
from tests.naive.riegeli import BLOCK, Chunk, Container, read_chunk, records_of, simple_chunk

MAGIC = 0x71930E704FDAE05E
SMALLEST_FILE = 65536
VERSION = 1


@dataclasses.dataclass(frozen=True)
class Options:
    """What a writer can choose."""

    group_size: int = 1
    codec: str = "zstd"
    level: int | None = None
    transpose: bool = False
    pad_to_block_boundary: bool = False
    transpose_bucket_size: int = 256
    window_log: int | None = None

    @classmethod
    def from_text(cls, text: str) -> Options:
        """What a text asks for that is without fault and spells every value out."""
        given = dict(item.partition(":")[::2] for item in text.split(",") if item)
        codec = next((name for name in DEFAULT_LEVELS if name in given), "zstd")
        codec = "snappy" if "snappy" in given else "none" if "uncompressed" in given else codec
        return cls(
            group_size=int(given.get("group_size", 1)),
            codec=codec,
            level=int(given[codec]) if given.get(codec) and codec in DEFAULT_LEVELS else None,
            transpose=given.get("transpose", "false") in {"", "true"},
            pad_to_block_boundary=given.get("pad_to_block_boundary") == "true",
            transpose_bucket_size=int(given.get("transpose_bucket_size", 256)),
            window_log=int(given["window_log"]) if "window_log" in given else None,
        )

    @property
    def text(self) -> str:
        """As the footer holds it."""
        parts = [
            f"group_size:{self.group_size}",
            f"transpose:{str(self.transpose).lower()}",
            f"pad_to_block_boundary:{str(self.pad_to_block_boundary).lower()}",
        ]
        if self.transpose:
            parts.append(f"transpose_bucket_size:{self.transpose_bucket_size}")
        level = DEFAULT_LEVELS.get(self.codec) if self.level is None else self.level
        match self.codec:
            case "none":
                parts.append("uncompressed")
            case "snappy":
                parts.append("snappy")
            case codec:
                parts.append(f"{codec}:{level}")
        if self.codec == "zstd" or self.window_log is not None:
            parts.append(f"window_log:{self.window_log or 20}")
        return ",".join([*parts, "max_parallelism:1"])

    def chunk(self, records: Sequence[bytes]) -> Chunk:
        """One data chunk."""
        if self.transpose:
            return transposed_chunk(records, as_original(records, self.codec, self.level, self.transpose_bucket_size))
        return simple_chunk(records, self.codec, self.level)


UNCOMPRESSED = Options(codec="none")


def transposed_chunk(records: Sequence[bytes], data: bytes) -> Chunk:
    return Chunk(b"t", data, len(records), sum(map(len, records)))


@dataclasses.dataclass(frozen=True)
class Entry:
    """A line of the index: where a data chunk begins, and what it holds."""

    offset: int
    decoded_size: int
    num_records: int

    @property
    def record(self) -> bytes:
        return message((1, self.offset), (2, self.decoded_size), (3, self.num_records))


def metadata_record(num_chunks: int, num_records: int, text: str | None, version: int = VERSION) -> bytes:
    """The first record of a footer."""
    inner = message((1, version), (2, num_chunks), (3, num_records))
    if text is not None:
        inner += message((4, text.encode()))
    return message((1, inner))


def footer_records(entries: Sequence[Entry], text: str | None) -> list[bytes]:
    num_records = sum(entry.num_records for entry in entries)
    return [metadata_record(len(entries), num_records, text), *(entry.record for entry in entries)]


def postscript_record(footer_offset: int) -> bytes:
    return message((1, footer_offset), (2, MAGIC))


def append_data(container: Container, chunks: Sequence[Chunk], padding: int = 0) -> list[Entry]:
    """Data chunks one after the other, and what the index says of them."""
    return [Entry(container.append(chunk, padding), chunk.decoded_size, chunk.num_records) for chunk in chunks]


def seal(
    container: Container,
    footer: Chunk,
    postscript: Callable[[int], Chunk] = lambda offset: simple_chunk([postscript_record(offset)] * 3),
) -> bytes:
    """The whole file, with that footer and the postscript for the place where it begins."""
    footer_offset = container.append(footer)
    container.pad_to_block()
    container.append(postscript(footer_offset))
    container.pad_to_block()
    return bytes(container.content)


def encode(records: Sequence[bytes], options: Options = UNCOMPRESSED) -> bytes:
    """The file that holds `records`."""
    container = Container()
    entries = []
    for start in range(0, len(records), options.group_size):
        entries += append_data(container, [options.chunk(records[start : start + options.group_size])])
        if options.pad_to_block_boundary:
            container.pad_to_block()
    return seal(container, simple_chunk(footer_records(entries, options.text), options.codec, options.level))


def encode_chunks(chunks: Sequence[Chunk], text: str | None = None) -> bytes:
    """The file of these data chunks, however many records each has."""
    container = Container()
    entries = append_data(container, chunks)
    return seal(container, simple_chunk(footer_records(entries, text)))


class NaiveFile:
    """A file's records, one at a time."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        if len(content) < SMALLEST_FILE:
            raise Damaged("too short for a postscript")
        postscript = fields_of(self._records_at(len(content) - BLOCK)[0])
        if postscript.get(2) != MAGIC:
            raise Damaged("the postscript has the wrong magic")
        metadata, *lines = self._records_at(_number(postscript, 1))
        facts = fields_of(_text(fields_of(metadata), 1))
        if facts.get(1) != VERSION:
            raise Damaged(f"version {facts.get(1)!r} is unknown")
        self.options_text = _text(facts, 4).decode(errors="replace") if 4 in facts else None
        if _number(facts, 2) != len(lines):
            raise Damaged("the footer has another number of chunks than it says")
        self.offsets = [_number(fields_of(line), 1) for line in lines]
        # The counts in the chunks' own headers are the ones that are always there.
        self.counts = [self._count_at(place, fields_of(line)) for place, line in zip(self.offsets, lines, strict=True)]
        self.ends = list(itertools.accumulate(self.counts))
        if _number(facts, 3) != sum(self.counts):
            raise Damaged("the footer has another number of records than it says")

    def _records_at(self, place: int) -> list[bytes]:
        found = records_of(read_chunk(self.content, place)[0])
        if not found:
            raise Damaged(f"the chunk at {place} has no records")
        return found

    def _count_at(self, place: int, line: dict[int, int | bytes]) -> int:
        try:
            counted = read_chunk(self.content, place)[0].num_records
        except Damaged:
            return _number(line, 3)
        if line.get(3, counted) != counted:
            raise Damaged("the footer has another number of records than the chunk")
        return counted

    def __len__(self) -> int:
        return sum(self.counts)

    def read(self, number: int) -> bytes:
        """Record `number`, which is below the length."""
        chunk = bisect.bisect_right(self.ends, number)
        return self._records_at(self.offsets[chunk])[number - self.ends[chunk] + self.counts[chunk]]

    def records(self) -> list[bytes]:
        """All records."""
        return [record for offset in self.offsets for record in self._records_at(offset)]

    def readable(self) -> dict[int, bytes]:
        """Every record that can be handed out, by number."""
        found: dict[int, bytes] = {}
        for offset, end, count in zip(self.offsets, self.ends, self.counts, strict=True):
            try:
                found.update(zip(range(end - count, end), self._records_at(offset), strict=True))
            except Damaged:
                continue
        return found


def _number(fields: dict[int, int | bytes], number: int) -> int:
    value = fields.get(number)
    if not isinstance(value, int):
        raise Damaged(f"field {number} is not there")
    return value


def _text(fields: dict[int, int | bytes], number: int) -> bytes:
    value = fields.get(number)
    if not isinstance(value, bytes):
        raise Damaged(f"field {number} is not there")
    return value

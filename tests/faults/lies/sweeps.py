"""All sweeps by their names: how their files are called, what they are, and which records are really in each."""

from __future__ import annotations

import contextlib
import dataclasses
import struct
from collections.abc import Callable, Iterator, Sequence

from tests.faults.lies import sweep_chunks, sweep_streams, sweep_tables
from tests.faults.lies.edges import Case
from tests.naive import array_record, ffrecord, recordio, riegeli, tfrecord
from tests.naive.protobuf import Damaged, fields_of


@dataclasses.dataclass(frozen=True)
class Truth:
    """What the naive twin says of a file. A file that it refuses has no count, and nothing that can be read."""

    count: int | None = None
    readable: dict[int, bytes] = dataclasses.field(default_factory=dict)
    is_torn: bool = False
    genuine: Sequence[bytes] = ()

    def allows(self, number: int, record: bytes) -> bool:
        """Whether this may be what a record reads as."""
        return record == self.readable.get(number) or (self.records is None and record in self.genuine)

    @property
    def records(self) -> list[bytes] | None:
        """All records, if all can be read and nothing is left over."""
        if self.count is None or self.is_torn or len(self.readable) != self.count:
            return None
        return [self.readable[number] for number in range(self.count)]


Twin = Callable[[bytes], Truth]


def _refusing(twin: Twin) -> Twin:
    """A twin has no manners: what it stumbles over is damage."""

    def told(content: bytes) -> Truth:
        try:
            return twin(content)
        except (Damaged, ffrecord.Refused, recordio.Foreign, ValueError, LookupError):
            return Truth()

    return told


@_refusing
def _ffrecord(content: bytes) -> Truth:
    file = ffrecord.NaiveFile(content)
    return Truth(len(file), file.readable())


@_refusing
def _array_record(content: bytes) -> Truth:
    """The index is believed until a chunk is read, which must then say the same."""
    postscript = fields_of(_records_at(content, len(content) - riegeli.BLOCK)[0])
    if postscript[2] != array_record.MAGIC:
        raise Damaged("this is no postscript")
    metadata, *texts = _records_at(content, _number(postscript[1]))
    facts = fields_of(_bytes(fields_of(metadata)[1]))
    lines = [fields_of(text) for text in texts]
    offsets, counts = [_number(line[1]) for line in lines], [_number(line[3]) for line in lines]
    said = (facts[1], facts[2], facts[3])
    if said != (array_record.VERSION, len(lines), sum(counts)) or offsets != sorted({*offsets}) or 0 in counts:
        raise Damaged("the index contradicts itself")
    first, readable = 0, dict[int, bytes]()
    for offset, count, line in zip(offsets, counts, lines, strict=True):
        with contextlib.suppress(Damaged):
            chunk, _ = riegeli.read_chunk(content, offset)
            found = riegeli.records_of(chunk)
            if (chunk.num_records, chunk.decoded_size) == (count, line[2]):
                readable |= {first + number: record for number, record in enumerate(found)}
        first += count
    return Truth(first, readable)


def _records_at(content: bytes, place: int) -> list[bytes]:
    return riegeli.records_of(riegeli.read_chunk(content, place)[0])


def _number(value: int | bytes) -> int:
    if not isinstance(value, int):
        raise Damaged("a number is none")
    return value


def _bytes(value: int | bytes) -> bytes:
    if not isinstance(value, bytes):
        raise Damaged("a text is none")
    return value


@_refusing
def _riegeli(content: bytes) -> Truth:
    """Headers that hold are believed as to how many records there are; from one that does not, nothing is counted."""
    count, place, readable = 0, 0, dict[int, bytes]()
    while place < len(content):
        begin = place + 24 * (place % riegeli.BLOCK == 0)
        header = content[begin : begin + riegeli.CHUNK_HEADER]
        data_size, _, counts, _ = struct.unpack_from("<4Q", header.ljust(riegeli.CHUNK_HEADER, b"\0"), 8)
        end = riegeli.chunk_end(place, data_size, counts >> 8)
        if riegeli.with_hash(header[8:]) != header or end > len(content):
            return Truth(count + 1, readable)
        with contextlib.suppress(Damaged):
            found = riegeli.records_of(riegeli.read_chunk(content, place)[0])
            readable |= {count + number: record for number, record in enumerate(found)}
        count, place = count + (counts >> 8), end
    return Truth(count, readable)


@_refusing
def _recordio(content: bytes) -> Truth:
    file = recordio.NaiveFile(content)
    return Truth(len(file), file.readable(), file.torn_bytes > 0)


@_refusing
def _tfrecord(content: bytes) -> Truth:
    file = tfrecord.NaiveFile(content)
    return Truth(len(file), file.readable(), file.is_torn)


@dataclasses.dataclass(frozen=True)
class Sweep:
    """Files that lie, each in one number."""

    suffix: str
    cases: Callable[[], Iterator[Case]]
    twin: Twin | None
    """None where a file is not read but recovered."""
    genuine: Sequence[bytes] = ()
    """What else may be read, where the twin gives up a damaged file too early: what was really written."""

    def truth(self, content: bytes) -> Truth:
        """What is really in a file."""
        return Truth() if self.twin is None else dataclasses.replace(self.twin(content), genuine=self.genuine)


SWEEPS: dict[str, Sweep] = {
    "ffrecord": Sweep(".ffr", sweep_tables.ffrecord, _ffrecord),
    "ffrecord legacy": Sweep(".ffr", sweep_tables.legacy_ffrecord, _ffrecord),
    "ffrecord spool": Sweep(".ffr.partial", sweep_tables.spool, None),
    "array_record headers": Sweep(".array_record", sweep_chunks.array_record_headers, _array_record),
    "array_record index": Sweep(".array_record", sweep_chunks.array_record_index, _array_record),
    "array_record journal": Sweep(".array_record.partial", sweep_chunks.journal, None),
    "riegeli headers": Sweep(".riegeli", sweep_chunks.riegeli_headers, _riegeli),
    "tfrecord": Sweep(".tfrecord", sweep_streams.plain_tfrecord, _tfrecord),
    "tfrecord gzip": Sweep(".tfrecord", sweep_streams.gzip_tfrecord, _tfrecord),
    "tfrecord zlib": Sweep(".tfrecord", sweep_streams.zlib_tfrecord, _tfrecord),
}


def _add_chunks() -> None:
    for suffix, assemble, twin, kinds in (
        (".array_record", sweep_chunks.indexed, _array_record, 1),
        (".riegeli", sweep_chunks.unindexed, _riegeli, 3),
    ):
        for codec in ("none", "zstd", "brotli", "snappy"):
            SWEEPS[f"{suffix[1:]} simple {codec}"] = Sweep(
                suffix,
                lambda codec=codec, assemble=assemble: sweep_chunks.simple_chunks(codec, assemble),  # type: ignore[misc]
                twin,
            )
        SWEEPS[f"{suffix[1:]} transposed"] = Sweep(
            suffix,
            lambda assemble=assemble, kinds=kinds: sweep_chunks.transposed_chunks(assemble, kinds),  # type: ignore[misc]
            twin,
        )
    for dialect, codec in recordio.WAYS:
        cases = sweep_streams.recordio_of(dialect, codec)
        SWEEPS[f"recordio {dialect} {codec}"] = Sweep(
            ".recordio", cases, _recordio, (*sweep_streams.RECORDS, *sweep_streams.BESIDE)
        )


_add_chunks()

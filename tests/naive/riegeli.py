"""Riegeli/records by the letter of `docs/spec/array_record.md`, sections 3 and 5: blocks, chunks and simple chunks.

`Container` writes chunks one after the other, `chunks_in` reads them; `encode` and `decode` are files of records
without a footer. Whatever must not be believed raises `Damaged`.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Callable, Iterator, Sequence

from tests.naive import transposed
from tests.naive.compression import CODEC_BYTES, codec_named, compress, decompress
from tests.naive.highway_hash import highway_hash
from tests.naive.protobuf import Cursor, Damaged, varint, varints

BLOCK = 65536
BLOCK_HEADER = 24
USABLE = BLOCK - BLOCK_HEADER
CHUNK_HEADER = 40


def to_next_block(place: int) -> int:
    return -place % BLOCK


def is_boundary(place: int) -> bool:
    """Whether a chunk may begin or end there."""
    return to_next_block(place) < USABLE


def end_of(begin: int, payload: int) -> int:
    """The place after so many bytes of payload and the block headers among them."""
    return begin + payload + (payload + (begin + USABLE - 1) % BLOCK) // USABLE * BLOCK_HEADER


def chunk_end(begin: int, data_size: int, num_records: int) -> int:
    at_least = begin + num_records
    at_least += max(0, to_next_block(at_least) - (USABLE - 1))
    return max(end_of(begin, CHUNK_HEADER + data_size), at_least)


def with_hash(hashed: bytes) -> bytes:
    return struct.pack("<Q", highway_hash(hashed)) + hashed


@dataclasses.dataclass(frozen=True)
class Chunk:
    """A chunk as it is stored."""

    kind: bytes
    data: bytes = b""
    num_records: int = 0
    decoded_size: int = 0

    @property
    def header(self) -> bytes:
        counts = self.kind[0] | self.num_records << 8
        return with_hash(struct.pack("<4Q", len(self.data), highway_hash(self.data), counts, self.decoded_size))


SIGNATURE = Chunk(b"s")


def simple_chunk(records: Sequence[bytes], codec: str = "none", level: int | None = None) -> Chunk:
    """Records one after the other."""
    sizes = compress(codec, varints(*map(len, records)), level)
    values = compress(codec, b"".join(records), level)
    return simple_chunk_of(codec, sizes, values, len(records), sum(map(len, records)))


def simple_chunk_of(codec: str, sizes: bytes, values: bytes, num_records: int, decoded_size: int) -> Chunk:
    """A simple chunk of two blocks, whatever they hold."""
    return Chunk(b"r", CODEC_BYTES[codec] + varint(len(sizes)) + sizes + values, num_records, decoded_size)


class Container:
    """The bytes of a file, chunk by chunk."""

    def __init__(self) -> None:
        self.content = bytearray()
        self.append(SIGNATURE)

    def append(self, chunk: Chunk, padding: int = 0) -> int:
        """Where the chunk begins."""
        begin = len(self.content)
        end = chunk_end(begin, len(chunk.data), chunk.num_records)
        payload = chunk.header + chunk.data
        while (place := len(self.content)) < end:
            if place % BLOCK == 0:
                self.content += with_hash(struct.pack("<2Q", place - begin, end - place))
                continue
            count = min(to_next_block(place), end - place)
            part, payload = payload[:count], payload[count:]
            self.content += part.ljust(count, bytes([padding]))
        return begin

    def pad_to_block(self) -> None:
        """A padding chunk up to the next block, or to the one behind it where there is no room for a header."""
        left = to_next_block(len(self.content))
        if left:
            self.append(Chunk(b"p", bytes((left if left >= CHUNK_HEADER else left + USABLE) - CHUNK_HEADER)))


def read_chunk(content: bytes, begin: int) -> tuple[Chunk, int]:
    """The chunk that begins there, and where it ends."""
    if not is_boundary(begin):
        raise Damaged(f"no chunk begins at {begin}")
    header, place, met = _gather(content, begin, CHUNK_HEADER)
    data_size, data_hash, counts, decoded_size = struct.unpack_from("<4Q", header, 8)
    if with_hash(header[8:]) != header:
        raise Damaged(f"the header hash of the chunk at {begin} is wrong")
    kind, num_records = bytes([counts & 0xFF]), counts >> 8
    end = chunk_end(begin, data_size, num_records)
    if end > len(content):
        raise Damaged(f"the chunk at {begin} ends at {end}, beyond the file")
    data, _, more = _gather(content, place, data_size)
    for block, previous_chunk, next_chunk in met + more:
        if (block - previous_chunk, block + next_chunk) != (begin, end):
            raise Damaged(f"the block header at {block} does not know the chunk at {begin}")
    if highway_hash(data) != data_hash:
        raise Damaged(f"the data hash of the chunk at {begin} is wrong")
    chunk = Chunk(kind, data, num_records, decoded_size)
    if begin == 0 and chunk != SIGNATURE:
        raise Damaged("the file does not begin with a signature")
    return chunk, end


def _gather(content: bytes, place: int, count: int) -> tuple[bytes, int, list[tuple[int, int, int]]]:
    """So much payload from that place on, where it ends, and the block headers among it."""
    payload, met = b"", []
    while count:
        if place % BLOCK == 0:
            header = content[place : place + BLOCK_HEADER]
            if len(header) < BLOCK_HEADER or with_hash(header[8:]) != header:
                raise Damaged(f"the block header at {place} is wrong")
            met.append((place, *struct.unpack_from("<2Q", header, 8)))
            place += BLOCK_HEADER
        part = content[place : place + min(count, to_next_block(place))]
        if not part:
            raise Damaged("the file ends inside a chunk")
        payload += part
        place += len(part)
        count -= len(part)
    return payload, place, met


def chunks_in(content: bytes) -> Iterator[tuple[int, Chunk]]:
    """Every chunk and where it begins."""
    place = 0
    while place < len(content):
        chunk, end = read_chunk(content, place)
        yield place, chunk
        place = end


def records_of(chunk: Chunk) -> list[bytes]:
    """The records in a chunk."""
    match chunk.kind:
        case b"r":
            return _records_of_simple(chunk)
        case b"t":
            return transposed.decode(chunk.data, chunk.num_records, chunk.decoded_size)
        case b"s" if chunk != SIGNATURE:
            raise Damaged("a signature holds something")
        case b"p" if chunk.decoded_size:
            raise Damaged("padding holds something")
    if chunk.num_records:
        raise Damaged(f"chunks of kind {chunk.kind!r} have no records")
    return []


def _records_of_simple(chunk: Chunk) -> list[bytes]:
    cursor = Cursor(chunk.data)
    codec = codec_named(cursor.byte())
    sizes = Cursor(decompress(codec, cursor.take(cursor.varint())))
    values = Cursor(decompress(codec, cursor.rest()))
    records = [values.take(sizes.varint()) for _ in range(chunk.num_records)]
    sizes.end()
    values.end()
    if values.at != chunk.decoded_size:
        raise Damaged(f"{chunk.decoded_size} bytes expected, {values.at} found")
    return records


def encode(
    groups: Sequence[Sequence[bytes]],
    codec: str = "none",
    make_chunk: Callable[[Sequence[bytes], str], Chunk] = simple_chunk,
    *,
    pad_to_blocks: bool = False,
) -> bytes:
    """A file of one chunk for each group of records, with no index at all."""
    container = Container()
    for group in groups:
        container.append(make_chunk(group, codec))
        if pad_to_blocks:
            container.pad_to_block()
    return bytes(container.content)


def decode(content: bytes) -> list[bytes]:
    """All records of a file."""
    if not content:
        raise Damaged("a file without a signature")
    return [record for _, chunk in chunks_in(content) for record in records_of(chunk)]

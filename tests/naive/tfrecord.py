"""TFRecord by the letter of `docs/spec/tfrecord.md`: records with two checksums each, and a stream around all of them.

It is slow, shares no code with octavo and does nothing clever. `encode` gives the bytes of a file, `NaiveFile` reads
one as a strict reader does, `salvage` saves what is whole in a damaged one. Whatever must not be believed raises
`Damaged`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gzip
import itertools
import struct
import zlib
from collections.abc import Iterable, Iterator

from tests.naive.protobuf import Damaged
from tests.naive.recordio import masked_crc32c

HEADER = 12
TRAILER = 4
WINDOW_BITS = {"gzip": 31, "zlib": 15}
CODECS = ["none", *WINDOW_BITS]


def checksum_of(data: bytes) -> bytes:
    return struct.pack("<I", masked_crc32c(data))


def encode_record(record: bytes) -> bytes:
    length = struct.pack("<Q", len(record))
    return length + checksum_of(length) + record + checksum_of(record)


def compress(data: bytes, codec: str) -> bytes:
    match codec:
        case "gzip":
            return gzip.compress(data, mtime=0)
        case "zlib":
            return zlib.compress(data)
    return data


def encode(records: Iterable[bytes], codec: str = "none") -> bytes:
    """The file that holds `records`."""
    return compress(b"".join(map(encode_record, records)), codec)


@dataclasses.dataclass(frozen=True)
class Frame:
    """Where a record is, with what stands around it."""

    offset: int
    length: int

    @property
    def end(self) -> int:
        return self.offset + HEADER + self.length + TRAILER


def codec_of(content: bytes) -> str:
    """What the first bytes tell: a length with its checksum, or the beginning of a stream."""
    if has_header(content, 0):
        return "none"
    if content.startswith(b"\x1f\x8b"):
        return "gzip"
    is_deflate = len(content) >= 2 and content[0] & 0x0F == zlib.DEFLATED
    return "zlib" if is_deflate and int.from_bytes(content[:2], "big") % 31 == 0 else "none"


def decompress(content: bytes, codec: str) -> tuple[bytes, bool, bool]:
    """What came out of a stream, whether it ended too early, and whether it was broken."""
    if codec == "none":
        return content, False, False
    data = bytearray()
    stream = zlib.decompressobj(WINDOW_BITS[codec])
    for place in range(len(content)):
        if stream.eof:
            if codec != "gzip":
                return bytes(data), False, True
            stream = zlib.decompressobj(WINDOW_BITS[codec])
        # One byte at a time: what comes out before an error is kept.
        try:
            data += stream.decompress(content[place : place + 1])
        except zlib.error:
            return bytes(data), False, True
    return bytes(data), bool(content) and not stream.eof, False


def has_header(data: bytes, offset: int) -> bool:
    """Whether a length stands there, with the checksum that fits it."""
    header = data[offset : offset + HEADER]
    return len(header) == HEADER and checksum_of(header[:8]) == header[8:]


def record_of(data: bytes, frame: Frame) -> bytes:
    record = data[frame.offset + HEADER : frame.end - TRAILER]
    if checksum_of(record) != data[frame.end - TRAILER : frame.end]:
        raise Damaged(f"the checksum of the record at {frame.offset} is wrong")
    return record


def frame_at(data: bytes, offset: int) -> Frame:
    if not has_header(data, offset):
        raise Damaged(f"no record begins at {offset}")
    frame = Frame(offset, int.from_bytes(data[offset : offset + 8], "little"))
    if frame.end > len(data):
        raise Damaged(f"the record at {offset} does not end inside the file")
    return frame


class NaiveFile:
    """A file's records, one at a time.

    What follows a length that cannot be believed counts as one record that cannot be read; a record that the end of
    the file cuts off does not count.
    """

    def __init__(self, content: bytes) -> None:
        self.codec = codec_of(content)
        self.data, self.is_torn, is_broken = decompress(content, self.codec)
        self.frames: list[Frame] = []
        self.is_lost = False
        place = 0
        while place < len(self.data):
            try:
                self.frames.append(frame_at(self.data, place))
            except Damaged:
                is_cut = len(self.data) - place < HEADER or has_header(self.data, place)
                self.is_torn |= is_cut and not is_broken
                self.is_lost = not is_cut
                break
            place = self.frames[-1].end
        self.is_lost |= is_broken

    def __len__(self) -> int:
        return len(self.frames) + self.is_lost

    def readable(self) -> dict[int, bytes]:
        """Every record that can be handed out, by number."""
        found = {}
        for number, frame in enumerate(self.frames):
            try:
                found[number] = record_of(self.data, frame)
            except Damaged:
                continue
        return found

    def readable_in_front(self) -> list[bytes]:
        """The records in front of the first one that cannot be handed out."""
        found = self.readable()
        return [found[number] for number in itertools.takewhile(found.__contains__, range(len(self)))]


def decode(content: bytes) -> list[bytes]:
    """All records of a file, every byte of which is as it must be."""
    file = NaiveFile(content)
    if file.is_torn or file.is_lost:
        raise Damaged("records do not fill the file")
    return [record_of(file.data, frame) for frame in file.frames]


def salvage(content: bytes) -> list[bytes]:
    """Every record whose checksums are right."""
    data, _, _ = decompress(content, codec_of(content))
    return list(_whole_records(data))


def _whole_records(data: bytes) -> Iterator[bytes]:
    place = 0
    while place < len(data):
        try:
            frame = frame_at(data, place)
        except Damaged:
            place += 1
            continue
        with contextlib.suppress(Damaged):
            yield record_of(data, frame)
        place = frame.end  # a length that its checksum vouches for is believed

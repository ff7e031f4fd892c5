"""Records that are stored together, under one checksum."""

from __future__ import annotations

from typing import IO, Any

from octavo import _core
from octavo.compat.recordio._either import on_object_or_class
from octavo.compat.recordio._errors import CorruptionError, wrong_checksum
from octavo.compat.recordio._files import read_at
from octavo.compat.recordio._text import Text, as_record
from octavo.compat.recordio.recordio.global_variables import header_size
from octavo.compat.recordio.recordio.header import Compressor, Header
from octavo.errors import ChecksumError, FormatError, UnknownFormatError

CODECS: dict[Any, str] = {Compressor.no_compression: "none", Compressor.snappy: "snappy", Compressor.gzip: "gzip"}
GZIP_LEVEL = 9  # the original's


class Chunk:
    """A list of records that is written and read as a whole."""

    def __init__(self) -> None:
        self._records: list[bytes] = []
        self._num_bytes = 0

    def add(self, record: Any) -> None:
        """Add a record: bytes, or text, which is stored as UTF-8."""
        record = as_record(record)
        self._records.append(record)
        self._num_bytes += len(record)

    def get(self, index: int) -> bytes:
        """The record of that number in this chunk; what was added as text is text again."""
        return self._records[index]

    def clear(self) -> None:
        """Forget all records."""
        self._records = []
        self._num_bytes = 0

    def total_count(self) -> int:
        """How many records there are."""
        return len(self._records)

    def num_bytes(self) -> int:
        """What the records weigh, without their lengths."""
        return self._num_bytes

    def write(self, out_file: IO[bytes], compressor: Compressor) -> bool:
        """Write header and records; nothing if there are no records."""
        if not self._records:
            return True
        if compressor not in CODECS:
            message = "invalid compressor"
            raise ValueError(message)
        codec = CODECS[compressor]
        level = GZIP_LEVEL if codec == "gzip" else None
        out_file.write(_core.encode_recordio_chunk(self._records, codec=codec, level=level))
        return True

    @on_object_or_class
    def parse(self: Chunk | None, in_file: IO[bytes], offset: int) -> Chunk:
        """Read the chunk at `offset`, of any dialect and codec.

        An object is filled, as in 2018, and has text then. The class gives a new chunk, of bytes.
        """
        records = _parse(in_file, offset)
        chunk = Chunk() if self is None else self
        chunk._records = records if self is None else [*map(Text, records)]  # noqa: SLF001 - its own
        chunk._num_bytes = sum(map(len, records))  # noqa: SLF001
        return chunk


def _parse(in_file: IO[bytes], offset: int) -> list[bytes]:
    header = Header()
    header._read(in_file, offset, ",")  # noqa: SLF001 - of this package
    content = read_at(in_file, offset, header_size + header.compress_size())
    missing = header_size + header.compress_size() - len(content)
    if missing:
        message = f"checksum check failed: the file ends {missing} bytes before the chunk at offset {offset} does"
        raise CorruptionError(message)
    records, count = _decode(content, offset), header.total_count()
    if len(records) != count:
        message = f"possible file corruption. Offset: {offset}; {len(records)} of {count} records are there"
        raise CorruptionError(message)
    return records


def _decode(content: bytes, offset: int) -> list[bytes]:
    try:
        return _core.decode_recordio_chunk(content)
    except ChecksumError as error:
        message = f"{wrong_checksum(error)} in the chunk at offset {offset}"
        raise CorruptionError(message) from error
    except FormatError as error:
        message = f"possible file corruption. Offset: {offset}; {_reason(error)}"
        raise CorruptionError(message) from error


def _reason(error: FormatError) -> str:
    """What octavo says of a chunk, without the place: for octavo that is a file of its own, and it begins at byte 0."""
    if isinstance(error, UnknownFormatError):
        return "it is a chunk of no dialect"
    return str(error).partition(";")[0].rpartition(": ")[2]

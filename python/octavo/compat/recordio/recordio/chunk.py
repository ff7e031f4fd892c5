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
from octavo.errors import ChecksumError, FormatError

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

    def get(self, index: int) -> Text:
        """The record of that number in this chunk."""
        return Text(self._records[index])

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
        if compressor not in CODECS:
            message = "invalid compressor"
            raise ValueError(message)
        if self._records:
            codec = CODECS[compressor]
            level = GZIP_LEVEL if codec == "gzip" else None
            out_file.write(_core.encode_recordio_chunk(self._records, codec=codec, level=level))
        return True

    @on_object_or_class
    def parse(self, in_file: IO[bytes], offset: int) -> Chunk:
        """Read the chunk at `offset`, of any dialect and codec."""
        header = Header.parse(in_file, offset)
        content = read_at(in_file, offset, header_size + header.compress_size())
        missing = header_size + header.compress_size() - len(content)
        if missing:
            message = f"checksum check failed: the file ends {missing} bytes before the chunk at offset {offset} does"
            raise CorruptionError(message)
        records, count = _decode(content, offset), header.total_count()
        if len(records) != count:
            message = f"possible file corruption. Offset: {offset}; {len(records)} of {count} records are there"
            raise CorruptionError(message)
        self._records = records
        self._num_bytes = sum(map(len, records))
        return self


def _decode(content: bytes, offset: int) -> list[bytes]:
    try:
        return _core.decode_recordio_chunk(content)
    except ChecksumError as error:
        message = f"{wrong_checksum(error)} in the chunk at offset {offset}"
        raise CorruptionError(message) from error
    except FormatError as error:
        message = f"possible file corruption. Offset: {offset}; {error}"
        raise CorruptionError(message) from error

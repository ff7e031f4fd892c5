"""The twenty bytes in front of a chunk: docs/spec/recordio.md."""

from __future__ import annotations

import struct
from enum import Enum
from typing import IO, Any

from octavo.compat.recordio._either import on_object_or_class
from octavo.compat.recordio._errors import CorruptionError, wrong_magic
from octavo.compat.recordio._files import read_at, size_of
from octavo.compat.recordio.recordio.global_variables import endian, header_size, int_word_len

_MAGIC = b"\4\3\2\1"
_SMALLEST_TAIL = 6  # fewer bytes than this the original does not take for a header, whatever they are
_LAST_CODEC = 3  # in any dialect
_LAST_CODEC_OF_GO = 2
_SNAPPY_OF_CPP = b"snappy\0"


class Compressor(Enum):
    """How the records of a chunk are compressed."""

    no_compression = 1
    snappy = 2
    gzip = 3


class Header:
    """What stands in front of a chunk."""

    MAGIC_NUMBER = int.from_bytes(_MAGIC, endian)

    def __init__(
        self,
        num_records: int = 0,
        checksum: int | None = None,
        compressor: Compressor | None = None,
        compress_size: int = 0,
    ) -> None:
        self._num_records = num_records
        self._checksum: Any = checksum
        self._compressor = compressor
        self._compress_size = compress_size

    def write(self, out_file: IO[bytes]) -> None:
        """Write it in the dialect of ElasticDL."""
        compressor: Any = self._compressor  # without one there is nothing to write: an AttributeError, as ever
        words = (self.MAGIC_NUMBER, self._num_records, self._checksum, compressor.value, self._compress_size)
        out_file.write(b"".join(word.to_bytes(int_word_len, endian) for word in words))

    @on_object_or_class
    def parse(self: Header | None, in_file: IO[bytes], offset: int) -> Header:
        """Read the header at `offset`, of any dialect: into this object, or into a new one, on the class."""
        header = Header() if self is None else self
        header._read(in_file, offset, " and")  # noqa: SLF001 - its own
        return header

    def _read(self, in_file: IO[bytes], offset: int, between: str) -> None:
        """Read it; the original's messages differ in what stands between two numbers."""
        content = read_at(in_file, offset, header_size) if offset >= 0 else b""
        if len(content) < _SMALLEST_TAIL:
            message = f"invalid offset {offset}{between} total file size {size_of(in_file)}"
            raise ValueError(message)
        if not content.startswith(_MAGIC):
            raise CorruptionError(wrong_magic(offset))
        if len(content) < header_size:
            size = size_of(in_file)
            message = f"invalid offset {offset}{between} total file size {size}: it ends within this header"
            raise ValueError(message)
        self._take(in_file, *struct.unpack_from("<4I", content, int_word_len))

    def _take(self, in_file: IO[bytes], first: int, second: int, third: int, fourth: int) -> None:
        # No codec has a number above 3, and no payload is that short: so the third word tells the order.
        if third > _LAST_CODEC and second <= _LAST_CODEC_OF_GO and fourth:
            self._checksum, codec, self._compress_size, self._num_records = first, second + 1, third, fourth
        else:
            self._num_records, self._checksum, codec, self._compress_size = first, second, third, fourth
            if codec <= 1 and self._is_of_cpp(codec, in_file):
                codec += 1
        self._compressor = Compressor(codec)

    def _is_of_cpp(self, codec: int, in_file: IO[bytes]) -> bool:
        """Paddle Fluid counts codecs from 0, so that its snappy is the 1 that means none elsewhere."""
        if codec == 0:
            return True
        after = in_file.tell()
        payload = read_at(in_file, after, len(_SNAPPY_OF_CPP))
        in_file.seek(after)
        return payload == _SNAPPY_OF_CPP

    def checksum(self) -> Any:
        """Of the payload as it is stored."""
        return self._checksum

    def compressor(self) -> Compressor | None:
        """How the payload is compressed."""
        return self._compressor

    def total_count(self) -> int:
        """How many records the chunk has."""
        return self._num_records

    def compress_size(self) -> int:
        """Bytes of the payload as it is stored."""
        return self._compress_size

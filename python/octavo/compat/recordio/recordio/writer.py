"""`Writer`: ElasticDL's, if it is given a file that is open, or that of the Go binding, if it is given a path."""

from __future__ import annotations

import warnings
from typing import IO, Any

from octavo._closing import Closing
from octavo.compat.recordio._files import PATHS, AnyPath
from octavo.compat.recordio._go import PathWriter
from octavo.compat.recordio._text import as_record
from octavo.compat.recordio.recordio.chunk import Chunk
from octavo.compat.recordio.recordio.header import Compressor

_USAGE = "Writer takes an out_file and a max_chunk_size, or a path alone"


class Writer(Closing):
    """Writes records.

    `Writer(out_file, max_chunk_size)` is ElasticDL's: call `flush()` at the end; the file stays open. `Writer(path)` is
    that of the Go binding, with its dialect: call `close()` at the end.
    """

    def __init__(
        self,
        out_file: IO[bytes] | AnyPath | None = None,
        max_chunk_size: float | None = None,
        compressor: Compressor = Compressor.snappy,
        *,
        path: AnyPath | None = None,
    ) -> None:
        if out_file is not None and path is not None:
            raise TypeError(_USAGE)
        target = path if out_file is None else out_file
        self._behind: _ChunkWriter | PathWriter
        if not isinstance(target, PATHS):
            self._behind = _ChunkWriter(target, max_chunk_size, compressor)
        elif max_chunk_size is None:
            self._behind = PathWriter(target)
        else:
            message = "Writer(path) has no max_chunk_size: open the path first, or use File(path, 'w')"
            raise TypeError(message)

    def write(self, record: Any) -> bool | None:
        """Add a record."""
        return self._behind.write(record)

    def flush(self) -> None:
        """Write the records of the open chunk."""
        self._behind.flush()

    def close(self) -> None:
        """Write what is left. A file that was given open stays open."""
        self._behind.close()


class _ChunkWriter:
    """Writes chunks into a file that somebody else opens and closes."""

    def __init__(self, out_file: Any, max_chunk_size: float | None, compressor: Compressor) -> None:
        self._chunk = Chunk()
        if max_chunk_size is None:
            raise TypeError(_USAGE)
        self._out_file = out_file
        self._max_chunk_size = max_chunk_size
        self._compressor = compressor

    def write(self, record: Any) -> bool:
        record = as_record(record)
        if self._chunk.num_bytes() + len(record) > self._max_chunk_size:
            self.flush()
        self._chunk.add(record)
        return True

    def flush(self) -> None:
        self._chunk.write(self._out_file, self._compressor)
        self._chunk.clear()

    close = flush

    def __del__(self) -> None:
        if count := self._chunk.total_count():
            message = f"a recordio.Writer was never flushed: its last {count} records are not in the file"
            warnings.warn(message, ResourceWarning, source=self, stacklevel=1)

"""The sink behind `arrayrecordio.WriteToArrayRecord`. Needs Beam."""

from __future__ import annotations

import tempfile
from typing import Any

from apache_beam.coders.coders import ToBytesCoder
from apache_beam.io import Write
from apache_beam.io.filebasedsink import FileBasedSink
from apache_beam.io.filesystem import CompressionTypes
from apache_beam.transforms import PTransform

from octavo._recipe import recipe
from octavo.compat.array_record.beam._shard_file import MIME_TYPE, ShardFile, is_local


class ArrayRecordSink(FileBasedSink):  # type: ignore[misc]  # Beam has no types
    """Names, shards and the final renaming are Beam's; the files are ours."""

    def __init__(self, file_path_prefix: Any, *, writer_options: str, **named: Any) -> None:
        recipe("array_record", {"options": writer_options})  # a mistake is told here and not by a worker
        super().__init__(file_path_prefix, mime_type=MIME_TYPE, **named)
        self._writer_options = writer_options

    def open(self, temp_path: str) -> ShardFile:
        """Begin a shard."""
        staging = None if is_local(temp_path) else tempfile.gettempdir()
        return ShardFile(temp_path, self._writer_options, staging=staging)

    def write_encoded_record(self, file_handle: ShardFile, encoded_value: bytes) -> None:
        """Add a record to a shard."""
        file_handle.write(encoded_value)

    def close(self, file_handle: ShardFile | None) -> None:
        """Finish a shard."""
        if file_handle is not None:
            file_handle.close()


class WriteToArrayRecord(PTransform):  # type: ignore[misc]  # Beam has no types
    """Writes a `PCollection` into ArrayRecord files on any file system of Beam.

    Args:
        file_path_prefix: Where the files will be, up to the part that tells them apart.
        file_name_suffix: What their names end in.
        num_shards: How many files; the runner decides if it is 0.
        shard_name_template: What is between prefix and suffix, in Beam's notation; `-SSSSS-of-NNNNN` if it is None.
        coder: Makes bytes of the elements.
        compression_type: Accepted as in the original, where it changes nothing either: ArrayRecord compresses chunks.
        writer_options: Options of the files, in the grammar of `ArrayRecordWriter`.
    """

    def __init__(
        self,
        file_path_prefix: Any,
        file_name_suffix: Any = "",
        num_shards: int = 0,
        shard_name_template: str | None = None,
        coder: Any = ToBytesCoder(),  # noqa: B008 - has no state
        compression_type: str = CompressionTypes.AUTO,
        *,
        writer_options: str = "group_size:1",
    ) -> None:
        super().__init__()
        self._sink = ArrayRecordSink(
            file_path_prefix,
            writer_options=writer_options,
            file_name_suffix=file_name_suffix,
            num_shards=num_shards,
            shard_name_template=shard_name_template,
            coder=coder,
            compression_type=compression_type,
        )

    def expand(self, pcoll: Any) -> Any:
        """Return the names of the files that were written."""
        return pcoll | Write(self._sink)

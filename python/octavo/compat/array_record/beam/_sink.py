"""The class behind `arrayrecordio.WriteToArrayRecord`. Needs Beam."""

from __future__ import annotations

from typing import Any

from apache_beam.coders.coders import ToBytesCoder
from apache_beam.io.filesystem import CompressionTypes
from apache_beam.transforms import PTransform

from octavo.integrations.beam._formats import checked_options
from octavo.integrations.beam._sink import RecordSink
from octavo.integrations.beam._write import written


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
        self._sink = RecordSink(
            file_path_prefix,
            format="array_record",
            options=checked_options("array_record", {"options": writer_options}, ""),
            file_name_suffix=file_name_suffix,
            num_shards=num_shards,
            shard_name_template=shard_name_template,
            coder=coder,
            compression_type=compression_type,
        )

    def expand(self, pcoll: Any) -> Any:
        """Return the names of the files that were written."""
        return pcoll | written(self._sink, pcoll.pipeline)

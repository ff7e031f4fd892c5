"""`WriteToRecords`."""

from __future__ import annotations

import os
from typing import Any

import apache_beam as beam
from apache_beam.coders import Coder
from apache_beam.options.value_provider import ValueProvider

from octavo._open import Dialect, Format
from octavo.errors import OptionError, UnsupportedError
from octavo.integrations.beam._coders import checked_coder
from octavo.integrations.beam._dask import WriteOnDask, runs_on_dask
from octavo.integrations.beam._formats import checked_options, format_of
from octavo.integrations.beam._sink import RecordSink


class WriteToRecords(beam.PTransform):  # type: ignore[misc]  # Beam is taken as Any
    """Writes a `PCollection` into record files, and gives their names.

    Files appear under their names when all of them are whole; a bundle that is tried again leaves nothing twice.

    Args:
        file_path_prefix: Where the files will be, up to the part that tells them apart; or a `ValueProvider` of it.
        file_name_suffix: What their names end in.
        num_shards: How many files; as many as there are bundles if it is 0.
        shard_name_template: What is between prefix and suffix, in Beam's notation; `-SSSSS-of-NNNNN` if it is None,
            and one file without a number if it is empty.
        coder: Makes bytes of elements; without one, elements are bytes or any other buffer.
        format: The format; told from the suffix if it is not given.
        codec: As for `octavo.create`, and so are the rest.
        group_size: Records a chunk.
        transpose: Take records that are protocol buffers apart into columns.
        pad_to_block_boundary: Begin every chunk at a multiple of 64 KiB.
        window_log: Logarithm of the codec's window.
        transpose_bucket_size: Columns are compressed together in pieces of about this size.
        max_parallelism: Accepted because ArrayRecord has it.
        saturation_delay_ms: The same.
        options: All of these as one text in ArrayRecord's grammar.
        dialect: Which of RecordIO's layouts to write.
        max_chunk_bytes: A chunk of a RecordIO file ends before its records weigh more than this.
    """

    def __init__(
        self,
        file_path_prefix: str | os.PathLike[str] | ValueProvider,
        file_name_suffix: str | ValueProvider = "",
        num_shards: int = 0,
        shard_name_template: str | None = None,
        coder: Coder | None = None,
        *,
        format: Format | None = None,
        codec: str | None = None,
        group_size: int | None = None,
        transpose: bool | None = None,
        pad_to_block_boundary: bool | None = None,
        window_log: int | None = None,
        transpose_bucket_size: int | str | None = None,
        max_parallelism: int | None = None,
        saturation_delay_ms: int | None = None,
        options: str | None = None,
        dialect: Dialect | None = None,
        max_chunk_bytes: int | str | None = None,
    ) -> None:
        super().__init__()
        given = {
            "codec": codec,
            "group_size": group_size,
            "transpose": transpose,
            "pad_to_block_boundary": pad_to_block_boundary,
            "window_log": window_log,
            "transpose_bucket_size": transpose_bucket_size,
            "max_parallelism": max_parallelism,
            "saturation_delay_ms": saturation_delay_ms,
            "options": options,
            "dialect": dialect,
            "max_chunk_bytes": max_chunk_bytes,
        }
        prefix = os.fsdecode(file_path_prefix) if isinstance(file_path_prefix, os.PathLike) else file_path_prefix
        number = "" if shard_name_template == "" else "-00000-of-00001"
        name = _known(prefix, "") + number + _known(file_name_suffix, "")
        chosen = format_of(format, name)
        self._sink = RecordSink(
            prefix,
            format=chosen,
            options=checked_options(chosen, given, name),
            file_name_suffix=file_name_suffix,
            num_shards=_checked_count(num_shards),
            shard_name_template=shard_name_template,
            coder=checked_coder(coder),
        )

    def expand(self, pcoll: Any) -> Any:
        """Write `pcoll`, and give the names of the files."""
        if not pcoll.is_bounded:
            message = (
                "WriteToRecords writes collections that end: files of one window would replace those of another; "
                "group what comes in a window, and write each group with octavo.create in a DoFn"
            )
            raise UnsupportedError(message)
        return pcoll | written(self._sink, pcoll.pipeline)


def written(sink: RecordSink, pipeline: Any) -> Any:
    """The transform that writes to `sink` on the runner of `pipeline`."""
    return WriteOnDask(sink) if runs_on_dask(pipeline) else beam.io.Write(sink)


def _known(part: Any, otherwise: str) -> str:
    """A part of the files' names as far as it is known before the pipeline runs."""
    if isinstance(part, ValueProvider):
        return str(part.get()) if part.is_accessible() else otherwise
    return part if isinstance(part, str) else otherwise  # whatever it is, the sink says what is wrong with it


def _checked_count(num_shards: Any) -> int:
    if not isinstance(num_shards, int) or isinstance(num_shards, bool) or num_shards < 0:
        message = f"num_shards is {num_shards!r}; allowed are positive integers, and 0 for as many as there are bundles"
        raise OptionError(message)
    return num_shards

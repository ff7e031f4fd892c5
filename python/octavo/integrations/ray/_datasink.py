"""From a data set to record files: every attempt of a task writes a file of its own, and those that count are shown.

Ray runs a task again when its worker has died, and then reports one of the attempts. Files wait in a hidden place of
the folder (`octavo.integrations._staging`) until all tasks are through, and what nobody has reported goes with it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import octavo
from octavo._arguments import at_least_one, check_switches
from octavo._location import FORMAT_OF_SUFFIX
from octavo.errors import OctavoError, OptionError, RecordTypeError
from octavo.integrations import _staging_folder as folders
from octavo.integrations._staging import Mode, Part, Staging
from octavo.integrations.ray._ray import BlockAccessor, ray
from octavo.integrations.ray._records import records_of

if TYPE_CHECKING:
    import os

    from octavo._open import Dialect, Format

_SUFFIX_OF_FORMAT: dict[str, str] = {}
for _suffix, _format in FORMAT_OF_SUFFIX.items():
    _SUFFIX_OF_FORMAT.setdefault(_format, _suffix)  # the first is the usual one


def write_records(
    dataset: Any,
    folder: str | os.PathLike[str],
    *,
    format: Format,
    column: str = "record",
    prefix: str = "part",
    suffix: str | None = None,
    overwrite: bool = False,
    min_rows_per_file: int | None = None,
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
    sidecar: bool = False,
    concurrency: int | None = None,
    ray_remote_args: dict[str, Any] | None = None,
) -> list[str]:
    """Write a column of a `ray.data.Dataset` into record files, and say which.

    The files appear together, under names such as `part-00000-of-00008.array_record`, when all of them are whole. If
    writing fails, none does. Without rows, there is one file without records.

    Args:
        dataset: The data set.
        folder: Where the files will be. Every node of the cluster has to find it under the same name.
        format: The format of the files.
        column: The column with the records, which is of a binary type. Others are not written.
        prefix: What the names of the files begin with.
        suffix: What they end with; if it is not given, what is usual for the format.
        overwrite: Replace the record files that the folder has already; they stay until all new ones are whole.
        min_rows_per_file: Gather blocks until there are so many rows. Otherwise, Ray decides how many files it will be.
        codec: As for `octavo.create`, and so is what follows.
        group_size: Records a chunk.
        transpose: Take records that are protocol buffers apart into columns.
        pad_to_block_boundary: Begin every chunk at a multiple of 64 KiB.
        window_log: Logarithm of the codec's window.
        transpose_bucket_size: Columns are compressed together in pieces of about this size.
        max_parallelism: Accepted for the sake of options written for ArrayRecord.
        saturation_delay_ms: The same.
        options: All of these as one text in ArrayRecord's grammar.
        dialect: Which of RecordIO's layouts to write.
        max_chunk_bytes: A chunk of a RecordIO file ends before its records weigh more than this.
        sidecar: Also write an index beside each file.
        concurrency: The most tasks that run at the same time.
        ray_remote_args: What Ray is told about every task, such as `{"num_cpus": 0.5}`.

    Raises:
        AlreadyExistsError: The folder has record files, and they are not to be overwritten; or others have come while
            this was written.
        RecordTypeError: The column is not of a binary type, or has null in it.
    """
    if not isinstance(dataset, ray.data.Dataset):
        raise RecordTypeError(f"write_records takes a ray.data.Dataset, not {type(dataset).__name__}")
    sink = RecordDatasink(
        folder,
        format=format,
        column=column,
        prefix=prefix,
        suffix=suffix,
        overwrite=overwrite,
        min_rows_per_file=min_rows_per_file,
        codec=codec,
        group_size=group_size,
        transpose=transpose,
        pad_to_block_boundary=pad_to_block_boundary,
        window_log=window_log,
        transpose_bucket_size=transpose_bucket_size,
        max_parallelism=max_parallelism,
        saturation_delay_ms=saturation_delay_ms,
        options=options,
        dialect=dialect,
        max_chunk_bytes=max_chunk_bytes,
        sidecar=sidecar,
    )
    sink.on_write_start()  # a folder that cannot be written to is found before anything is computed
    try:
        dataset.write_datasink(sink, concurrency=concurrency, ray_remote_args=ray_remote_args)
    except BaseException as error:
        sink.on_write_failed(error)  # Ray does not tell the sink of Ctrl-C
        if isinstance(cause := getattr(error, "cause", None), OctavoError):
            raise cause from error  # what Ray raises has it at the end of a long trace
        raise
    return sink.paths


class RecordDatasink(ray.data.Datasink):  # type: ignore[misc]  # Ray is taken as Any
    """Record files for `Dataset.write_datasink`; `write_records` calls that and has the same arguments."""

    paths: list[str]
    """The files, once they are written."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        format: Format,
        column: str = "record",
        prefix: str = "part",
        suffix: str | None = None,
        overwrite: bool = False,
        min_rows_per_file: int | None = None,
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
        sidecar: bool = False,
    ) -> None:
        check_switches(overwrite=overwrite, sidecar=sidecar)
        if not isinstance(column, str):
            raise RecordTypeError(f"column is a text, not {type(column).__name__}")
        folders.check_shared(folder)
        self._folder = folder
        self._column = column
        self._prefix = prefix
        self._overwrite = overwrite
        self._min_rows = None if min_rows_per_file is None else at_least_one("min_rows_per_file", min_rows_per_file)
        self._suffix = _usual_suffix(format, codec) if suffix is None else suffix
        self._recipe: dict[str, Any] = {
            "format": format,
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
            "sidecar": sidecar,
        }
        with tempfile.TemporaryDirectory() as scratch:  # options that cannot be are refused here, not in a task
            octavo.create(f"{scratch}/x{self._suffix}", **self._recipe).abort()
        self._staging: Staging | None = None
        self.paths = []

    def get_name(self) -> str:
        """What Ray shows for the tasks."""
        return "Records"

    @property
    def min_rows_per_write(self) -> int | None:
        """How many rows a task gets at least, if somebody has asked."""
        return self._min_rows

    def on_write_start(self, schema: Any = None) -> None:  # noqa: ARG002 - of the blocks before Ray has fused a map
        """On the driver, before the first task: look at the folder, and make the hidden place."""
        if self._staging is None:
            mode: Mode = "overwrite" if self._overwrite else "error"
            self._staging = Staging.begin(self._folder, prefix=self._prefix, suffix=self._suffix, mode=mode)

    def write(self, blocks: Iterable[Any], ctx: Any) -> list[Part]:
        """In a task: the records of its blocks into one file of this attempt; no file if there are none."""
        if self._staging is None:
            raise OptionError("the sink was not told that writing starts: use it through Dataset.write_datasink")
        path, writer = self._staging.attempt(ctx.task_idx), None
        try:
            for block in blocks:
                table = BlockAccessor.for_block(block).to_arrow()
                if not table.num_rows:
                    continue
                if writer is None:
                    writer = octavo.create(path, overwrite=False, **self._recipe)
                for records in records_of(table, self._column):
                    writer.write_many(records)
            if writer is None:
                return []
            writer.close()
        except BaseException:
            if writer is not None:
                writer.abort()
            raise
        return [self._staging.part(ctx.task_idx, path)]

    def on_write_complete(self, write_result: Any) -> None:
        """On the driver, when every task is through: show the files."""
        self.on_write_start()  # without a block there was no task, and nobody has said so before
        staging = self._staging
        if staging is None:
            return
        parts: list[Part] = [part for written in write_result.write_returns for part in written]
        if not parts:
            path = staging.attempt(0)
            octavo.create(path, overwrite=False, **self._recipe).close()
            parts = [staging.part(0, path)]
        self.paths = staging.commit(parts)
        self._staging = None

    def on_write_failed(self, error: BaseException) -> None:  # noqa: ARG002 - Ray's signature
        """On the driver, when something went wrong: leave nothing."""
        if self._staging is not None:
            staging, self._staging = self._staging, None
            staging.abort()


def _usual_suffix(format: object, codec: object) -> str:
    if format not in _SUFFIX_OF_FORMAT:
        raise OptionError(f"format {format!r} is none of: {', '.join(_SUFFIX_OF_FORMAT)}")
    is_gzip = format == "tfrecord" and isinstance(codec, str) and codec.split(":")[0] == "gzip"
    return _SUFFIX_OF_FORMAT[str(format)] + (".gz" if is_gzip else "")

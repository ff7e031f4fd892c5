"""Writing: every task stages a file, the driver commits them all or none."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tempfile
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import BinaryType, StringType, StructType

import octavo
from octavo._convert._output import SUFFIX_OF
from octavo._location import FORMAT_OF_SUFFIX, format_of_name
from octavo.errors import OptionError, RecordTypeError
from octavo.integrations import _staging_folder as folders
from octavo.integrations._staging import Mode, Part, Staging

_FORMAT = "array_record"


@dataclasses.dataclass(frozen=True)
class Written(WriterCommitMessage):  # type: ignore[misc]  # PySpark is taken as Any
    """What a task reports: its file, if it had rows."""

    part: Part | None


class RecordWriter(DataSourceArrowWriter):  # type: ignore[misc]  # PySpark is taken as Any
    """Spark calls `write` in tasks, and `commit` or `abort` in the driver, each with a copy of this object."""

    def __init__(self, staging: Staging, options: dict[str, Any]) -> None:
        self._staging = staging
        self._options = options

    @classmethod
    def begin(
        cls, folder: str, schema: StructType, options: dict[str, Any], naming: dict[str, Any], *, overwrite: bool
    ) -> RecordWriter:
        """Check all that can be known before the first row."""
        _check_schema(schema)
        folders.check_shared(folder)
        format = options.setdefault("format", _FORMAT if overwrite else _format_in(folder))
        suffix = _suffix(format, options)
        with tempfile.TemporaryDirectory() as nowhere:  # wrong options are an error here, not in the tasks
            octavo.create(os.path.join(nowhere, f"records{suffix}"), **options).abort()
        mode: Mode = "overwrite" if overwrite else "append"
        return cls(Staging.begin(folder, suffix=suffix, mode=mode, **naming), options)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Write the rows of a task into a file of its own, which counts when the job is committed."""
        number = TaskContext.get().partitionId()
        path = self._staging.attempt(number)
        return Written(self._staging.part(number, path) if self._write(path, iterator) else None)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Make all files visible."""
        parts = _parts(messages)
        if not parts and (self._staging.mode == "overwrite" or not folders.record_files(self._staging.folder)):
            parts = [self._nothing()]
        self._staging.commit(parts)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:  # noqa: ARG002 - Spark's signature
        """Leave nothing behind."""
        self._staging.abort()

    def _write(self, path: str, batches: Iterable[pa.RecordBatch]) -> int:
        """How many rows were written; if there are none, there is no file."""
        rows = 0
        with contextlib.ExitStack() as stack:
            for batch in batches:
                if not len(batch):
                    continue
                if not rows:
                    writer = stack.enter_context(octavo.create(path, overwrite=False, **self._options))
                rows += writer.write_many(_records(batch, rows))
        return rows

    def _nothing(self) -> Part:
        """A file without records, so that a frame without rows can be read again."""
        path = self._staging.attempt(0)
        octavo.create(path, overwrite=False, **self._options).close()
        return self._staging.part(0, path)


def _records(batch: pa.RecordBatch, rows_before: int) -> Iterator[memoryview]:
    """The rows as views of the batch, without a copy."""
    column = batch.column(0)
    if column.null_count:
        row = rows_before + column.is_null().to_pylist().index(True)
        raise RecordTypeError(f"row {row} of this task is null, and a record is not; leave such rows out, or fill them")
    column = column.cast(pa.large_binary())  # of text, its UTF-8
    _, offsets, data = column.buffers()
    edges = memoryview(offsets).cast("q")[column.offset : column.offset + len(column) + 1]
    content = memoryview(data or b"")
    return (content[start:stop] for start, stop in pairwise(edges))


def _parts(messages: Iterable[WriterCommitMessage | None]) -> list[Part]:
    return [message.part for message in messages if isinstance(message, Written) and message.part is not None]


def _check_schema(schema: StructType) -> None:
    if len(schema) != 1 or not isinstance(schema[0].dataType, BinaryType | StringType):
        columns = ", ".join(f"{field.name} {field.dataType.simpleString()}" for field in schema)
        raise RecordTypeError(
            f"a frame to write has one column, binary or string, not ({columns}); "
            "select it, and make records of other columns first, for example with to_json or to_avro"
        )


def _format_in(folder: str) -> str:
    """What is there already, if anything is."""
    present = folders.record_files(folders.absolute(folder))
    return (format_of_name(present[0]) if present else None) or _FORMAT


def _suffix(format: str, options: dict[str, Any]) -> str:
    if format not in FORMAT_OF_SUFFIX.values():
        raise OptionError(f"format {format!r} is none of: {', '.join(dict.fromkeys(FORMAT_OF_SUFFIX.values()))}")
    is_gzip = format == "tfrecord" and str(options.get("codec", "")).startswith("gzip")
    return SUFFIX_OF[format] + (".gz" if is_gzip else "")

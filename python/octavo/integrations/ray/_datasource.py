"""From record files to a data set: the files are opened once, on the driver, and a task holds one partition.

A task that is run again reads the same records into the same blocks, so a worker that dies costs time and nothing else.
"""

from __future__ import annotations

import inspect
from bisect import bisect_right
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from octavo._arguments import at_least_one, check_switches
from octavo._partition import Partition
from octavo._reader import Reader
from octavo.errors import FormatError, OptionError, RecordTypeError
from octavo.integrations import arrow
from octavo.integrations._source import open_source
from octavo.integrations._staging_folder import check_shared
from octavo.integrations.ray._ray import BlockMetadata, pa, ray

if TYPE_CHECKING:
    from octavo._location import Location
    from octavo._open import Format

_OFFSET_BYTES = 8  # Arrow keeps one beside every record
_SAMPLE = (1024, 1 << 20)  # records, bytes


def read_records(
    location: Location | Reader,
    *,
    format: Format | None = None,
    check_data: bool = True,
    column: str = "record",
    numbers: bool = False,
    include_paths: bool = False,
    override_num_blocks: int | None = None,
    concurrency: int | None = None,
    ray_remote_args: dict[str, Any] | None = None,
) -> Any:
    """A `ray.data.Dataset` with a row for each record.

    Args:
        location: Whatever `octavo.open` takes that other processes can open, too, or a reader of such files, which may
            be a slice. Every node of the cluster has to find the files under the same names.
        format: As for `octavo.open`.
        check_data: Verify checksums.
        column: Name of the column with the records, as Arrow's `large_binary`.
        numbers: Add a column `number` with the records' numbers in the whole.
        include_paths: Add a column `path` with the name of the file that a record is in.
        override_num_blocks: How many tasks to make; Ray decides by the size of the data if it is not given.
        concurrency: The most tasks that run at the same time.
        ray_remote_args: What Ray is told about every task, such as `{"num_cpus": 0.5}`.
    """
    if override_num_blocks is not None:
        at_least_one("override_num_blocks", override_num_blocks)
    source = RecordDatasource(
        location, format=format, check_data=check_data, column=column, numbers=numbers, include_paths=include_paths
    )
    return ray.data.read_datasource(
        source,
        override_num_blocks=override_num_blocks,
        concurrency=concurrency,
        **_named(ray_remote_args or {}),
    )


class RecordDatasource(ray.data.Datasource):  # type: ignore[misc]  # Ray is taken as Any
    """Records for `ray.data.read_datasource`; `read_records` calls that and has the same arguments."""

    def __init__(
        self,
        location: Location | Reader,
        *,
        format: Format | None = None,
        check_data: bool = True,
        column: str = "record",
        numbers: bool = False,
        include_paths: bool = False,
    ) -> None:
        super().__init__()
        check_switches(numbers=numbers, include_paths=include_paths)
        self._columns = _schema(column, numbers=numbers, include_paths=include_paths)
        self._reader, _ = open_source(location, format=format, check_data=check_data)
        # What cannot be opened elsewhere is refused here, not when the data set is used.
        for path in (path for partition in self._reader.partitions(1) for path in partition.paths):
            check_shared(path)
        self._record_bytes: int | None = None

    def get_name(self) -> str:
        """What Ray shows for the tasks."""
        return "Records"

    def estimate_inmemory_data_size(self) -> int:
        """Bytes of all blocks together: exact where the files know the size of their records, else judged by some."""
        if self._record_bytes is None:
            self._record_bytes = _record_bytes(self._reader)
        return self._record_bytes + _OFFSET_BYTES * len(self._columns) * len(self._reader)

    def get_read_tasks(
        self,
        parallelism: int,
        per_task_row_limit: int | None = None,
        data_context: Any = None,  # noqa: ARG002 - Ray's signature
    ) -> list[Any]:
        """About `parallelism` tasks: a partition each, which begins where a chunk does if it can."""
        partitions = self._reader.partitions(max(parallelism, 1))
        total, size = max(len(self._reader), 1), self.estimate_inmemory_data_size()
        # Without a task there would be no block, and without a block no schema.
        parts: list[Partition | None] = list(partitions) or [None]
        return [
            ray.data.ReadTask(
                partial(_blocks, part, self._columns),
                _metadata(part, size * (part.stop - part.start) // total if part else 0),
                schema=self._columns,
                **({} if per_task_row_limit is None else {"per_task_row_limit": per_task_row_limit}),
            )
            for part in parts
        ]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._reader!r})"


def _metadata(part: Partition | None, size_bytes: int) -> Any:
    rows, paths = (len(part), list(part.paths)) if part else (0, [])
    return BlockMetadata(num_rows=rows, size_bytes=size_bytes, input_files=paths, exec_stats=None)


def _blocks(part: Partition | None, schema: pa.Schema) -> Iterator[pa.Table]:
    """The blocks of a task: Ray joins small ones and splits none that are not far too large."""
    if part is None:
        yield schema.empty_table()
        return
    names = schema.names
    with part.open() as reader:
        paths = _Paths(reader) if "path" in names[1:] else None
        number = part.start
        with arrow.scan(reader, name=names[0]) as stream:
            for batch in stream:
                columns = [batch.column(0)]
                stop = number + len(batch)
                if "number" in names[1:]:
                    columns.append(pa.array(range(number, stop), pa.int64()))
                if paths:
                    columns.append(paths.of(number - part.start, stop - part.start))
                yield pa.Table.from_arrays(columns, schema=schema)
                number = stop


class _Paths:
    """The files that the records of a reader are in."""

    def __init__(self, reader: Reader) -> None:
        self._paths = reader.paths
        self._starts = reader._file_starts  # noqa: SLF001 - part of the package
        self._first = reader._view[0]  # noqa: SLF001

    def of(self, start: int, stop: int) -> pa.Array:
        """The column for some records."""
        runs = []
        begin, end = self._first + start, self._first + stop
        while begin < end:
            file = bisect_right(self._starts, begin) - 1
            after = min(self._starts[file + 1], end)
            runs.append(pa.repeat(pa.scalar(self._paths[file], pa.large_string()), after - begin))
            begin = after
        return pa.concat_arrays(runs)


def _schema(column: object, *, numbers: bool, include_paths: bool) -> pa.Schema:
    if not isinstance(column, str):
        raise RecordTypeError(f"column is a text, not {type(column).__name__}")
    fields = [pa.field(column, pa.large_binary())]
    fields += [pa.field("number", pa.int64())] if numbers else []
    fields += [pa.field("path", pa.large_string())] if include_paths else []
    if column in [field.name for field in fields[1:]]:
        raise OptionError(f"a column is called {column!r} already; choose another name for the records")
    return pa.schema(fields)


def _record_bytes(reader: Reader) -> int:
    """Bytes of all records of a reader."""
    count, all_records = len(reader), reader._file_starts[-1]  # noqa: SLF001 - part of the package
    if not count:
        return 0
    decoded_bytes = reader.info.decoded_bytes
    if decoded_bytes is not None:
        return decoded_bytes * count // all_records
    try:
        samples = [reader._read_block(start, *_SAMPLE) for start in {0, count // 2}]  # noqa: SLF001
    except FormatError:  # the task that needs the record will say so
        return reader.info.total_bytes * count // all_records
    return sum(sample.nbytes for sample in samples) * count // sum(map(len, samples))


def _named(arguments: dict[str, Any]) -> dict[str, Any]:
    """What Ray wants to be told by name, and the rest in the dictionary that it had before."""
    known = inspect.signature(ray.data.read_datasource).parameters
    named = {name: value for name, value in arguments.items() if name in known}
    rest = {name: value for name, value in arguments.items() if name not in known}
    return named | ({"ray_remote_args": rest} if rest else {})

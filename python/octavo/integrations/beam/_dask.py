"""Writing on Beam's runner for Dask, for which Beam's own `Write` is not safe.

That runner forgets what a `DoFn` gives when its bundle ends, so that files of bundles would vanish; it computes side
inputs again wherever they are used; and it computes results again that a worker took with it when it left, even of a
pipeline that is done. So there are no side inputs here, and a record's shard follows from its bytes: a shard that is
written again is the same shard, and replacing one by the other changes nothing.
"""

from __future__ import annotations

import contextlib
import uuid
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import apache_beam as beam
from apache_beam.io.filesystems import FileSystems

from octavo.integrations.beam._sink import RecordSink


def runs_on_dask(pipeline: Any) -> bool:
    """Whether a pipeline is made for Beam's runner for Dask, which need not be importable to find out."""
    return any(kind.__name__ == "DaskRunner" for kind in type(pipeline.runner).__mro__)


class WriteOnDask(beam.PTransform):  # type: ignore[misc]  # Beam is taken as Any
    """Does what `beam.io.Write(sink)` does on other runners."""

    def __init__(self, sink: RecordSink) -> None:
        super().__init__()
        self._sink = sink

    def expand(self, pcoll: Any) -> Any:
        """Write `pcoll`, and give the names of the files."""
        # Without a number, as many files as there are partitions, as far as somebody has said how many.
        asked = pcoll.pipeline.options.get_all_options().get("npartitions")
        count = self._sink.num_shards or asked or 1
        run = uuid.uuid4().hex
        # So that every shard exists, whatever records there are.
        shards = pcoll.pipeline | "Shards" >> beam.Create([(shard, None) for shard in range(count)])
        records = pcoll | "Encode" >> beam.ParDo(_Encode(self._sink, count))
        return (
            (records, shards)
            | "Join" >> beam.Flatten()
            | "Group by shard" >> beam.GroupByKey()
            | "Write" >> beam.ParDo(_WriteShard(self._sink, run))
            | "Group all" >> beam.GroupByKey()
            | "Publish" >> beam.ParDo(_Publish(self._sink, run))
        )


class _Encode(beam.DoFn):  # type: ignore[misc]  # Beam is taken as Any
    """Elements to records, each with its shard."""

    def __init__(self, sink: RecordSink, count: int) -> None:
        self._sink = sink
        self._count = count

    def process(self, element: Any) -> Iterator[tuple[int, bytes]]:
        """The shard of an element, and its record."""
        record = self._sink.encode(element)
        yield zlib.crc32(record) % self._count, record


class _WriteShard(beam.DoFn):  # type: ignore[misc]  # Beam is taken as Any
    """The records of a shard to a file in the temporary folder."""

    def __init__(self, sink: RecordSink, run: str) -> None:
        self._sink = sink
        self._run = run

    def process(self, element: tuple[int, Iterable[bytes | None]]) -> Iterator[tuple[None, tuple[int, str]]]:
        """Write a shard, and give its number and the name of its file."""
        shard, records = element
        writer = self._sink.open_writer(self._sink.temporary_folder(self._run), uuid.uuid4().hex)
        for record in records:
            if record is not None:
                writer.sink.write_encoded_record(writer.temp_handle, record)
        yield None, (shard, writer.close())


class _Publish(beam.DoFn):  # type: ignore[misc]  # Beam is taken as Any
    """Files in the temporary folder to files under their names."""

    def __init__(self, sink: RecordSink, run: str) -> None:
        self._sink = sink
        self._run = run

    def process(self, element: tuple[None, Iterable[tuple[int, str]]]) -> Iterator[str]:
        """Rename all files, and give their names."""
        written = dict(element[1])
        names = {shard: self._sink.final_name(shard, len(written)) for shard in sorted(written)}
        FileSystems.rename([written[shard] for shard in names], list(names.values()))
        with contextlib.suppress(OSError):  # the files are where they belong
            FileSystems.delete([self._sink.temporary_folder(self._run)])
        yield from names.values()

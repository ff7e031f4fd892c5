"""The data source that Spark knows as `octavo`."""

from __future__ import annotations

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from octavo.integrations.spark._options import location, reading_options, target, writing_options
from octavo.integrations.spark._read import Columns, RecordReader
from octavo.integrations.spark._write import RecordWriter


class RecordDataSource(DataSource):  # type: ignore[misc]  # PySpark is taken as Any
    """Records as rows: `spark.dataSource.register(RecordDataSource)`, and then the format `octavo`.

    **Reading.** `load` takes a path, a folder, a glob pattern, a sharded name such as `train@64.array_record`, or a
    list of those. The column is `record`, binary. A schema can ask for others: `record` as `string`, which is checked
    to be UTF-8; `number`, a `bigint`, the record's number in the whole data set; `path`, a `string`, its file.

    Options are those of `octavo.open` and `batch_size` and `batch_bytes` of `octavo.integrations.arrow.scan`, and one
    of these, which say how records are cut into tasks: `partition_bytes`, how many bytes of the files a task has,
    about, 128 MiB if nothing is said; `partitions`, how many tasks; `max_records`, the most records of a task.

    **Writing.** `save` takes a folder, and the frame has one column, binary or string, without nulls. Every task
    writes one file, `part-00003-of-00017.array_record`, if it has rows. The files become visible together when all
    tasks are done, and not at all if the job fails. The mode is `append`, which adds files, or `overwrite`, which
    removes the record files that are there when the new ones are whole.

    Options are those of `octavo.create`, of which `format` is `array_record` if nothing is said (or, for `append`, what
    is there), and `prefix`, what the names of files begin with.
    """

    @classmethod
    def name(cls) -> str:
        """What `format` is given."""
        return "octavo"

    def schema(self) -> str:
        """The columns, if none are asked for."""
        return "record binary"

    def reader(self, schema: StructType) -> RecordReader:
        """For Spark, in the driver."""
        opening, cutting, batches = reading_options(self.options)
        return RecordReader(location(self.options), opening, cutting, batches, Columns.asked(schema))

    def writer(self, schema: StructType, overwrite: bool) -> RecordWriter:  # noqa: FBT001 - Spark's signature
        """For Spark, in the driver."""
        creating, naming = writing_options(self.options)
        return RecordWriter.begin(target(self.options), schema, creating, naming, overwrite=overwrite)

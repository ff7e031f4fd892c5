"""Records in Spark: a data source that reads partitions as Arrow, and writes files that appear together.

>>> from octavo.integrations.spark import RecordDataSource
>>> spark.dataSource.register(RecordDataSource)                                      # doctest: +SKIP
>>> frame = spark.read.format("octavo").load("/data/train-*.array_record")           # doctest: +SKIP
>>> frame.write.format("octavo").option("codec", "zstd:3").mode("append").save(out)  # doctest: +SKIP

octavo must be installed for the Python of every worker, with pyspark and pyarrow.
"""

try:  # asked for first, so that whoever lacks one of them is told what to install
    import pyarrow  # noqa: F401, ICN001 - the same
    import pyspark.sql.datasource  # noqa: F401 - the same
except ImportError as error:
    message = "octavo.integrations.spark needs PySpark 4.0 or later, and pyarrow: pip install 'octavo[spark]'"
    raise ImportError(message) from error

from octavo.integrations._staging_journal import clean_up
from octavo.integrations.spark._data_source import RecordDataSource

__all__ = ["RecordDataSource", "clean_up"]

"""Records in Ray Data: data sets that are read from record files, and written to them.

>>> import ray
>>> from octavo.integrations.ray import read_records, write_records
>>> dataset = read_records("train@64.array_record")  # doctest: +SKIP
>>> write_records(dataset.map(augment), "augmented", format="array_record")  # doctest: +SKIP

Reading is one task for each partition, through Arrow. Writing shows its files when all of them are whole.
"""

from octavo.integrations._staging_journal import clean_up
from octavo.integrations.ray._datasink import RecordDatasink, write_records
from octavo.integrations.ray._datasource import RecordDatasource, read_records

__all__ = ["RecordDatasink", "RecordDatasource", "clean_up", "read_records", "write_records"]

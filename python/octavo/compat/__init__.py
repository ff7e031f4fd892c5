"""octavo under the names of the libraries whose formats it reads.

>>> import octavo.compat
>>> octavo.compat.activate("array_record")
>>> from array_record.python import array_record_module  # octavo's, whether or not array_record is installed
>>> array_record_module.ArrayRecordReader.__module__
'octavo.compat.array_record.python.array_record_module'

The packages in here have the names, the arguments, the results and the errors of `array_record`, `ffrecord` and
`recordio`. They can also be imported where they are: `from octavo.compat import ffrecord`.
"""

from octavo.compat._imports import activate, deactivate

__all__ = ["activate", "deactivate"]

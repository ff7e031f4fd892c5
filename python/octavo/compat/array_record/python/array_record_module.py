"""`ArrayRecordWriter` and `ArrayRecordReader`.

As in the original, a problem with a file is kept until somebody uses the object, and then is a RuntimeError with the
text of the original's status.
"""

from octavo.compat.array_record.python._reader import ArrayRecordReader
from octavo.compat.array_record.python._writer import ArrayRecordWriter

__all__ = ["ArrayRecordReader", "ArrayRecordWriter"]

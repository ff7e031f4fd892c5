"""Records in Apache Beam: sources that split where chunks begin, and sinks whose files appear when they are whole.

>>> import apache_beam as beam
>>> from octavo.integrations.beam import ReadFromRecords, WriteToRecords
>>> with beam.Pipeline() as pipeline:
...     records = pipeline | ReadFromRecords("train-*.tfrecord")
...     written = records | WriteToRecords("train", ".array_record", codec="zstd:7")

All formats of octavo, on all file systems of Beam: paths of this machine are opened by name, everything else through
`apache_beam.io.filesystems.FileSystems`.
"""

try:
    import apache_beam as _apache_beam  # noqa: F401 - here, so that what is missing is named once
except ModuleNotFoundError as error:
    if error.name != "apache_beam":  # it is installed, and lacks something itself
        raise
    message = "octavo.integrations.beam needs Apache Beam: pip install 'octavo[beam]'"
    raise ImportError(message, name="apache_beam") from error

from octavo.integrations.beam._convert import convert
from octavo.integrations.beam._read import ReadAllFromRecords, ReadFromRecords
from octavo.integrations.beam._write import WriteToRecords

__all__ = ["ReadAllFromRecords", "ReadFromRecords", "WriteToRecords", "convert"]

"""RecordIO under the names of its originals, all of them at once.

* ElasticDL's package, as it was documented in 2018 and as it was last: `Writer`, `FileIndex`, `Reader`, `File`,
  `RangeReader`, `Header`, `Chunk`, `Compressor`.
* The binding of the Go library: `Writer(path)`, `Index`, `Scanner`; and the one before that: `writer`, `reader`.

Every reader reads every dialect and every codec.
"""

from octavo.compat.recordio._go import Index, Scanner
from octavo.compat.recordio._paddle import reader, writer
from octavo.compat.recordio._text import Text
from octavo.compat.recordio.recordio.chunk import Chunk
from octavo.compat.recordio.recordio.file import File
from octavo.compat.recordio.recordio.file_index import FileIndex
from octavo.compat.recordio.recordio.header import Compressor, Header
from octavo.compat.recordio.recordio.reader import RangeReader, Reader
from octavo.compat.recordio.recordio.writer import Writer

__all__ = [
    "Chunk",
    "Compressor",
    "File",
    "FileIndex",
    "Header",
    "Index",
    "RangeReader",
    "Reader",
    "Scanner",
    "Text",
    "Writer",
    "reader",
    "writer",
]

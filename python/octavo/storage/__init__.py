"""Things other than local paths that records can be read from and written to."""

from octavo.storage._file_object import FileObject, ReadableFile
from octavo.storage._span_source import SpanSource
from octavo.storage._stored import InStore, StoredObject

__all__ = ["FileObject", "InStore", "ReadableFile", "SpanSource", "StoredObject"]

"""Things other than local paths that records can be read from."""

from octavo.storage._file_object import FileObject, ReadableFile
from octavo.storage._span_source import SpanSource

__all__ = ["FileObject", "ReadableFile", "SpanSource"]

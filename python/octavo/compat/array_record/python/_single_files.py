"""What a data source needs for each of its files: options and a reader."""

from __future__ import annotations

import os

from octavo._options import ArrayRecordReaderOptions
from octavo.compat.array_record.python import array_record_module
from octavo.errors import OptionError


def parse(reader_options: str) -> ArrayRecordReaderOptions:
    """Options as `ArrayRecordDataSource` takes them."""
    try:
        return ArrayRecordReaderOptions.parse(reader_options)
    except OptionError as error:
        raise ValueError(str(error)) from error


def strict_text(reader_options: str) -> str:
    """The same for `ArrayRecordReader`, which is less lenient."""
    storage = parse(reader_options).index_storage_option
    return f"readahead_buffer_size:0,max_parallelism:0,index_storage_option:{storage},footer_prefetch_bytes:0"


def create_reader(
    filename: str | os.PathLike[str], additional_reader_options: str
) -> array_record_module.ArrayRecordReader:
    """A reader of one file."""
    return array_record_module.ArrayRecordReader(filename, strict_text(additional_reader_options))

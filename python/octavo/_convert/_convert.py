"""`octavo.convert`: records from any container into any other, file by file, verified, and resumable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo._convert._order import carry_out
from octavo._convert._report import ConvertReport

if TYPE_CHECKING:
    from octavo._arguments import Progress
    from octavo._convert import Container
    from octavo._location import Location, PathLocation
    from octavo._open import Dialect

__all__ = ["ConvertReport", "convert"]


def convert(
    source: Location,
    target: PathLocation,
    *,
    source_format: Container | None = None,
    format: Container | None = None,
    shards: int | None = None,
    max_records: int | None = None,
    max_bytes: int | str | None = None,
    shuffle: int | None = None,
    overwrite: bool = False,
    verify: bool = True,
    codec: str | None = None,
    group_size: int | None = None,
    transpose: bool | None = None,
    options: str | None = None,
    dialect: Dialect | None = None,
    max_chunk_bytes: int | str | None = None,
    sidecar: bool = False,
    column: str | None = None,
    target_column: str | None = None,
    layout: str = "auto",
    target_layout: str | None = None,
    progress: Progress | None = None,
) -> ConvertReport:
    """Write the records of a data set into other files.

    Memory is bounded, all cores are used. Files appear when they are whole. At the end every file is read back, and
    the number and the digest of its records compared with what was read from the source. An interrupted conversion
    goes on when it is called again in the same way: finished files are kept.

    Args:
        source: Record files, as `octavo.open` takes them, or a folder of other files (each is a record), tar files,
            JSON lines, Parquet files. A folder whose files are record files by their content only is refused: name the
            files by a pattern, or say `source_format="folder"`.
        target: A file; a sharded name such as `train@64.array_record`; or a directory, which gets one file for each
            file of the source, or, with `format="folder"`, one file for each record. All but the last may be in an
            object store: a URL, or an `octavo.storage.InStore`; there a directory is what ends in `/`.
        source_format: What the source is, if neither content nor name tell.
        format: What to write; told by the target's suffix if it is not given.
        shards: How many files to write, of about the same number of records; `train@64` says the same.
        max_records: The most records a file may have, instead of a number of files.
        max_bytes: The most bytes of records a file may have, instead of a number of files.
        shuffle: A seed: write the records in the order of `octavo.shuffle.Permutation(count, seed=shuffle)`.
        overwrite: Whether files that exist may be replaced.
        verify: Whether files are read back.
        codec: As in `octavo.create`, and so are the next five.
        group_size: Records a chunk.
        transpose: Take protocol buffers apart into columns.
        options: Options in ArrayRecord's grammar.
        dialect: RecordIO's layout.
        max_chunk_bytes: The most bytes of a chunk of a RecordIO file.
        sidecar: Also write an index beside each file.
        column: The column of Parquet files, or the field of JSON lines, that is the record.
        target_column: The name of the Parquet column to write; `record` if it is not given.
        layout: How files of a tar file become records: each by itself (`files`), or all with the same key together
            (`samples`); `auto` looks.
        target_layout: The same for a tar file that is written.
        progress: Called now and then with the records done and the number of all records.

    Raises:
        AlreadyExistsError: A file is there and was not to be replaced. If it holds the very records that would be
            written, there is nothing to do, and that is no error.
        FormatError: A record of the source is damaged; `octavo.recover` saves the others.
    """
    return carry_out(
        source,
        target,
        source_format=source_format,
        format=format,
        shards=shards,
        max_records=max_records,
        max_bytes=max_bytes,
        shuffle=shuffle,
        overwrite=overwrite,
        verify=verify,
        codec=codec,
        group_size=group_size,
        transpose=transpose,
        options=options,
        dialect=dialect,
        max_chunk_bytes=max_chunk_bytes,
        sidecar=sidecar,
        column=column,
        target_column=target_column,
        layout=layout,
        target_layout=target_layout,
        progress=progress,
    )

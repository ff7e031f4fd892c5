"""`octavo.open`, `octavo.create`, `octavo.append` and `octavo.trim`."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Literal, TypeAlias

from octavo._arguments import check_format, check_switches
from octavo._location import FORMAT_OF_SUFFIX, PathLocation, expand, format_of_name, is_gzip_name, shards_of
from octavo._options import parse_bytes
from octavo._reader import Reader
from octavo._recipe import recipe, recipe_of
from octavo._side_files import INDEX
from octavo._stored_append import StoredWriter
from octavo._target import Target, TargetLocation, target_of
from octavo._writer import Writer
from octavo.errors import (
    InterruptedWriteWarning,
    NotFoundError,
    OptionError,
    RecordTypeError,
    TornAppendWarning,
    UnsupportedError,
)

if TYPE_CHECKING:
    from octavo._location import Location
    from octavo._reader import Info

Format: TypeAlias = Literal["ffrecord", "array_record", "riegeli", "recordio", "tfrecord"]
Dialect: TypeAlias = Literal["paddle-python", "paddle-python-ieee", "go", "paddle-cpp"]
IndexStorage: TypeAlias = Literal["memory", "offloaded"]
IoMode: TypeAlias = Literal["auto", "mmap", "pread", "uring", "direct"]


def open(
    location: Location,
    *,
    format: Format | None = None,
    check_data: bool = True,
    io: IoMode = "auto",
    cache_bytes: int | str = "256MB",
    index_storage: IndexStorage = "memory",
    sidecar: bool = True,
) -> Reader:
    """Open records for reading.

    Args:
        location: A path or a URL (`s3://`, `gs://`, `az://`, `http://`, `memory://`), a directory, a glob pattern, a
            sharded name such as `train@64.ffr`, a manifest, an `octavo.storage.InStore`, a list of those, the bytes of
            a file, or a binary file object. Records of several files are numbered one after the other.
        format: The format, if it cannot be told from the content or the name.
        check_data: Verify the checksums of the index and of every record that is read.
        io: How local files are read. `auto` uses mapped memory where the pages are in memory and the kernel's ring
            where they are not; `direct` goes past the page cache, for data sets larger than memory; `mmap`, `pread`
            and `uring` insist on one way. Where the system lacks a way, the next best is used.
        cache_bytes: How many bytes of decoded chunks to keep for the next read by number: where records share chunks,
            and where they are compressed one by one and all of them fit.
        index_storage: `offloaded` keeps the index in an unnamed temporary file instead of memory once it was read, for
            data sets of very many records; look-ups take a little longer. ArrayRecord only.
        sidecar: Use the index that `octavo.write_index` has put beside a file, if it belongs to the file as it is now.

    The index of a single file is verified here. Of several FFRecord files only the fixed headers are read here, and
    each index when a record behind it is first asked for.

    An append that was interrupted leaves the file as it was before: such a file is opened without what stands behind
    its last valid end, with a `TornAppendWarning`. So is one that was cut off, by a copy that ended early, where the
    format cannot tell the two apart.

    Raises:
        NotFoundError: There is nothing at the location.
        UnknownFormatError: Neither content nor name says what the file is.
        FormatError: The file is damaged or unfinished; `octavo.recover` saves what is intact.
        OptionError: An option has a value that it cannot have.
    """
    check_format(format)
    check_switches(check_data=check_data, sidecar=sidecar)
    if not isinstance(io, str):
        message = f"io is a name, not {type(io).__name__}"
        raise RecordTypeError(message)
    if index_storage not in ("memory", "offloaded"):
        message = f"index_storage {index_storage!r} is none of: memory, offloaded"
        raise OptionError(message)
    reader = Reader(
        expand(location),
        format=format,
        check_data=check_data,
        io=io,
        cache_bytes=parse_bytes(cache_bytes, name="cache_bytes"),
        offload_index=index_storage == "offloaded",
        sidecar=sidecar,
    )
    for path, offset, torn_bytes in reader._torn:  # noqa: SLF001 - part of the package
        message = (
            f"{path}: the last {torn_bytes} bytes, from byte {offset} on, are an interrupted append, or the file was "
            "cut off; they were left out, and records may be missing; copy it again if it is a copy; octavo.append "
            "goes on without them, octavo.trim cuts them off, octavo.recover saves what is intact in them"
        )
        warnings.warn(message, TornAppendWarning, stacklevel=2)
    return reader


def create(
    path: TargetLocation,
    *,
    format: Format | None = None,
    overwrite: bool = True,
    codec: str | None = None,
    group_size: int | None = None,
    transpose: bool | None = None,
    pad_to_block_boundary: bool | None = None,
    window_log: int | None = None,
    transpose_bucket_size: int | str | None = None,
    max_parallelism: int | None = None,
    saturation_delay_ms: int | None = None,
    options: str | None = None,
    dialect: Dialect | None = None,
    max_chunk_bytes: int | str | None = None,
    sidecar: bool = False,
) -> Writer:
    """Create a record file.

    The file appears under its name only when the writer is closed without an error, whole and durable. Until then
    its records are in `NAME.partial`, or, if it will be in an object store, in an upload that nobody sees. An exception
    inside `with` leaves nothing behind but what was flushed. A `NAME.partial` that an interrupted writer has left is
    begun anew; if it had been flushed, it is kept under another name, with an `InterruptedWriteWarning`.

    Args:
        path: Where the file will be: a path, a URL, an `octavo.storage.InStore`, or a binary file object, which gets
            the bytes of the file as they are made and is not closed.
        format: The format; told from the suffix of `path` if it is not given.
        overwrite: Whether a file of that name may be replaced.
        codec: How records are compressed, or `none`; a level may follow after a colon (`zstd:7`). ArrayRecord and
            Riegeli have `zstd` (the default), `brotli` and `snappy`; RecordIO has `snappy` (the default) and `gzip`;
            TFRecord has `gzip` (the default for names that end in `.gz`) and `zlib`, for the file as a whole.
        group_size: Records a chunk. 1, ArrayRecord's default, is best for random access; more compress better. In
            RecordIO files a chunk ends after so many records, whatever they weigh.
        dialect: Which of RecordIO's layouts to write; `paddle-python` if it is not given.
        max_chunk_bytes: A chunk of a RecordIO file ends before its records weigh more than this; 256 KiB if nothing
            else is given. A larger record has a chunk of its own.
        transpose: Take records that are protocol buffers apart into columns, which compress better.
        pad_to_block_boundary: Begin every chunk at a multiple of 64 KiB.
        window_log: Logarithm of the codec's window.
        transpose_bucket_size: Columns are compressed together in pieces of about this size.
        max_parallelism: Accepted for the sake of files and options written for ArrayRecord; all CPUs are used.
        saturation_delay_ms: The same.
        sidecar: Also write an index beside the file; see `octavo.write_index`. RecordIO, TFRecord and Riegeli only.
        options: All of these as one text in ArrayRecord's grammar, such as `group_size:1,brotli:9`.

    Raises:
        OptionError: An option does not go with the format or with another one, the suffix says no format, or the name
            stands for several files (`train@64.ffr`).
        AlreadyExistsError: `overwrite` is False, and the file exists, or `NAME.partial` holds what an interrupted
            writer left.
        StorageError: The system refuses to write there.
    """
    check_format(format)
    check_switches(overwrite=overwrite, sidecar=sidecar)
    target = target_of(path, "a file to write")
    _refuse_sharded(target)
    chosen = _format_by_suffix(target.name) if format is None else format
    given = {
        "codec": codec,
        "group_size": group_size,
        "transpose": transpose,
        "pad_to_block_boundary": pad_to_block_boundary,
        "window_log": window_log,
        "transpose_bucket_size": transpose_bucket_size,
        "max_parallelism": max_parallelism,
        "saturation_delay_ms": saturation_delay_ms,
        "options": options,
        "dialect": dialect,
        "max_chunk_bytes": max_chunk_bytes,
    }
    if chosen == "tfrecord" and codec is None and is_gzip_name(target.name):
        given["codec"] = "gzip"
    if sidecar and chosen in {"ffrecord", "array_record"}:
        message = f"{chosen} carries its own index: it has no sidecar"
        raise OptionError(message)
    if sidecar and target.file is not None:
        message = "a file object has no place for an index beside it"
        raise OptionError(message)
    arguments = recipe(chosen, given)
    sink = target.sink(overwrite=overwrite)
    writer = Writer(target.name, target=target.object, format=chosen, overwrite=overwrite, sink=sink, **arguments)
    writer.sidecar = sidecar
    if kept := writer._set_aside:  # noqa: SLF001 - part of the package
        message = (
            f"{target.name}.partial holds what an interrupted writer had flushed, and is called {kept} now; "
            "octavo.recover saves it"
        )
        try:
            warnings.warn(message, InterruptedWriteWarning, stacklevel=2)
        except InterruptedWriteWarning:  # whoever takes warnings for errors gets no writer
            writer.abort()
            raise
    return writer


def append(path: PathLocation, *, format: Format | None = None) -> Writer:
    """Add records to the end of a file. What is there stays readable at every instant.

    The options of the file are kept, as far as it tells them, and an index beside it is written anew. What `flush`
    has acknowledged is there after a crash. What an interrupted append has left behind is cut off first.

    An object of an object store is replaced by a longer one when the writer is closed, and by each `flush`: that costs
    as much as writing all of it.

    Args:
        path: The file, a path or a URL; any format but FFRecord, and no compressed TFRecord file.
        format: The format, if it cannot be told from the content or the name.

    Raises:
        UnsupportedError: The format cannot be appended to; the message names the way out.
        FormatError: The file is damaged; `octavo.recover` saves what is intact.
    """
    target, info = _look_at(path, format)
    if reason := _cannot_grow(target.name, info):
        message = (
            f"{target.name}: {reason}; write the new records to a file beside it with octavo.create and open both as "
            f"one: octavo.open([{target.name!r}, ...])"
        )
        raise UnsupportedError(message, path=target.name)
    return _appender(target, info)


def trim(path: PathLocation, *, format: Format | None = None) -> int:
    """Cut off what an interrupted append has left behind, and say how many bytes that were.

    Such a file can be read as it is; this makes the warning go away, and the file whole for programs that know less.

    Args:
        path: The file.
        format: The format, if it cannot be told from the content or the name.
    """
    target, info = _look_at(path, format)
    if info.torn_bytes:
        _appender(target, info).close()
    return info.torn_bytes


def _appender(target: Target, info: Info) -> Writer:
    if target.object is not None:
        return StoredWriter.of(target.object, format=info.format, **recipe_of(info))
    writer = Writer(target.name, format=info.format, append=True, **recipe_of(info))
    writer.sidecar = os.path.exists(target.name + INDEX)  # it would be out of date
    return writer


def _look_at(path: PathLocation, format: Format | None) -> tuple[Target, Info]:
    """One file by its name, whatever is in that name, and without a warning of what will be mended."""
    check_format(format)
    target = target_of(path, "a file to write")
    if target.file is not None:
        message = "only files by their names can be appended to, not file objects"
        raise UnsupportedError(message)
    # What is written depends on what is found, so that the file itself is asked.
    with Reader([target.object or target.name], format=format, sidecar=False) as reader:
        return target, reader.info


def _cannot_grow(path: str, info: Info) -> str | None:
    if info.format == "ffrecord":
        return "ffrecord keeps its index before its records, so a file cannot grow in place"
    if info.format == "tfrecord" and (info.codec in {"gzip", "zlib"} or is_gzip_name(path)):
        codec = "gzip" if info.codec == "none" else info.codec
        return f"a tfrecord file that is compressed by {codec} as a whole cannot grow in place"
    return None


def _refuse_sharded(target: Target) -> None:
    """`octavo.open` would look for shards under such a name, and `octavo.convert` writes them; a writer is one file."""
    # What exists is taken by its name, however odd that is.
    if target.file is not None or (target.is_local and os.path.lexists(target.name)):
        return
    try:
        shards = shards_of(target.name)
    except NotFoundError:  # more than there can be: a date, perhaps
        return
    if shards is not None:
        message = (
            f"{target.name}: a name with @ stands for several files, and a writer writes one; let octavo.convert cut a "
            f"data set into shards, or call octavo.create for each of them: {shards[0]}"
        )
        raise OptionError(message, path=target.name)


def _format_by_suffix(path: str) -> str:
    if found := format_of_name(path):
        return found
    known = ", ".join(f"{suffix} ({name})" for suffix, name in FORMAT_OF_SUFFIX.items())
    message = f"{path}: the suffix does not say which format to write; use one of {known}, or pass format="
    raise OptionError(message, path=path)

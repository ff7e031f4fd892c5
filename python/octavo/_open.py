"""`octavo.open`, `octavo.create` and `octavo.append`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, TypeAlias

from octavo._location import FORMAT_OF_SUFFIX, expand
from octavo._reader import Reader
from octavo._writer import Writer
from octavo.errors import OptionError, RecordTypeError, UnsupportedError

if TYPE_CHECKING:
    from octavo._location import Location

Format: TypeAlias = Literal["ffrecord"]
IoMode: TypeAlias = Literal["auto", "mmap", "pread", "uring", "direct"]


def open(
    location: Location,
    *,
    format: Format | None = None,
    check_data: bool = True,
    io: IoMode = "auto",
) -> Reader:
    """Open records for reading.

    Args:
        location: A path, a directory, a glob pattern, a sharded name such as `train@64.ffr`, a list of those, the
            bytes of a file, or a binary file object. Records of several files are numbered one after the other.
        format: The format, if it cannot be told from the content or the name.
        check_data: Verify the checksums of the index and of every record that is read.
        io: How local files are read. `auto` uses mapped memory where the pages are in memory and the kernel's ring
            where they are not; `direct` goes past the page cache, for data sets larger than memory; `mmap`, `pread`
            and `uring` insist on one way. Where the system lacks a way, the next best is used.

    The index of a single file is verified here. Of several files only the fixed headers are read here, and each
    index when a record behind it is first asked for.
    """
    _check_types(format, check_data=check_data)
    if not isinstance(io, str):
        message = f"io is a name, not {type(io).__name__}"
        raise RecordTypeError(message)
    return Reader(expand(location), format=format, check_data=check_data, io=io)


def create(
    path: str | os.PathLike[str],
    *,
    format: Format | None = None,
    overwrite: bool = True,
) -> Writer:
    """Create a record file.

    The file appears under its name only when the writer is closed without an error, whole and durable. Until then
    its records are in `NAME.partial`. An exception inside `with` leaves nothing behind.

    Args:
        path: Where the file will be.
        format: The format; told from the suffix of `path` if it is not given.
        overwrite: Whether a file of that name may be replaced.
    """
    _check_types(format, overwrite=overwrite)
    path = _as_path(path)
    return Writer(path, format=_format_by_suffix(path) if format is None else format, overwrite=overwrite)


def append(path: str | os.PathLike[str]) -> Writer:
    """Add records to the end of a file.

    Raises:
        UnsupportedError: The format cannot be appended to; the message names the way out.
    """
    path = _as_path(path)
    with open(path) as reader:
        found = reader.info.format
    message = (
        f"{path}: {found} keeps its index before its records, so a file cannot grow in place; write the new records "
        f"to a file beside it with octavo.create and open both as one: octavo.open([{path!r}, ...])"
    )
    raise UnsupportedError(message, path=path)


def _check_types(format: object, **switches: object) -> None:
    if not isinstance(format, str | None):
        message = f"format is a name, not {type(format).__name__}"
        raise RecordTypeError(message)
    for option, switch in switches.items():
        if not isinstance(switch, bool):
            message = f"{option} is True or False, not {type(switch).__name__}"
            raise RecordTypeError(message)


def _as_path(path: str | os.PathLike[str]) -> str:
    if isinstance(path, str | os.PathLike):
        return os.path.abspath(os.fsdecode(path))  # where it was meant to be, wherever the process goes meanwhile
    message = f"a file to write is named by a path, not {type(path).__name__}"
    raise RecordTypeError(message)


def _format_by_suffix(path: str) -> str:
    suffix = os.path.splitext(path)[1]
    if suffix in FORMAT_OF_SUFFIX:
        return FORMAT_OF_SUFFIX[suffix]
    known = ", ".join(f"{suffix} ({name})" for suffix, name in FORMAT_OF_SUFFIX.items())
    message = f"{path}: the suffix does not say which format to write; use one of {known}, or pass format="
    raise OptionError(message, path=path)

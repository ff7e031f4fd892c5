"""`octavo.write_index`: an index in a file of its own, beside a file that carries none."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from octavo._arguments import check_format
from octavo._index_file import write_index_of
from octavo._location import Location, expand
from octavo.errors import UnsupportedError
from octavo.storage import StoredObject

if TYPE_CHECKING:
    from octavo._open import Format


def write_index(location: Location, *, format: Format | None = None) -> list[str]:
    """Write `NAME.octx` beside each file: the next `octavo.open` reads that instead of scanning the file.

    RecordIO, TFRecord and plain Riegeli files carry no index; without a sidecar, opening one visits the header of every
    chunk or record, and a compressed TFRecord file is decompressed once. A sidecar is small, and used only while it
    belongs to its file beyond doubt: it can be deleted at any time, and one that is out of date is ignored.

    Args:
        location: The files; see `octavo.open`.
        format: The format, if it cannot be told from the content or the name.

    Returns:
        The paths of the sidecars.

    Raises:
        FormatError: A file is damaged, or ends with an interrupted append.
        UnsupportedError: The format carries its own index.
    """
    check_format(format)
    files = expand(location)
    if not all(isinstance(file, str | StoredObject) for file in files):
        message = "only files have an index beside them: bytes and file objects have no place for one"
        raise UnsupportedError(message)
    return [write_index_of(cast("str | StoredObject", file), format) for file in files]

"""`octavo.digest`: what records a data set holds, in 32 digits, whatever container they are in."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from octavo import _core
from octavo._arguments import Progress
from octavo._convert import _open_any

if TYPE_CHECKING:
    from typing import Self

    from octavo._convert import Container
    from octavo._location import Location


@dataclasses.dataclass(frozen=True)
class Digest:
    """The digest of a data set: docs/spec/digest.md. Two data sets with equal digests hold the same records."""

    ordered: str
    """32 hexadecimal digits that depend on every record and on their order."""
    unordered: str
    """32 that depend on every record, and not on their order."""
    record_count: int
    """How many records."""
    record_bytes: int
    """Their size."""

    @classmethod
    def of_native(cls, digest: _core.Digest) -> Self:
        """What the native core has added up."""
        return cls(digest.ordered, digest.unordered, digest.record_count, digest.record_bytes)

    def native(self) -> _core.Digest:
        """The same, to be joined with others."""
        return _core.Digest(self.record_count, self.record_bytes, self.ordered, self.unordered)


def digest(
    location: Location,
    *,
    format: Container | None = None,
    column: str | None = None,
    layout: str = "auto",
    progress: Progress | None = None,
) -> Digest:
    """Read all records, on all cores, and digest them.

    The digest does not depend on the format, on compression, on how records are spread over files: a data set that
    was converted, cut or put together has the digest it had before. It guards against mistakes and damage, not
    against somebody who chooses records in order to deceive.

    Args:
        location: What to read; see `octavo.open`. Folders, tar files, JSON lines and Parquet files are taken as
            `octavo.convert` takes them.
        format: The format or container, if it cannot be told.
        column: The column of a Parquet file, or the field of JSON lines, that is the record.
        layout: How files of a tar file become records; see `octavo.convert`.
        progress: Called now and then with what is done and the whole: records, or bytes where nobody knows how many
            records there are.

    Raises:
        FormatError: A record is damaged; `octavo.verify` lists all that are.
    """
    with _open_any.open_input(location, format, column=column, layout=layout, option="format") as source:
        return Digest.of_native(source.digest(progress))

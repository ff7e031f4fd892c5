"""What a conversion says at its end."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from octavo._digest import Digest


@dataclasses.dataclass(frozen=True)
class ConvertReport:
    """What `octavo.convert` did."""

    paths: tuple[str, ...]
    """The files that hold the records now."""
    format: str
    """What they are."""
    digest: Digest
    """The digest of all records, as they were read."""
    verified: bool
    """Whether all files were read back, and hold records with that digest."""
    kept_count: int
    """Files that were there already, just as they would have been written, and were kept."""
    seconds: float
    """How long it took."""
    torn_bytes: int = 0
    """Bytes at the ends of sources that were left out: of interrupted appends, or of files that were cut off. Where
    there are any, records may be missing, however well the target was verified."""

    @property
    def ok(self) -> bool:
        """Whether all records of the sources are in the files: nothing was left out."""
        return self.torn_bytes == 0

    @property
    def record_count(self) -> int:
        """How many records."""
        return self.digest.record_count

    @property
    def record_bytes(self) -> int:
        """Their size."""
        return self.digest.record_bytes

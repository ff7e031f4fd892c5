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
    """Files that were finished by an earlier, interrupted conversion, and were kept."""
    seconds: float
    """How long it took."""

    @property
    def record_count(self) -> int:
        """How many records."""
        return self.digest.record_count

    @property
    def record_bytes(self) -> int:
        """Their size."""
        return self.digest.record_bytes

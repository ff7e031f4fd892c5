"""What tells the records of one job from those of another."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

from octavo._convert._publish import refusals
from octavo._partition import Partition
from octavo.storage import StoredObject


def fingerprint(partitions: Sequence[Partition]) -> dict[str, str]:
    """How the records were cut into tasks, and the files as they are now."""
    cuts, stamps = hashlib.sha256(), hashlib.sha256()
    files: dict[str, str | StoredObject] = {}
    for part in partitions:
        cuts.update(repr((part.start, part.stop, part.paths, part.skip, part.spans)).encode())
        files |= dict(zip(part.paths, part.objects or part.paths, strict=True))
    for path, file in files.items():
        stamps.update(repr((path, _stamp(file))).encode())
    return {
        "tasks": f"{len(partitions)}, sha256={cuts.hexdigest()[:32]}",
        "files": f"{len(files)}, sha256={stamps.hexdigest()[:32]}",
    }


def _stamp(file: str | StoredObject) -> tuple[int, int | float | str]:
    """Size, and tag or time of modification."""
    if isinstance(file, StoredObject):
        status = file.status
        return status.size, status.modified if status.e_tag is None else status.e_tag
    with refusals(file, "look at"):
        found = os.stat(file)
    return found.st_size, found.st_mtime_ns
